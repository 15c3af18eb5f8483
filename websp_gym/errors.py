"""The errors websp-gym raises.

A message says which value was wrong, what the nearest right one is and how to go on; the same facts are
attributes of the exception, so that a program need not parse the text.
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any, Literal


class WebspError(Exception):
    """Base of every error of this package.

    Args:
        message: What happened, and the way out, for a person.
        **facts: The same facts for a program; each becomes an attribute.
    """

    def __init__(self, message: str, **facts: Any) -> None:
        # Gymnasium raises an error of a worker again by its class, with the error itself as the message.
        message = str(message)
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


class StorageError(SetupError):
    """Nothing more can be kept: a disk is full or fails. What was asked for was right, so a command exits with 1."""


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


def unwritable(path: Path, error: OSError, *, what: str = "") -> SetupError:
    """The error for a file or folder that cannot be written to.

    Args:
        path: The file or folder.
        error: What the system said.
        what: What it is called, where its path alone does not say.

    Returns:
        The error to raise.
    """
    kind = StorageError if error.errno in _FULL else SetupError
    named = f"{what} {path}" if what else str(path)
    return kind(f"cannot write to {named}: {error.strerror}", path=str(path))


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
    """Says which known value a wrong one was probably meant to be, whatever its case.

    Args:
        value: What was given.
        known: What would have been right.

    Returns:
        ``'; did you mean "x"?'``, both states' ids for a task without its state, or an empty string when nothing is
        close.
    """
    from difflib import get_close_matches

    names = {name.casefold(): name for name in known}
    wrong = value.casefold()
    states = [name for name in (f"{wrong}-on", f"{wrong}-off") if name in names]
    close = states or get_close_matches(wrong, names, n=1)
    meant = " or ".join(f'"{names[name]}"' for name in close)
    return f"; did you mean {meant}?" if close else ""
