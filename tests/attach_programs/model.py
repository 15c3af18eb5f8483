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
    """Answers requests of OpenAI's two APIs and of Anthropic's; presses each label once, then says that it is done."""

    def __init__(self, labels: Sequence[Label] = STEAM_WAY) -> None:
        self._labels = list(labels)
        self._looks = 0
        self._finished = False
        self._numbers = itertools.count(1)
        self.lost = ""
        """The last page on which the next element was not found, for the message of a failed test."""
        self.offered: set[str] = set()
        """Names of all tools that the model was offered."""

    def __call__(self, asked: Asked) -> Say:
        told = "\n".join(_texts(asked.body.get("messages", asked.body.get("input", []))))
        names = [_name(tool) for tool in asked.body.get("tools", ())]
        self.offered.update(names)
        prefix = _OF_CLAUDE_CODE if any(name.startswith(_OF_CLAUDE_CODE) for name in names) else ""
        tools = {name.removeprefix(prefix) for name in names}
        known = next((each for name, each in _KNOWN.items() if name in tools), None)
        api = asked.path.partition("?")[0].rpartition("/")[2]
        if known is None:
            return _message(json.dumps(self._structured(told)), api)

        def call(name: str, arguments: dict[str, Any]) -> Say:
            return _call(prefix + name, arguments, next(self._numbers), api)

        if not self._labels or self._looks > _MOST_LOOKS:
            if "finish" in tools and not self._finished:
                self._finished = True
                return call("finish", {"answer": "done"})
            return _message("done", api)
        label = self._labels[0]
        found = re.findall(known.element(label), told.rpartition(_END)[2])
        if not found:
            self._looks, self.lost = self._looks + 1, f"{label}: {told[-3_000:]}"
            return call(*known.look)
        self._looks = 0
        if "act" not in tools:
            self._labels.pop(0)
        return call(*known.press(found[-1], label))

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
_OF_CLAUDE_CODE = "mcp__websp__"
"""How Claude Code begins the names of the tools of its MCP server ``websp``."""


def _texts(messages: Iterable[dict[str, Any]]) -> list[str]:
    texts: list[str] = []
    for message in messages:
        said = message.get("role") == "assistant" or message.get("type") == "function_call"
        content = message.get("content", message.get("output", ""))
        parts = content if isinstance(content, list) else [content]
        texts.append(_END * said + "\n".join(_text(part) for part in parts if part))
    return texts


def _text(part: str | dict[str, Any]) -> str:
    """Return the text of a part; results of tools have parts of their own in Anthropic's API."""
    if isinstance(part, str):
        return part
    inside = part.get("content", ())
    return "\n".join(
        [str(part.get("text", "")), *map(_text, [inside] if isinstance(inside, str) else inside)]
    )


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


def _message(text: str, api: str) -> Say:
    if api == "messages":
        return _streamed({"type": "text", "text": ""}, {"type": "text_delta", "text": text}, "end_turn")
    if api == "responses":
        content = [{"type": "output_text", "text": text, "annotations": []}]
        return _response(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
        )
    return _completion({"role": "assistant", "content": text}, "stop")


def _call(name: str, arguments: dict[str, Any], number: int, api: str) -> Say:
    text = json.dumps(arguments)
    if api == "messages":
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
        return _streamed(block, {"type": "input_json_delta", "partial_json": text}, "tool_use")
    if api == "responses":
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name}
        return _response({**item, "arguments": text, "status": "completed"})
    function = {"name": name, "arguments": text}
    call: dict[str, Any] = {"id": f"call_{number}", "type": "function", "function": function}
    return _completion({"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls")


def _streamed(block: dict[str, Any], delta: dict[str, Any], reason: str) -> Say:
    """Return a message of Anthropic's API with one block, as the events of a stream."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    lines = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return Say(lines.encode(), headers={"Content-Type": "text/event-stream"})


def _completion(message: dict[str, Any], reason: str) -> Say:
    choice = {"index": 0, "finish_reason": reason, "message": message}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": "1", "object": "chat.completion", "created": 0, "model": "m"}
    return Say({**head, "choices": [choice], "usage": usage})


def _response(item: dict[str, Any]) -> Say:
    usage = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2,
    }
    head = {"id": "resp_1", "object": "response", "created_at": 0, "model": "m", "status": "completed"}
    tools = {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
    return Say({**head, **tools, "output": [item], "usage": usage})
