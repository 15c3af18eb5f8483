"""The JavaScript every page gets before its own."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from websp_gym._paths import data_dir

DOM_SCRIPTS = ("dom.js", "state.js", "fingerprint.js")
"""Of ``extension/``, in loading order: shared with the recorder, whose manifest lists the same three."""
PAGE_SCRIPTS = ("hit.js", "page.js", "fields.js", "scroll.js", "quiet.js")
"""Of this package, in loading order: they need the ones above."""


@cache
def page_scripts() -> str:
    """Reads all scripts that make up ``__websp``.

    Returns:
        One JavaScript text for ``add_init_script``; running it a second time in a document does nothing.
    """
    shared = [(data_dir("extension") / name).read_text(encoding="utf-8") for name in DOM_SCRIPTS]
    here = files("websp_gym.browser")
    own = [(here / name).read_text(encoding="utf-8") for name in PAGE_SCRIPTS]
    return "\n".join([*shared, *own])
