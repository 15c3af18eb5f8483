"""Names of keys as computer-use models write them (``ctrl+a``, ``Return``, ``Page_Down``), and keys without
effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from websp_gym.actions.calls import Call

MODIFIERS = ("Control", "Alt", "Meta", "Shift")
_ALIASES = {
    "Control": "control ctrl ctl controlleft controll controlr ctrlleft ctrlright ctrlr ctrll controlright",
    # On a Mac, whose users write so, it is the key of the browser's shortcuts: here that is Control.
    "ControlOrMeta": "cmd command controlormeta cmdorctrl",
    "Alt": "alt altl altr altleft altright opt option optionleft optionright",
    "Meta": "meta metal metar metaleft metaright super superl superr win windows winleft winright os",
    "Shift": "shift shiftl shiftr shiftleft shiftright",
    "AltGraph": "altgraph altgr isolevel3shift",
    "Enter": "enter return linefeed",
    "NumpadEnter": "numpadenter kpenter",
    "Escape": "escape esc",
    "Backspace": "backspace bksp",
    "Delete": "delete del kpdelete",
    "Insert": "insert ins kpinsert",
    "Space": "space spacebar kpspace",
    "PageUp": "pageup pgup prior kppageup kpprior",
    "PageDown": "pagedown pgdn pgdown next kppagedown kpnext",
    "Home": "home kphome",
    "End": "end kpend",
    "ArrowLeft": "arrowleft left leftarrow kpleft",
    "ArrowRight": "arrowright right rightarrow kpright",
    "ArrowUp": "arrowup up uparrow kpup",
    "ArrowDown": "arrowdown down downarrow kpdown",
    "Tab": "tab kptab",
    "Shift+Tab": "isolefttab",
    "CapsLock": "capslock caps",
    "NumLock": "numlock",
    "ScrollLock": "scrolllock",
    "PrintScreen": "printscreen print prtsc prtscr prntscrn sysrq",
    "Pause": "pause break",
    "ContextMenu": "contextmenu menu apps",
    "NumpadAdd": "numpadadd kpadd",
    "NumpadSubtract": "numpadsubtract kpsubtract subtract",
    "NumpadMultiply": "numpadmultiply kpmultiply multiply",
    "NumpadDivide": "numpaddivide kpdivide divide",
    "Minus": "minus hyphen dash",
    "Equal": "equal equals",
    "Comma": "comma",
    "Period": "period dot numpaddecimal kpdecimal decimal",
    "Slash": "slash forwardslash",
    "Backslash": "backslash",
    "Semicolon": "semicolon",
    "Quote": "quote apostrophe",
    "Backquote": "backquote grave backtick",
    "BracketLeft": "bracketleft",
    "BracketRight": "bracketright",
    "+": "plus add",
    "_": "underscore",
    ":": "colon",
    "!": "exclam",
    "@": "at",
    "#": "numbersign",
    "$": "dollar",
    "%": "percent",
    "^": "asciicircum",
    "&": "ampersand",
    "*": "asterisk",
    "(": "parenleft",
    ")": "parenright",
    '"': "quotedbl",
    "<": "less",
    ">": "greater",
    "?": "question",
    "|": "bar",
    "{": "braceleft",
    "}": "braceright",
    "~": "asciitilde",
}
_NAMES = (
    {alias: key for key, aliases in _ALIASES.items() for alias in aliases.split()}
    | {f"f{number}": f"F{number}" for number in range(1, 13)}
    | {f"key{letter}": f"Key{letter.upper()}" for letter in "abcdefghijklmnopqrstuvwxyz"}
    | {f"digit{digit}": f"Digit{digit}" for digit in range(10)}
    # Playwright's Numpad0 is Insert, as without NumLock.
    | {f"{word}{digit}": str(digit) for word in ("numpad", "kp", "num") for digit in range(10)}
)
"""Playwright's name of each key, by its names in lower case without spaces, hyphens and underscores."""
_CHARACTERS = {"\n": "Enter", "\r": "Enter", "\t": "Tab", "\b": "Backspace", "\x1b": "Escape"}
_SAME = {"Equal": "=", "Minus": "-", "ControlOrMeta": "Control"}

_WINDOW_KEYS = {
    (): "F1 F3 F5 F6 F7 F10 F11 F12 PrintScreen",
    ("Shift",): "F3 F5 Escape",
    ("Control",): "0 1 2 3 4 5 6 7 8 9 + - = d e f g h j k l n o p r s t u w F4 F5 Tab PageUp PageDown",
    ("Control", "Shift"): "+ = a b c d g i j m n o p q r s t u w Tab Delete PageUp PageDown",
    ("Alt",): "d e f F4 Home Tab Space Escape ArrowLeft ArrowRight",
    ("Alt", "Shift"): "i t Tab",
}
"""Keys of the browser window or the desktop: the headless browser has neither, so they do nothing."""

_IN_A_WINDOW: dict[str, Call] = {
    **dict.fromkeys(("Alt+arrowleft",), ("go_back", [], {})),
    **dict.fromkeys(("Alt+arrowright",), ("go_forward", [], {})),
    **dict.fromkeys(("f5", "Control+r", "Control+f5", "Control+Shift+r", "Shift+f5"), ("reload", [], {})),
    **dict.fromkeys(("Control+tab", "Control+pagedown"), ("next_tab", [1], {})),
    **dict.fromkeys(("Control+Shift+tab", "Control+pageup"), ("next_tab", [-1], {})),
    **dict.fromkeys(("Control+w", "Control+f4"), ("tab_close", [], {})),
    "Control+t": ("new_tab", [], {}),
    **{f"Control+{digit}": ("tab_focus", [digit - 1], {}) for digit in range(1, 9)},
    "Control+9": ("tab_focus", [-1], {}),
}
"""Keys that a browser window would act on, and the calls that do the same."""


def read_keys(text: str) -> str:
    """Return a key or combination of keys as Playwright writes it, such as ``Control+a`` for ``CTRL+A``.

    Raises:
        ActionError: There is no such key.
    """
    names = [name for part in split_keys(text) for name in split_keys(_name(part, text))]
    if len(names[-1]) == 1 and any(
        name in ("Control", "ControlOrMeta", "Alt", "Meta") for name in names[:-1]
    ):
        # A keyboard sends a capital only with Shift, which changes the letter itself.
        names[-1] = names[-1].lower()
    elif "Shift" in names[:-1] and len(names[-1]) == 1:
        # Playwright types a small letter even with Shift.
        names[-1] = names[-1].upper()
    return "+".join(names)


def split_keys(text: str) -> list[str]:
    """Return the keys of a combination as Playwright splits it: the last one may be ``+``."""
    keys = [""]
    for letter in text:
        if letter == "+" and keys[-1]:
            keys.append("")
        else:
            keys[-1] += letter
    return keys


def notice_for(keys: str) -> str | None:
    """Return the notice for a combination of :func:`read_keys` that has no effect here, or None."""
    modifiers, key = _parts(keys)
    if key.capitalize() in MODIFIERS:
        return f"{keys} alone did nothing unless the page listens for it; it changes the keys pressed with it"
    if "Meta" not in modifiers and key not in _WINDOW_KEYS.get(modifiers, "").lower().split():
        return None
    return (
        f"{keys} did nothing unless the page listens for it; it is a key of the browser window or the desktop, "
        "and there is neither; goto opens an address"
    )


def window_key(keys: str) -> Call | None:
    """Return the call that does what a browser window does on a combination of :func:`read_keys`, or None."""
    modifiers, key = _parts(keys)
    return _IN_A_WINDOW.get("+".join([*modifiers, key]))


def _parts(keys: str) -> tuple[tuple[str, ...], str]:
    """Return the modifiers of a combination in alphabetic order, and its key in small letters."""
    *held, key = (_SAME.get(name, name) for name in split_keys(keys))
    letter = key[-1] if key.startswith(("Key", "Digit")) else key
    return tuple(sorted({*held})), letter.lower()


def _name(part: str, text: str) -> str:
    """Return Playwright's name of one key."""
    if part in _CHARACTERS:
        return _CHARACTERS[part]
    part = part.strip() or part
    if len(part) == 1 and part.isascii() and part.isprintable():
        return part
    name = _NAMES.get(part.casefold().translate({ord(mark): None for mark in "_- "}))
    if name is None:
        raise ActionError(
            f"there is no key {part[:50]!r}; nothing was done (keys are called Enter, Escape, ArrowLeft, PageDown, "
            "F5, a, Control+a; keyboard_type() writes other characters)",
            action=text[:200],
        )
    return name
