"""Messages to a model and its replies, the same for every provider."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, get_args

from websp_gym.texts import encodable

Role = Literal["system", "user", "assistant"]
Stop = Literal["end", "length", "refusal", "filter", "other"]
"""Why an answer ended; ``other``: by something that was not asked for, such as a call of a tool."""

_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Text:
    """A piece of text."""

    text: str


@dataclass(frozen=True)
class Image:
    """An image.

    Args:
        png: The bytes of a PNG file.
    """

    png: bytes

    def __post_init__(self) -> None:
        if len(self.png) < 24 or not self.png.startswith(_PNG):
            raise ValueError("an Image needs the bytes of a PNG file")

    def __repr__(self) -> str:
        width, height = self.size
        return f"Image({width}x{height})"

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, from the file's header."""
        width, height = struct.unpack(">II", self.png[16:24])
        return width, height


@dataclass(frozen=True)
class Message:
    """One turn of a conversation.

    Args:
        role: Who speaks. Only a user message may hold images.
        parts: Texts and images, in order.
        cache: Whether a later request is expected to begin with the conversation up to the end of this message, so
            that a provider which has to be asked should cache it. Not for an assistant's message.
    """

    role: Role
    parts: tuple[Text | Image, ...]
    cache: bool = False

    def __post_init__(self) -> None:
        if self.role not in get_args(Role):
            raise ValueError(f'role "{self.role}": use one of {", ".join(get_args(Role))}')
        if self.role != "user" and any(isinstance(part, Image) for part in self.parts):
            raise ValueError(f"a {self.role} message cannot hold a picture: no provider takes one there")
        if self.cache and (self.role == "assistant" or not self.parts):
            raise ValueError("only a system or user message with content can end what is cached")

    @property
    def text(self) -> str:
        """The texts of the message, joined by line breaks."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function that a model may call beside its provider's tool; each of its arguments is a text.

    Args:
        name: Its name.
        meaning: What it does, for the model.
        arguments: What each argument is, by its name.
    """

    name: str
    meaning: str
    arguments: Mapping[str, str]

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        properties = {name: {"type": "string", "description": what} for name, what in self.arguments.items()}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """An action of computer use, or a call of a function, that a model wants to be carried out.

    Args:
        id: Its id; actions that are given together may share one.
        action: The action in the provider's words, as ``env.step`` takes it; empty for a function.
        function: Name of the function; empty for an action.
        arguments: The arguments of the function.
        native: The call as it came.
        checks: What the provider's safety system wants to have acknowledged before it is carried out.
    """

    id: str
    action: Mapping[str, Any] = field(default_factory=dict)
    function: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    native: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """What came of a call.

    Args:
        call: The call.
        text: What the model is told.
        url: Address of the page that is shown now.
        picture: The screen after it; None if it is not shown.
        failed: Whether it was not carried out, where the provider's tool is told so.
        tabs: ``id``, ``url``, ``title`` and ``active`` of the open tabs, where the provider's tool is told them.
        opened: The ``id`` of those that it opened.
    """

    call: ToolCall
    text: str
    url: str = ""
    picture: Image | None = None
    failed: bool = False
    tabs: tuple[Mapping[str, Any], ...] = ()
    opened: tuple[int, ...] = ()


@dataclass(frozen=True)
class ToolMessage(Message):
    """A turn of a conversation in which a computer is used.

    Args:
        said: The assistant's turn in the provider's own form, which is given back as it came.
        results: What came of the calls in the turn before; of a user's message.
        functions: The functions that may be called; of a system message.
    """

    said: Any = None
    results: tuple[ToolResult, ...] = ()
    functions: tuple[Function, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A model's answer.

    Args:
        text: The answer; with ``stop="refusal"`` the model's refusal, possibly empty.
        model: The model's name as the endpoint returned it.
        input_tokens: Tokens read, including cached ones; None where the endpoint does not report them.
        output_tokens: Tokens written, including thinking; None where the endpoint does not report them.
        cached_tokens: Those of the tokens read that came from the provider's cache; None where the endpoint reports
            no tokens.
        calls: What the model wants to be carried out, of a model that uses a computer.
        said: The whole answer of such a model in the provider's own form.
        cost: US dollars for this answer; None where the price or the tokens are unknown.
        seconds: Time from the first attempt to the answer, including waiting.
        stop: ``end`` for a complete answer, ``length`` for one cut at the token limit, ``refusal`` where the
            model declined, ``filter`` where the provider's filter blocked or cut it.
        attempts: Requests made, including failed ones.
    """

    text: str
    model: str
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    seconds: float
    stop: Stop = "end"
    attempts: int = 1
    cached_tokens: int | None = None
    calls: tuple[ToolCall, ...] = ()
    said: Any = None

    def __post_init__(self) -> None:
        # A cut answer may end in half a surrogate pair, which can be neither written nor sent back.
        object.__setattr__(self, "text", encodable(self.text))


class Model(Protocol):
    """A model that can be asked."""

    @property
    def spec(self) -> str:
        """The model string, e.g. ``openai:gpt-6.2-sol``."""
        ...

    def ask(self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None) -> Reply:
        """Ask once, with retries where another attempt may succeed. May be called from several threads.

        Args:
            messages: The conversation.
            schema: JSON schema that the answer should follow: an object with every property required and
                ``additionalProperties: false``, the form that all providers accept. The answer is still text
                and may violate the schema, so validate it.

        Returns:
            The answer, which may be refused, filtered or cut: see ``Reply.stop``.

        Raises:
            ModelError: There is no answer; ``kind`` gives the reason.
        """
        ...
