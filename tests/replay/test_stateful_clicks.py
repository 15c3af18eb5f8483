"""Plain clicks on what has two states: a foreign flow says what was clicked, not what came of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.replay_support import ACCOUNT, HOME, Bench, bench
from websp_gym.errors import ReplayError
from websp_gym.replay import ReplayReport, Trace, replay
from websp_gym.replay.importers import import_trace

__all__ = ["bench"]

TURN = """onclick="for (const a of ['aria-checked', 'aria-pressed']) if (this.hasAttribute(a))
    this.setAttribute(a, this.getAttribute(a) !== 'true')" """


def box(on: bool) -> str:
    return f"<label id=l for=x>News</label> <input type=checkbox id=x {'checked' if on else ''}>"


def around(on: bool) -> str:
    return f"<label id=l><span id=s>News</span> <input type=checkbox id=x {'checked' if on else ''}></label>"


def switch(on: bool) -> str:
    return f"<button role=switch id=x aria-label=News aria-checked={str(on).lower()} {TURN}><i id=s>o</i></button>"


def pressed(on: bool) -> str:
    return f"<button id=x aria-pressed={str(on).lower()} {TURN}><b id=s>News</b></button>"


def entry(on: bool) -> str:
    return f"<div role=menu><div role=menuitemcheckbox id=x tabindex=0 aria-checked={str(on).lower()} {TURN}>News</div></div>"


def row(on: bool) -> str:
    checked = "checked" if on else ""
    turn = "this.querySelector('input').checked = !this.querySelector('input').checked"
    return f"<div id=r tabindex=0 onclick=\"{turn}\">News <input type=checkbox id=x {checked} style='pointer-events:none'></div>"


FORMS: dict[str, tuple[Any, list[list[str]]]] = {
    "a box by its name": (box, [["aria/News"], ["#x"]]),
    "a box by its id": (box, [["#x"]]),
    "a label": (box, [["#l"], ["text/News"]]),
    "a text in a label around a box": (around, [["#s"]]),
    "a switch by its name": (switch, [["aria/News"], ["#x"]]),
    "a switch by its role": (switch, [["aria/News[role=\"switch\"]"]]),
    "a picture in a switch": (switch, [["#s"]]),
    "a toggle button by its name": (pressed, [["aria/News"], ["#x"]]),
    "a text in a toggle button": (pressed, [["#s"]]),
    "an entry of a menu": (entry, [["aria/News"], ["#x"]]),
    "a row that turns its box": (row, [["#r"]]),
}  # fmt: skip


def flow(folder: Path, *steps: dict[str, Any]) -> Trace:
    path = folder / "flow.json"
    path.write_text(
        json.dumps({"title": "f", "steps": [{"type": "navigate", "url": f"{HOME}/empty"}, *steps]}), "utf-8"
    )
    return import_trace(path)[0].trace


def click(selectors: list[list[str]]) -> dict[str, Any]:
    return {"type": "click", "target": "main", "selectors": selectors, "offsetX": 2, "offsetY": 2}


def play(bench: Bench, trace: Trace, set_: Any) -> ReplayReport:
    return replay(trace, bench.tabs, set=set_, account=ACCOUNT, timeout=30.0, start=False)


TURNED = (("on", False), ("off", True), ("recorded", True))
LEFT = (("on", True), ("off", False), ("recorded", False))
"""The state asked for, and whether the control was on before."""


@pytest.mark.parametrize(
    "ways", [TURNED, pytest.param(LEFT, marks=pytest.mark.proof)], ids=["turned", "left"]
)
@pytest.mark.parametrize("form", FORMS)
def test_a_flow_leaves_a_control_in_the_state_asked_for_or_raises_and_leaves_it_alone(
    bench: Bench, tmp_path: Path, form: str, ways: tuple[tuple[str, bool], ...]
) -> None:
    html, selectors = FORMS[form]
    trace = flow(tmp_path, click(selectors))
    for set_, was in ways:
        bench.show(html(was))
        if set_ == "recorded":
            with pytest.raises(ReplayError, match="does not say whether") as caught:
                play(bench, trace, set_)
            assert '"set": "on"' in str(caught.value)
            assert bench.checked("#x") is was
        else:
            (event,) = play(bench, trace, set_).events
            assert bench.checked("#x") is (set_ == "on")
            assert event.after is (set_ == "on")


