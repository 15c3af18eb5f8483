"""OpenAI's Responses API, used for its thinking models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import Field

from websp_gym.models import protocol
from websp_gym.models.messages import Image, Message, Stop
from websp_gym.models.model_failures import Body, from_error, malformed, read_body
from websp_gym.models.openai_chat import data_url
from websp_gym.models.protocol import Answer, AttemptError
from websp_gym.models.sdk import Caching, SdkEndpoint, caching_fields


class _InputDetails(Body):
    cached_tokens: int | None = Field(default=None, ge=0)
    cache_write_tokens: int | None = Field(default=None, ge=0)


class _Usage(Body):
    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    input_tokens_details: _InputDetails | None = None


class _Part(Body):
    type: str
    text: str | None = None
    refusal: str | None = None


class _Item(Body):
    type: str
    content: list[_Part] | None = None


class _Incomplete(Body):
    reason: str | None = None


class _Error(Body):
    code: str = ""
    message: str = ""


class _Response(Body):
    status: str
    output: tuple[_Item, ...] = ()
    model: str | None = None
    usage: _Usage | None = None
    incomplete_details: _Incomplete | None = None
    error: _Error | None = None


class ResponsesEndpoint(SdkEndpoint):
    """A model behind the Responses API; the provider is asked not to store anything."""

    def _post(self) -> Callable[..., Any]:
        post: Callable[..., Any] = self._client.responses.with_raw_response.create
        return post

    def _fields(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, caching: Caching
    ) -> dict[str, Any]:
        request = self._request
        extra: dict[str, Any] = {**request.extra, "store": False, **caching_fields(messages, caching)}
        if schema is not None:
            form = {"type": "json_schema", "name": "answer", "schema": dict(schema), "strict": True}
            extra["text"] = {"format": form}
        if request.max_tokens is not None:
            extra["max_output_tokens"] = request.max_tokens
        said = [message_item(message) for message in messages]
        return {"model": request.model, "input": said, "extra_body": extra}

    def _read(self, content: bytes) -> Answer:
        response = read_body(_Response, content)
        if response.status == "failed" or response.error is not None:
            raise _failed(response.error or _Error(), self._request.secrets)
        parts = [part for item in response.output if item.type == "message" for part in item.content or ()]
        refusal = "".join(part.refusal or "" for part in parts if part.type == "refusal")
        text = "".join(_text(part) for part in parts if part.type == "output_text")
        return Answer(
            text=refusal or text,
            model=response.model or self._request.model,
            stop="refusal" if refusal else _stop(response),
            usage=_usage(response.usage),
        )


def _text(part: _Part) -> str:
    if part.text is None:
        malformed("output_text without text")
    return part.text


def _stop(response: _Response) -> Stop:
    if response.status == "completed":
        return "end"
    if response.status != "incomplete":
        malformed(f"status: {response.status[:40]}")
    reason = response.incomplete_details.reason if response.incomplete_details else None
    known: dict[str | None, Stop] = {"max_output_tokens": "length", "content_filter": "filter"}
    return known.get(reason, "other")


def _failed(error: _Error, secrets: tuple[str, ...]) -> AttemptError:
    status = {"server_error": 500, "vector_store_timeout": 500, "rate_limit_exceeded": 429, "": 500}
    return from_error(status.get(error.code, 400), f"{error.message}, {error.code}", secrets)


def message_item(message: Message) -> dict[str, Any]:
    """Return a message as an item of a request's input."""
    kind = "output_text" if message.role == "assistant" else "input_text"
    parts: list[dict[str, Any]] = [
        {"type": "input_image", "image_url": data_url(part), "detail": "high"}
        if isinstance(part, Image)
        else {"type": kind, "text": part.text}
        for part in message.parts
    ]
    if message.cache:
        parts[-1]["prompt_cache_breakpoint"] = {"mode": "explicit"}
    return {"role": message.role, "content": parts}


def _usage(usage: _Usage | None) -> protocol.Usage | None:
    if usage is None:
        return None
    details = usage.input_tokens_details or _InputDetails()
    cached = min(details.cached_tokens or 0, usage.input_tokens)
    written = min(details.cache_write_tokens or 0, usage.input_tokens - cached)
    return protocol.Usage(
        input=usage.input_tokens, output=usage.output_tokens, cached=cached, written=written
    )
