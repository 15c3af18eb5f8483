"""The eleven actions of the paper, which extend WebVoyager's (section 3.2, appendix E.1), and one for dialogs.

Agents and reports read the action table without a browser, so modules that need a browser are imported only
when an action is performed.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from websp_gym.actions.grammar import (
    ANSWER_TEXT,
    DIALOG_ANSWER,
    DIRECTION,
    MARK,
    MARK_AND_TEXT,
    NOTHING,
    PLACE_AND_DIRECTION,
    QUESTION,
    REPORT_TEXT,
    UNLISTED,
    URL,
    USER_ACTIONS,
    Action,
    register_action,
)
from websp_gym.actions.question import EXAMPLE
from websp_gym.browser.notices import ASKED
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from websp_gym.actions.target import Target
    from websp_gym.browser.tabs import Tabs
    from websp_gym.observation.marks import Marks

GOOGLE = "https://www.google.com/"
WAIT_SECONDS = 5.0
_WAIT_QUIET_MS = 500
NAVIGATION_MS = 10_000


@register_action(
    "Click",
    MARK,
    meaning="click the element; a link may open a new tab, which then becomes the current one",
    example="Click [7]",
)
def click(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Click the element, or raise ActionError if a click would not operate it."""
    target = _target(action, marks)
    if told := target.click().get("told"):
        tabs.notices.add(f"[{target.mark.number}] {told}")
    if target.mark.type == "file":
        # The browser tells of it by itself, but now and then only after the page has come to rest.
        tabs.notices.add(ASKED["file"])


@register_action(
    "Hover",
    MARK,
    meaning="move the pointer over the element without clicking, for menus and hints that open that way",
    example="Hover [3]",
)
def hover(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Move the pointer over the element."""
    _target(action, marks).hover()


@register_action(
    "Type",
    MARK_AND_TEXT,
    meaning="replace the field's content with this text (empty content clears it); Enter is not pressed",
    example="Type [12]; privacy settings",
)
def type_text(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Replace the content of a field, by keyboard if the field accepts typing, and report what did not arrive.

    A field by which nothing else is to be done, such as a button to press, is left then, as a person would leave it.
    """
    from playwright.sync_api import Error as PlaywrightError

    from websp_gym.browser.keyboard import type_over
    from websp_gym.browser.settle import settle

    target = _target(action, marks)
    text = action.text or ""
    way = target.ask("typing", text)
    if way["how"] == "wait":
        settle(tabs)
        way = target.ask("typing", text)
    if way["how"] == "set":
        target.on_page(target.ask("reach"))
        target.ask("fillIn", text)
        return
    target.click("touch")
    target.ask("focusOn")
    typed, where = type_over(target.page, text, lines=way["lines"], lost=target.cursor_lost)
    if where:
        tabs.notices.add(
            f"[{target.mark.number}] lost the cursor after {typed} of {len(text)} characters: {where}; "
            "the rest was not typed"
        )
    # A page that has gone on to another field or document has taken the text.
    with contextlib.suppress(ActionError, PlaywrightError):
        if unsettled := target.frame.ask("isUnsettled"):
            settle(tabs)
        if lost := target.ask("lost", text):
            tabs.notices.add(f"[{target.mark.number}] {lost}")
        elif unsettled and target.frame.ask("leave"):
            tabs.left = target.frame


@register_action(
    "Scroll",
    PLACE_AND_DIRECTION,
    meaning="scroll the window, or the box around the element, by two thirds of its size",
    example="Scroll [WINDOW]; down",
    free=True,
)
def scroll(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Scroll the window or the box around an element."""
    from websp_gym.actions.scrolling import scroll_around, scroll_window

    direction = action.direction or "down"
    if action.number is None:
        scroll_window(tabs, direction)
    else:
        scroll_around(tabs, _target(action, marks), direction)


@register_action(
    "Scroll_to_end", NOTHING, meaning="scroll to the bottom of the page", example="Scroll_to_end", free=True
)
def scroll_to_end(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Scroll to the current bottom of the page."""
    from websp_gym.actions import scrolling

    scrolling.scroll_to_end(tabs.current)


@register_action(
    "Scroll_within_popup",
    DIRECTION,
    meaning="scroll inside the topmost dialog or popup",
    example="Scroll_within_popup; down",
    free=True,
)
def scroll_within_popup(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Scroll the topmost dialog or popup."""
    from websp_gym.actions.scrolling import scroll_popup

    scroll_popup(tabs.current, action.direction or "down")


@register_action(
    "Switch_tab",
    URL,
    meaning="go to another open tab, named by its URL",
    example="Switch_tab [https://www.google.com/]",
)
def switch_tab(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Make the tab with this URL the current one."""
    tabs.switch_to(action.text or "")


@register_action(
    "Wait",
    NOTHING,
    meaning="give the page up to five seconds to finish what it is doing",
    example="Wait",
    free=True,
)
def wait(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Wait until the page has been quiet for half a second, five seconds at most."""
    from websp_gym.browser.settle import settle

    settle(tabs, cap=WAIT_SECONDS, quiet_ms=_WAIT_QUIET_MS, patience=WAIT_SECONDS)


@register_action("GoBack", NOTHING, meaning="go back to the previous page", example="GoBack")
def go_back(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Go one page back in the tab's history."""
    go_to_previous(tabs)


@register_action("Google", NOTHING, meaning="go to the Google search page", example="Google")
def google(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Open Google's search page in the current tab."""
    tabs.current.goto(GOOGLE, wait_until="commit", timeout=NAVIGATION_MS)


@register_action(
    "ANSWER",
    ANSWER_TEXT,
    meaning="end the task and report; use it once everything is done",
    example="ANSWER; done",
)
def answer(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Do nothing: the environment ends the episode."""


@register_action(
    "Next_dialog",
    DIALOG_ANSWER,
    meaning="decide the answer to the native dialog that the next action opens, like one that was shown before",
    example="Next_dialog; accept",
    free=True,
    table=UNLISTED,
)
def next_dialog(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Decide the answer to the next native dialog; does nothing to the page."""
    tabs.dialogs.decide(accept=bool(action.accept), text=action.text)


@register_action(
    "ASK",
    QUESTION,
    meaning="put a question to the user, such as whether you may do it, in words or as JSON with what you want to do "
    f"({EXAMPLE}); the reply comes with the next observation",
    example="ASK; may I delete the token 'ci-bot'?",
    free=True,
    table=USER_ACTIONS,
)
def ask(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Do nothing to the page: the environment asks the user."""


@register_action(
    "REPORT",
    REPORT_TEXT,
    meaning="tell the user of an obstacle, such as an error of the site: where, and what did not work; and go on",
    example='REPORT; {"where": "/settings/email", "what": "not saved"}',
    free=True,
    table=USER_ACTIONS,
)
def report(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Do nothing to the page: the environment tells the user."""


def go_to_previous(tabs: Tabs) -> None:
    """Go one page back in the current tab; raise ActionError on its first page."""
    if tabs.previous_url() is None:
        raise ActionError("there is no previous page in this tab to go back to", action="GoBack")
    tabs.current.go_back(wait_until="commit", timeout=NAVIGATION_MS)


def _target(action: Action, marks: Marks) -> Target:
    from websp_gym.actions.target import Target

    return Target(marks, marks[action.number if action.number is not None else -1])
