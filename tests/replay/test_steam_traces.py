"""The recorded traces of Steam, replayed on the replica."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest

from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import ReplayError
from websp_gym.replay import Trace, load_trace, replay
from websp_gym.replay.library import trace_path
from websp_gym.tasks.initial_steps import ReplayStep
from websp_gym.tasks.instances import load_instance
from websp_gym.world.sandbox import SandboxEpisode, SandboxWorld

MATURE = [f"mature.{column}.{kind}" for column in ("store", "community") for kind in
          ("general", "violence", "some_nudity", "frequent_nudity", "adult_only")]  # fmt: skip


class Steam:
    """A signed-in browser on the replica."""

    def __init__(self, episode: SandboxEpisode, tabs: Tabs) -> None:
        self.episode = episode
        self.tabs = tabs
        self.timeout = 30.0

    def replay(self, trace: Trace, set: Literal["on", "off", "recorded"]) -> list[str]:
        """Replays a trace; what was done for each event."""
        report = replay(trace, self.tabs, set=set, account=self.episode.account, timeout=self.timeout)
        return [event.action for event in report.events]

    @property
    def settings(self) -> dict[str, Any]:
        """The server's settings."""
        return self.episode.state().sites["steam"].settings


@pytest.fixture(scope="module")
def opened(browser_thread: None) -> Iterator[Steam]:
    """An episode for the whole module: no test here depends on the state that it finds."""
    world = SandboxWorld()
    context = open_context(BrowserOptions(args=world.browser_args()), viewport=(1280, 1024))
    episode = world.open_episode(load_instance("Steam-task-194").site, signed_in=True)
    episode.attach(context)
    context.new_page()
    yield Steam(episode, Tabs(context))
    context.close()
    episode.close()


@pytest.fixture
def steam(opened: Steam) -> Steam:
    """The episode, with its patience."""
    opened.timeout = 30.0
    return opened


def test_on_off_on_lands_each_time_in_the_same_verified_state(steam: Steam) -> None:
    trace = load_trace(trace_path("steam/mature_content.json"))
    for wanted in ("on", "off", "on"):
        steam.replay(trace, wanted)
        assert {key: steam.settings[key] for key in MATURE} == dict.fromkeys(MATURE, wanted == "on")
    assert set(steam.replay(trace, "on")) == {"skipped"}, "what already is as wanted is left alone"


ALSO = ("191-OFF", "194", "196-ON", "196-OFF", "198-ON", "198-OFF", "200-OFF")


@pytest.mark.parametrize("name", ["191-ON", *(pytest.param(name, marks=pytest.mark.proof) for name in ALSO)])
def test_s0_pins_all_that_its_traces_set_whatever_the_defaults_are(steam: Steam, name: str) -> None:
    instance = load_instance(f"Steam-task-{name}").config
    opposite = {key: not value for key, value in steam.settings.items() if isinstance(value, bool)}
    steam.episode.prepare("steam", opposite, {})
    for step in instance.initial_state:
        assert isinstance(step, ReplayStep)
        steam.replay(load_trace(trace_path(step.replay)), step.set)
    after = steam.settings
    moved = {key for key, value in opposite.items() if after[key] != value}
    assert moved <= set(instance.expect.settings)
    assert {key: after[key] for key in instance.expect.settings} == instance.expect.settings


def test_a_trace_whose_element_is_gone_says_which_and_what_was_tried(steam: Steam) -> None:
    trace = load_trace(trace_path("steam/mature_content.json"))
    data = trace.model_dump(by_alias=True)
    first = data["events"][0]["target"]
    for key in ("id", "name", "label", "text", "nearby", "sibling", "parent", "css", "xpath", "websp_index"):
        if first.get(key) is not None:
            first[key] = 99_999 if key == "websp_index" else f"{first[key]}-gone"
    first["webspIndex"] = 99_999
    gone = Trace.model_validate({**data, "schema": "websp-trace/1"})
    steam.timeout = 0.5
    with pytest.raises(ReplayError) as caught:
        steam.replay(gone, "off")
    assert caught.value.facts["event"] == 1
    assert len(caught.value.facts["rungs"]) >= 5
    assert "gone" in str(caught.value)
