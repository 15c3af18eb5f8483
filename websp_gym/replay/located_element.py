"""A located element on the page, which the page may replace at any time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from playwright.sync_api import Error as PlaywrightError

from websp_gym.errors import SetupError, WorldError
from websp_gym.replay.locate import install

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle, Page

    from websp_gym.browser.tabs import Tabs
    from websp_gym.replay.locate import Found

ClassRules = Sequence[Mapping[str, str]]
"""A site's rules ``[{"on": css, "off": css}]``, for controls that show their state only by a class."""
TRIES = 4
"""How often an element that the page replaces is located again."""
_GONE = "websp: gone"
_RESTLESS = "the page replaces it too fast to act on it"
_CALL = f"""(el, [name, rest]) => {{
  if (!el.isConnected) throw new Error("{_GONE}");
  return __webspReplay[name](el, ...rest);
}}"""


def check_class_rules(rules: ClassRules, page: Page) -> None:
    """Raise SetupError if a class rule is not a valid CSS selector."""
    selectors = [css for rule in rules for css in rule.values()]
    if not selectors:
        return
    wrong = page.evaluate("list => list.find(css => !CSS.supports(`selector(${css})`))", selectors)
    if wrong is not None:
        raise SetupError(f"class rule {wrong!r} is not a CSS selector")


class CannotActError(Exception):
    """The element was found, but the recorded action has no effect or is not possible."""


@dataclass(frozen=True)
class Look:
    """The state and kind of an element on the page."""

    connected: bool
    kind: str
    on: bool | None
    mixed: bool
    disabled: bool
    expanded: bool | None
    turns: Literal["", "toggle", "choose"] = ""
    """What a click does to its state: toggle it, or choose it as a radio button; empty for no setting."""
    inner: bool = False
    """Whether the state is that of a control inside the element, which a click may not affect."""

    def is_(self, wanted: bool) -> bool:
        """Whether the element is clearly on (or off); a half-checked box is neither."""
        return self.on is wanted and not self.mixed


def focused(page: Page) -> Look | None:
    """Return the state of the element that has the keyboard focus in the page's main frame; None if there is none."""
    install(page.main_frame)
    seen = page.main_frame.evaluate(
        "() => { const el = __websp.focused(); return el && __webspReplay.look(el, []); }"
    )
    return Look(**seen) if seen else None


class LocatedElement:
    """The target of an event; it is located again if the page has replaced it.

    Args:
        found: The element.
        tabs: The browser's open tabs.
        rules: The site's class rules.
        again: Locates the element again. Takes the seconds to wait, or None for the default.
        timeout: Seconds to wait for the element to become usable.
    """

    def __init__(
        self,
        found: Found,
        tabs: Tabs,
        rules: ClassRules,
        again: Callable[[float | None], Found],
        timeout: float = 10.0,
    ) -> None:
        self.found = found
        self.tabs = tabs
        self.rules = [dict(rule) for rule in rules]
        self.timeout = timeout
        self._again = again

    def look(self, patience: float | None = None) -> Look:
        """Return the element's current state; if it is gone, look for it within this many seconds."""
        return Look(**self.ask("look", self.rules, patience=patience))

    def locate_again(self, patience: float | None) -> None:
        """Locate the element again. Raise ReplayError if it is not found within this many seconds (None: default)."""
        self.found = self._again(patience)

    def field(self, patience: float | None = None) -> ElementHandle:
        """Return the field (input, list, editor) that the element is, belongs to or contains."""
        for _ in range(TRIES):
            try:
                element = self.found.handle.evaluate_handle(_CALL, ["field", []]).as_element()
            except PlaywrightError:
                element = None
            if element is not None:
                return element
            self.check_alive()
            self.locate_again(patience)
        raise CannotActError(_RESTLESS)

    def ask(self, name: str, *arguments: Any, of: str = "element", patience: float | None = None) -> Any:
        """Call a function of ``act.js``; first locate the element again if the page has replaced it."""
        for _ in range(TRIES):
            handle = self.field(patience) if of == "field" else self.found.handle
            try:
                return handle.evaluate(_CALL, [name, list(arguments)])
            except PlaywrightError as error:
                self.check_alive()
                if _GONE not in str(error) and name == "press":
                    return None  # the click led to another document
                self.locate_again(patience)
        raise CannotActError(_RESTLESS)

    @contextlib.contextmanager
    def window_may_close(self) -> Iterator[None]:
        """Let an action close its own window, as in the popup of a sign-in."""
        page = self.found.frame.page
        try:
            yield
        except PlaywrightError:
            self.check_alive()
            if not page.is_closed():
                raise

    def check_alive(self) -> None:
        """Raise WorldError if the browser has died."""
        if not self.tabs.alive:
            raise WorldError("the browser was lost during the replay; call reset() to start a new episode")
