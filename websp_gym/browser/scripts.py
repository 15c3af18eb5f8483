"""The JavaScript injected into pages: the scripts of the isolated world, and those of the page's own world."""

from __future__ import annotations

import json
import secrets
from functools import cache
from importlib.resources import files

from websp_gym.paths import data_dir

DOM_SCRIPTS = (
    "dom.js",
    "names.js",
    "state.js",
    "marks.js",
    "rows.js",
    "surroundings.js",
    "groups.js",
    "fingerprint.js",
)
"""Scripts of ``extension/`` in loading order; shared with the recorder, whose manifest lists the same ones."""
PAGE_SCRIPTS = (
    "boxes.js",
    "hit.js",
    "shadows.js",
    "listeners.js",
    "frames.js",
    "pickers.js",
    "identity.js",
    "page.js",
    "fields.js",
    "press.js",
    "scroll.js",
    "quiet.js",
)
"""Scripts of this package in loading order; they need the ones above."""


@cache
def page_scripts() -> str:
    """Return all scripts that make up ``__websp``; running them again in a document does nothing."""
    shared = [(data_dir("extension") / name).read_text(encoding="utf-8") for name in DOM_SCRIPTS]
    return "\n".join([*shared, *map(_read, PAGE_SCRIPTS)])


@cache
def name_scripts() -> str:
    """Return the scripts that give ``__websp`` the functions for roles and names of elements."""
    return "\n".join((data_dir("extension") / name).read_text("utf-8") for name in DOM_SCRIPTS[:2])


@cache
def input_script(binding: str) -> str:
    """Return the script for the isolated world of a new document that reports what is operated to a binding."""
    return f"{name_scripts()}\n({_read('inputs.js')})({json.dumps(binding)});"


@cache
def event_names(script: str) -> tuple[str, str]:
    """Return the random names of the two events with which page scripts query a script of the page's own world.

    Pages cannot know them.

    Args:
        script: ``handlers.js``, ``asks.js`` or ``timers.js``.
    """
    return f"ask-{secrets.token_hex(16)}", f"tell-{secrets.token_hex(16)}"


@cache
def handler_script() -> str:
    """Return the script for ``add_init_script`` that runs in a page's own world.

    It reports which elements react to a press and what the page asks of the browser, and blocks pasting from the
    shared clipboard.
    """
    return "\n".join([_read("clipboard.js"), _asked("handlers.js"), _asked("asks.js")])


@cache
def timer_script() -> str:
    """Return the script for a page's own world that knows its pending short timers."""
    return _asked("timers.js")


@cache
def listener_script() -> str:
    """Return the script that gives ``handlers.js`` the function ``getEventListeners`` of the command line API."""
    ask = json.dumps(event_names("handlers.js")[0])
    return f"getEventListeners(window)[{ask}]?.[0].listener(getEventListeners)"


def _asked(script: str) -> str:
    """Return a script that is a function of the names of its events, called with them."""
    return f"({_read(script)})(...{json.dumps(event_names(script))});"


def _read(name: str) -> str:
    return files("websp_gym.browser").joinpath(name).read_text(encoding="utf-8")
