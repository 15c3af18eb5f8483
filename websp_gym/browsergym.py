"""The only module that imports BrowserGym, with stand-ins if it is not installed.

``browsergym-core`` pins Playwright 1.44, which has no wheel past Python 3.12, so it is not installed there. The
``websp/`` ids work without it. Its observation keys and its calls, the ``browsergym/`` ids and AgentLab need it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from websp_gym.errors import SetupError

INSTALL = "pip install pyparsing beautifulsoup4 lxml && pip install --no-deps browsergym-core"
"""How to install it next to any Playwright and Python."""

_ABSENT = ""
"""Why it cannot be imported; empty if it can."""

if TYPE_CHECKING:
    Chat: Any = object
    AbstractBrowserTask: Any = object
else:
    try:
        from browsergym.core.chat import Chat
        from browsergym.core.task import AbstractBrowserTask
    except ImportError as error:
        _ABSENT = str(error)

        class Chat:
            """Stand-in for BrowserGym's chat."""

        class AbstractBrowserTask:
            """Stand-in for BrowserGym's task, with only the seed."""

            def __init__(self, seed: int) -> None:
                self.seed = seed


def absence(what: str) -> str:
    """Return why something needs BrowserGym and how to install it; empty if it is installed."""
    return f"{what} needs browsergym-core ({_ABSENT}): {INSTALL}" if _ABSENT else ""


def require(what: str, *, option: str | None = None) -> None:
    """Raise SetupError, with the command that installs it, if BrowserGym is missing.

    Args:
        what: The feature that needs it.
        option: The option of an environment that asks for it.
    """
    if problem := absence(what):
        raise SetupError(problem, option=option)


@cache
def functions() -> Any:
    """Return the module of BrowserGym's actions. Raise SetupError if BrowserGym is missing."""
    require("a call of BrowserGym")
    return import_module("browsergym.core.action.functions")


def find_element(page: Any, bid: str, scroll_into_view: bool) -> Any:
    """Return Playwright's locator of the element that BrowserGym knows by ``bid``."""
    return import_module("browsergym.core.action.utils").get_elem_by_bid(page, bid, scroll_into_view)


@cache
def observation() -> Any:
    """Return the module of BrowserGym's observation functions. Raise SetupError if BrowserGym is missing."""
    require('observation="axtree", "browsergym" or "all"')
    return import_module("browsergym.core.observation")


def flatten_axtree(tree: dict[str, Any], **options: Any) -> str:
    """Return an accessibility tree as text; options as for ``browsergym.utils.obs.flatten_axtree_to_str``."""
    require("an accessibility tree as text")
    text: str = import_module("browsergym.utils.obs").flatten_axtree_to_str(tree, **options)
    return text


def playwright() -> Any:
    """Return the Playwright that BrowserGym keeps for its process; None if BrowserGym is missing."""
    return None if _ABSENT else import_module("browsergym.core")._get_global_playwright()


def forget_playwright(known: object) -> None:
    """Have BrowserGym start another Playwright when it next needs one, if it keeps the one given."""
    if not _ABSENT:
        core = import_module("browsergym.core")
        if core._PLAYWRIGHT is known:
            core._set_global_playwright(None)
