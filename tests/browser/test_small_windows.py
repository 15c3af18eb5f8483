"""Pages in small windows: all content can be scrolled to, and the controls of a task can be reached."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import MakeEnv
from tests.visit_support import Visit, visit
from websp_gym.agents.oracle import OracleAgent
from websp_gym.runner.batch import run_episode
from websp_gym.tasks.instances import all_instances

__all__ = ["visit"]

WIDTH = 400
STARTS = {instance.site.slug: instance.site.start_url for instance in all_instances()}


@pytest.mark.parametrize("slug", list(STARTS))
def test_a_start_page_does_not_scroll_sideways_in_a_narrow_window(
    visit: Callable[[str], Visit], slug: str
) -> None:
    here = visit(slug)
    here.page.set_viewport_size({"width": WIDTH, "height": 800})
    here.goto(STARTS[slug])
    assert here.page.evaluate("document.scrollingElement.scrollWidth") <= WIDTH


@pytest.mark.parametrize(
    ("instance", "viewport"),
    [
        ("websp/Shein-task-161", (800, 600)),
        ("websp/Steam-task-191-ON", (640, 480)),
        ("websp/Docker-task-144", (640, 480)),
    ],
)
def test_a_task_can_be_done_in_a_small_window(
    make: MakeEnv, instance: str, viewport: tuple[int, int]
) -> None:
    result = run_episode(make(instance, viewport=viewport), OracleAgent())
    assert (result.status, result.reward) == ("pass", 1.0), result.reason