def test_a_state_that_is_there_already_is_left_alone(bench: Bench, tmp_path: Path) -> None:
    trace = flow(tmp_path, click([["#x"]]))
    for set_, was in LEFT[:2]:
        bench.show(switch(was))
        bench.page.evaluate(
            "document.getElementById('x').addEventListener('click', () => { document.title = 'clicked' })"
        )
        (event,) = play(bench, trace, set_).events
        assert (event.action, bench.checked("#x"), bench.page.title()) == ("skipped", was, "")


def test_a_key_on_a_switch_obeys_too(bench: Bench, tmp_path: Path) -> None:
    for key in (" ", "Enter"):
        trace = flow(tmp_path, {"type": "keyDown", "target": "main", "key": key})
        for set_, was in (*TURNED, *LEFT):
            bench.show(switch(was))
            bench.page.focus("#x")
            if set_ == "recorded":
                with pytest.raises(ReplayError, match="does not say whether"):
                    play(bench, trace, set_)
                assert bench.checked("#x") is was
            else:
                play(bench, trace, set_)
                assert bench.checked("#x") is (set_ == "on")


def test_a_half_checked_box_is_brought_to_either_state(bench: Bench, tmp_path: Path) -> None:
    trace = flow(tmp_path, click([["#x"]]))
    for set_ in ("on", "off"):
        bench.show(box(False))
        bench.page.evaluate("document.getElementById('x').indeterminate = true")
        play(bench, trace, set_)
        assert bench.page.evaluate("(x => [x.checked, x.indeterminate])(document.getElementById('x'))") == [
            set_ == "on",
            False,
        ]


def test_a_radio_button_is_chosen_whatever_is_set(bench: Bench, tmp_path: Path) -> None:
    trace = flow(tmp_path, click([["#b"]]))
    for set_ in ("on", "off", "recorded"):
        bench.show("<input type=radio name=r id=a checked><input type=radio name=r id=b>")
        play(bench, trace, set_)
        assert (bench.checked("#a"), bench.checked("#b")) == (False, True)


OPENERS = {
    "a button that unfolds": "<button id=x aria-expanded=false aria-pressed=false>Menu</button>",
    "a button with a menu": "<button id=x aria-haspopup=menu aria-pressed=true>Menu</button>",
    "a summary": "<details><summary id=x>More</summary>text</details>",
    "a tab": "<div role=tablist><button role=tab id=x aria-selected=false>General</button></div>",
    "a link to the page one is on": "<a href='#here' id=x aria-current=page>Here</a>",
    "a card with a box in it that it leaves alone": "<div id=x tabindex=0>Card <input type=checkbox id=y></div>",
}  # fmt: skip


def test_what_only_opens_something_is_clicked_once_whatever_is_set(bench: Bench, tmp_path: Path) -> None:
    trace = flow(tmp_path, click([["#x"]]))
    for opener, html in OPENERS.items():
        for set_ in ("on", "off", "recorded"):
            bench.show(html)
            bench.page.evaluate(
                "document.getElementById('x').addEventListener('click', () => { document.title += 'x' })"
            )
            (event,) = play(bench, trace, set_).events
            assert (bench.page.title(), event.action) == ("x", "clicked"), (opener, set_)


def test_a_click_that_the_recorder_saw_change_nothing_stays_a_click(bench: Bench) -> None:
    bench.show("<button id=x aria-pressed=true onclick=\"document.title += 'x'\">Bold</button>")
    event = bench.event("click", "#x", before={"pressed": True}, after={"pressed": True})
    bench.play(event, set_="off")
    assert bench.page.title() == "x"


def test_what_the_recording_knows_is_reached_from_both_sides(bench: Bench) -> None:
    for was in (True, False):
        bench.show(pressed(was))
        event = bench.event("click", "#x", before={"pressed": False}, after={"pressed": True})
        bench.play(event)
        assert bench.checked("#x") is True
