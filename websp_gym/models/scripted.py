"""A model that answers from a YAML file: for tests, demonstrations and runs without a key."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from websp_gym.errors import ModelErrorKind, SetupError
from websp_gym.models.messages import Image, Message, Stop
from websp_gym.models.protocol import Answer, AttemptError, Usage
from websp_gym.models.tables import Pattern
from websp_gym.project import docs
from websp_gym.sandbox.schema.strict_yaml import StrictLoader
from websp_gym.texts import decoded


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Line(_Part):
    """One answer of the model.

    Args:
        say: The text.
        stop: Why the answer ended.
    """

    say: str
    stop: Stop = "end"


class ScriptedRule(Line):
    """An answer to messages that match a pattern.

    Args:
        when: Regular expression, searched in the texts of the last user message.
    """

    when: Pattern


class ScriptedFault(_Part):
    """One request that fails.

    Args:
        request: Number of the request, from 1; every attempt counts.
        kind: The same as in ``ModelError``.
        retry_after: Seconds the error asks to wait.
    """

    request: int = Field(ge=1)
    kind: ModelErrorKind
    retry_after: float | None = None


class Script(_Part):
    """The answers of a scripted model: ``answers`` in order, or the first of the ``rules`` that matches.

    Args:
        answers: Texts or lines.
        rules: Tried from the top.
        errors: Requests that fail instead of being answered.
    """

    answers: tuple[str | Line, ...] = Field(default=(), strict=False)
    rules: tuple[ScriptedRule, ...] = Field(default=(), strict=False)
    errors: tuple[ScriptedFault, ...] = Field(default=(), strict=False)

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if bool(self.answers) == bool(self.rules):
            raise ValueError("give either answers or rules")
        return self


def read_script(path: Path) -> Script:
    """Read a script from a YAML file.

    Raises:
        SetupError: The file is missing or is not a script.
    """
    try:
        found = yaml.load(decoded(path.read_bytes()), StrictLoader)
        return Script.model_validate(found)
    except OSError as error:
        raise SetupError(
            f"scripted:{path}: {error.strerror}; name a YAML file with answers or rules ({docs('reference/models')})",
            path=str(path),
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError, ValidationError) as error:
        raise SetupError(f"scripted:{path} is not a script: {_brief(error)}", path=str(path)) from None


def _brief(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return " ".join(str(error).split())
    # The last error: an answer may be a text or a mapping, and the mapping is where mistakes are likely.
    last = error.errors()[-1]
    where = ".".join(str(part) for part in last["loc"])
    return f"{where}: {last['msg']}" if where else last["msg"]


class ScriptedEndpoint:
    """An endpoint that answers by a function, such as a script.

    Args:
        name: The model's name in the answers.
        answer: Returns the answer to a conversation, or raises ``AttemptError``.
    """

    def __init__(self, name: str, answer: Callable[[Sequence[Message]], Line]) -> None:
        self._name = name
        self._answer = answer

    @classmethod
    def by_script(cls, name: str, script: Script) -> Self:
        """Make an endpoint that follows a script; requests are counted as they arrive, over all threads."""
        return cls(name, _Prompter(script))

    def send(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Answer:
        """Answer at once."""
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
            raise AttemptError("bad_request", said, way_out="write more, or rules, which never run out")
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
    """Return a rough count of a conversation's tokens: four characters per token, 750 pixels per token.

    It is good enough for a script or an estimate, not for a bill.
    """
    pictures = [part.size for message in messages for part in message.parts if isinstance(part, Image)]
    return sum(_words(message.text) for message in messages) + sum(
        math.ceil(width * height / 750) for width, height in pictures
    )


def _words(text: str) -> int:
    return math.ceil(len(text) / 4)
