"""A model that answers from a file: for tests, demonstrations and runs without a key."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from websp_gym.errors import ModelErrorKind, SetupError
from websp_gym.models.messages import Image, Message, Stop
from websp_gym.models.protocol import Answer, AttemptError, Usage


def _regex(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f'"{value}" is not a regular expression: {error}') from None
    return value


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Line(_Part):
    """One thing the model says.

    Args:
        say: The text.
        stop: Why it ended.
    """

    say: str
    stop: Stop = "end"


class Rule(Line):
    """What is said where the last user message holds a pattern.

    Args:
        when: Regular expression, searched in the texts of the last user message.
    """

    when: Annotated[str, AfterValidator(_regex)]


class Fault(_Part):
    """One request that fails.

    Args:
        request: Which one, counted from 1; every attempt counts.
        kind: As in ``ModelError``.
        retry_after: Seconds it asks to wait.
    """

    request: int = Field(ge=1)
    kind: ModelErrorKind
    retry_after: float | None = None


class Script(_Part):
    """What a scripted model says: ``answers`` in order, or the first of the ``rules`` that fits.

    Args:
        answers: A text or a line each.
        rules: Tried from the top.
        errors: Requests that fail first.
    """

    answers: tuple[str | Line, ...] = Field(default=(), strict=False)
    rules: tuple[Rule, ...] = Field(default=(), strict=False)
    errors: tuple[Fault, ...] = Field(default=(), strict=False)

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if bool(self.answers) == bool(self.rules):
            raise ValueError("give either answers or rules")
        return self


def read_script(path: Path) -> Script:
    """Reads a script.

    Args:
        path: A YAML file.

    Returns:
        What it says.

    Raises:
        SetupError: It is missing or not a script.
    """
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
        return Script.model_validate(found)
    except OSError as error:
        raise SetupError(
            f"scripted:{path}: {error.strerror}; name a YAML file with answers or rules (docs/models.md)",
            path=str(path),
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError, ValidationError) as error:
        raise SetupError(f"scripted:{path} is not a script: {_brief(error)}", path=str(path)) from None


def _brief(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return " ".join(str(error).split())
    # The last: an answer may be a text or a mapping, and a mapping is what is easy to get wrong.
    last = error.errors()[-1]
    where = ".".join(str(part) for part in last["loc"])
    return f"{where}: {last['msg']}" if where else last["msg"]


class ScriptedEndpoint:
    """Answers by a function; a script is one such function.

    Args:
        name: What the replies call the model.
        answer: Says what to answer to a conversation, or raises ``AttemptError``.
    """

    def __init__(self, name: str, answer: Callable[[Sequence[Message]], Line]) -> None:
        self._name = name
        self._answer = answer

    @classmethod
    def by_script(cls, name: str, script: Script) -> Self:
        """An endpoint that follows a script; the n-th request is the n-th to arrive, from whichever thread."""
        return cls(name, _Prompter(script))

    def send(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Answer:
        """Answers at once."""
        line = self._answer(messages)
        usage = Usage(input=approximate_tokens(messages), output=_words(line.say))
        return Answer(text=line.say, model=self._name, stop=line.stop, usage=usage)


class _Prompter:
    def __init__(self, script: Script) -> None:
        self._script = script
        self._faults = {fault.request: fault for fault in script.errors}
        self._lock = threading.Lock()
        self._requests = 0
        self._said = 0

    def __call__(self, messages: Sequence[Message]) -> Line:
        with self._lock:
            self._requests += 1
            fault = self._faults.get(self._requests)
            if fault is not None:
                raise AttemptError(fault.kind, "a scripted error", retry_after=fault.retry_after)
            return self._by_rule(messages) if self._script.rules else self._next()

    def _next(self) -> Line:
        answers = self._script.answers
        if self._said == len(answers):
            said = f"the script's {len(answers)} answers are used up"
            raise AttemptError("bad_request", said, way_out="write more, or rules, which last")
        line = answers[self._said]
        self._said += 1
        return Line(say=line) if isinstance(line, str) else line

    def _by_rule(self, messages: Sequence[Message]) -> Line:
        asked = next(message.text for message in reversed(messages) if message.role == "user")
        for rule in self._script.rules:
            if re.search(rule.when, asked):
                return rule
        said = f'no rule of the script fits "{asked[:80]}"'
        raise AttemptError("bad_request", said, way_out='end the rules with one that always fits (when: "")')


def approximate_tokens(messages: Sequence[Message]) -> int:
    """Guesses how many tokens a conversation has: four characters a token, 750 pixels a token.

    Args:
        messages: The conversation.

    Returns:
        A round number, good for a script and for an estimate, not for a bill.
    """
    pictures = [part.size for message in messages for part in message.parts if isinstance(part, Image)]
    return sum(_words(message.text) for message in messages) + sum(
        math.ceil(width * height / 750) for width, height in pictures
    )


def _words(text: str) -> int:
    return math.ceil(len(text) / 4)
