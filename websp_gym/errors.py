"""The errors websp-gym raises.

A message says which value was wrong, what the nearest right one is and how to go on; the same facts are attributes
that each class declares, so that a program need not parse the text.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal


@dataclass(eq=False, repr=False)
class WebspError(Exception):
    """Base of every error of this package.

    A subclass that declares facts is decorated like ``SetupError``; each fact has a default, so that an error can be
    raised again by its class alone.

    Args:
        message: What happened, and the way out, for a person. Another error lends its message and its facts:
            Gymnasium raises an error of a worker again by its class, with the error itself as the message.
    """

    message: str

    def __post_init__(self) -> None:
        lent: Any = self.message
        if isinstance(lent, WebspError):
            for name in self._names() & lent.facts.keys():
                setattr(self, name, lent.facts[name])
        self.message = str(lent)
        self.args = (self.message,)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # Facts are keyword-only, which the way back from a worker process does not know by itself.
        return (_rebuild, (type(self), self.message, self.facts))

    @property
    def facts(self) -> dict[str, Any]:
        """The facts that are known, by name."""
        found = {name: getattr(self, name) for name in self._names()}
        return {name: value for name, value in found.items() if value is not None}

    @classmethod
    def _names(cls) -> set[str]:
        return {each.name for each in fields(cls)} - {"message"}


def _rebuild(kind: type[WebspError], message: str, facts: dict[str, Any]) -> WebspError:
    return kind(message, **facts)


@dataclass(eq=False, repr=False, kw_only=True)
class SetupError(WebspError):
    """Something the user can put right (a missing key, browser, file or a bad value); shown without a traceback.

    Args:
        path: The file or folder that is wrong.
        place: Where in the file.
        option: The option, argument or name of a choice whose value is wrong.
        variable: The environment variable that is wrong or missing.
        agent: The string that should have chosen an agent.
        model: The string that should have chosen a model.
        site: The site.
    """

    path: str | None = None
    place: str | None = None
    option: str | None = None
    variable: str | None = None
    agent: str | None = None
    model: str | None = None
    site: str | None = None


class StorageError(SetupError):
    """Nothing more can be kept: a disk is full or fails. What was asked for was right, so a command exits with 1."""


@dataclass(eq=False, repr=False, kw_only=True)
class UnknownInstanceError(SetupError):
    """No instance has this id, or none matches this pattern.

    Args:
        instance: The id or pattern.
    """

    instance: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class MissingKeyError(SetupError):
    """A model cannot be asked because its key is not set.

    Args:
        variables: Every variable that would have to be set, where several models lack a key.
    """

    variables: tuple[str, ...] | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class BrowserNotFoundError(SetupError):
    """There is no Chromium, or it does not start.

    Args:
        executable: The one that does not start; ``path`` is the one that was asked for and is not there.
    """

    executable: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class MissingExtraError(SetupError):
    """An optional dependency is not installed.

    Args:
        extra: The extra of this package that brings it.
    """

    extra: str | None = None


def missing_extra(
    what: str, extra: str, *, otherwise: str = "", model: str | None = None
) -> MissingExtraError:
    """Return the error for something that needs an extra that is not installed.

    Args:
        what: What needs it and what that is: ``"reading a study needs AgentLab"``.
        extra: The extra.
        otherwise: Another way out, where there is one.
        model: The string that chose the model that needs it.
    """
    way_out = f"pip install 'websp-gym[{extra}]'" + (f", or {otherwise}" if otherwise else "")
    return MissingExtraError(f"{what}: {way_out}", extra=extra, model=model)


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


@dataclass(eq=False, repr=False, kw_only=True)
class InitialStateError(WebspError):
    """The initial state S0 was not reached, or not the one the instance asks for.

    Args:
        instance: The instance's id.
        differences: What the instance expects and what was found, by setting.
    """

    instance: str | None = None
    differences: dict[str, tuple[Any, Any]] | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class ReplayError(WebspError):
    """A recorded trace could not be replayed to the end.

    Args:
        event: The event's number, from 1.
        type: What it does.
        fingerprint: Its target in short.
        rungs: What each way of locating the target found.
        url: The page it was played on.
        reason: Why it could not be played.
    """

    event: int | None = None
    type: str | None = None
    fingerprint: str | None = None
    rungs: list[dict[str, Any]] | None = None
    url: str | None = None
    reason: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class ActionError(WebspError):
    """An agent's action could not be understood or carried out; it changed nothing.

    Args:
        action: The action's text, shortened.
        mark: The mark it named.
        url: The address it named.
    """

    action: str | None = None
    mark: int | None = None
    url: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class JudgeError(WebspError):
    """A judge gave no usable verdict.

    Args:
        kind: What is wrong with the record, where that is the cause.
        verdict: The unscored verdict as in ``info``, where there is one.
    """

    kind: Literal["too_long", "incomplete"] | None = None
    verdict: dict[str, Any] | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class WorldError(WebspError):
    """The world (sandbox or live site, or its browser) failed; the episode cannot be scored.

    Args:
        url: The page or address it failed at.
        verdict: The unscored verdict as in ``info``, where there is one.
    """

    url: str | None = None
    verdict: dict[str, Any] | None = None


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


@dataclass(eq=False, repr=False, kw_only=True)
class ModelError(WebspError):
    """A language model gave no answer; the message never holds a key.

    Args:
        kind: ``timeout``, ``rate_limit``, ``server``, ``connection``, ``truncated`` (the answer broke off on the way)
            and ``malformed`` (not what the API promises) were tried again before; ``refused`` and ``filtered``
            (the provider turned the request down), ``too_long``, ``bad_request`` and ``auth`` were not.
        model: The string that chose the model.
        attempts: Requests made.
        retry_after: Seconds the provider asked to wait, where it said so.
    """

    kind: ModelErrorKind | None = None
    model: str | None = None
    attempts: int = 1
    retry_after: float | None = None


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
