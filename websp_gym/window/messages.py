"""What the viewer's page sends: mouse, keys, text, and what one does with tabs, dialogs and buttons."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class _Message(BaseModel):
    # What is typed must not stand in an error.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Mouse(_Message):
    """The mouse, in CSS pixels of the page. Modifiers are those of the DevTools protocol."""

    kind: Literal["mouse"]
    type: Literal["mousePressed", "mouseReleased", "mouseMoved", "mouseWheel"]
    x: float
    y: float
    button: Literal["none", "left", "middle", "right"] = "none"
    buttons: int = 0
    count: int = 0
    modifiers: int = 0
    dx: float = 0
    dy: float = 0


class PressedKey(_Message):
    """A key of the keyboard, with the facts of the viewer's own event."""

    kind: Literal["key"]
    type: Literal["keyDown", "keyUp"]
    key: str
    code: str
    number: int
    location: int = 0
    repeat: bool = False
    modifiers: int = 0


class TypedText(_Message):
    """Text that no single key makes: composed, pasted, dictated."""

    kind: Literal["text"]
    text: str


class Tab(_Message):
    """A tab to look at, or to close."""

    kind: Literal["tab"]
    id: int
    close: bool = False


class Go(_Message):
    """Back, or the page once more."""

    kind: Literal["go"]
    to: Literal["back", "reload"]


class PointerPress(_Message):
    """One of the program's buttons."""

    kind: Literal["press"]
    button: str


class DialogAnswer(_Message):
    """The answer to a dialog of the page."""

    kind: Literal["answer"]
    id: int
    accept: bool
    text: str = ""


class Seen(_Message):
    """A picture was drawn: the next one may come."""

    kind: Literal["seen"]
    id: int


class Joined(_Message):
    """A viewer has come; it knows nothing yet. Made by the server."""

    kind: Literal["joined"] = "joined"


Input = Mouse | PressedKey | TypedText
FromViewer = Input | Tab | Go | PointerPress | DialogAnswer | Seen
Message = FromViewer | Joined
FROM_VIEWER: TypeAdapter[list[FromViewer]] = TypeAdapter(
    list[Annotated[FromViewer, Field(discriminator="kind")]]
)
