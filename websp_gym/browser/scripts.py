"""The JavaScript injected into pages: the scripts of the isolated world, and those of the page's own world."""

from __future__ import annotations

import json
import secrets
from functools import cache
from importlib.resources import files

from websp_gym.paths import data_dir

DOM_SCRIPTS = ("dom.js", "names.js", "state.js", "marks.js", "surroundings.js", "fingerprint.js")
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
    "scroll.js",
    "quiet.js",
)
"""Scripts of this package in loading order; they need the ones above."""


@cache
def page_scripts() -> str:
    """Return all scripts that make up ``__websp``; running them again in a document does nothing."""
    shared = [(data_dir("extension") / name).read_text(encoding="utf-8") for name in DOM_SCRIPTS]
    here = files("websp_gym.browser")
    own = [(here / name).read_text(encoding="utf-8") for name in PAGE_SCRIPTS]
    return "\n".join([*shared, *own])


@cache
def handler_events() -> tuple[str, str]:
    """Return the random names of the two events between ``handlers.js`` and ``page.js``; pages cannot know them."""
    return f"ask-{secrets.token_hex(16)}", f"tell-{secrets.token_hex(16)}"


@cache
def request_events() -> tuple[str, str]:
    """Return the random names of the two events between ``asks.js`` and ``quiet.js``; pages cannot know them."""
    return f"ask-{secrets.token_hex(16)}", f"tell-{secrets.token_hex(16)}"


@cache
def handler_script() -> str:
    """Return the script for ``add_init_script`` that runs in a page's own world.

    It reports which elements react to a press and what the page asks of the browser, and blocks pasting from the
    shared clipboard.
    """
    here = files("websp_gym.browser")
    handlers, asks, clipboard = (
        here.joinpath(name).read_text(encoding="utf-8") for name in ("handlers.js", "asks.js", "clipboard.js")
    )
    called = f"({handlers})(...{json.dumps(handler_events())});\n({asks})(...{json.dumps(request_events())});"
    return f"{clipboard}\n{called}"


@cache
def timer_events() -> tuple[str, str]:
    """Return the random names of the two events between ``timers.js`` and ``quiet.js``; pages cannot know them."""
    return f"ask-{secrets.token_hex(16)}", f"tell-{secrets.token_hex(16)}"


@cache
def timer_script() -> str:
    """Return the script for a page's own world that knows its pending short timers."""
    function = files("websp_gym.browser").joinpath("timers.js").read_text(encoding="utf-8")
    return f"({function})(...{json.dumps(timer_events())})"


@cache
def listener_script() -> str:
    """Return the script that gives ``handlers.js`` the function ``getEventListeners`` of the command line API."""
    ask = json.dumps(handler_events()[0])
    return f"getEventListeners(window)[{ask}]?.[0].listener(getEventListeners)"
