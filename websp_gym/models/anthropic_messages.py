"""Anthropic's Messages API, at Anthropic or Google Cloud."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from websp_gym.models import protocol
from websp_gym.models.messages import Image, Message, Stop, Text
from websp_gym.models.model_failures import Body, malformed, read_body
from websp_gym.models.protocol import Answer
from websp_gym.models.sdk import Caching, SdkEndpoint


class _Usage(Body):
    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    cache_read_input_tokens: int | None = Field(default=None, ge=0)
    cache_creation_input_tokens: int | None = Field(default=None, ge=0)


class _Block(Body):
    type: str
    text: str | None = None


class _Reply(Body):
    content: list[_Block]
    stop_reason: str
    model: str | None = None
    usage: _Usage | None = None


STOPS: dict[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


class MessagesEndpoint(SdkEndpoint):
    """A Claude model behind the Messages API."""

    stops: ClassVar[Mapping[str, Stop]] = STOPS

    def _post(self) -> Callable[..., Any]:
        post: Callable[..., Any] = self._client.messages.with_raw_response.create
        return post

    def _fields(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, caching: Caching
    ) -> dict[str, Any]:
        request = self._request
        extra: dict[str, Any] = dict(request.extra)
        if schema is not None:
            form = {"format": {"type": "json_schema", "schema": dict(schema)}}
            extra["output_config"] = {**extra.get("output_config", {}), **form}
        rules = [message for message in messages if message.role == "system" and message.text]
        said = [_message(message) for message in messages if message.role != "system"]
        fields = {
            "model": request.model,
            "max_tokens": request.max_tokens,
            "messages": said,
            "extra_body": extra,
        }
        return {**fields, "system": _system(rules)} if rules else fields

    def _read(self, content: bytes) -> Answer:
        reply = read_body(_Reply, content)
        return Answer(
            text="".join(_text(block) for block in reply.content if block.type == "text"),
            model=reply.model or self._request.model,
            stop=self.stops.get(reply.stop_reason, "other"),
            usage=_usage(reply.usage),
        )


def _text(block: _Block) -> str:
    if block.text is None:
        malformed("text block without text")
    return block.text


def _system(messages: Sequence[Message]) -> str | list[dict[str, Any]]:
    if not any(message.cache for message in messages):
        return "\n\n".join(message.text for message in messages)
    return [part for message in messages for part in parts_of(message)]


def _message(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": parts_of(message)}


def parts_of(message: Message) -> list[dict[str, Any]]:
    """Return the content of a message."""
    parts = [part_of(part) for part in message.parts]
    if message.cache:
        parts[-1]["cache_control"] = {"type": "ephemeral"}
    return parts


def part_of(part: Text | Image) -> dict[str, Any]:
    """Return a part of a message."""
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    data = base64.b64encode(part.png).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def _usage(usage: _Usage | None) -> protocol.Usage | None:
    if usage is None:
        return None
    cached, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    # Anthropic counts cached tokens separately; all other providers include them in the input.
    return protocol.Usage(
        input=usage.input_tokens + cached + written,
        output=usage.output_tokens,
        cached=cached,
        written=written,
    )
