"""Anthropic's toolsets for a computer and a browser, and the single tool of older models, behind the Messages API."""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from websp_gym.models.anthropic_messages import STOPS, MessagesEndpoint, part_of, parts_of
from websp_gym.models.messages import Function, Image, Message, Stop, Text, ToolCall, ToolMessage, ToolResult
from websp_gym.models.model_failures import malformed
from websp_gym.models.protocol import Answer
from websp_gym.models.sdk import Caching

_COMPUTER = {"type": "computer_toolset_20260801"}
_SINGLE = (
    (re.compile(r"claude-(opus-4-[5-9]|sonnet-4-[6-9]).*"), "20251124", "computer-use-2025-11-24"),
    (re.compile(r"claude-(3-7|(opus|sonnet|haiku)-4).*"), "20250124", "computer-use-2025-01-24"),
)
"""Models that take the single tool only: their names, its version, and its beta header."""
_BROWSER = "browser_toolset_20260801"
MEMBERS = {
    **dict.fromkeys(
        (
            *("navigate", "list_tabs", "new_tab", "switch_tab", "close_tab"),
            *("read_page", "get_page_text", "find", "form_input", "scroll_to", "screenshot", "zoom"),
            *("left_click", "right_click", "middle_click", "double_click", "triple_click", "hover"),
            *("left_click_drag", "left_mouse_down", "left_mouse_up", "mouse_move", "scroll"),
            *("type", "key", "hold_key", "wait"),
        ),
        True,
    ),
    **dict.fromkeys(("javascript_exec", "file_upload", "read_console", "read_network"), False),
}
"""Members of the browser toolset, and whether they are offered."""
_LONGEST_TITLE = 200


class _ToolMessages(MessagesEndpoint):
    """A Claude model that acts by a tool of Anthropic's."""

    stops: ClassVar[Mapping[str, Stop]] = {**STOPS, "tool_use": "end"}

    def _fields(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, caching: Caching
    ) -> dict[str, Any]:
        fields = super()._fields(messages, schema, caching)
        fields["messages"] = [
            {"role": message.role, "content": _content(message)}
            for message in messages
            if message.role != "system"
        ]
        functions = [
            each for message in messages if isinstance(message, ToolMessage) for each in message.functions
        ]
        tool, header = self._tool(messages)
        if header:
            fields["extra_headers"] = {"anthropic-beta": header}
        fields["extra_body"]["tools"] = [tool, *map(_function, functions)]
        return fields

    @abstractmethod
    def _tool(self, messages: Sequence[Message]) -> tuple[dict[str, Any], str]:
        """Return the tool and its beta header, which is empty for none."""

    def _read(self, content: bytes) -> Answer:
        answer = super()._read(content)
        blocks: list[dict[str, Any]] = json.loads(content)["content"]
        calls = tuple(_call(block) for block in blocks if block["type"] == "tool_use")
        return replace(answer, calls=calls, said=blocks)


class ComputerMessages(_ToolMessages):
    """A Claude model that uses a computer."""

    def _tool(self, messages: Sequence[Message]) -> tuple[dict[str, Any], str]:
        for names, version, header in _SINGLE:
            if names.fullmatch(self._request.model):
                tool = {"type": f"computer_{version}", "name": "computer", **_size(messages)}
                return {**tool, **({"enable_zoom": True} if version == "20251124" else {})}, header
        return _COMPUTER, ""


class BrowserMessages(_ToolMessages):
    """A Claude model that uses a browser."""

    def _tool(self, messages: Sequence[Message]) -> tuple[dict[str, Any], str]:
        # Each is said, as the defaults of the members differ.
        return {"type": _BROWSER, "configs": {name: {"enabled": on} for name, on in MEMBERS.items()}}, ""


def _call(block: Mapping[str, Any]) -> ToolCall:
    given, name = block.get("input"), block.get("name")
    if not isinstance(given, dict) or not isinstance(name, str):
        malformed("a call without its arguments")
    call_id = str(block.get("id"))
    toolset = block.get("toolset_name")
    if toolset == "computer":
        return ToolCall(id=call_id, action={"name": name, "input": given}, native=block)
    if toolset is not None:
        return ToolCall(
            id=call_id, action={"toolset_name": toolset, "name": name, "input": given}, native=block
        )
    if name == "computer":
        return ToolCall(id=call_id, action=given, native=block)
    return ToolCall(id=call_id, function=name, arguments=given, native=block)


def _function(function: Function) -> dict[str, Any]:
    return {"name": function.name, "description": function.meaning, "input_schema": function.schema}


def _size(messages: Sequence[Message]) -> dict[str, Any]:
    pictures = [part for message in messages for part in message.parts if isinstance(part, Image)]
    width, height = pictures[0].size
    return {"display_width_px": width, "display_height_px": height}


def _content(message: Message) -> list[dict[str, Any]]:
    if not isinstance(message, ToolMessage):
        return parts_of(message)
    if message.said is not None:
        return list(message.said)
    return [*map(_result, message.results), *parts_of(message)]


def _result(result: ToolResult) -> dict[str, Any]:
    parts: list[Text | Image] = [Text(result.text), *([result.picture] if result.picture else [])]
    toolset = result.call.native.get("toolset_name")
    more: dict[str, Any] = {"toolset_name": toolset} if toolset else {}
    content = [part_of(part) for part in parts]
    if result.failed:
        more["is_error"] = True
    elif result.tabs:
        content.append(_state(result))
    return {"type": "tool_result", "tool_use_id": result.call.id, **more, "content": content}


def _state(result: ToolResult) -> dict[str, Any]:
    """Return the tabs as the browser toolset takes them."""
    tabs = [
        {
            "tab_id": str(tab["id"]),
            "title": str(tab["title"])[:_LONGEST_TITLE],
            "url": tab["url"],
            "active": tab["active"],
        }
        for tab in result.tabs
    ]
    opened = [{"type": "tab_opened", "tab_id": str(each)} for each in result.opened]
    return {"type": "browser_state", "tabs": tabs, **({"state_changes": opened} if opened else {})}
