"""What a person does in the settings of MoinMoin, with the keys of what changes (``project/world.py``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.foreign.behind import ServerAim
from benchmarks.foreign.person import Gesture

_PATH = "/+usersettings"


def _aim(tab: str, field: str, gesture: Gesture, **refused: Any) -> ServerAim:
    opened = Gesture(f".moin-tab-titles a[href='#{tab}']")
    save = Gesture(f"#{tab} input[type=submit]")
    return ServerAim(f"ada/{field}", _PATH, (opened, gesture, save), (field,), **refused)


def _targets() -> Iterator[ServerAim]:
    for field in (
        "iso_8601",
        "mailto_author",
        "edit_on_doubleclick",
        "scroll_page_after_edit",
        "show_comments",
    ):
        yield _aim("options", field, Gesture(f"#options input[name={field}]"), expires=True)
    for field, text in (("edit_rows", "25"), ("results_per_page", "10")):
        write = Gesture(f"#ui input[name={field}]", write=text)
        yield _aim("ui", field, write, invalid="many", expires=True)
    yield _aim("ui", "theme_name", Gesture("#ui input[name=theme_name][value=modernized]"))
    email = Gesture("#notification input[name=email]", write="countess@club.example")
    yield _aim(
        "notification", "email", email, taken="countess@club.example", invalid="countess", expires=True
    )
    name = Gesture("#personal input[name=name]", write="countess")
    yield _aim("personal", "name", name, taken="countess", expires=True)
    shown = Gesture("#personal input[name=display_name]", write="Countess")
    yield _aim("personal", "display_name", shown, expires=True)
    for field, choice in (("timezone", "Europe/Berlin"), ("locale", "sv")):
        yield _aim("personal", field, Gesture(f"#personal select[name={field}]", choose=choice))


TARGETS = tuple(_targets())
