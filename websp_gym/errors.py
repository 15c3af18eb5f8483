"""Everything websp-gym raises on purpose.

A message says which value was wrong, what the nearest right one is and how to go on; the same facts are
attributes of the exception, so that a program need not parse the text.
"""

from __future__ import annotations

from typing import Any, Literal


class WebspError(Exception):
    """Base of every error of this package.

    Args:
        message: What happened, and the way out, for a person.
        **facts: The same facts for a program; each becomes an attribute.
    """

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.message = message
        self.facts = facts
        for name, value in facts.items():
            setattr(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions with keyword facts must survive the trip back from a worker process.
        return (_rebuild, (type(self), self.message, self.facts))

    def __str__(self) -> str:
        return self.message


def _rebuild(kind: type[WebspError], message: str, facts: dict[str, Any]) -> WebspError:
    return kind(message, **facts)


class SetupError(WebspError):
    """Something the user can put right (a missing key, browser, file or a bad value); shown without a traceback."""


class InitialStateError(WebspError):
    """The initial state S0 was not reached, or not the one the instance asks for."""


class ReplayError(WebspError):
    """A recorded trace could not be replayed to the end."""


class ActionError(WebspError):
    """An agent's action could not be understood or carried out; it changed nothing."""


class JudgeError(WebspError):
    """A judge gave no usable verdict."""


class WorldError(WebspError):
    """The world (sandbox or live site, or its browser) failed; the episode cannot be scored."""


ModelErrorKind = Literal[
    "timeout",
    "rate_limit",
    "server",
    "connection",
    "refused",
    "filtered",
    "truncated",
    "too_long",
    "malformed",
    "bad_request",
    "auth",
]


class ModelError(WebspError):
    """A language model gave no answer.

    Args:
        message: What happened, and the way out; never holds a key.
        kind: ``timeout``, ``rate_limit``, ``server``, ``connection``, ``truncated`` (the answer broke off on the way)
            and ``malformed`` (not what the API promises) were tried again before; ``refused`` and ``filtered``
            (the provider turned the request down), ``too_long``, ``bad_request`` and ``auth`` were not.
        model: The string that chose the model.
        attempts: Requests made.
        retry_after: Seconds the provider asked to wait, where it said so.
        **facts: More facts, as for every error here.
    """

    kind: ModelErrorKind
    model: str
    attempts: int
    retry_after: float | None

    def __init__(
        self,
        message: str,
        *,
        kind: ModelErrorKind,
        model: str,
        attempts: int = 1,
        retry_after: float | None = None,
        **facts: Any,
    ) -> None:
        super().__init__(message, kind=kind, model=model, attempts=attempts, retry_after=retry_after, **facts)


def nearest(value: str, known: list[str] | tuple[str, ...]) -> str:
    """Says which known value a wrong one was probably meant to be.

    Args:
        value: What was given.
        known: What would have been right.

    Returns:
        ``'; did you mean "x"?'``, or an empty string when nothing is close.
    """
    from difflib import get_close_matches

    close = get_close_matches(value, known, n=1, cutoff=0.5)
    return f'; did you mean "{close[0]}"?' if close else ""
