"""What a key event of the DevTools protocol does, whatever it calls itself.

The event names a key up to four times: by ``key``, ``code``, ``windowsVirtualKeyCode`` and the text that it produces.
The browser and the scripts of a page may act on any of them, so the name with the strongest effect counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Effect = Literal["types", "edits", "modifies", "presses"]

MODIFIERS = ("Shift", "Control", "Alt", "Meta", "CapsLock")
_EDITING = (
    *("Backspace", "Delete", "Home", "End"),
    *("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"),
)
"""Keys that are part of a run of keys into a field."""
_PRESSING = ("Enter", "Tab", "Escape", " ")
"""Keys that a page acts on; the first of them that an event names is what it does."""
_OF_TEXT = {"\r": "Enter", "\n": "Enter", "\t": "Tab", "\x1b": "Escape", " ": " "}
_NUMBERS = {
    "Backspace": (8,), "Tab": (9,), "Enter": (13,), "Escape": (27,), " ": (32,), "Delete": (46,),
    "End": (35,), "Home": (36,), "ArrowLeft": (37,), "ArrowUp": (38,), "ArrowRight": (39,), "ArrowDown": (40,),
    "Shift": (16, 160, 161), "Control": (17, 162, 163), "Alt": (18, 164, 165), "CapsLock": (20,), "Meta": (91, 92),
}  # fmt: skip
_OF_NUMBER = {number: name for name, numbers in _NUMBERS.items() for number in numbers}
_OTHER_NAMES = {f"{name}{side}": name for name in MODIFIERS[:4] for side in ("Left", "Right")} | {
    "NumpadEnter": "Enter", "Return": "Enter", "Space": " ", "Spacebar": " ", "Esc": "Escape",
}  # fmt: skip
_UNNAMED = ("", "Unidentified", "Process", "Dead")
_LONGEST = 40


@dataclass(frozen=True)
class Key:
    """A key.

    Attributes:
        name: What it is called; empty if nothing says so.
        text: The one character that it types; empty for none.
        produces: Whether the event itself produces a text, which otherwise comes with one of its own.
        effect: What it does: ``types`` a character, ``edits`` a text, ``modifies`` other keys, or ``presses``.
    """

    name: str
    text: str
    produces: bool
    effect: Effect


def read_key(arguments: Mapping[str, Any]) -> Key:
    """Return the key of an ``Input.dispatchKeyEvent``.

    Args:
        arguments: The arguments of the command.
    """
    produced, called, code = (str(arguments.get(name) or "") for name in ("text", "key", "code"))
    if arguments.get("type") == "char":
        called, code, number = called if not produced else "", "", 0  # nothing but the text is used
    else:
        number = arguments.get("windowsVirtualKeyCode", 0)
    called = "" if called in _UNNAMED else _OTHER_NAMES.get(called, called)[:_LONGEST]
    code = _OTHER_NAMES.get(code, code)
    by_number = _OF_NUMBER.get(number, "") if isinstance(number, int | float) else ""
    by_text = _OF_TEXT.get(produced[:1], "")
    text = next((each for each in (produced, called) if len(each) == 1 and each.isprintable()), "")
    names = {called, code, by_number, by_text}
    name = next((each for each in _PRESSING if each in names), "")
    produces = bool(produced) and arguments.get("type") != "rawKeyDown"
    if name and text != name:
        return Key(name, "", produces, "presses")
    shown = "".join(each for each in produced if each.isprintable())
    name = called or text or by_number or (code or shown)[:_LONGEST]
    if name in MODIFIERS and not (produced or arguments.get("commands")):
        alone = {code, by_number} <= {"", *MODIFIERS} and bool(by_number or not number)
        return Key(name, "", produces, "modifies" if alone else "presses")
    if text and len(called) <= 1:
        return Key(name, text, produces, "types")
    return Key(name, "", produces, "edits" if name in _EDITING and not text else "presses")
