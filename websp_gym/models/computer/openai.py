"""OpenAI's computer tool, behind the Responses API."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from websp_gym.models.messages import Function, Image, Message, Text, ToolCall, ToolMessage, ToolResult
from websp_gym.models.model_failures import malformed
from websp_gym.models.openai_chat import data_url
from websp_gym.models.openai_responses import ResponsesEndpoint, message_item
from websp_gym.models.protocol import Answer
from websp_gym.models.sdk import Caching

_PREVIEW = "computer-use-preview"
"""Beginning of the name of the models that take the first form of the tool only."""


class ComputerResponses(ResponsesEndpoint):
    """A model that uses a computer. Its answers are given back as they came, as nothing is stored at the provider."""

    def _fields(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, caching: Caching
    ) -> dict[str, Any]:
        fields = super()._fields([], schema, "none")
        functions = [
            each for message in messages if isinstance(message, ToolMessage) for each in message.functions
        ]
        fields["input"] = [item for message in messages for item in _items(message)]
        fields["extra_body"] |= {
            "tools": [self._tool(messages), *map(_function, functions)],
            "include": ["reasoning.encrypted_content"],
        }
        if self._request.model.startswith(_PREVIEW):
            fields["extra_body"]["truncation"] = "auto"
        return fields

    def _tool(self, messages: Sequence[Message]) -> dict[str, Any]:
        if not self._request.model.startswith(_PREVIEW):
            return {"type": "computer"}
        width, height = next(
            part.size for message in messages for part in message.parts if hasattr(part, "size")
        )
        size = {"display_width": width, "display_height": height}
        return {"type": "computer_use_preview", "environment": "browser", **size}

    def _read(self, content: bytes) -> Answer:
        answer = super()._read(content)
        items: list[dict[str, Any]] = json.loads(content)["output"]
        return replace(answer, calls=tuple(call for item in items for call in _calls(item)), said=items)


def _calls(item: Mapping[str, Any]) -> list[ToolCall]:
    if item["type"] == "computer_call":
        actions = item.get("actions") or [item.get("action")]
        checks = tuple(item.get("pending_safety_checks") or ())
        return [
            ToolCall(id=str(item.get("call_id")), action=_object(action), native=item, checks=checks)
            for action in actions
        ]
    if item["type"] != "function_call":
        return []
    try:
        arguments = json.loads(item.get("arguments") or "{}")
    except ValueError:
        arguments = None
    call = ToolCall(
        id=str(item.get("call_id")), function=str(item.get("name")), arguments=_object(arguments), native=item
    )
    return [call]


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        malformed("a call without its arguments")
    return value


def _function(function: Function) -> dict[str, Any]:
    head = {"type": "function", "name": function.name, "description": function.meaning}
    return {**head, "parameters": function.schema, "strict": True}


def _items(message: Message) -> list[dict[str, Any]]:
    if not isinstance(message, ToolMessage):
        return [message_item(message)]
    if message.said is not None:
        return list(message.said)
    # A picture of the screen has no text beside it, and actions that were given together have one.
    shown = dict.fromkeys(result.text for result in message.results if not result.call.function)
    told = replace(message, parts=(*map(Text, shown), *message.parts))
    last = {result.call.id: result for result in message.results}
    picture = message.results[-1].picture if message.results else None
    outputs = [_output(result, result.picture or picture) for result in last.values()]
    return [*outputs, *([message_item(told)] if told.parts else [])]


def _output(result: ToolResult, picture: Image | None) -> dict[str, Any]:
    """Return what came of a call; one of the computer tool takes a picture only, whichever call was the last."""
    call = result.call
    if call.function:
        return {"type": "function_call_output", "call_id": call.id, "output": result.text}
    assert picture is not None
    return {
        "type": "computer_call_output",
        "call_id": call.id,
        "output": {"type": "computer_screenshot", "image_url": data_url(picture)},
        "acknowledged_safety_checks": list(call.checks),
    }
