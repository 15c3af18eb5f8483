"""The outcome of an episode: pass, fail or unscored, with the evidence."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

Status = Literal["pass", "fail", "unscored"]
FailureKind = Literal[
    "incorrect navigation",
    "state misunderstanding",
    "hallucinated success",
    "repeated actions",
    "partial completion",
]
"""The five kinds of the paper (section 6, table 9). A failure may be of several."""
KINDS: tuple[FailureKind, ...] = get_args(FailureKind)


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: what had to be, what was found.

    ``passed`` is ``None`` where it could not be determined.
    """

    name: str
    passed: bool | None
    expected: Any = None
    actual: Any = None
    evidence: str = ""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why an episode failed, by rules over its state and its record (docs/judge.md states them).

    Args:
        kinds: Its kinds; none for a failure by a side effect alone.
        elements: Types of the ground truth's UI elements that caused it.
        error: Why the rules could not be applied; empty where they were.
    """

    kinds: tuple[FailureKind, ...] = ()
    elements: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Verdict:
    """What an episode is worth.

    Args:
        status: ``unscored`` means nobody knows: it never becomes a number by itself.
        score: 1.0 or 0.0 (a custom reward may give other numbers); ``None`` exactly when unscored.
        source: Who says so: ``state``, ``judge``, ``limit`` or the name of a custom reward.
        reason: One sentence for a person.
        checks: Everything that was looked at.
        side_effects: What else changed that no goal asked for.
        less_private: Those of them that moved a setting towards what its site declares as the least private value.
        strict: The score of who counts side effects too: 1.0 only for a full score without any; ``None`` where nobody
            knows.
        failure: Why a failed episode in the sandbox failed, whichever reward decided.
        details: Whatever the source adds (votes, cost).
    """

    status: Status
    score: float | None
    source: str
    reason: str
    checks: tuple[Check, ...] = ()
    side_effects: tuple[str, ...] = ()
    less_private: tuple[str, ...] = ()
    strict: float | None = None
    failure: Failure | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.status == "unscored") != (self.score is None):
            raise ValueError(
                f"a verdict has a score exactly when it is scored, not {self.status}/{self.score}"
            )
        if self.score is not None and not self.score >= 1.0:
            object.__setattr__(self, "strict", 0.0)

    def as_dict(self) -> dict[str, Any]:
        """The verdict as JSON data."""
        return asdict(self)


def passed(source: str, reason: str, **parts: Any) -> Verdict:
    """A verdict of success, worth 1.0."""
    return Verdict("pass", 1.0, source, reason, **parts)


def failed(source: str, reason: str, **parts: Any) -> Verdict:
    """A verdict of failure, worth 0.0."""
    return Verdict("fail", 0.0, source, reason, **parts)


def unscored(source: str, reason: str, **parts: Any) -> Verdict:
    """A verdict that says why there is none."""
    return Verdict("unscored", None, source, reason, **parts)
