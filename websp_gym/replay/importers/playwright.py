"""Importing scripts of Playwright's code generator in Python (sync, async, pytest).

The script is parsed, never executed. Whatever has no counterpart in a trace is listed with its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from websp_gym.replay.importers.devtools import LONG_PRESS
from websp_gym.replay.importers.import_log import ImportLog
from websp_gym.replay.importers.playwright_locators import (
    Locator,
    UnreadableLocatorError,
    follow,
    is_locator,
    selected,
)
from websp_gym.replay.importers.python_script import read_python
from websp_gym.replay.importers.roles import words
from websp_gym.replay.importers.script import (
    Call,
    Chain,
    ScriptFunction,
    Statement,
    Unreadable,
    Value,
    all_statements,
)
from websp_gym.replay.importers.steps import StepWriter

_SIGN = re.compile(
    r"playwright|\bpage\d*\s*\.\s*(?:goto|get_?by|locator|click|fill|frame_?locator)\s*[(A-Z_]", re.IGNORECASE
)
_PYTHON = re.compile(
    r"^\s*(?:from|import)\s+(?:playwright|re|asyncio|pytest)\b|\bdef \w+\(|\.get_by_\w+\(|\bawait page\.\w+_\w+\(",
    re.MULTILINE,
)
_OTHER = {"using Microsoft.Playwright": "C#", "com.microsoft.playwright": "Java"}
_AROUND = words(
    "browser context playwright p chromium firefox webkit print asyncio sync_playwright async_playwright pytest"
)
_HARMLESS = words(
    "wait_for wait_for_url wait_for_load_state wait_for_timeout wait_for_selector wait_for_event wait_for_function "
    "close pause screenshot scroll_into_view_if_needed focus blur highlight select_text bring_to_front title url "
    "content inner_text text_content input_value get_attribute is_visible is_checked is_enabled count all on "
    "set_default_timeout set_default_navigation_timeout expect_popup expect_download expect_response expect_request "
    "expect_navigation expect_event remove_listener set_extra_http_headers emulate_media aria_snapshot bounding_box "
    "start stop launch storage_state new_cdp_session grant_permissions set_test_id_attribute"
)
_PAGE_ACTIONS = words(
    "click dblclick tap fill type press check uncheck set_checked select_option hover set_input_files"
)


def is_script(text: str) -> bool:
    """Whether a text is a Playwright script, in any language."""
    return bool(_SIGN.search(text))


def read(text: str, log: ImportLog) -> dict[str, Any]:
    """Return the data of a trace from a script, without its site. Raise SetupError if it cannot be read."""
    other = next((name for sign, name in _OTHER.items() if sign in text), None)
    if other or not _PYTHON.search(text):
        raise log.bad(
            "it", f"a script in {other or 'JavaScript'}", "record it again with `--target python-pytest`"
        )
    try:
        statements = read_python(text)
    except SyntaxError as error:
        raise log.bad(
            f"line {error.lineno}", f"this is not Python: {error.msg}", "export it again"
        ) from error
    except MemoryError as error:  # what the parser of Python says of deep nesting
        raise log.bad("it", "nested too deeply to be a recording", "export it again") from error
    tests = _tests(statements)
    if len(tests) > 1:
        raise log.bad("it", f"several tests ({', '.join(tests[:5])})", "keep one of them in a file")
    script = _Script(StepWriter(log))
    script.run(statements)
    return script.writer.trace(tests[0] if tests else None, "playwright")


def _tests(statements: tuple[Statement, ...]) -> list[str]:
    """Return the names of the tests."""
    every = (statement.function for statement in all_statements(statements))
    return [name for name in every if name and name.startswith("test")]


@dataclass
class _Script:
    """The state of reading one script: which name stands for which page, element or text."""

    writer: StepWriter
    pages: dict[str, str] = field(default_factory=lambda: {"page": ""})
    opened: bool = False
    """Whether the script has opened a page itself; it may also be given ``page``."""
    promised: set[str] = field(default_factory=set)
    """Names of the popups that it waits for."""
    known: dict[str, Value] = field(default_factory=dict)
    helpers: set[str] = field(default_factory=set)
    ran: set[str] = field(default_factory=set)

    def run(self, statements: tuple[Statement, ...]) -> None:
        """Read statements in order."""
        for statement in statements:
            place = f"line {statement.line}"
            if statement.function is not None:
                self._function(statement, statement.function)
                continue
            if isinstance(statement.value, Unreadable):
                self._unreadable(place, statement)
            elif isinstance(statement.value, Chain):
                try:
                    self._chain(place, self._resolved(statement.value), statement.names)
                except UnreadableLocatorError as error:
                    self.writer.left_out(place, _source(statement.value), str(error))
            elif statement.names:
                self.known[statement.names[0]] = statement.value
            self.run(statement.body)

    def _function(self, statement: Statement, name: str) -> None:
        if name in ("run", "main") or name.startswith("test"):
            self.ran.add(name)
            self.run(statement.body)
        else:
            self.helpers.add(name)

    def _unreadable(self, place: str, statement: Statement) -> None:
        value = statement.value
        assert isinstance(value, Unreadable)
        if statement.names:
            self.known[statement.names[0]] = value
        else:
            matters = "page" in value.source or "(" in value.source
            self.writer.left_out(place, value.source, "only plain steps are read", matters=matters)

    # ---------------------------------------------------------------- names
    def _resolved(self, chain: Chain) -> Chain:
        """Replace the name that a chain begins with by what it stands for."""
        found = self.known.get(chain.root)
        return Chain(found.root, (*found.calls, *chain.calls)) if isinstance(found, Chain) else chain

    def _text(self, value: Value) -> Value:
        """Return a value as it is written, also through a name; None for one that is computed."""
        if isinstance(value, Chain):
            value = self.known.get(value.root) if not value.calls else None
        return None if isinstance(value, Unreadable | Chain | ScriptFunction) else value

    def _chain(self, place: str, chain: Chain, names: tuple[str, ...]) -> None:
        calls, root = chain.calls, chain.root
        if root in self.promised and (not calls or calls[-1].name == "value"):
            self._new_page(names, popup=True)
        elif chain.last.name == "new_page":
            self._new_page(names, popup=False)
        elif root in self.pages:
            self._of_page(place, chain, names)
        elif root == "expect":
            self.writer.left_out(place, "assertion", "replay does not need it", matters=False)
        elif root in self.helpers and calls:
            self.writer.left_out(place, f"{root}()", "its own functions are not read")
        elif root in _AROUND or root in self.ran or not calls or chain.last.name in _HARMLESS:
            self._around(place, chain)
        elif names:
            self.known[names[0]] = Unreadable(_source(chain))
        else:
            self.writer.left_out(place, _source(chain), "only steps on pages are read")

    def _around(self, place: str, chain: Chain) -> None:
        """Read what is done to the browser and its context."""
        call = chain.last
        if call.name == "new_context":
            self._viewport(call)
        elif call.name in ("add_cookies", "add_init_script", "route", "clear_cookies"):
            self.writer.left_out(place, f"{call.name}()", "a trace cannot do this")

    def _viewport(self, call: Call) -> None:
        size = call.options.get("viewport")
        if isinstance(size, dict):
            self.writer.size(size.get("width"), size.get("height"))

    def _new_page(self, names: tuple[str, ...], *, popup: bool) -> None:
        for name in names[:1]:
            first = not popup and not self.opened
            self.pages[name] = "" if first else name
            self.opened = True

    # ---------------------------------------------------------------- pages and elements
    def _of_page(self, place: str, chain: Chain, names: tuple[str, ...]) -> None:
        calls, page = chain.calls, self.pages[chain.root]
        until = next((at for at, call in enumerate(calls) if not is_locator(call)), len(calls))
        located, rest = calls[:until], calls[until:]
        if not rest:
            if names:
                self.known[names[0]] = chain
            return
        call = rest[0]
        name = call.name
        if name == "expect_popup" or (name == "expect_event" and call.text() == "popup"):
            self.promised.update(names)
        elif not located and name not in _PAGE_ACTIONS:
            self._on_page(place, rest, name, page)
        else:
            # The older page.click("#save") names its element first.
            own = call if located else Call(call.name, (call.arguments or ())[1:], call.options)
            locator = follow(located, Locator()) if located else selected(self._selector(call), Locator())
            self._on_element(place, own, name, locator, page)

    def _selector(self, call: Call) -> str:
        selector = self._text(call.argument(0))
        if not isinstance(selector, str):
            raise UnreadableLocatorError("its selector is not a literal text")
        return selector

    def _on_page(self, place: str, rest: tuple[Call, ...], name: str, page: str) -> None:
        call = rest[0]
        if name == "goto":
            self.writer.open(place, self._text(call.argument(0)), page)
        elif name in ("once", "on") and call.text() == "dialog":
            self._dialog(call)
        elif name == "set_viewport_size":
            size = call.argument(0)
            self._viewport(Call("", (), {"viewport": size if isinstance(size, dict) else call.options}))
        elif name == "keyboard" and rest[-1].name == "press":
            self.writer.press(place, self._text(rest[-1].argument(0)), None, page)
        elif name not in _HARMLESS:
            names = ".".join(each.name for each in rest)
            self.writer.left_out(place, f"{names}()", "a trace has no such step")

    def _dialog(self, call: Call) -> None:
        handler = call.argument(1)
        done = all_statements(handler.body) if isinstance(handler, ScriptFunction) else ()
        for statement in done:
            for step in statement.value.calls if isinstance(statement.value, Chain) else ():
                if step.name == "dismiss":
                    self.writer.answer("dismiss")
                elif step.name == "accept":
                    self.writer.answer("accept", step.text())

    def _on_element(self, place: str, call: Call, name: str, locator: Locator, page: str) -> None:
        if name in _HARMLESS:
            return
        act = _ACTIONS.get(name)
        if act is None:
            self.writer.left_out(place, f"{call.name}()", "a trace has no such step")
            return
        if locator.placed:
            what = ", ".join(locator.placed)
            self.writer.log.note(
                f"{place}: {what} counts similar elements; replay stops if nothing else tells them apart"
            )
        act(self, place, call, locator, page)

    # ---------------------------------------------------------------- what is done to an element
    def _click(self, place: str, call: Call, locator: Locator, page: str) -> None:
        button, delay = call.options.get("button", "left"), call.options.get("delay", 0)
        if button != "left" or call.options.get("modifiers"):
            self.writer.left_out(
                place,
                "click with another mouse button or a key held",
                "replay presses the primary button only",
            )
        elif isinstance(delay, int | float) and delay >= LONG_PRESS:
            self.writer.left_out(place, f"press of {delay:.0f} ms", "replay does not hold the button down")
        else:
            if call.name == "dblclick" or call.options.get("click_count") == 2:
                self.writer.log.note(f"{place}: a double click became one click")
            self.writer.click(place, locator.element(), page)

    def _turn(self, place: str, call: Call, locator: Locator, page: str) -> None:
        on = self._text(call.argument(0)) if call.name == "set_checked" else call.name == "check"
        if isinstance(on, bool):
            self.writer.turn(place, locator.element(), on=on, page=page)
        else:
            self.writer.left_out(place, f"{call.name}()", "the state is not a literal")

    def _fill(self, place: str, call: Call, locator: Locator, page: str) -> None:
        value = "" if call.name == "clear" else self._text(call.argument(0))
        self.writer.type(place, locator.element(), value, page)

    def _select(self, place: str, call: Call, locator: Locator, page: str) -> None:
        chosen = self._text(call.argument(0)) if call.argument(0) is not None else _option_of(call.options)
        if isinstance(chosen, dict):
            chosen = _option_of(chosen)
        if isinstance(chosen, tuple) and len(chosen) == 1:
            chosen = self._text(chosen[0])
        if isinstance(chosen, str):
            self.writer.choose(place, locator.element(), chosen, page)
        else:
            self.writer.left_out(place, f"{call.name}()", "a trace holds one option, by its value or label")

    def _press(self, place: str, call: Call, locator: Locator, page: str) -> None:
        self.writer.press(place, self._text(call.argument(0)), locator.element(), page)

    def _hover(self, place: str, call: Call, locator: Locator, page: str) -> None:
        self.writer.hover(place, locator.element())


def _option_of(options: dict[str, Value]) -> Value:
    return next((options[key] for key in ("value", "label") if key in options), None)


def _source(chain: Chain) -> str:
    names = ".".join(
        [chain.root, *(call.name + ("()" if call.arguments is not None else "") for call in chain.calls)]
    )
    return names.replace(".()", "()")[:80]


_ACTIONS: dict[str, Callable[[_Script, str, Call, Locator, str], None]] = {
    **dict.fromkeys(("click", "dblclick", "tap"), _Script._click),
    **dict.fromkeys(("check", "uncheck", "set_checked"), _Script._turn),
    **dict.fromkeys(("fill", "type", "press_sequentially", "clear"), _Script._fill),
    "select_option": _Script._select,
    "press": _Script._press,
    "hover": _Script._hover,
}
"""What a trace can express. File uploads, drags and scripts on the page are left out, with their lines."""
