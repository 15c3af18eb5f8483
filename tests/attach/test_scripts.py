"""What the scripts of an agent do, as actions: which events and requests are one, and whose they are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from websp_gym.attach.script_watch import WORLD, ScriptWatch
from websp_gym.env.outside import OutsideAction

OURS, OTHER = 7, 8
"""Execution contexts: that of our listener, and another one."""


class Page:
    """What the browser tells of a page and the agent's scripts in it, and a clock that stands still in between.

    Attributes:
        actions: What the scripts have done.
    """

    def __init__(self) -> None:
        self._now = 0.0
        self.actions: list[OutsideAction] = []
        self.focused: list[str] = []
        self.watch = ScriptWatch(
            lambda *command: None, self.actions.append, self.focused.append, lambda: self._now
        )
        self.watch.attached("s", "tab")
        context = {"id": OURS, "name": WORLD, "auxData": {"type": "isolated"}}
        self.watch.world_changed("s", "Runtime.executionContextCreated", {"context": context})

    @property
    def told(self) -> list[str]:
        """The actions in words."""
        return [action.by_script for action in self.actions]

    def wait(self, seconds: float) -> None:
        self._now += seconds

    def event(self, kind: str = "click", name: str = "Save", context: int = OURS) -> None:
        """An event that no person caused."""
        told = {"kind": kind, "role": "button", "name": name, "value": "x", "form": "", "frame": ""}
        self.watch.told("s", {"executionContextId": context, "payload": json.dumps(told)})

    def request(
        self, method: str, url: str = "", kind: str = "Fetch", text: str = "https://a.example/"
    ) -> None:
        """A request that a script began; ``url`` is where that script is from, empty for a command's."""
        initiator = {"stack": {"callFrames": [{"url": url}]}}
        self.watch.requested(
            "s", {"request": {"method": method, "url": text}, "type": kind, "initiator": initiator}
        )


def test_what_happens_while_no_script_runs_is_the_pages_own_doing() -> None:
    page = Page()
    page.event()
    page.watch.begin("s", 1)
    page.watch.end("s", 1)
    page.wait(0.2)
    page.event(name="Late")
    page.wait(0.2)
    page.event(name="Too late")
    assert page.told == ["click button 'Late'"]


@pytest.mark.parametrize(("timers", "told"), [(True, ["POST https://a.example/"]), (False, [])])
def test_a_request_by_a_timer_of_a_script_is_an_action_where_pages_have_no_such_scripts(
    timers: bool, told: list[str]
) -> None:
    page = Page()
    page.watch.timers = timers
    page.request("POST", "https://a.example/page.js")
    page.request("POST")
    page.request("POST")
    assert page.told == told


def test_all_that_a_script_does_is_one_action_that_ends_with_it() -> None:
    page = Page()
    page.watch.begin("s", 1)
    for name in ("One", "Two"):
        page.event(name=name)
        page.wait(1)
    assert page.told == ["click button 'One'"]
    assert not page.actions[0].over.done()
    page.watch.end("s", 1)
    assert page.actions[0].over.done()


def test_a_script_that_looks_does_not_cut_what_another_one_does() -> None:
    page = Page()
    page.watch.begin("s", 1)
    page.event(name="One")
    page.wait(0.1)
    page.watch.begin("s", 2)
    page.watch.end("s", 2)
    page.wait(0.9)
    page.event(name="Two")
    page.watch.end("s", 1)
    assert page.told == ["click button 'One'"]


def test_a_script_that_never_ends_hides_no_other() -> None:
    page = Page()
    page.watch.begin("s", 1)
    for number in (2, 3):
        page.watch.begin("s", number)
        page.event()
        page.watch.end("s", number)
        page.wait(1)
    page.watch.begin("s", 4)
    page.request("GET", kind="Document")
    assert page.told == ["click button 'Save'"] * 2 + ["GET https://a.example/"]


@pytest.mark.parametrize(
    ("method", "kind", "url", "told"),
    [
        ("POST", "Fetch", "", True),
        ("GET", "Document", "", True),
        ("GET", "Fetch", "", False),
        ("POST", "Fetch", "https://a.example/app.js", False),
    ],
    ids=["sends", "opens", "only reads", "of the page"],
)
def test_a_request_is_a_scripts_if_it_changes_or_opens_something_and_no_page_has_the_script(
    method: str, kind: str, url: str, told: bool
) -> None:
    page = Page()
    page.watch.begin("s", 1)
    page.request(method, url, kind)
    assert page.told == ([f"{method} https://a.example/"] if told else [])


@pytest.mark.parametrize("payload", ["", "[]", "{}", "[" * 100_000, json.dumps({"kind": "click"})])
def test_a_page_that_calls_our_function_tells_nothing(payload: str) -> None:
    page = Page()
    page.watch.begin("s", 1)
    page.event(context=OTHER)
    page.watch.told("s", {"executionContextId": OURS, "payload": payload})
    assert page.told == []


def test_a_listener_that_is_gone_is_not_believed() -> None:
    page = Page()
    page.watch.world_changed("s", "Runtime.executionContextsCleared", {})
    page.watch.begin("s", 1)
    page.event()
    assert page.told == []


def test_each_move_of_the_focus_is_told_with_its_tab() -> None:
    page = Page()
    told: dict[str, Any] = {"executionContextId": OURS, "payload": "focus"}
    page.watch.told("s", told)
    page.watch.told("s", {**told, "executionContextId": OTHER})
    assert page.focused == ["tab"]
