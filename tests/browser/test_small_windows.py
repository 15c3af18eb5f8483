"""Pages in small windows: all content can be scrolled to, and the controls of a task can be reached."""

from __future__ import annotations

import pytest

from tests.conftest import MakeEnv
from tests.sample import in_gate, left_to_prove, long_proof, touched
from tests.visit_support import tab_in_episode
from websp_gym.agents.oracle import OracleAgent
from websp_gym.browser.settle import settle
from websp_gym.runner.batch import run_episode
from websp_gym.tasks.instances import all_instances

WIDTH = 400
STARTS = {instance.site.slug: instance.site.start_url for instance in all_instances()}
IN_GATE = in_gate([*STARTS][::4], sorted(touched().slugs & STARTS.keys()), most=4)


@pytest.mark.usefixtures("browser_thread")
@pytest.mark.parametrize("slug", long_proof(STARTS, IN_GATE))
def test_a_start_page_does_not_scroll_sideways_in_a_narrow_window(slug: str) -> None:
    with tab_in_episode(slug, [], viewport=(WIDTH, 800), with_tabs=True) as (tab, _):
        tab.page.goto(STARTS[slug])
        settle(tab.tabs)
        assert tab.page.evaluate("document.scrollingElement.scrollWidth") <= WIDTH


@pytest.mark.parametrize(
    ("instance", "viewport"),
    [
        left_to_prove(("websp/Shein-task-161", (800, 600))),
        ("websp/Steam-task-191-ON", (640, 480)),
        left_to_prove(("websp/Docker-task-144", (640, 480))),
    ],
)
def test_a_task_can_be_done_in_a_small_window(
    make: MakeEnv, instance: str, viewport: tuple[int, int]
) -> None:
    result = run_episode(make(instance, viewport=viewport), OracleAgent())
    assert (result.status, result.reward) == ("pass", 1.0), result.reason
