"""The interface of an endpoint: one attempt, its answer or its error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from websp_gym.errors import ModelErrorKind
from websp_gym.models.messages import Message, Stop, ToolCall


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens as the provider counts them.

    Args:
        input: Tokens read, including cached ones.
        output: Tokens written, including thinking.
        cached: Input tokens read from a cache.
        written: Input tokens written to a cache.
        cost: US dollars, where the provider reports the cost itself.
    """

    input: int
    output: int
    cached: int = 0
    written: int = 0
    cost: float | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer of one attempt.

    Args:
        text: The answer.
        model: The model's name as the endpoint returned it.
        stop: Why the answer ended.
        usage: The tokens, where the endpoint reports them.
        calls: What a model that uses a computer wants to be carried out.
        said: The whole answer of such a model in the provider's own form.
    """

    text: str
    model: str
    stop: Stop = "end"
    usage: Usage | None = None
    calls: tuple[ToolCall, ...] = ()
    said: Any = None


class AttemptError(Exception):
    """One attempt failed.

    Args:
        kind: The same as in ``ModelError``.
        what: The reason in a few words, the provider's own where it gave some.
        way_out: How to solve the problem; None for the usual advice for this kind.
        retry_after: Seconds the provider asked to wait.
        final: Whether another attempt is useless although the kind would allow one.
        lasting: Whether every other request would fail too; None where that follows from the kind.
        status: HTTP status; None where there was no answer.
    """

    def __init__(
        self,
        kind: ModelErrorKind,
        what: str,
        *,
        way_out: str | None = None,
        retry_after: float | None = None,
        final: bool = False,
        lasting: bool | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(what)
        self.kind = kind
        self.what = what
        self.way_out = way_out
        self.retry_after = retry_after
        self.final = final
        self.lasting = kind == "auth" if lasting is None else lasting
        self.status = status


class Endpoint(Protocol):
    """The API of one model, for single attempts; may be used from several threads."""

    def send(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Answer:
        """Make one attempt.

        Raises:
            AttemptError: The attempt failed.
        """
        ...
