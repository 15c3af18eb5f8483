"""BrowserGym's actions, for agents that use them: parsed as a list of calls, never executed as code.

Stock BrowserGym turns the agent's text into Python and runs it. Here the whole text must be a list of calls
with literal arguments, and each name is looked up in BrowserGym's table of functions.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from websp_gym.actions.calls import Call, looks_like_calls, read_calls
from websp_gym.actions.clipboard import pressing
from websp_gym.actions.grammar import Action
from websp_gym.actions.keys import read_keys, split_keys
from websp_gym.actions.pointer import draw_list_in_page, refuse_outside
from websp_gym.actions.question import question_text
from websp_gym.actions.spoken import REPORT_FORM
from websp_gym.browsergym import absence, find_element
from websp_gym.browsergym import functions as stock
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.tabs import Tabs

__all__ = ["Call", "Listener", "actions_in", "is_refused", "looks_like_calls", "parse_calls", "perform_calls"]

BY_BID = (
    "fill",
    "check",
    "uncheck",
    "select_option",
    "click",
    "dblclick",
    "hover",
    "press",
    "focus",
    "clear",
)
"""The calls whose first argument is the ``bid`` of their element."""
_ALLOWED = frozenset(
    name
    for group in (
        ("send_msg_to_user", "report_infeasible", "noop"),
        BY_BID,
        ("drag_and_drop", "scroll", "scroll_at"),
        ("mouse_move", "mouse_up", "mouse_down", "mouse_click", "mouse_dblclick", "mouse_drag_and_drop"),
        ("keyboard_press", "keyboard_up", "keyboard_down", "keyboard_type", "keyboard_insert_text"),
        ("goto", "go_back", "go_forward", "new_tab", "tab_close", "tab_focus"),
        ("handle_dialog", "ask_user", "report_to_user"),
    )
    for name in group
)
"""BrowserGym's actions without ``upload_file``, which reads files of this machine, and our ``handle_dialog``."""
_SCHEMES = ("http", "https")
_LONGEST_MS = 10_000
_KEY_MS = 5
"""Estimated time to press and release one key on a busy machine."""
_LAST_CALL_SECONDS = 15.0
"""No call of a list starts later than this, because the rest would not fit into a step."""
_PATIENCE_MS = 500.0
"""Time for an operation that the page refuses, as in BrowserGym's calls."""
_LONGEST_ACT_MS = 120_000.0
"""Time limit for an operation that the page does not refuse; the deadline of a step comes long before."""
_AT_ONCE = ("press", "type", "focus")
"""Operations for which an element need not be ready, two of which must not be repeated."""
_REFUSED = re.compile(
    r"^\W*(?:element (?:is not |is outside |was detached)|did not find some|<.* intercepts pointer)",
    re.MULTILINE,
)
"""In Playwright's log of a call: what it saw when it checked whether the element can be operated."""
_LOOKED_AGAIN = re.compile(r"^\W*waiting (?:100|500)ms", re.MULTILINE)
"""Likewise: its fourth check, after 120 ms on an idle machine."""
_CLICKED = re.compile(r"performing (dbl)?click action")
"""In Playwright's log of a call: the pointer was pressed."""
_TO_USER = ("ask_user", "report_to_user")
"""Our calls that speak to the user, in episodes with policies only."""
_FREE = ("noop", "scroll", "scroll_at", "handle_dialog", *_TO_USER)
"""Calls that do not count against ``max_actions``, like ``Wait``, ``Scroll`` and ``Next_dialog``."""
_KEYED = ("press", "keyboard_press", "keyboard_down", "keyboard_up")
"""Calls whose last argument is a key; the first two take combinations too."""
_MOST_CALLS = 20
_BY_THE_TEXT = (PlaywrightError, ValueError, TypeError, LookupError, AttributeError)
"""Errors caused by a call's arguments or by the page. Any other error is a failure of this program or machine."""


