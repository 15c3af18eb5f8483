"""Map errors of an SDK, and answers that cannot be read, to kinds of failure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import ModuleType
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from websp_gym.errors import ModelErrorKind
from websp_gym.models.protocol import AttemptError
from websp_gym.models.transport import http_library
from websp_gym.redaction import redact

_LONGEST = 300

_TOO_LONG = re.compile(
    r"context.?length|context.?window|maximum context|prompt is too long|too many (input )?tokens|input token count"
    r"|request_too_large|request too large|input is too long|string_above_max_length|payload size exceeds"
    r"|exceeds? the (model'?s )?(maximum|available) (number of tokens|context)|too many images",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content_filter|content management policy|content filtering|prohibited_content|flagged", re.I
)
_REFUSED = re.compile(r"content_policy|invalid_prompt|usage polic(y|ies)|_policy\b|safety system", re.I)
# Not "exceeded your current quota" alone: Gemini uses these words for a limit per minute too.
_USED_UP = re.compile(r"insufficient_quota|billing_hard_limit|credit balance", re.I)
# What is wrong with every request alike, rather than with one.
_SETTING = re.compile(
    r"unsupported|not supported|does not support|unrecognized|unknown (name|parameter|field|argument)|extra inputs"
    r"|invalid model|model_not_found|model.{0,80}(not exist|not found|unknown)|not a valid model|decommissioned",
    re.I,
)
_IN_TRANSIT = re.compile(r"incomplete (chunked read|message body)|without sending complete", re.I)
# Anything that looks like a key of OpenAI, Anthropic or Google, because renewed tokens are not among the secrets.
_KEY_LIKE = re.compile(r"\b(sk-|AIza|ya29\.)[\w.-]{8,}")
_DELAY = re.compile(r"retryDelay\W+(\d+(?:\.\d+)?)s")


def hide(text: str, secrets: Iterable[str]) -> str:
    """Return a text without keys, on one line of at most 300 characters.

    The text is an endpoint's error, for example, which may quote the key. Neither the ``secrets`` nor parts
    of them stay, encoded or not.
    """
    text = redact(text, secrets)
    text = _KEY_LIKE.sub("[key]", text)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def from_sdk(error: Exception, sdk: ModuleType, secrets: Iterable[str]) -> AttemptError:
    """Return the failure for an exception of the ``openai`` or ``anthropic`` SDK, without the secrets."""
    library = http_library(sdk)
    cause = error.__cause__ or error
    if isinstance(error, sdk.APITimeoutError | library.TimeoutException):
        return AttemptError("timeout", "no answer in time")
    if isinstance(error, sdk.APIStatusError):
        return _from_status(error, secrets)
    if _IN_TRANSIT.search(str(cause)):
        return AttemptError("truncated", "the answer was cut off")
    if isinstance(error, sdk.APIConnectionError | library.TransportError):
        return AttemptError(
            "connection", f"no connection ({type(cause).__name__}: {hide(str(cause), secrets)})"
        )
    if isinstance(error, sdk.APIError | library.HTTPError):
        return AttemptError("malformed", f"an answer that cannot be read ({type(error).__name__})")
    # Credentials that could not be renewed: perhaps the network is to blame.
    what = f"no access ({type(error).__name__}: {hide(str(error), secrets)})"
    return AttemptError("auth", what, lasting=False)


def _from_status(error: Any, secrets: Iterable[str]) -> AttemptError:
    status = int(error.status_code)
    asked = _retry_after(error.response.headers, error.body)
    return from_error(status, _said(error.body) or str(error), secrets, retry_after=asked)


def from_error(
    status: int, said: str, secrets: Iterable[str], *, retry_after: float | None = None
) -> AttemptError:
    """Return the failure for an error that an endpoint reported.

    Args:
        status: HTTP status.
        said: The endpoint's message, with codes.
        secrets: Keys to keep out of the message.
        retry_after: Seconds the endpoint asked to wait.
    """
    if status == 401:
        # Some endpoints quote part of the key here, so their message is left out.
        return AttemptError("auth", "the key is not accepted (401)", status=status)
    kind = _kind(status, said)
    used_up = kind == "rate_limit" and bool(_USED_UP.search(said))
    wrong = kind == "bad_request" and (status in (404, 405, 410) or bool(_SETTING.search(said)))
    what = f"{_TITLES.get(status, 'refused by the endpoint')} ({status}: {hide(said, secrets)})"
    return AttemptError(
        kind,
        what,
        retry_after=retry_after,
        final=used_up,
        lasting=kind == "auth" or used_up or wrong,
        status=status,
    )


_TITLES = {
    400: "the endpoint refuses the request",
    402: "no credit",
    403: "no access",
    404: "no such model or address",
    413: "the request is too long",
    429: "too many requests",
    529: "the provider is overloaded",
    **dict.fromkeys((500, 502, 503, 504), "an error of the provider"),
}


def _kind(status: int, said: str) -> ModelErrorKind:
    if status == 429:
        return "rate_limit"
    if status >= 500 or status in (408, 409, 425):
        return "server"
    if status == 413 or _TOO_LONG.search(said):
        return "too_long"
    if _FILTERED.search(said):
        return "filtered"
    if _REFUSED.search(said):
        return "refused"
    return "auth" if status in (402, 403) or _USED_UP.search(said) else "bad_request"


def _said(body: object) -> str:
    """Return the message and the codes in the body of an error, in any provider's form."""
    if isinstance(body, list):
        return _said(body[0]) if body else ""
    if not isinstance(body, Mapping):
        return body if isinstance(body, str) else ""
    if isinstance(body.get("error"), Mapping | str):
        return _said(body["error"])
    parts = [body.get(name) for name in ("message", "code", "type", "status", "param")]
    return ", ".join(str(part) for part in parts if isinstance(part, str | int) and part != "")


def _retry_after(headers: Mapping[str, str], body: object) -> float | None:
    delay = _DELAY.search(str(body))
    for text, unit in ((headers.get("retry-after-ms"), 1000.0), (headers.get("retry-after"), 1.0)):
        seconds = _seconds(text) if text else None
        if seconds is not None:
            return seconds / unit
    return float(delay[1]) if delay else None


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
        except (TypeError, ValueError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


class Body(BaseModel):
    """A part of an answer: fields that are not declared are ignored, the others must have their type."""

    model_config = ConfigDict(
        extra="ignore", frozen=True, strict=True, allow_inf_nan=False, hide_input_in_errors=True
    )


Shape = TypeVar("Shape", bound=Body)


_HALVES = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""Escapes in JSON; the group is half a surrogate pair (from an emoji that was cut), which parsers reject."""


def _whole(escape: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if escape[1] else escape[0]


def malformed(what: str) -> NoReturn:
    """Raise for an answer that breaks the API's contract."""
    raise AttemptError("malformed", f"an answer that cannot be read ({what})")


def read_body(shape: type[Shape], content: bytes) -> Shape:
    """Parse and validate the bytes of an answer.

    Raises:
        AttemptError: The answer does not have this shape.
    """
    try:
        return shape.model_validate_json(_HALVES.sub(_whole, content))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        malformed(f"{where}: {first['msg']}" if where else first["msg"])
