"""The common part of endpoints behind an SDK: one attempt, without the options that an endpoint rejects."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, Literal

from websp_gym.models.messages import Message, Text
from websp_gym.models.model_failures import from_sdk
from websp_gym.models.protocol import Answer, AttemptError
from websp_gym.models.transport import http_library
from websp_gym.redaction import redact
from websp_gym.texts import encodable

# Options that can be omitted without changing the request's meaning, and words of an endpoint that rejects them.
_DISPENSABLE = {
    "schema": re.compile(
        r"response_format|json_schema|output_config|text\.format|structured output|schema", re.I
    ),
    "temperature": re.compile(r"temperature", re.I),
    "caching": re.compile(r"prompt_cache|cache_control", re.I),
}
Caching = Literal["none", "marks", "key", "breakpoints"]
"""How prompt caching is asked for: by marks on what to keep (Claude), by a key that brings a conversation to the same
cache again (OpenAI), or by both, and written nowhere else (OpenAI from GPT-5.6 on)."""
_MOST_MARKS = 4
"""Most marks in one request, at every provider."""

_LONG = 16
"""Minimum length of a key that is removed from answers; a shorter one may be a normal word."""


@dataclass(frozen=True, kw_only=True)
class SdkRequest:
    """The fixed part of every request to one model.

    Args:
        model: The model's name at the endpoint.
        temperature: Sent only if ``send_temperature`` is true.
        send_temperature: Whether to send it, because the endpoint's default may differ.
        max_tokens: Maximum number of tokens in an answer; None for the endpoint's default.
        extra: Additional fields of every request.
        own: Whether it is OpenAI's own service or Azure's, whose chat completions know more options.
        caching: How prompt caching is asked for.
        secrets: Keys to keep out of messages.
    """

    model: str
    temperature: float = 1.0
    send_temperature: bool = False
    max_tokens: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    own: bool = False
    caching: Caching = "none"
    secrets: tuple[str, ...] = field(default=(), repr=False)


class SdkEndpoint(ABC):
    """One model behind an official SDK.

    Args:
        sdk: The ``openai`` or ``anthropic`` module.
        client: A client of the SDK, with the SDK's own retries off.
        request: The fixed part of every request.
    """

    def __init__(self, sdk: ModuleType, client: Any, request: SdkRequest) -> None:
        self._sdk = sdk
        self._client = client
        self._request = request
        self._unknown: frozenset[str] = frozenset()
        self._expected: tuple[type[Exception], ...] = _expected(sdk)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._request.model}>"

    @property
    def model(self) -> str:
        """The model's name as it is sent."""
        return self._request.model

    def send(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Answer:
        """Make one attempt; repeat it at once without an option that the endpoint rejects and we can omit."""
        while True:
            left_out = self._unknown
            try:
                return self._without_key(self._send(messages, schema, left_out))
            except AttemptError as failure:
                # All messages are redacted, because any field of an answer may contain the key.
                failure.what = redact(failure.what, self._request.secrets)
                failure.args = (failure.what,)
                unknown = self._refused_option(failure, schema, left_out)
                if unknown is None:
                    raise
                self._unknown |= {unknown}

    def _without_key(self, answer: Answer) -> Answer:
        """Remove the key from an answer that quotes it: answers are written to logs and records."""
        secrets = [secret for secret in self._request.secrets if len(secret) >= _LONG]
        if not secrets:
            return answer
        text, model = (redact(said, secrets, parts=False) for said in (answer.text, answer.model))
        return replace(answer, text=text, model=model)

    def _send(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, left_out: frozenset[str]
    ) -> Answer:
        if schema is not None and "schema" in left_out:
            messages, schema = with_schema_in_words(messages, schema), None
        caching = "none" if "caching" in left_out else self._request.caching
        fields = self._fields(_marked(messages, caching), schema, caching)
        if self._request.send_temperature and "temperature" not in left_out:
            fields["extra_body"]["temperature"] = self._request.temperature
        failure: AttemptError | None = None
        try:
            content = self._post()(**fields).http_response.content
        except self._expected as error:
            failure = from_sdk(error, self._sdk, self._request.secrets)
        if failure is not None:
            # Raised outside of the handler: the SDK's exception holds the request, and with it the key.
            raise failure
        return self._read(content)

    def _refused_option(
        self, failure: AttemptError, schema: Mapping[str, Any] | None, left_out: frozenset[str]
    ) -> str | None:
        if failure.kind != "bad_request":
            return None
        # A temperature of 1 can be omitted: it is what a model without this option uses.
        sent = {
            "schema": schema is not None,
            "temperature": self._request.send_temperature and self._request.temperature == 1.0,
            "caching": self._request.caching != "none",
        }
        return next(
            (
                name
                for name, words in _DISPENSABLE.items()
                if sent[name] and name not in left_out and words.search(failure.what)
            ),
            None,
        )

    @abstractmethod
    def _fields(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, caching: Caching
    ) -> dict[str, Any]:
        """Return the fields of a request; fields unknown to the SDK are in ``extra_body``.

        Messages to be cached are marked only where ``caching`` has marks.
        """

    @abstractmethod
    def _post(self) -> Callable[..., Any]:
        """Return the SDK's method that sends a request and returns the raw response."""

    @abstractmethod
    def _read(self, content: bytes) -> Answer:
        """Parse the answer in a response."""


def _marked(messages: Sequence[Message], caching: Caching) -> list[Message]:
    """Return the conversation with the marks that a request may have: the last few, or none."""
    marked = [index for index, message in enumerate(messages) if message.cache]
    kept = set(marked[-_MOST_MARKS:]) if caching in ("marks", "breakpoints") else set()
    return [replace(message, cache=index in kept) for index, message in enumerate(messages)]


def caching_fields(messages: Sequence[Message], caching: Caching) -> dict[str, Any]:
    """Return OpenAI's fields for prompt caching of a whole request."""
    if caching not in ("key", "breakpoints"):
        return {}
    # The rules hold a random word that is the same throughout an episode, so its requests share a key.
    digest = hashlib.sha256(encodable(messages[0].text).encode()).hexdigest()
    key = {"prompt_cache_key": f"websp-{digest[:24]}"}
    if caching == "key":
        return key
    # Otherwise the API would also write, at a higher price, what no other request begins with.
    return {**key, "prompt_cache_options": {"mode": "explicit"}}


def _expected(sdk: ModuleType) -> tuple[type[Exception], ...]:
    """Return the exceptions that a request may raise; any other is a bug and is not caught."""
    base: type[Exception] = getattr(sdk, "OpenAIError", None) or sdk.AnthropicError
    try:
        from google.auth.exceptions import GoogleAuthError
    except ImportError:
        return (base, http_library(sdk).HTTPError)
    return (base, http_library(sdk).HTTPError, GoogleAuthError)


def with_schema_in_words(messages: Sequence[Message], schema: Mapping[str, Any]) -> list[Message]:
    """Return the conversation with the schema as text in its last user message, for APIs without schemas."""
    wish = Text(
        "Give your answer as a single JSON object of this JSON schema, without anything before or after it:\n"
        + json.dumps(schema)
    )
    last = max(index for index, message in enumerate(messages) if message.role == "user")
    asked = messages[last]
    return [*messages[:last], replace(asked, parts=(*asked.parts, wish)), *messages[last + 1 :]]
