"""What a person operates in Calibre-Web, with the keys of what changes (``project/world.py``)."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.foreign.behind import ServerAim
from benchmarks.foreign.person import Gesture

_OWN_VIEWS = {
    "random": "#show_32",
    "category": "#show_8",
    "series": "#show_4",
    "author": "#show_64",
    "publisher": "#show_4096",
    "language": "#show_2",
    "rated": "#show_128",
    "archived": "#show_32768",
    "list": "#show_131072",
    "hot": "#show_16",
    "detail": "#Show_detail_random",
}
_ROLES = {
    "download": "#download_role",
    "viewer": "#viewer_role",
    "shelves": "#edit_shelf_role",
    "edit": "#edit_role",
}
_PEOPLE = {
    "jonas": ("download", "viewer", "shelves"),
    "samir": ("download", "viewer"),
    "lotte": ("download", "edit"),
}
_DEFAULTS = {
    "config_default_role/edit": ("#collapsesix", "#edit_role"),
    "config_default_role/viewer": ("#collapsesix", "#viewer_role"),
    "config_default_role/password": ("#collapsesix", "#passwd_role"),
    "config_default_show/series": ("#collapseseven", "#show_4"),
    "config_default_show/hot": ("#collapseseven", "#show_16"),
    "config_default_show/format": ("#collapseseven", "#show_16384"),
}
_BOOKS = ("The Salt Road", "Nine Bridges", "The Clockmaker")


def _targets() -> Iterator[ServerAim]:
    yield from _own()
    yield from _people()
    yield from _settings()
    yield from _books()
    yield from _shelves()


def _own() -> Iterator[ServerAim]:
    save = Gesture("#user_submit")
    for name, css in _OWN_VIEWS.items():
        yield ServerAim(f"mara/view/{name}", "/me", (Gesture(css), save), (f"mara/view/{name}",))
    for name, text in (("email", "mara@new.example"), ("kindle_mail", "mara@device.example")):
        yield ServerAim(f"mara/{name}", "/me", (Gesture(f"#{name}", write=text), save), ())


def _people() -> Iterator[ServerAim]:
    for name, roles in _PEOPLE.items():
        for role in roles:
            steps = (Gesture("#table_user a", text=name), Gesture(_ROLES[role]), Gesture("#user_submit"))
            yield ServerAim(f"{name}/role/{role}", "/admin/view", steps, (name, f"{name}/role/{role}"))


def _settings() -> Iterator[ServerAim]:
    save = Gesture("button[name=submit]")
    for key, (panel, css) in _DEFAULTS.items():
        steps = (Gesture(f"a[href='{panel}']"), Gesture(f"{panel} {css}"), save)
        yield ServerAim(key, "/admin/viewconfig", steps, (key,))
    view = Gesture("a[href='#collapsefour']")
    for key, text in (("config_calibre_web_title", "Books of Mara"), ("config_books_per_page", "30")):
        yield ServerAim(key, "/admin/viewconfig", (view, Gesture(f"#{key}", write=text), save), ())


def _books() -> Iterator[ServerAim]:
    for title in _BOOKS:
        book = Gesture("#books p.title", text=title)
        for key, css in (("read", "#have_read_cb"), ("archived", "#archived_cb")):
            # A book can be archived while its owner has the archive shown.
            yield ServerAim(f"{key}/mara/{title}", "/", (book, Gesture(css)), (title, "mara/view/archived"))
        item = Gesture("#add-to-shelves a", text="Holiday reading")
        steps = (book, Gesture("#add-to-shelf"), item)
        yield ServerAim(f"on/Holiday reading/{title}", "/", steps, (title, "Holiday reading"))
    remove = Gesture("#remove-from-shelves a", text="Lent out")
    away = (Gesture("#books p.title", text="The Salt Road"), remove)
    yield ServerAim("on/Lent out/The Salt Road", "/", away, ("The Salt Road", "Lent out"))


def _shelves() -> Iterator[ServerAim]:
    # A shelf that goes takes along what is on it.
    for name, *books in (("To buy", "Nine Bridges"), ("Holiday reading",)):
        shelf = Gesture("#scnd-nav a", text=name)
        delete = (shelf, Gesture("#delete_shelf"), Gesture("#btnConfirmYes-GeneralDeleteModal"))
        yield ServerAim(f"shelf/{name}", "/", delete, (name, *books))
        public = (shelf, Gesture("#edit_shelf"), Gesture("input[name=is_public]"), Gesture("#submit"))
        yield ServerAim(f"shelf/{name}/public", "/", public, (name,))


TARGETS = tuple(_targets())
