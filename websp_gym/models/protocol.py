"""What lies between a model as it is asked and the API that answers: one attempt, its answer or its failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from websp_gym.errors import ModelErrorKind
from websp_gym.models.messages import Message, Stop


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens as a provider counts them.

    Args:
        input: Tokens read, cached ones included.
        output: Tokens written, thinking included.
        cached: Those of the input that came from a cache.
        written: Those of the input that were written to a cache.
        cost: US dollars, where the provider says so itself.
    """

    input: int
    output: int
    cached: int = 0
    written: int = 0
    cost: float | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one attempt brought back.

    Args:
        text: The answer.
        model: The model's name as the endpoint gave it.
        stop: Why it ended.
        usage: Its tokens, where the endpoint told them.
    """

    text: str
    model: str
    stop: Stop = "end"
    usage: Usage | None = None


class AttemptError(Exception):
    """One attempt failed.

    Args:
        kind: As in ``ModelError``.
        what: The reason in a few words, in the provider's own where it gave some.
        way_out: What to do about it, where that is not what the kind says anyway.
        retry_after: Seconds the provider asked to wait.
        final: Whether another try is useless although the kind would allow one.
    """

    def __init__(
        self,
        kind: ModelErrorKind,
        what: str,
        *,
        way_out: str | None = None,
        retry_after: float | None = None,
        final: bool = False,
    ) -> None:
        super().__init__(what)
        self.kind = kind
        self.what = what
        self.way_out = way_out
        self.retry_after = retry_after
        self.final = final


class Endpoint(Protocol):
    """One API, able to make one attempt; may be used from several threads."""

    def send(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Answer:
        """Makes one attempt.

        Raises:
            AttemptError: It did not work out.
        """
        ...
