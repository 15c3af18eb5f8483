"""The JavaScript of ours: what runs in a world of its own in documents that are asked, and what all pages get."""

from __future__ import annotations

import json
import secrets
from functools import cache
from importlib.resources import files

from websp_gym.paths import data_dir

DOM_SCRIPTS = ("dom.js", "state.js", "fingerprint.js")
"""Of ``extension/``, in loading order: shared with the recorder, whose manifest lists the same three."""
PAGE_SCRIPTS = ("hit.js", "page.js", "fields.js", "scroll.js", "quiet.js")
"""Of this package, in loading order: they need the ones above."""


@cache
def page_scripts() -> str:
    """Reads all scripts that make up ``__websp``.

    Returns:
        One JavaScript text; running it a second time in a document does nothing.
    """
    shared = [(data_dir("extension") / name).read_text(encoding="utf-8") for name in DOM_SCRIPTS]
    here = files("websp_gym.browser")
    own = [(here / name).read_text(encoding="utf-8") for name in PAGE_SCRIPTS]
    return "\n".join([*shared, *own])


@cache
def handler_events() -> tuple[str, str]:
    """Names of the two events by which ``handlers.js`` is asked and answers; no page can know them."""
    return f"ask-{secrets.token_hex(16)}", f"tell-{secrets.token_hex(16)}"


@cache
def handler_script() -> str:
    """Reads the little that runs in a page's own world.

    It tells which elements have click handlers as properties, and keeps pages from pasting what others copied.

    Returns:
        One JavaScript text for ``add_init_script``.
    """
    here = files("websp_gym.browser")
    function, clipboard = (
        here.joinpath(name).read_text(encoding="utf-8") for name in ("handlers.js", "clipboard.js")
    )
    return f"{clipboard}\n({function})(...{json.dumps(handler_events())})"
