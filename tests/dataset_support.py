"""A small clone in the format of the published artifact. Every sentence and trace in it is invented."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

TRACES = Path(__file__).parent / "data" / "traces"
SESSION = "session_2026-01-02T03-04-05"
ACCEPT = f"dataset/state_traces/Steam_task-191_state1/{SESSION}/session-2026-01-02T03-04-05.json"
REJECT = f"dataset/state_traces/Steam_task-191_state2/{SESSION}/session-2026-01-02T03-04-06.json"
COOKIES = "https://store.steampowered.com/account/cookiepreferences"
LOGIN = "login_traces/Steam_login/session-2026-01-02T03-04-07.json"
PASSWORD = "c0rrect-Horse.battery"


def button(text: str, url: str = COOKIES) -> dict[str, Any]:
    """A click on a button without an id, as their recorder writes it."""
    return {
        "type": "click", "timestamp": "2026-01-02T03:04:05.000Z", "site": url, "selectorPath": "div#x > div:nth-of-type(9)",
        "xpath": '//*[@id="x"]/div[9]', "framePath": [], "elementType": "div", "tagName": "div", "webspIndex": 4,
        "role": "button", "innerText": text, "textContent": text, "labelText": None, "ariaLabel": None, "id": None,
        "name": None, "classList": ["Focusable"], "href": None, "nearbyLabelText": None, "parentTextContext": text,
        "outerHTML": f'<div role="button" tabindex="0">{text}</div>',
    }  # fmt: skip


def typed(value: str, name: str, kind: str, url: str) -> dict[str, Any]:
    """A change of a text field."""
    return {
        **button("", url), "type": "change", "elementType": "input", "tagName": "input", "inputType": kind, "typeAttr": kind,
        "role": None, "innerText": None, "textContent": None, "parentTextContext": None, "id": name, "name": name,
        "labelText": name, "value": value, "selectorPath": f"input#{name}", "xpath": f'//*[@id="{name}"]',
        "outerHTML": f'<input id="{name}" name="{name}" type="{kind}">',
    }  # fmt: skip


def trace(*events: Mapping[str, Any], start: str = COOKIES) -> dict[str, Any]:
    """A trace in their format."""
    return {
        "taskId": "a task", "sessionId": SESSION, "startUrl": start, "domain": "a_domain", "viewportWidth": 1280,
        "viewportHeight": 1024, "initialFormStates": {}, "events": list(events), "screenshots": [], "metadata": {},
    }  # fmt: skip


def row(key: str, words: str, *files: tuple[str, bool], **more: Any) -> dict[str, Any]:
    """A line of a task file; each trace with the state to which its switches are set."""
    calls = [
        {
            "function": "replay_events",
            "kwargs": {
                "replay_click_file": file,
                "set_checked_state": state,
                "skip_disabled_clicks": False,
                "refresh_before_start": False,
            },
        }
        for file, state in files
    ]
    reset = {"state_reset_ops": {"type": "extension", "function_calls": calls}} if calls else {}
    return {
        "id": key,
        "web": "https://example.org/",
        "web_name": "X",
        "ques": words,
        "login": True,
        **reset,
        **more,
    }


ROWS = (
    row("Steam_task-191_ON", "Say no to the two kinds of cookies that Valve itself bakes.", (ACCEPT, True)),
    row("Steam_task-191_OFF", "Say no to the two kinds of cookies that Valve itself bakes.", (REJECT, True)),
    row("BBC_task-167", "Let the BBC keep no cookies that it can do without."),
)
WAYS = tuple({**each, "ques": f"Walk to the pantry first. {each['ques']}"} for each in ROWS)
TRUTH = {
    "Steam_task-191_ON": ["OPEN the pantry", "TAKE both jars away"],
    "Steam_task-191_OFF": ["OPEN the pantry", "both jars are gone"],
    "BBC_task-167": ["THROW the biscuits out"],
}
ELEMENTS = 'TaskID,Ground Truth,UI Elements\nSteam_task-191_ON,OPEN -> TAKE,"Link, Toggle"\nBBC_task-167,THROW,Link\n'


def write_clone(root: Path, files: Mapping[str, Any] | None = None) -> Path:
    """Write the clone, with other content of some files, or without those that are None; return its folder."""
    content: dict[str, Any] = {
        "dataset/tasks_without_navigation.jsonl": "\n".join(map(json.dumps, ROWS)),
        "dataset/tasks_with_navigation.jsonl": "\n".join(map(json.dumps, WAYS)),
        "dataset/artifact_test.jsonl": json.dumps(ROWS[0]),
        "dataset/ground_truth_actions.json": TRUTH,
        "dataset/ground_truth_ui_elements.csv": ELEMENTS,
        "dataset/login_files.csv": f"site,login_file\nSteam,{LOGIN}\nBBC,\n",
        ACCEPT: trace(button("Accept All")),
        REJECT: trace(button("Reject All")),
        LOGIN: trace(
            typed("ada.love@example.org", "email", "email", "https://store.steampowered.com/login/"),
            typed(PASSWORD, "password", "password", "https://store.steampowered.com/login/"),
            button("Sign in", "https://store.steampowered.com/login/"),
            start="https://store.steampowered.com/login/",
        ),
        "LICENSE-dataset": "An invented licence.\n",
        **(files or {}),
    }
    shutil.rmtree(root, ignore_errors=True)
    for name, each in content.items():
        if each is not None:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(each if isinstance(each, str) else json.dumps(each), "utf-8")
    return root


@pytest.fixture
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder of the user."""
    folder = tmp_path / "data"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder
