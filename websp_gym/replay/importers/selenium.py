"""Importing projects of Selenium IDE: each test of a ``.side`` file becomes a trace.

An element has several targets (``id=``, ``css=``, ``xpath=``, ``linkText=``); all of them are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from websp_gym.replay.importers.import_log import ImportLog, kind_of
from websp_gym.replay.importers.roles import words
from websp_gym.replay.importers.steps import Element, StepWriter

_HARMLESS = words(
    "pause echo close run setSpeed mouseOut mouseMoveAt mouseUp debugger storeWindowHandle storeText storeTitle "
    "storeAttribute storeValue storeXpathCount storeJson setProperty"
)
_KEY = re.compile(r"\$\{KEY_([A-Z0-9_]+)\}")
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_TEXT_IN_XPATH = re.compile(r"""contains\(\s*(?:\.|text\(\))\s*,\s*(?:'([^']*)'|"([^"]*)")\s*\)""")
_KEYS = {"ENTER": "Enter", "RETURN": "Enter", "TAB": "Tab", "ESCAPE": "Escape", "ESC": "Escape", "SPACE": "Space",
         "BACKSPACE": "Backspace", "BKSP": "Backspace", "DELETE": "Delete", "DEL": "Delete", "UP": "ArrowUp",
         "DOWN": "ArrowDown", "LEFT": "ArrowLeft", "RIGHT": "ArrowRight", "HOME": "Home", "END": "End",
         "PAGE_UP": "PageUp", "PAGE_DOWN": "PageDown", "PGUP": "PageUp", "PGDN": "PageDown"}  # fmt: skip


def is_one(data: Mapping[str, Any]) -> bool:
    """Whether a file looks like a project of Selenium IDE."""
    return "tests" in data and not data.keys().isdisjoint({"url", "urls", "suites", "version"})


def tests(data: Mapping[str, Any], log: ImportLog) -> list[dict[str, Any]]:
    """Return the tests of a project that have commands."""
    found = [test for test in log.list_at(dict(data), "tests", "tests") if isinstance(test, dict)]
    with_commands = [test for test in found if test.get("commands")]
    if not with_commands:
        raise log.bad("tests", "no test with commands", "record it again")
    return with_commands


def read(data: Mapping[str, Any], test: Mapping[str, Any], log: ImportLog) -> dict[str, Any]:
    """Return the data of the trace of one test, without its site.

    Raise SetupError with the place if it cannot be imported.
    """
    reader = _Reader(StepWriter(log), str(data.get("url") or ""))
    name = str(test.get("name") or "")
    for number, command in enumerate(log.list_at(dict(test), "commands", "commands")):
        reader.read(f"{name[:40] or 'test'}[{number}]", command)
    return reader.writer.trace(name, "selenium-ide")


@dataclass
class _Reader:
    """A reader of the commands of one test, in order."""

    writer: StepWriter
    base: str
    page: str = ""
    frames: tuple[str, ...] = ()
    values: dict[str, str] = field(default_factory=dict)
    command: dict[str, Any] = field(default_factory=dict)

    def read(self, place: str, command: object) -> None:
        """Read one command."""
        if not isinstance(command, dict):
            raise self.writer.log.bad(
                place, f"a command is an object, but this is {kind_of(command)}", "record it again"
            )
        self.command = command
        name = str(command.get("command") or "")
        if name.startswith("//"):
            self.writer.left_out(place, name[:60], "it is disabled", matters=False)
        elif name in _COMMANDS:
            _COMMANDS[name](self, place, str(command.get("target") or ""), str(command.get("value") or ""))
        elif name in _HARMLESS or name.startswith(("assert", "verify", "wait")):
            self.writer.left_out(place, name, "replay does not need it", matters=False)
        else:
            self.writer.left_out(place, name[:60] or "a command without a name", "a trace has no such step")

    # ---------------------------------------------------------------- values and elements
    def _text(self, text: str) -> str | None:
        """Return a text with its variables filled in; None where one is not known."""
        if any(name not in self.values for name in _VARIABLE.findall(text)):
            return None
        return _VARIABLE.sub(lambda match: self.values[match[1]], text)

    def _element(self, target: str) -> Element:
        more = self.command.get("targets")
        pairs = more if isinstance(more, list) else []
        others = [pair[0] for pair in pairs if isinstance(pair, list) and pair and isinstance(pair[0], str)]
        selectors = [selector for one in dict.fromkeys([target, *others]) for selector in _selectors(one)]
        return Element(tuple(selectors), self.frames)

    # ---------------------------------------------------------------- commands
    def _open(self, place: str, target: str, value: str) -> None:
        try:
            address = urljoin(self.base, self._text(target) or target)
        except ValueError:
            address = target
        self.writer.open(place, address, self.page)

    def _size(self, place: str, target: str, value: str) -> None:
        width, _, height = target.partition("x")
        if width.isdecimal() and height.isdecimal():
            self.writer.size(int(width), int(height))

    def _click(self, place: str, target: str, value: str) -> None:
        if str(self.command.get("command")).startswith("double"):
            self.writer.log.note(f"{place}: a double click became one click")
        self.writer.click(place, self._element(target), self.page)

    def _turn(self, place: str, target: str, value: str) -> None:
        self.writer.turn(
            place, self._element(target), on=self.command.get("command") == "check", page=self.page
        )

    def _type(self, place: str, target: str, value: str) -> None:
        self.writer.type(place, self._element(target), self._text(value), self.page)

    def _send_keys(self, place: str, target: str, value: str) -> None:
        element = self._element(target)
        for number, part in enumerate(_KEY.split(value)):
            if number % 2:
                self.writer.press(place, _KEYS.get(part, part), element, self.page)
            elif part:
                self.writer.type(place, element, self._text(part), self.page)

    def _select(self, place: str, target: str, value: str) -> None:
        kind, sign, rest = value.partition("=")
        chosen = self._text(rest if sign and kind in ("label", "value") else value)
        if (sign and kind in ("index", "id")) or chosen is None:
            self.writer.left_out(
                place, f"select {value[:40]}", "a trace holds an option by its label or value"
            )
        else:
            self.writer.choose(place, self._element(target), chosen, self.page)

    def _hover(self, place: str, target: str, value: str) -> None:
        self.writer.hover(place, self._element(target))

    def _frame(self, place: str, target: str, value: str) -> None:
        if target in ("relative=parent", "relative=top"):
            self.frames = self.frames[:-1] if target.endswith("parent") else ()
        elif target.startswith("index="):
            self.writer.log.note("it numbers frames; replay looks for these targets in all frames")
        else:
            css = next(
                (one for one in _selectors(target) if isinstance(one, str) and "/" not in one[:6]), None
            )
            self.frames = (*self.frames, css) if css else self.frames

    def _window(self, place: str, target: str, value: str) -> None:
        name = target.removeprefix("handle=").strip("${}")
        self.page = "" if name in ("root", "local", "") else name
        self.frames = ()

    def _store(self, place: str, target: str, value: str) -> None:
        self.values[value] = target

    def _accept(self, place: str, target: str, value: str) -> None:
        self.writer.answer(
            "accept", target or None if "answer" in str(self.command["command"]).lower() else None
        )

    def _dismiss(self, place: str, target: str, value: str) -> None:
        self.writer.answer("dismiss")


def _selectors(target: str) -> list[str]:
    """Return a target as selectors of a flow of Chrome's Recorder."""
    kind, sign, rest = target.partition("=")
    if target.startswith(("//", "(//")):
        kind, sign, rest = "xpath", "=", target
    quoted = rest.replace("\\", "\\\\").replace('"', '\\"')
    if not sign or not rest:
        return []
    if kind == "xpath":
        text = _TEXT_IN_XPATH.search(rest)
        return [f"xpath/{rest}", *([f"text/{text[1] or text[2]}"] if text else [])]
    if kind in ("linkText", "link", "partialLinkText"):
        return [f'aria/{rest}[role="link"]']
    return {"css": [rest], "id": [f'[id="{quoted}"]'], "name": [f'[name="{quoted}"]']}.get(kind, [])


_COMMANDS: dict[str, Callable[[_Reader, str, str, str], None]] = {
    "open": _Reader._open,
    "setWindowSize": _Reader._size,
    **dict.fromkeys(("click", "clickAt", "doubleClick", "doubleClickAt"), _Reader._click),
    **dict.fromkeys(("check", "uncheck"), _Reader._turn),
    **dict.fromkeys(("type", "editContent"), _Reader._type),
    "sendKeys": _Reader._send_keys,
    "select": _Reader._select,
    "mouseOver": _Reader._hover,
    "selectFrame": _Reader._frame,
    "selectWindow": _Reader._window,
    "store": _Reader._store,
    **dict.fromkeys(
        ("chooseOkOnNextConfirmation", "answerOnNextPrompt", "acceptConfirmation", "acceptAlert"),
        _Reader._accept,
    ),
    **dict.fromkeys(("chooseCancelOnNextConfirmation", "chooseCancelOnNextPrompt"), _Reader._dismiss),
}
"""Readers by command. Commands that run scripts or loops are left out and listed, never executed."""
