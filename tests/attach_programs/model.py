"""A scripted model that presses what it is told to, through the tools or the output format of whoever asks it."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.endpoint_support import Asked, Say

Label = tuple[str, str]
"""Role and the begin of the name of what is to be pressed."""
STEAM_WAY: Sequence[Label] = (
    ("button", "alexrivers"),
    ("link", "Account details"),
    ("link", "Cookies & Browsing"),
    ("switch", "recentapps"),
    ("switch", "app_impressions"),
)
"""What solves Steam-task-191-ON, from the start page on."""
_MOST_LOOKS = 6
"""Looks at pages that do not show the next element before the model gives up."""


@dataclass(frozen=True)
class _Tools:
    """How one set of tools presses an element and looks at the page."""

    element: Callable[[Label], str]
    press: Callable[[str, Label], tuple[str, dict[str, Any]]]
    look: tuple[str, dict[str, Any]]


def _quoted(label: Label) -> str:
    role, name = label
    return rf'{role} "{re.escape(name)}'


_KNOWN: dict[str, _Tools] = {
    "browser_snapshot": _Tools(
        lambda label: _quoted(label) + r"[^\n]*?\[ref=(\w+)\]",
        lambda found, label: ("browser_click", {"element": label[1], "target": found}),
        ("browser_snapshot", {}),
    ),
    "take_snapshot": _Tools(
        lambda label: r"uid=(\S+) " + _quoted(label),
        lambda found, label: ("click", {"uid": found, "pageId": 1, "includeSnapshot": True}),
        ("take_snapshot", {"pageId": 1}),
    ),
    "look": _Tools(
        lambda label: rf'\[(\d+)\] <{label[0]}> "{re.escape(label[1])}',
        lambda found, label: ("click", {"element": int(found)}),
        ("look", {}),
    ),
    "ariaTree": _Tools(
        lambda label: rf"\[([\d-]+)\] {label[0]}: {re.escape(label[1])}",
        lambda found, label: ("act", {"action": f"press the {label[0]} {label[1]}"}),
        ("ariaTree", {}),
    ),
}
"""By a tool that only this set has: Playwright MCP, chrome-devtools-mcp, ours, Stagehand."""


class Presser:
    """Answers requests of OpenAI's two APIs; presses each label once, then says that it is done."""

    def __init__(self, labels: Sequence[Label] = STEAM_WAY) -> None:
        self._labels = list(labels)
        self._looks = 0
        self._finished = False
        self._numbers = itertools.count(1)
        self.lost = ""
        """The last page on which the next element was not found, for the message of a failed test."""

    def __call__(self, asked: Asked) -> Say:
        told = "\n".join(_texts(asked.body.get("messages", asked.body.get("input", []))))
        tools = {_name(tool) for tool in asked.body.get("tools", ())}
        known = next((each for name, each in _KNOWN.items() if name in tools), None)
        responses = asked.path.endswith("/responses")
        if known is None:
            return Say(_message(json.dumps(self._structured(told)), responses))
        if not self._labels or self._looks > _MOST_LOOKS:
            if "finish" in tools and not self._finished:
                self._finished = True
                return Say(_call("finish", {"answer": "done"}, next(self._numbers), responses))
            return Say(_message("done", responses))
        label = self._labels[0]
        found = re.findall(known.element(label), told.rpartition(_END)[2])
        if not found:
            self._looks, self.lost = self._looks + 1, f"{label}: {told[-3_000:]}"
            return Say(_call(*known.look, next(self._numbers), responses))
        self._looks = 0
        if "act" not in tools:
            self._labels.pop(0)
        return Say(_call(*known.press(found[-1], label), next(self._numbers), responses))

    def _structured(self, told: str) -> dict[str, Any]:
        """Return the answer for one who asks for JSON: Stagehand for an element, browser-use for an action."""
        if not self._labels:
            return _browser_use({"done": {"text": "done", "success": True}})
        role, name = self._labels[0]
        stagehand = re.findall(rf"\[([\d-]+)\] {role}: {re.escape(name)}", told)
        if stagehand:
            self._labels.pop(0)
            return {
                "elementId": stagehand[-1],
                "description": name,
                "method": "click",
                "arguments": [],
                "twoStep": False,
                "action": {
                    "elementId": stagehand[-1],
                    "description": name,
                    "method": "click",
                    "arguments": [],
                },
            }
        number = _numbered(told.rpartition("<browser_state>")[2], role, name)
        if number is None:
            self._looks, self.lost = self._looks + 1, f"{(role, name)}: {told[-3_000:]}"
            if self._looks > _MOST_LOOKS:
                return _browser_use({"done": {"text": "not found", "success": False}})
            return _browser_use({"wait": {"seconds": 1}})
        self._looks = 0
        self._labels.pop(0)
        return _browser_use({"click": {"index": number}})


_END = "\x00"
"""Stands before what the model said."""


def _texts(messages: Iterable[dict[str, Any]]) -> list[str]:
    texts: list[str] = []
    for message in messages:
        said = message.get("role") == "assistant" or message.get("type") == "function_call"
        content = message.get("content", message.get("output", ""))
        parts = content if isinstance(content, list) else [content]
        shown = (part if isinstance(part, str) else str(part.get("text", "")) for part in parts if part)
        texts.append(_END * said + "\n".join(shown))
    return texts


def _name(tool: dict[str, Any]) -> str:
    return str(tool.get("name") or tool["function"]["name"])


def _numbered(page: str, role: str, name: str) -> int | None:
    """Return the number of an element in browser-use's list, such as ``[12]<a />``, with its text on the next line.

    A switch has no role there; it follows the line with its name.
    """
    if role == "switch":
        after = re.search(rf"^\s*{re.escape(name)}\s+\W*\[(\d+)\]<", page, re.MULTILINE)
        return int(after[1]) if after else None
    looks = {"button": r"<button", "link": r"<a\b"}[role]
    for block in re.split(r"^(?=\W*\[\d+\]<)", page, flags=re.MULTILINE):
        number = re.search(r"\[(\d+)\]<", block)
        first = block.partition("\n")[0]
        if number and re.search(looks, first) and re.search(rf"(?<![\w.]){re.escape(name)}", block):
            return int(number[1])
    return None


def _browser_use(action: dict[str, Any]) -> dict[str, Any]:
    return {
        "thinking": "",
        "evaluation_previous_goal": "",
        "memory": "",
        "next_goal": "",
        "action": [action],
    }


def _message(text: str, responses: bool) -> dict[str, Any]:
    if responses:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        return _response(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
        )
    return _completion({"role": "assistant", "content": text}, "stop")


def _call(name: str, arguments: dict[str, Any], number: int, responses: bool) -> dict[str, Any]:
    text = json.dumps(arguments)
    if responses:
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name}
        return _response({**item, "arguments": text, "status": "completed"})
    function = {"name": name, "arguments": text}
    call: dict[str, Any] = {"id": f"call_{number}", "type": "function", "function": function}
    return _completion({"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls")


def _completion(message: dict[str, Any], reason: str) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": reason, "message": message}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def _response(item: dict[str, Any]) -> dict[str, Any]:
    usage = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2,
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": "m",
        "status": "completed",
        "output": [item],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage,
    }
