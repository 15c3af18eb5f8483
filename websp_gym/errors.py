"""The errors websp-gym raises.

A message names the wrong value, the closest valid one and a way to fix the problem. The same facts are
attributes, declared by each class, so that a program does not need to parse the message.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from websp_gym.project import install


@dataclass(eq=False, repr=False)
class WebspError(Exception):
    """Base class of all errors of this package.

    A subclass with attributes of its own is a dataclass like ``SetupError``. Each attribute has a default, so
    that an error can be created from its message alone.

    Args:
        message: What happened and how to fix it, for a person. If it is another ``WebspError``, its message
            and its attributes are copied: Gymnasium re-raises a worker's error with the error itself as the
            message.
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
        # Attributes are keyword-only; the default unpickling, as in a worker process, cannot restore them.
        return (_rebuild, (type(self), self.message, self.facts))

    @property
    def facts(self) -> dict[str, Any]:
        """The attributes that are not ``None``, by name."""
        found = {name: getattr(self, name) for name in self._names()}
        return {name: value for name, value in found.items() if value is not None}

    @classmethod
    def _names(cls) -> set[str]:
        return {each.name for each in fields(cls)} - {"message"}


def _rebuild(kind: type[WebspError], message: str, facts: dict[str, Any]) -> WebspError:
    return kind(message, **facts)


@dataclass(eq=False, repr=False, kw_only=True)
class SetupError(WebspError):
    """Raised for what the user can fix, such as a missing key, browser or file, or an invalid value.

    The command line shows it without a traceback. Attributes that do not apply are ``None``.

    Args:
        path: The file or folder that is wrong.
        place: The place in that file.
        option: The option, argument or choice with an invalid value.
        variable: The environment variable that is wrong or missing.
        agent: The string that was given as an agent.
        model: The string that was given as a model.
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
    """Raised when nothing more can be stored, because a disk is full or fails.

    The request itself was valid, so a command exits with 1 and not with 2.
    """


@dataclass(eq=False, repr=False, kw_only=True)
class UnknownInstanceError(SetupError):
    """Raised when no instance has this id, or none matches this pattern.

    Args:
        instance: The id or pattern.
    """

    instance: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class MissingKeyError(SetupError):
    """Raised when the API key of a model is not set.

    Args:
        variables: All environment variables that must be set, if several models lack a key.
    """

    variables: tuple[str, ...] | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class BrowserNotFoundError(SetupError):
    """Raised when there is no Chromium, or when it cannot be executed.

    Args:
        executable: The executable that cannot be executed. If the requested one does not exist, it is in
            ``path``.
    """

    executable: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class MissingExtraError(SetupError):
    """Raised when an optional dependency is not installed.

    Args:
        extra: The extra of this package that installs it.
    """

    extra: str | None = None


def missing_extra(
    what: str, extra: str, *, otherwise: str = "", model: str | None = None
) -> MissingExtraError:
    """Return the error for a feature whose extra is not installed.

    Args:
        what: The feature and what it needs, such as ``"reading a study needs AgentLab"``.
        extra: The extra to install.
        otherwise: An alternative to installing it, if there is one.
        model: The string that was given as a model, if the model needs the extra.
    """
    way_out = install(extra) + (f", or {otherwise}" if otherwise else "")
    return MissingExtraError(f"{what}: {way_out}", extra=extra, model=model)


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


def unwritable(path: Path, error: OSError, *, what: str = "") -> SetupError:
    """Return the error for a file or folder that cannot be written to.

    ``what`` is a description to put before the path. A full or failing disk gives a ``StorageError``.
    """
    kind = StorageError if error.errno in _FULL else SetupError
    named = f"{what} {path}" if what else str(path)
    return kind(f"cannot write to {named}: {error.strerror}", path=str(path))


@dataclass(eq=False, repr=False, kw_only=True)
class InitialStateError(WebspError):
    """Raised when the initial state S0 was not reached.

    Args:
        instance: The id of the instance.
        differences: The pair (expected, actual) for each setting or collection that differs.
    """

    instance: str | None = None
    differences: dict[str, tuple[Any, Any]] | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class ReplayError(WebspError):
    """Raised when a recorded trace could not be replayed to its end.

    Args:
        event: Number of the event, from 1.
        type: Type of the event.
        fingerprint: Short description of its target.
        rungs: What each method of locating the target found.
        url: Address of the page.
        reason: Why the event could not be replayed.
    """

    event: int | None = None
    type: str | None = None
    fingerprint: str | None = None
    rungs: list[dict[str, Any]] | None = None
    url: str | None = None
    reason: str | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class ActionError(WebspError):
    """Raised when an agent's action could not be parsed or carried out; it changed nothing.

    Args:
        action: The text of the action, shortened.
        mark: Number of the mark that it names.
        url: The address that it names.
    """

    action: str | None = None
    mark: int | None = None
    url: str | None = None


class HarmError(WebspError):
    """Raised when the harm guard holds an action back; nothing was pressed."""


@dataclass(eq=False, repr=False, kw_only=True)
class JudgeError(WebspError):
    """Raised when a judge gave no usable verdict.

    Args:
        kind: What is wrong with the record of the episode, if that is the cause.
        verdict: The unscored verdict as in ``info``, if there is one.
    """

    kind: Literal["too_long", "incomplete"] | None = None
    verdict: dict[str, Any] | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class WorldError(WebspError):
    """Raised when the world (sandbox or live site, or its browser) failed; the episode cannot be scored.

    Args:
        url: The page or address where it failed.
        verdict: The unscored verdict as in ``info``, if there is one.
    """

    url: str | None = None
    verdict: dict[str, Any] | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class WorldBusyError(WorldError):
    """Raised when other episodes use all that a world has for one, such as the accounts of a site."""


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
    """Raised when a language model gave no answer; the message never contains an API key.

    Args:
        kind: The kind of failure. Retried before it is raised: ``timeout``, ``rate_limit``, ``server``,
            ``connection``, ``truncated`` (the answer broke off in transit) and ``malformed`` (not what the
            API specifies). Not retried: ``refused`` and ``filtered`` (the provider rejected the request),
            ``too_long``, ``bad_request`` and ``auth``.
        model: The string that was given as a model.
        attempts: Number of requests made.
        retry_after: Seconds the provider asked to wait; ``None`` if it did not.
        lasting: Whether every other request to this model would fail too: a wrong key, no credit, no such model or
            address, or a setting that the model does not accept.
    """

    kind: ModelErrorKind | None = None
    model: str | None = None
    attempts: int = 1
    retry_after: float | None = None
    lasting: bool = False


def nearest(value: str, known: list[str] | tuple[str, ...]) -> str:
    """Return a hint that names the known value closest to ``value``, ignoring case.

    Returns:
        ``'; did you mean "x"?'``; both ids for a task id without its state (ON or OFF); an empty string if
        nothing is close.
    """
    from difflib import get_close_matches

    names = {name.casefold(): name for name in known}
    wrong = value.casefold()
    states = [name for name in (f"{wrong}-on", f"{wrong}-off") if name in names]
    close = states or get_close_matches(wrong, names, n=1)
    meant = " or ".join(f'"{names[name]}"' for name in close)
    return f"; did you mean {meant}?" if close else ""
