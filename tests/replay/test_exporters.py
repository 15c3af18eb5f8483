"""Exports to the format of Chrome's Recorder: valid there, and the same trace again when imported."""

from __future__ import annotations

import json
import random
import string
from pathlib import Path
from typing import Any

from websp_gym.paths import data_dir
from websp_gym.replay import Trace, TraceEvent, load_trace
from websp_gym.replay.exporters import to_devtools
from websp_gym.replay.importers import Imported, import_trace
from websp_gym.tasks.instances import all_instances

OURS = sorted(data_dir("traces").glob("*/*.json"))
SITES = {instance.site.slug: instance.site.start_url for instance in all_instances()}
TYPES = ["setViewport", "navigate", "click", "change", "hover", "keyDown", "keyUp", "waitForElement"]


def back(flow: Any, folder: Path) -> Imported:
    """Writes a flow to disk and imports it."""
    path = folder / "flow.json"
    path.write_text(json.dumps(flow), "utf-8")
    return import_trace(path, sites=SITES)[0]


def without_ours(flow: dict[str, Any]) -> dict[str, Any]:
    """A flow as DevTools gives it back: the keys it does not know are gone."""
    steps = [{key: value for key, value in step.items() if key != "websp"} for step in flow["steps"]]
    return {"title": flow["title"], "steps": steps}


def check_flow(flow: dict[str, Any]) -> None:
    """Checks the rules of the format that its own parser checks."""
    assert isinstance(flow["title"], str)
    for step in flow["steps"]:
        assert step["type"] in TYPES
        if step["type"] == "setViewport":
            assert {type(step[key]) for key in ("width", "height", "deviceScaleFactor")} == {int}
            assert {step[key] for key in ("isMobile", "hasTouch", "isLandscape")} == {False}
        if step["type"] in ("click", "change", "hover"):
            assert step["selectors"]
            assert all(isinstance(part, str) for parts in step["selectors"] for part in parts)
            assert all(isinstance(index, int) for index in step.get("frame", []))
        if step["type"] == "click":
            assert step["offsetX"] >= 0
            assert step["offsetY"] >= 0
        if step["type"] == "change":
            assert isinstance(step["value"], str)
        if step["type"] in ("keyDown", "keyUp"):
            assert isinstance(step["key"], str)
        for event in step.get("assertedEvents", []):
            assert event["type"] == "navigation"
            assert isinstance(event["url"], str)


# -------------------------------------------------------------------- random traces
ALPHABETS = [string.ascii_letters, string.printable, "äöüßéñ中文🙂", "\"'`<>/\\[]{}()=+#;|&?% ", "\n\t"]
PIECES = [
    "</script>",
    "{{account.email}}",
    " ::shadow ",
    '[role="x"]',
    "aria/",
    "a[b='c']",
    "::shadow",
    "Control+",
    "on",
]
URLS = [
    "https://a.example/",
    "https://a.example/b?c=d#e",
    "http://{{account.username}}.example/x",
    "https://id.example/?state=1",
]