def parse_calls(text: str, *, left: int | None = None, to_user: bool = False) -> list[Call]:
    """Parse a list of BrowserGym calls.

    Args:
        text: For example ``click('a12')``.
        left: Number of actions the agent has left; None for no limit.
        to_user: Whether there are calls that speak to the user, as in an episode with policies.

    Returns:
        Name, positional arguments and keyword arguments of each call.

    Raises:
        ActionError: The text is not a list of known calls with valid arguments, or the list is too long.
    """
    calls = read_calls(text)
    if problem := absence("a call of BrowserGym"):
        raise ActionError(problem, action=text[:200])
    if len(calls) > _MOST_CALLS:
        raise ActionError(
            f"the list has {len(calls)} calls; expected at most {_MOST_CALLS}", action=text[:200]
        )
    if left is not None and actions_in(calls) > left:
        raise ActionError(
            f"{left} action{'s' * (left != 1)} left, the list has {actions_in(calls)}; nothing was done",
            action=text[:200],
        )
    if not to_user and (spoken := [name for name, _, _ in calls if name in _TO_USER]):
        raise _not_offered(spoken[0])
    if len(calls) > 1 and "ask_user" in [name for name, _, _ in calls]:
        raise ActionError(
            "ask_user() must be the only call: its reply comes with the next observation; nothing was done",
            action="ask_user",
        )
    if sum(_check(*call) for call in calls) > _LONGEST_MS:
        raise ActionError(
            f"noop() waits at most {_LONGEST_MS} milliseconds, over all calls of the list; a key counts as {_KEY_MS}",
            action=text[:200],
        )
    return [_with_known_keys(*call) for call in calls]


def actions_in(calls: list[Call]) -> int:
    """Return the number of actions that parsed calls count as: one per call; waiting and scrolling are free."""
    return sum(name not in _FREE for name, _, _ in calls)


@dataclass(frozen=True)
class Listener:
    """The callbacks for what an agent says.

    Args:
        say: With the text of ``send_msg_to_user``.
        give_up: With the reason of ``report_infeasible``.
        ask: With the text of ``ask_user``.
        report: With the text of ``report_to_user``.
    """

    say: Callable[[str], None]
    give_up: Callable[[str], None]
    ask: Callable[[str], None]
    report: Callable[[str], None]


