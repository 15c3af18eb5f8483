"""Anthropic's words for a browser: the members of its browser toolset."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from websp_gym.actions.computer.action import ComputerAction, Screen, call, click, drag, hold, holding, press
from websp_gym.actions.computer.anthropic import ENLARGED, MOST_REPEATS, WHEEL, along, milliseconds, region
from websp_gym.actions.computer.fields import Fields
from websp_gym.actions.computer.pages import PageReading, Pages
from websp_gym.actions.grammar import DIRECTIONS
from websp_gym.errors import ActionError
from websp_gym.observation.reading import DEPTH, Shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from websp_gym.actions.calls import Call
    from websp_gym.actions.computer.action import Point

_MOST_NOTCHES = 10
_MOST_LEVELS = 1_000
_HISTORY = {"back": "go_back", "forward": "go_forward", "reload": "reload"}
_SCHEME = re.compile(r"\w[\w+-]*:(?!\d)|[^/]*://")
"""Beginning of an address with its protocol; ``localhost:80`` has none."""
_SHOWN: dict[str, Shown] = {"interactive": "interactive", "all": "all"}
_DONE = "done"


def _act(
    fields: Fields, screen: Screen, *calls: Call, free: bool = False, result: str = _DONE, **more: Any
) -> ComputerAction:
    """Return the action of calls on the tab that it names; it counts if that has to be made the active one first."""
    pages, page = _pages(screen), _page(fields, screen)
    if page is pages.current:
        return ComputerAction(fields.name, calls, free=free, result=result, **more)
    first = call("tab_focus", pages.index(page))
    return ComputerAction(fields.name, (first, *calls), result=result, **more)


def _pages(screen: Screen) -> Pages:
    assert screen.pages is not None, "a screen of an episode has them"
    return screen.pages


def _page(fields: Fields, screen: Screen) -> Page:
    pages = _pages(screen)
    return pages.tab(fields.text("tab_id")) if fields.has("tab_id") else pages.current


def _element(fields: Fields, screen: Screen) -> str:
    """Return the ``bid`` of the element that is the target."""
    return _pages(screen).bid(fields.part("target").text("ref"), _page(fields, screen))


def _point(fields: Fields, screen: Screen, key: str = "target") -> Point:
    target = fields.part(key)
    return screen.point(target.number("x"), target.number("y"))


def _click(fields: Fields, screen: Screen, *, button: str = "left", clicks: int = 1) -> ComputerAction:
    if fields.part("target").has("ref"):
        met = call("click", _element(fields, screen), button, clicks)
    else:
        met = click(_point(fields, screen), button, clicks)
    return _act(fields, screen, *holding(fields.keys("modifiers"), [met]))


def _hover(fields: Fields, screen: Screen) -> ComputerAction:
    if fields.part("target").has("ref"):
        return _act(fields, screen, call("hover", _element(fields, screen)), free=True)
    return _act(fields, screen, call("mouse_move", *_point(fields, screen)), free=True)


def _mouse(fields: Fields, screen: Screen, *, way: str, free: bool = False) -> ComputerAction:
    return _act(fields, screen, call(way, *_point(fields, screen)), free=free)


def _drag(fields: Fields, screen: Screen) -> ComputerAction:
    return _act(fields, screen, *drag([_point(fields, screen, key) for key in ("from", "target")]))


def _scroll(fields: Fields, screen: Screen) -> ComputerAction:
    distance = fields.count("scroll_amount", 3, _MOST_NOTCHES) * WHEEL
    way = along(fields.choice("scroll_direction", DIRECTIONS), distance)
    return _act(fields, screen, call("scroll_at", *_point(fields, screen), *way), free=True)


def _scroll_to(fields: Fields, screen: Screen) -> ComputerAction:
    return _act(fields, screen, call("scroll_to", _element(fields, screen)), free=True)


def _form_input(fields: Fields, screen: Screen) -> ComputerAction:
    bid, value = _element(fields, screen), fields.value("value")
    if isinstance(value, bool):
        return _act(fields, screen, call("check" if value else "uncheck", bid))
    return _act(fields, screen, call("fill", bid, value if isinstance(value, str) else f"{value:.15g}"))


def _type(fields: Fields, screen: Screen) -> ComputerAction:
    return _act(fields, screen, call("keyboard_type", fields.text("text")))


def _key(fields: Fields, screen: Screen) -> ComputerAction:
    return _act(fields, screen, *press(fields.keys("text"), fields.count("repeat", 1, MOST_REPEATS)))


def _hold_key(fields: Fields, screen: Screen) -> ComputerAction:
    return _act(fields, screen, *hold(fields.keys("text"), milliseconds(fields)))


def _wait(fields: Fields, screen: Screen) -> ComputerAction:
    return _act(fields, screen, call("noop", milliseconds(fields)), free=True)


def _navigate(fields: Fields, screen: Screen) -> ComputerAction:
    url = fields.text("url").strip()
    if url in _HISTORY:
        return _act(fields, screen, call(_HISTORY[url]))
    return _act(fields, screen, call("goto", url if _SCHEME.match(url) else f"https://{url}"))


def _screenshot(fields: Fields, screen: Screen) -> ComputerAction:
    return _act(fields, screen, free=True)


def _zoom(fields: Fields, screen: Screen) -> ComputerAction:
    return _act(fields, screen, free=True, region=region(fields, screen), result=ENLARGED)


def _read_page(fields: Fields, screen: Screen) -> ComputerAction:
    root = fields.text("ref", "")
    reading = PageReading(
        "tree",
        shown=_SHOWN[fields.choice("filter", [*_SHOWN])] if fields.has("filter") else "in view",
        depth=fields.count("depth", DEPTH, _MOST_LEVELS),
        root=_pages(screen).bid(root, _page(fields, screen)) if root else "",
    )
    return _act(fields, screen, free=True, reads=reading)


def _find(fields: Fields, screen: Screen) -> ComputerAction:
    return _act(fields, screen, free=True, reads=PageReading("elements", query=fields.text("query")))


def _get_page_text(fields: Fields, screen: Screen) -> ComputerAction:
    return _act(fields, screen, free=True, reads=PageReading("text"))


def _list_tabs(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, free=True, reads=PageReading("tabs"))


def _new_tab(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, (call("new_tab", told=False),), reads=PageReading("tab"))


def _switch_tab(fields: Fields, screen: Screen) -> ComputerAction:
    pages = _pages(screen)
    at = pages.index(pages.tab(fields.text("tab_id")))
    return ComputerAction(fields.name, (call("tab_focus", at),), reads=PageReading("tab"))


def _close_tab(fields: Fields, screen: Screen) -> ComputerAction:
    pages = _pages(screen)
    at = pages.index(pages.tab(fields.text("tab_id")))
    return ComputerAction(fields.name, (call("tab_close", at),), reads=PageReading("tabs"))


def _refused(fields: Fields, screen: Screen, *, why: str) -> NoReturn:
    raise ActionError(f"{fields.name} is not offered here: {why}; nothing was done")


REFUSED = {
    "javascript_exec": "code of an agent is never run; read_page, find and get_page_text read the page",
    "file_upload": "there is no file to choose",
    "read_console": "the console is not kept; read_page, find and get_page_text read the page",
    "read_network": "a user of a browser does not see its requests; read_page, find and get_page_text read the page",
}
"""Members that are not carried out, and why."""

BROWSER: dict[str, Callable[[Fields, Screen], ComputerAction]] = {
    "navigate": _navigate,
    "list_tabs": _list_tabs,
    "new_tab": _new_tab,
    "switch_tab": _switch_tab,
    "close_tab": _close_tab,
    "read_page": _read_page,
    "get_page_text": _get_page_text,
    "find": _find,
    "form_input": _form_input,
    "scroll_to": _scroll_to,
    "screenshot": _screenshot,
    "zoom": _zoom,
    "left_click": _click,
    "right_click": partial(_click, button="right"),
    "middle_click": partial(_click, button="middle"),
    "double_click": partial(_click, clicks=2),
    "triple_click": partial(_click, clicks=3),
    "hover": _hover,
    "left_click_drag": _drag,
    "left_mouse_down": partial(_mouse, way="mouse_down"),
    "left_mouse_up": partial(_mouse, way="mouse_up"),
    "mouse_move": partial(_mouse, way="mouse_move", free=True),
    "scroll": _scroll,
    "type": _type,
    "key": _key,
    "hold_key": _hold_key,
    "wait": _wait,
    **{name: partial(_refused, why=why) for name, why in REFUSED.items()},
}
"""Reads each action from its fields."""
