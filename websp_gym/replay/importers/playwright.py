"""Importing scripts of Playwright's code generator, in Python (sync, async, pytest) and JavaScript (test, library).

The script is parsed, never executed. Whatever has no counterpart in a trace is listed with its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from websp_gym.replay.importers.devtools import LONG_PRESS
from websp_gym.replay.importers.import_log import ImportLog
from websp_gym.replay.importers.javascript_script import ScriptError, read_javascript
from websp_gym.replay.importers.playwright_locators import (
    Locator,
    UnreadableLocatorError,
    follow,
    is_locator,
    plain,
    selected,
)
from websp_gym.replay.importers.python_script import read_python
from websp_gym.replay.importers.roles import words
from websp_gym.replay.importers.script import (
    Call,
    Chain,
    Function,
    Statement,
    Unreadable,
    Value,
    all_statements,
)
from websp_gym.replay.importers.steps import StepWriter

Language = Literal["python", "javascript"]

_PYTHON = re.compile(
    r"^\s*(?:from|import)\s+(?:playwright|re|asyncio|pytest)\b|\bdef \w+\(|\.get_by_\w+\(|\bawait page\.\w+_\w+\(",
    re.MULTILINE,
)
_SIGN = re.compile(
    r"playwright|\bpage\d*\s*\.\s*(?:goto|get_?by|getBy|locator|click|fill|frame_?[lL]ocator)\s*[(A-Z_]",
    re.IGNORECASE,
)
_OTHER = {"using Microsoft.Playwright": "C#", "com.microsoft.playwright": "Java"}
_RUNS = words("describe step beforeall beforeeach skip only serial parallel")
_AROUND = words(
    "browser context playwright p chromium firefox webkit console print asyncio sync_playwright async_playwright "
    "process request devices pytest require"
)
_HARMLESS = words(
    "waitfor waitforurl waitforloadstate waitfortimeout waitforselector waitforevent waitforresponse "
    "waitforrequest waitfornavigation close pause screenshot scrollintoviewifneeded focus blur highlight "
    "selecttext bringtofront title url content innertext textcontent inputvalue getattribute isvisible ischecked "
    "isenabled count all setdefaulttimeout setdefaultnavigationtimeout removealllisteners on off expectpopup "
    "expectdownload expectresponse expectrequest expectnavigation expectevent removelistener setextrahttpheaders "
    "emulatemedia ariasnapshot boundingbox start stop launch storagestate newcdpsession log grantpermissions "
    "settestidattribute"
)
_PAGE_ACTIONS = words(
    "click dblclick tap fill type press check uncheck setchecked selectoption hover setinputfiles"
)
_POPUPS = ("expectpopup", "popup", "page")


def language_of(text: str) -> Language | None:
    """Return the language of a Playwright script; None if it is not one."""
    if not _SIGN.search(text):
        return None
    return "python" if _PYTHON.search(text) else "javascript"


def read(text: str, log: ImportLog) -> dict[str, Any]:
    """Return the data of a trace from a script, without its site. Raise SetupError if it cannot be read."""
    for sign, name in _OTHER.items():
        if sign in text:
            raise log.bad("it", f"a script in {name}", "record it again with --target python or javascript")
    try:
        statements = read_python(text) if language_of(text) == "python" else read_javascript(text)
    except SyntaxError as error:
        raise log.bad(
            f"line {error.lineno}", f"this is not Python: {error.msg}", "export it again"
        ) from error
    except MemoryError as error:  # what the parser of Python says of deep nesting
        raise log.bad("it", "nested too deeply to be a recording", "export it again") from error
    except ScriptError as error:
        raise log.bad("it", f"this cannot be read as JavaScript: {error}", "export it again") from error
    tests = _tests(statements)
    if len(tests) > 1:
        raise log.bad("it", f"several tests ({', '.join(tests[:5])})", "keep one of them in a file")
    script = _Script(StepWriter(log))
    script.run(statements)
    return script.writer.trace(tests[0] if tests else None, "playwright")


def _tests(statements: tuple[Statement, ...]) -> list[str]:
    """Return the names of the tests."""
    found = []
    for statement in all_statements(statements):
        value = statement.value
        if statement.function and statement.function.startswith("test"):
            found.append(statement.function)
        elif (
            isinstance(value, Chain)
            and value.root in ("test", "it")
            and value.calls
            and not value.calls[0].name
        ):
            found.append(value.calls[0].text() or "a test")
    return found


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
            elif isinstance(statement.value, Function):
                self.run(statement.value.body)
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
        return None if isinstance(value, Unreadable | Chain | Function) else value

    def _chain(self, place: str, chain: Chain, names: tuple[str, ...]) -> None:
        calls, root = chain.calls, chain.root
        if root in self.promised and (not calls or calls[-1].name == "value"):
            self._new_page(names, popup=True)
        elif plain(chain.last.name) == "newpage":
            self._new_page(names, popup=False)
        elif root in self.pages:
            self._of_page(place, chain, names)
        elif root in ("test", "it"):
            self._test(chain)
        elif root == "expect":
            self.writer.left_out(place, "assertion", "replay does not need it", matters=False)
        elif root == "Promise":
            self._promises(place, calls, names)
        elif root in self.helpers and calls:
            self.writer.left_out(place, f"{root}()", "its own functions are not read")
        elif root in _AROUND or root in self.ran or not calls or plain(chain.last.name) in _HARMLESS:
            self._around(place, chain)
        elif names:
            self.known[names[0]] = Unreadable(_source(chain))
        else:
            self.writer.left_out(place, _source(chain), "only steps on pages are read")

    def _around(self, place: str, chain: Chain) -> None:
        """Read what is done to the browser and its context."""
        call = chain.last
        if plain(call.name) == "newcontext" or (chain.root == "test" and call.name == "use"):
            self._viewport(call)
        elif plain(call.name) in ("addcookies", "addinitscript", "route", "clearcookies"):
            self.writer.left_out(place, f"{call.name}()", "a trace cannot do this")

    def _viewport(self, call: Call) -> None:
        size = call.options.get("viewport")
        if isinstance(size, dict):
            self.writer.size(size.get("width"), size.get("height"))

    def _test(self, chain: Chain) -> None:
        first = chain.calls[0] if chain.calls else Call("")
        if plain(first.name) == "use":
            self._viewport(first)
        elif not first.name or any(plain(call.name) in _RUNS for call in chain.calls):
            for argument in chain.last.arguments or ():
                if isinstance(argument, Function):
                    self.run(argument.body)

    def _promises(self, place: str, calls: tuple[Call, ...], names: tuple[str, ...]) -> None:
        waited = calls[0].argument(0) if calls else None
        for each in waited if isinstance(waited, tuple) else ():
            if isinstance(each, Chain):
                popup = plain(each.last.name) == "waitforevent" and each.last.text() in _POPUPS
                if popup and names:
                    self.promised.add(names[0])
                self._chain(place, self._resolved(each), ())
        if names and names[0] in self.promised:
            self._new_page(names, popup=True)

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
        name = plain(call.name)
        if name in ("expectpopup", "waitforevent"):
            if names and (name == "expectpopup" or call.text() in _POPUPS):
                self.promised.add(names[0])
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
        elif name == "setviewportsize":
            size = call.argument(0)
            self._viewport(Call("", (), {"viewport": size if isinstance(size, dict) else call.options}))
        elif name == "keyboard" and plain(rest[-1].name) == "press":
            self.writer.press(place, self._text(rest[-1].argument(0)), None, page)
        elif name not in _HARMLESS:
            names = ".".join(each.name for each in rest)
            self.writer.left_out(place, f"{names}()", "a trace has no such step")

    def _dialog(self, call: Call) -> None:
        handler = call.argument(1)
        done = all_statements(handler.body) if isinstance(handler, Function) else ()
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
            if (
                plain(call.name) == "dblclick"
                or call.options.get("clickCount", call.options.get("click_count", 1)) == 2
            ):
                self.writer.log.note(f"{place}: a double click became one click")
            self.writer.click(place, locator.element(), page)

    def _turn(self, place: str, call: Call, locator: Locator, page: str) -> None:
        name = plain(call.name)
        on = self._text(call.argument(0)) if name == "setchecked" else name == "check"
        if isinstance(on, bool):
            self.writer.turn(place, locator.element(), on=on, page=page)
        else:
            self.writer.left_out(place, f"{call.name}()", "the state is not a literal")

    def _fill(self, place: str, call: Call, locator: Locator, page: str) -> None:
        value = "" if plain(call.name) == "clear" else self._text(call.argument(0))
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
    **dict.fromkeys(("check", "uncheck", "setchecked"), _Script._turn),
    **dict.fromkeys(("fill", "type", "presssequentially", "clear"), _Script._fill),
    "selectoption": _Script._select,
    "press": _Script._press,
    "hover": _Script._hover,
}
"""What a trace can express. File uploads, drags and scripts on the page are left out, with their lines."""
