"""What is said to a model and what comes back, the same for every provider."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

from websp_gym.texts import encodable

Role = Literal["system", "user", "assistant"]
Stop = Literal["end", "length", "refusal", "filter"]

_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Text:
    """A piece of text."""

    text: str


@dataclass(frozen=True)
class Image:
    """A picture.

    Args:
        png: The bytes of a PNG file.
    """

    png: bytes

    def __post_init__(self) -> None:
        if len(self.png) < 24 or not self.png.startswith(_PNG):
            raise ValueError("an Image wants the bytes of a PNG file")

    def __repr__(self) -> str:
        width, height = self.size
        return f"Image({width}x{height})"

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, as the file's header gives them."""
        width, height = struct.unpack(">II", self.png[16:24])
        return width, height


@dataclass(frozen=True)
class Message:
    """One turn of a conversation.

    Args:
        role: Who speaks. A system message is text only, and an assistant's as well.
        parts: What is said, in order.
    """

    role: Role
    parts: tuple[Text | Image, ...]

    def __post_init__(self) -> None:
        if self.role not in get_args(Role):
            raise ValueError(f'role "{self.role}": use one of {", ".join(get_args(Role))}')
        if self.role != "user" and any(isinstance(part, Image) for part in self.parts):
            raise ValueError(f"a {self.role} message cannot hold a picture: no provider takes one there")

    @property
    def text(self) -> str:
        """Its texts, joined by line ends."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a model answered.

    Args:
        text: The answer; with ``stop="refusal"`` what the model said in refusing, possibly nothing.
        model: The model's name as the endpoint gave it.
        input_tokens: Tokens read, cached ones included; None where the endpoint does not say.
        output_tokens: Tokens written, thinking included; None where the endpoint does not say.
        cost: US dollars of this answer; None where the price or the tokens are unknown, never a guess.
        seconds: From the first attempt to the answer, waiting included.
        stop: ``end`` for a whole answer, ``length`` for one cut at the token limit, ``refusal`` where the model
            declined, ``filter`` where the provider's filter blocked or cut it.
        attempts: Requests made, failed ones included.
    """

    text: str
    model: str
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    seconds: float
    stop: Stop = "end"
    attempts: int = 1

    def __post_init__(self) -> None:
        # Half an emoji, where a provider cut the answer, could be neither written nor sent back.
        object.__setattr__(self, "text", encodable(self.text))


class Model(Protocol):
    """Anything that can be asked."""

    @property
    def spec(self) -> str:
        """The string that chose it, e.g. ``openai:gpt-5.2``."""
        ...

    def ask(self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None) -> Reply:
        """Asks once, with retries where another try may help. May be called from several threads.

        Args:
            messages: The conversation.
            schema: JSON schema the answer should follow: an object with every property required and
                ``additionalProperties: false``, the form all providers take. The answer is still text and may
                still break it: check what you read.

        Returns:
            The answer, also one that was refused, filtered or cut: see ``Reply.stop``.

        Raises:
            ModelError: No answer; ``kind`` says why.
        """
        ...