class Dice:
    """Random parts of traces."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def text(self) -> str:
        if self.chance(0.2):
            return self.random.choice(PIECES)
        alphabet = self.random.choice(ALPHABETS)
        text = "".join(self.random.choice(alphabet) for _ in range(self.random.randrange(0, 30)))
        return text.replace("{{", "{ {")  # other placeholders than the account's are refused

    def maybe(self) -> str | None:
        return self.text() if self.chance(0.5) else None

    def flag(self) -> bool | None:
        return self.random.choice([True, False, None])

    def url(self) -> str:
        return self.random.choice(URLS)

    def target(self) -> dict[str, Any]:
        keys = ("testId", "id", "nameAttr", "role", "name", "label", "text", "nearby", "sibling", "parent", "section",
                "href", "placeholder", "typeAttr", "css", "xpath")  # fmt: skip
        return {
            "tag": self.random.choice(["button", "input", "*", "a-b", ""]),
            **{key: self.maybe() for key in keys},
            "framePath": [self.text() for _ in range(self.random.randrange(0, 3))],
            "websp_index": self.random.choice([None, 0, 7]),
            "classes": [self.text() for _ in range(self.random.randrange(0, 3))],
        }

    def state(self) -> dict[str, Any] | None:
        keys = ("checked", "expanded", "disabled", "selected", "pressed")
        return {**{key: self.flag() for key in keys}, "value": self.maybe()} if self.chance(0.5) else None

    def event(self) -> dict[str, Any]:
        kind = self.random.choice(["navigate", "click", "change", "type", "key"])
        modal = self.random.choice([None, "accept", "dismiss"])
        key = self.random.choice(
            ["Enter", "a", "+", "Control+a", "Control++", "Shift+Tab", "Alt+Shift+F4", self.text() or "x"]
        )
        return {
            "type": kind,
            "url": self.url()
            if kind == "navigate" or self.chance(0.8)
            else self.random.choice(["", "about:blank"]),
            "target": self.target() if kind in ("click", "change", "type") or self.chance(0.3) else None,
            "value": self.text() if kind == "type" else self.maybe(),
            "key": key if kind == "key" or self.chance(0.1) else None,
            "stateful": self.chance(0.3),
            "before": self.state(),
            "after": self.state(),
            "hover": [self.target() for _ in range(self.random.randrange(0, 3))] if self.chance(0.3) else [],
            "popup": self.chance(0.2),
            "modal": modal,
            "modal_text": self.maybe() if modal == "accept" else None,
            "set": self.random.choice([None, "on", "off"]),
            "optional": self.chance(0.2),
            "screenshot": self.random.choice([None, "3.png"]),
        }

    def trace(self) -> Trace:
        return Trace.model_validate(
            {
                "schema": "websp-trace/2",
                "name": self.text(),
                "description": self.text(),
                "site": self.random.choice(["steam", "x_y"]),
                "start_url": self.url(),
                "viewport": {
                    "width": self.random.randrange(1, 10_000),
                    "height": self.random.randrange(1, 10_000),
                },
                "recorded_with": self.text(),
                "omitted": self.random.randrange(0, 5),
                "events": [self.event() for _ in range(self.random.randrange(0, 12))],
            }
        )


def test_importing_what_was_exported_is_the_identity(tmp_path: Path) -> None:
    dice = Dice(0)
    for _ in range(100):
        trace = dice.trace()
        flow = to_devtools(trace)
        check_flow(flow)
        imported = back(flow, tmp_path)
        assert imported.trace == trace
        assert (imported.format, imported.dropped, imported.notes) == ("devtools", {}, ())
        assert to_devtools(imported.trace) == flow


def test_our_recordings_survive_the_way_to_devtools_and_back(tmp_path: Path) -> None:
    assert len(OURS) > 90
    for path in OURS:
        trace = load_trace(path)
        flow = to_devtools(trace)
        assert back(flow, tmp_path).trace == trace, path
        check_said(back(without_ours(flow), tmp_path).trace, trace)


def check_said(again: Trace, trace: Trace) -> None:
    """Checks that what DevTools can say survived without our own key."""
    assert (again.name, again.site, again.start_url, again.viewport) == (
        trace.name,
        trace.site,
        trace.start_url,
        trace.viewport,
    )
    for event, wanted in zip(again.events, trace.events, strict=True):
        assert event.url.split("?")[0] == wanted.url.split("?")[0]
        assert (event.value, event.key) == (wanted.value, wanted.key)
        # A flow cannot say that a button is one that stays pressed, or an option one of several.
        is_plain = wanted.target is not None and wanted.target.role in ("button", "option")
        assert event.stateful == (wanted.stateful and not is_plain)
        if wanted.target is None:
            continue
        assert event.target is not None
        assert (event.target.name, event.target.css) == (wanted.target.name, wanted.target.css)
        # An XPath of DevTools does not enter a shadow root.
        in_shadow = "::shadow" in str(wanted.target.xpath)
        assert event.target.xpath == (None if in_shadow else wanted.target.xpath)
        assert event.target.role in (wanted.target.role, None)


def a_trace(*events: dict[str, Any]) -> Trace:
    return Trace.model_validate(
        {
            "schema": "websp-trace/2",
            "name": "n",
            "site": "x",
            "start_url": "https://a.example/",
            "events": events,
        }
    )


def test_the_alternatives_stand_in_the_order_chrome_writes_them() -> None:
    target = {
        "tag": "button",
        "role": "button",
        "name": "Save",
        "text": "Save",
        "css": "#host ::shadow form > button",
        "xpath": "/html[1]/body[1]/button[1]",
        "framePath": ["#outer", "iframe"],
    }
    flow = to_devtools(a_trace({"type": "click", "url": "https://a.example/", "target": target}))
    step = flow["steps"][-1]
    assert step["selectors"] == [
        ['aria/Save[role="button"]'],
        ["#host", "form > button"],
        ["xpath//html[1]/body[1]/button[1]"],
        ["pierce/form > button"],
        ["text/Save"],
    ]
    assert step["frame"] == [0, 0]


def test_keys_are_pressed_with_their_modifiers_and_let_go() -> None:
    flow = to_devtools(a_trace({"type": "key", "key": "Control+Shift++"}))
    keys = [(step["type"], step["key"]) for step in flow["steps"][2:]]
    assert keys == [
        ("keyDown", "Control"),
        ("keyDown", "Shift"),
        ("keyDown", "+"),
        ("keyUp", "+"),
        ("keyUp", "Shift"),
        ("keyUp", "Control"),
    ]


def test_a_key_keeps_its_target_on_the_way_through_devtools(tmp_path: Path) -> None:
    target = {"tag": "input", "role": "textbox", "name": "Words", "css": "#words"}
    url = "https://a.example/"
    enter = {"type": "key", "key": "Shift+Enter", "url": url, "target": target}
    flow = to_devtools(a_trace(enter, {"type": "key", "key": "Escape"}))
    assert [step["type"] for step in flow["steps"][2:4]] == ["waitForElement", "keyDown"]
    first, second = back(without_ours(flow), tmp_path).trace.events
    assert (first.key, first.target and first.target.css) == ("Shift+Enter", "#words")
    assert (second.key, second.target) == ("Escape", None)


def test_navigations_hovers_and_popups_are_written_the_way_devtools_does() -> None:
    button = {"tag": "button", "id": "a", "css": "#a"}
    flow = to_devtools(
        a_trace(
            {
                "type": "click",
                "url": "https://a.example/",
                "target": button,
                "hover": [{"tag": "li", "css": "li"}],
            },
            {"type": "click", "url": "https://a.example/next", "target": button},
            {"type": "click", "url": "https://id.example/", "target": button, "popup": True},
            {"type": "navigate", "url": "https://a.example/end"},
        )
    )
    hover, first, second, popup, end = flow["steps"][2:]
    assert (hover["type"], hover["selectors"]) == ("hover", [["li"], ["pierce/li"]])
    assert first["assertedEvents"] == [{"type": "navigation", "url": "https://a.example/next", "title": ""}]
    assert "assertedEvents" not in second
    assert popup["target"] == "https://id.example/"
    assert (end["type"], end["url"]) == ("navigate", "https://a.example/end")


def test_steps_added_by_hand_to_an_exported_flow_are_read_as_chromes(tmp_path: Path) -> None:
    trace = a_trace(
        {"type": "click", "url": "https://a.example/", "target": {"tag": "b", "css": "b"}, "optional": True}
    )
    flow = to_devtools(trace)
    flow["title"] = "renamed"
    flow["steps"].insert(2, {"type": "click", "selectors": ["#extra"], "offsetX": 1, "offsetY": 1})
    again = back(flow, tmp_path).trace
    assert again.name == "renamed"
    assert again.events[1] == trace.events[0]
    assert again.events[0] == TraceEvent.model_validate(
        {"type": "click", "url": "https://a.example/", "target": {"tag": "*", "id": "extra", "css": "#extra"}}
    )