def perform_calls(
    calls: list[Call],
    tabs: Tabs,
    listener: Listener,
    *,
    noting: Callable[[Call], None] = lambda call: None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Perform parsed calls on the current tab.

    Args:
        calls: Result of :func:`parse_calls`.
        tabs: The browser's open tabs.
        listener: Gets what the agent says.
        noting: Called with each call before it is made.
        clock: Returns seconds; it may stop while the machine keeps the browser waiting.

    Raises:
        ActionError: A call failed; the calls before it have been performed.
    """
    functions = stock()
    # BrowserGym's functions read their page and callbacks from globals of their module.
    functions.send_message_to_user = listener.say
    functions.report_infeasible_instructions = listener.give_up
    functions.demo_mode = "off"
    # Same setting as AgentLab's agents, so that results are comparable.
    functions.retry_with_force = True
    functions.call_fun = _call_once
    functions.get_elem_by_bid = _element
    for name, arguments, named in calls:
        # All tabs of a context have the same size.
        refuse_outside(name, _bound(name, arguments, named), tabs.current)
    began = clock()
    for number, (name, arguments, named) in enumerate(calls):
        if name not in _FREE:
            tabs.dialogs.begin_action()
        if clock() - began > _LAST_CALL_SECONDS:
            raise ActionError(f"the list took too long; its first {number} calls were made", action=name)
        page = functions.page = tabs.current
        noting((name, arguments, named))
        try:
            _make(name, arguments, named, tabs, listener)
        except _BY_THE_TEXT as error:
            if not tabs.alive:
                raise
            if page.is_closed() and isinstance(error, PlaywrightError):
                continue  # the click or key closed its own tab
            raise ActionError(f"{name}() failed: {error}", action=name) from error
        if functions.page is not page:
            # The call changed tabs; a tab opened by a click is already the current one.
            tabs.activate(functions.page)


class _Element:
    """An element as BrowserGym's functions use it, whose operations a busy machine does not cut off.

    BrowserGym gives each of them 500 ms. That is for an element that is covered, disabled or moving, which the page
    decides. What the page does not refuse is made, as our own actions are, and only the deadline of the step ends it.
    """

    def __init__(self, locator: Any) -> None:
        self._locator = locator

    def __getattr__(self, name: str) -> Any:
        return partial(self._operate, name)

    def _operate(self, name: str, *arguments: Any, timeout: float | None = None, **named: Any) -> Any:
        operate = partial(getattr(self._locator, name), *arguments, **named)
        if timeout is None:
            return operate()
        if name in _AT_ONCE:
            return operate(timeout=_LONGEST_ACT_MS)
        while True:
            try:
                return operate(timeout=timeout)
            except PlaywrightTimeoutError as error:
                log = str(error)
                if is_refused(log) or _CLICKED.search(log) or timeout >= _LONGEST_ACT_MS / 2:
                    raise
                if not self._locator.count():  # the page has removed it
                    raise
            timeout *= 2


def is_refused(log: str) -> bool:
    """Whether an operation was cut off because the page prevented it every time that Playwright checked."""
    return bool(_REFUSED.search(log) and _LOOKED_AGAIN.search(log))


def _element(page: Any, bid: str, scroll_into_view: bool = False) -> _Element:
    return _Element(find_element(page, bid, scroll_into_view))


def operate(page: Page, bid: str, how: str, *arguments: Any, **named: Any) -> None:
    """Operate an element as BrowserGym's call of that name does.

    Args:
        page: The tab.
        bid: The element.
        how: ``click``, ``hover``, ``check``, ``uncheck``; ``fill``, which chooses in a list; or ``scroll_to``.
        *arguments: Arguments of Playwright's operation.
        **named: More of them.

    Raises:
        ValueError: There is no such element.
        playwright.sync_api.Error: The page does not let it happen.
    """
    element = _element(page, bid, scroll_into_view=how == "scroll_to")
    if how == "scroll_to":
        return
    if how == "fill" and element.evaluate("(el) => el.tagName") == "SELECT":
        how = "select_option"
    make = getattr(element, how)
    _call_once(
        lambda force: make(*arguments, timeout=_PATIENCE_MS, force=force, **named), retry_with_force=True
    )


def _call_once(function: Callable[..., None], retry_with_force: bool) -> None:
    """Call a BrowserGym function, and once more with ``force`` if its element cannot be operated within 500 ms.

    BrowserGym's own version also repeats a click that was carried out, if the page takes longer than that to
    answer it: a switch is then turned twice.
    """
    for force in (False, True)[: 1 + retry_with_force]:
        try:
            return function(force=force)
        except PlaywrightTimeoutError as error:
            if _CLICKED.search(str(error)):
                return None
            failure = error
    raise failure


def handle_dialog(accept: bool, prompt_text: str | None = None) -> Action:
    """Return the equivalent action of the grammar; BrowserGym itself has no call for native dialogs."""
    return Action("Next_dialog", accept=accept, text=prompt_text)


def ask_user(
    question: str | None = None,
    consent: str | None = None,
    what: str | list[str] | None = None,
    to: bool | str | None = None,
) -> Action:
    """Return the equivalent action of the grammar."""
    return Action("ASK", text=question_text(question, consent=consent, what=what, to=to))


def report_to_user(text: str | None = None, where: str | None = None, what: str | None = None) -> Action:
    """Return the equivalent action of the grammar."""
    plain = str(text) if text is not None else None
    return Action("REPORT", text=REPORT_FORM.written(plain, {"where": where, "what": what}))


_OWN: dict[str, Callable[..., Action]] = {
    "handle_dialog": handle_dialog,
    "ask_user": ask_user,
    "report_to_user": report_to_user,
}
"""Calls in addition to BrowserGym's."""


def _function(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = _OWN.get(name) or getattr(stock(), name)
    return found


def _make(name: str, arguments: list[Any], named: dict[str, Any], tabs: Tabs, listener: Listener) -> None:
    if name in _OWN:
        action = _OWN[name](*arguments, **named)
        match name:
            case "ask_user":
                listener.ask(str(action.text))
            case "report_to_user":
                listener.report(str(action.text))
            case _:
                tabs.dialogs.decide(accept=action.accept is True, text=action.text)
        return
    if name.startswith("keyboard_"):
        _come_back(tabs)
    tabs.left = None
    functions = stock()
    draw_list_in_page(name, _bound(name, arguments, named), tabs.current)
    make = partial(getattr(functions, name), *arguments, **named)
    if name not in ("press", "keyboard_press"):
        make()
        return
    focus = partial(functions.focus, arguments[0]) if name == "press" else _nothing
    with pressing(arguments[-1], tabs, focus):
        make()


def _come_back(tabs: Tabs) -> None:
    """Put the cursor back into the field that was typed into and left: the keys are meant for it."""
    if tabs.left is not None:
        with contextlib.suppress(PlaywrightError):  # the page has gone on
            tabs.left.ask("comeBack")


def _nothing() -> None:
    """Do nothing: the element has the focus."""


def _bound(name: str, positional: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by their names; raise TypeError if they do not fit."""
    return inspect.signature(_function(name)).bind(*positional, **named).arguments


def _with_known_keys(name: str, positional: list[Any], named: dict[str, Any]) -> Call:
    """Return a call that names its key as Playwright does; raise ActionError if there is no such key."""
    if name not in _KEYED:
        return name, positional, named
    *others, keys = _bound(name, positional, named).values()
    known = read_keys(str(keys))
    if name in ("keyboard_down", "keyboard_up") and len(split_keys(known)) > 1:
        raise ActionError(f"{name}() takes one key, not {known!r}; nothing was done", action=name)
    return name, [*others, known], {}


def _check(name: str, positional: list[Any], named: dict[str, Any]) -> float:
    """Return the minimum duration of a call in milliseconds; raise ActionError if it cannot be made."""
    if name not in _ALLOWED:
        raise _not_offered(name)
    try:
        bound = inspect.signature(_function(name)).bind(*positional, **named)
    except TypeError as error:
        raise ActionError(f"{name}() was called with wrong arguments: {error}", action=name) from error
    bound.apply_defaults()
    match name:
        case "goto":
            check_url(str(bound.arguments["url"]))
        case "handle_dialog":
            _check_answer(**bound.arguments)
        case "report_to_user":
            report_to_user(**bound.arguments)
        case "ask_user":
            question_text(**bound.arguments)
        case "noop":
            return _milliseconds(bound.arguments["wait_ms"])
        case "keyboard_type":
            return len(str(bound.arguments["text"])) * _KEY_MS
        case "press" | "keyboard_press":
            # "Control+Shift+a" presses each modifier in turn and holds it.
            return str([*bound.arguments.values()][-1]).count("+") * _KEY_MS
    return 0.0


def _not_offered(name: str) -> ActionError:
    return ActionError(f"{name}() is not an action this environment offers", action=name)


def _check_answer(accept: Any, prompt_text: Any) -> None:
    if not isinstance(accept, bool) or not isinstance(prompt_text, str | None):
        raise ActionError(
            "handle_dialog() takes True or False, and a text for a prompt, as in "
            "handle_dialog(accept=True, prompt_text='Ada')",
            action="handle_dialog",
        )


def _milliseconds(wait: Any) -> float:
    if isinstance(wait, bool) or not isinstance(wait, int | float) or wait < 0:
        raise ActionError(f"noop() takes a number of milliseconds, not {wait!r}", action="noop")
    return float(wait)


def check_url(url: str) -> None:
    """Raise ActionError unless the URL is http or https: other pages could show files of this machine."""
    try:
        scheme = urlsplit(url.strip()).scheme.lower()
    except ValueError as error:
        raise ActionError(f"goto({url!r}) is refused: {error}", url=url) from error
    if scheme not in _SCHEMES:
        raise ActionError(f"goto({url!r}) is refused: only http and https addresses can be opened", url=url)
