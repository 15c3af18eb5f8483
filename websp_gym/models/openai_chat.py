"""OpenAI's chat completions API, also used by Azure, Gemini, OpenRouter, Vertex, vLLM, Ollama and others."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import Field

from websp_gym.models import protocol
from websp_gym.models.messages import Image, Message, Stop, Text
from websp_gym.models.model_failures import Body, from_error, malformed, read_body
from websp_gym.models.protocol import Answer, AttemptError
from websp_gym.models.sdk import Caching, SdkEndpoint, caching_fields


class _PromptDetails(Body):
    cached_tokens: int | None = Field(default=None, ge=0)
    cache_write_tokens: int | None = Field(default=None, ge=0)


class _Usage(Body):
    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    total_tokens: int | None = Field(default=None, ge=0)
    prompt_tokens_details: _PromptDetails | None = None
    cost: float | None = Field(default=None, ge=0)


class _Part(Body):
    text: str | None = None


class _Message(Body):
    content: str | tuple[_Part, ...] | None = None
    refusal: str | None = None


class _Error(Body):
    message: str = ""
    code: int | str | None = None


class _Choice(Body):
    message: _Message
    finish_reason: str | None = None
    error: _Error | None = None


class _Completion(Body):
    choices: tuple[_Choice, ...] = ()
    model: str | None = None
    usage: _Usage | None = None
    error: _Error | None = None


class ChatEndpoint(SdkEndpoint):
    """A model behind chat completions."""

    def _post(self) -> Callable[..., Any]:
        post: Callable[..., Any] = self._client.chat.completions.with_raw_response.create
        return post

    def _fields(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, caching: Caching
    ) -> dict[str, Any]:
        request = self._request
        extra: dict[str, Any] = {**request.extra, **caching_fields(messages, caching)}
        if schema is not None:
            form = {"name": "answer", "schema": dict(schema), "strict": True}
            extra["response_format"] = {"type": "json_schema", "json_schema": form}
        if request.max_tokens is not None:
            extra["max_completion_tokens" if request.own else "max_tokens"] = request.max_tokens
        said = [chat_message(message, full_detail=request.own) for message in messages]
        return {"model": request.model, "messages": said, "extra_body": extra}

    def _read(self, content: bytes) -> Answer:
        completion = read_body(_Completion, content)
        error = completion.error or (completion.choices[0].error if completion.choices else None)
        if error is not None:
            raise self._reported(error)
        if not completion.choices:
            malformed("choices: none")
        choice = completion.choices[0]
        if any(other.message != choice.message for other in completion.choices):
            # One choice was requested; with several, it is unknown which one is meant.
            malformed(f"choices: {len(completion.choices)} that differ")
        stop = stop_of(choice.finish_reason)
        if choice.message.refusal:
            stop = "refusal"
        return Answer(
            text=choice.message.refusal or _text(choice.message),
            model=completion.model or self._request.model,
            stop=stop,
            usage=_usage(completion.usage),
        )

    def _reported(self, error: _Error) -> AttemptError:
        """Return the failure for an error inside a response of status 200, as OpenRouter sends it."""
        code = str(error.code)
        status = int(code) if code.isdecimal() else 500
        return from_error(status, f"{error.message}, {error.code}", self._request.secrets)


def chat_message(message: Message, *, full_detail: bool) -> dict[str, Any]:
    """Return a message for chat completions; only OpenAI's own service knows ``full_detail`` for images."""
    if all(isinstance(part, Text) for part in message.parts) and not message.cache:
        return {"role": message.role, "content": message.text}
    parts = [_part(part, full_detail) for part in message.parts]
    if message.cache:
        # Only OpenRouter's Claude is marked here; the models of OpenAI that take marks have another API.
        parts[-1]["cache_control"] = {"type": "ephemeral"}
    return {"role": message.role, "content": parts}


def _part(part: Text | Image, full_detail: bool) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    picture = {"url": data_url(part)}
    return {"type": "image_url", "image_url": {**picture, "detail": "high"} if full_detail else picture}


def data_url(image: Image) -> str:
    """Return an image as a ``data:`` URL."""
    return "data:image/png;base64," + base64.b64encode(image.png).decode("ascii")


_FILTERS = ("content_filter", "safety", "prohibited", "recitation", "blocklist", "spii")


def _text(message: _Message) -> str:
    if isinstance(message.content, tuple):
        return "".join(part.text or "" for part in message.content)
    return message.content or ""


def stop_of(finish_reason: str | None) -> Stop:
    """Map a finish reason to a ``Stop``; Gemini's OpenAI-compatible endpoint also sends Gemini's own names.

    Some servers send none. One that is not known, such as a call of a tool, is the model's own doing.
    """
    reason = (finish_reason or "stop").lower()
    if reason == "error":  # OpenRouter's, where its provider broke off
        raise AttemptError("server", "the provider broke the answer off")
    if reason in ("length", "max_tokens"):
        return "length"
    if reason.startswith(_FILTERS):
        return "filter"
    if reason == "refusal":
        return "refusal"
    return "end" if reason in ("end", "eos", "stop", "stop_sequence", "end_turn") else "other"


def _usage(usage: _Usage | None) -> protocol.Usage | None:
    if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    read = usage.prompt_tokens
    # Gemini's endpoint omits thinking from completion_tokens, but not from total_tokens.
    written = max(usage.completion_tokens, (usage.total_tokens or 0) - read)
    details = usage.prompt_tokens_details or _PromptDetails()
    cached = min(details.cached_tokens or 0, read)
    return protocol.Usage(
        input=read,
        output=written,
        cached=cached,
        written=min(details.cache_write_tokens or 0, read - cached),
        cost=usage.cost,
    )
