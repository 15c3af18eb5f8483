"""BrowserGym's own actions, for agents that bring them: parsed as a list of calls, never executed as code.

Stock BrowserGym turns the agent's text into Python and runs it. Here the text must be, as a whole, a list of
calls with literal arguments; each name is looked up in BrowserGym's table of functions and called.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pyparsing
from browsergym.core.action import functions
from browsergym.core.action.parsers import NamedArgument, highlevel_action_parser
from playwright.sync_api import Error as PlaywrightError

from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs

_ALLOWED = frozenset(
    name
    for group in (
        ("send_msg_to_user", "report_infeasible", "noop"),
        (
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
        ),
        ("drag_and_drop", "scroll", "scroll_at"),
        ("mouse_move", "mouse_up", "mouse_down", "mouse_click", "mouse_dblclick", "mouse_drag_and_drop"),
        ("keyboard_press", "keyboard_up", "keyboard_down", "keyboard_type", "keyboard_insert_text"),
        ("goto", "go_back", "go_forward", "new_tab", "tab_close", "tab_focus"),
    )
    for name in group
)
"""BrowserGym's actions without those that read files of this machine (``upload_file``)."""
_SCHEMES = ("http", "https")
_LONGEST_NOOP_MS = 10_000
_CALL = re.compile(r"\s*(?:```(?:python)?\s*)?[a-z_]+\s*\(")
_FENCE = re.compile(r"^\s*```(?:python)?\s*|\s*```\s*$")
Call = tuple[str, list[Any], dict[str, Any]]


def looks_like_calls(text: str) -> bool:
    """Whether a text is meant as BrowserGym calls rather than as one of our actions.

    Args:
        text: The agent's action.

    Returns:
        Whether it begins with a name and an opening bracket.
    """
    return isinstance(text, str) and _CALL.match(text) is not None


def parse_calls(text: str) -> list[Call]:
    """Reads a list of BrowserGym calls.

    Args:
        text: For example ``click('a12')``.

    Returns:
        (name, positional arguments, keyword arguments) of each call.

    Raises:
        ActionError: The text is not, as a whole, a list of known calls with literal arguments.
    """
    try:
        parsed = highlevel_action_parser.parse_string(_FENCE.sub("", text), parse_all=True)
    except pyparsing.ParseException as error:
        raise ActionError(f"not a list of BrowserGym calls: {error}", action=text[:200]) from error
    calls = [_call(name, list(arguments)) for name, arguments in parsed]
    if not calls:
        raise ActionError("an empty action", action=text[:200])
    return calls


def perform_calls(
    calls: list[Call], tabs: Tabs, say: Callable[[str], None], give_up: Callable[[str], None]
) -> None:
    """Carries out parsed calls on the current tab.

    Args:
        calls: What :func:`parse_calls` returned.
        tabs: The browser's open tabs.
        say: Receives the text of ``send_msg_to_user``.
        give_up: Receives the reason of ``report_infeasible``.

    Raises:
        ActionError: A call failed; the ones before it have been carried out.
    """
    # BrowserGym's functions find their page and callbacks as globals of their module.
    functions.send_message_to_user = say
    functions.report_infeasible_instructions = give_up
    functions.demo_mode = "off"
    # As in AgentLab's agents, whose results it should be possible to compare.
    functions.retry_with_force = True
    for name, arguments, named in calls:
        page = functions.page = tabs.current
        try:
            getattr(functions, name)(*arguments, **named)
        except (PlaywrightError, ValueError, TypeError, IndexError, AttributeError) as error:
            if not tabs.alive:
                raise
            if page.is_closed() and isinstance(error, PlaywrightError):
                continue  # closing its tab is what the click or key did
            raise ActionError(f"{name}() failed: {error}", action=name) from error
        if functions.page is not page:
            # It changed tabs itself; a tab that a click opened is the current one already.
            tabs.activate(functions.page)


def _call(name: str, arguments: list[Any]) -> Call:
    if name not in _ALLOWED:
        raise ActionError(f"{name}() is not an action this environment offers", action=name)
    positional = [item for item in arguments if not isinstance(item, NamedArgument)]
    named = {item.name: item.value for item in arguments if isinstance(item, NamedArgument)}
    first = [*positional, *named.values()][:1]
    if name == "goto" and first:
        _check_url(str(first[0]))
    if name == "noop" and first and isinstance(first[0], int | float) and first[0] > _LONGEST_NOOP_MS:
        raise ActionError(f"noop() waits {_LONGEST_NOOP_MS} milliseconds at most", action=name)
    return name, positional, named


def _check_url(url: str) -> None:
    """Only web pages: a file or browser-internal page could show what no agent may see."""
    if urlsplit(url.strip()).scheme.lower() not in _SCHEMES:
        raise ActionError(f"goto({url!r}) is refused: only http and https addresses can be opened", url=url)
