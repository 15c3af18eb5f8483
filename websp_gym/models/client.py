"""A model behind an endpoint: retries with back-off, limited concurrency, and the cost of each answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from websp_gym.errors import ModelError, ModelErrorKind
from websp_gym.models.messages import Message, Reply
from websp_gym.models.protocol import Answer, AttemptError, Endpoint, Usage

LONGEST_WAIT = 120.0
"""Longest wait in seconds; where a provider asks for more, there is no further attempt."""

_PASSING: tuple[ModelErrorKind, ...] = (
    "timeout",
    "rate_limit",
    "server",
    "connection",
    "truncated",
    "malformed",
)

_WAYS_OUT: dict[ModelErrorKind, str] = {
    "timeout": "give it longer (timeout=), or a shorter trajectory",
    "rate_limit": "send fewer requests at once (concurrency=), or try later",
    "server": "the provider has trouble: try later",
    "connection": "check the network and the address",
    "truncated": "the answer was cut off on the way: check the network, or a proxy's time-out",
    "malformed": "the endpoint does not speak this API: check its address",
    "refused": "the provider does not serve this request: use another model",
    "filtered": "the provider's filter blocks this request: use another model",
    "too_long": "send less (smaller or fewer screenshots), or use a model with a larger context",
    "bad_request": "check the model's name and options",
    "auth": "check the key and its permissions",
}


@dataclass(frozen=True, kw_only=True)
class RequestPolicy:
    """How a model is asked.

    Args:
        retries: Maximum number of further attempts after the first.
        concurrency: Maximum number of requests at the same time.
        sleep: Called with the seconds to wait between attempts; tests pass one that returns at once.
    """

    retries: int = 4
    concurrency: int = 4
    sleep: Callable[[float], None] = time.sleep


class RetryingModel:
    """A model behind an endpoint.

    Args:
        spec: The model string.
        endpoint: Makes one attempt.
        price: Returns the cost of an answer from the model's name and the tokens; None where it is unknown.
        policy: Retries and concurrency; None for the defaults.
        priced: Whether the price is known; None if it comes with an answer.
        advice: Advice for an endpoint that is missing or does not speak the API; empty for the usual one.
    """

    def __init__(
        self,
        spec: str,
        endpoint: Endpoint,
        *,
        price: Callable[[str, Usage], float | None],
        policy: RequestPolicy | None = None,
        priced: bool | None = None,
        advice: str = "",
    ) -> None:
        self.spec = spec
        self.priced = priced
        self._advice = advice
        self._endpoint = endpoint
        self._price = price
        self._policy = policy or RequestPolicy()
        self._room = threading.BoundedSemaphore(self._policy.concurrency)

    def __repr__(self) -> str:
        return f"<model {self.spec}>"

    def ask(self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None) -> Reply:
        """Ask once, with retries; see ``Model.ask``."""
        if not any(message.role == "user" for message in messages):
            raise ValueError("there is no user message")
        started = time.monotonic()
        retrying = Retrying(
            stop=stop_after_attempt(self._policy.retries + 1),
            retry=retry_if_exception(_is_passing),
            wait=_Wait(),
            sleep=self._policy.sleep,
            reraise=True,
        )
        failure: AttemptError | None = None
        try:
            answer = retrying(self._attempt, messages, schema)
        except AttemptError as error:
            failure = error
        attempts = int(retrying.statistics["attempt_number"])
        if failure is not None:
            # Raised outside of the handler: an SDK's exception holds the request and must not be attached.
            raise self._error(failure, attempts)
        return self._reply(answer, attempts, time.monotonic() - started)

    def _attempt(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Answer:
        with self._room:
            return self._endpoint.send(messages, schema)

    def _reply(self, answer: Answer, attempts: int, seconds: float) -> Reply:
        usage = answer.usage
        return Reply(
            text=answer.text,
            model=answer.model,
            input_tokens=usage.input if usage else None,
            output_tokens=usage.output if usage else None,
            cached_tokens=usage.cached if usage else None,
            cost=self._price(answer.model, usage) if usage else None,
            seconds=seconds,
            stop=answer.stop,
            attempts=attempts,
            calls=answer.calls,
            said=answer.said,
        )

    def _error(self, failure: AttemptError, attempts: int) -> ModelError:
        times = "" if attempts == 1 else f" ({attempts} attempts)"
        absent = failure.kind == "malformed" or failure.status in (404, 405)
        way_out = failure.way_out or (absent and self._advice) or _WAYS_OUT[failure.kind]
        return ModelError(
            f"{self.spec}: {failure.what}{times}; {way_out}",
            kind=failure.kind,
            model=self.spec,
            attempts=attempts,
            retry_after=failure.retry_after,
            lasting=failure.lasting,
        )


def _is_passing(error: BaseException) -> bool:
    return (
        isinstance(error, AttemptError)
        and error.kind in _PASSING
        and not error.final
        and (error.retry_after or 0) <= LONGEST_WAIT
    )


class _Wait:
    """Seconds until the next attempt: a growing random pause, or slightly more than the provider asked for."""

    def __init__(self) -> None:
        self._pause = wait_random_exponential(multiplier=1, max=30)

    def __call__(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, AttemptError) else None
        # A random share, so that callers rejected together do not retry together.
        return asked + self._pause(state) / 10 if asked else self._pause(state)
