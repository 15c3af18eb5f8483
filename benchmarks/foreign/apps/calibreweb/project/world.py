"""The library that Calibre-Web shows: its people, books and shelves, and how they differ after a drift."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

ADMIN = "mara"
ROLES = {
    "admin": 1,
    "download": 2,
    "upload": 4,
    "edit": 8,
    "password": 16,
    "shelves": 64,
    "delete": 128,
    "viewer": 256,
}
VIEWS = {
    "detail": 1,
    "language": 2,
    "series": 4,
    "category": 8,
    "hot": 16,
    "random": 32,
    "author": 64,
    "rated": 128,
    "read": 256,
    "publisher": 4096,
    "rating": 8192,
    "format": 16384,
    "archived": 32768,
    "downloaded": 65536,
    "list": 131072,
}
_STAFF = ROLES["download"] | ROLES["viewer"] | ROLES["shelves"]
_MANY = sum(VIEWS.values()) - sum(VIEWS[name] for name in ("series", "rating", "list", "random", "detail"))
PEOPLE = (
    ("jonas", _STAFF),
    ("petra", ROLES["download"] | ROLES["edit"]),
    ("samir", _STAFF),
    ("lotte", ROLES["viewer"]),
)
NEW_PEOPLE = (("anton", _STAFF), ("zoe", ROLES["edit"]))
BOOKS = (
    ("The Salt Road", "Ines Falk"),
    ("A Winter Garden", "Tom Arden"),
    ("Bread and Time", "Ruth Weller"),
    ("Nine Bridges", "Ines Falk"),
    ("The Clockmaker", "Paul Stein"),
)
NEW_BOOKS = (("Harbour Lights", "Mia Krol"), ("On Slow Trains", "Tom Arden"))
SHELVES = ("Holiday reading", "Lent out", "To buy", "Wish list")
NEW_SHELVES = ("Book club", "Sunday evenings")
ON_SHELF = (("The Salt Road", "Lent out"), ("Nine Bridges", "To buy"), ("Bread and Time", "Wish list"))
READ = ("Bread and Time", "Nine Bridges")
SETTINGS: dict[str, tuple[Any, Any]] = {
    "config_calibre_web_title": ("Mara's library", "Reading room"),
    "config_books_per_page": (60, 24),
    "config_random_books": (4, 2),
    "config_authors_max": (0, 3),
    "config_uploading": (0, 1),
    "config_kobo_sync": (0, 1),
    "config_default_role": (ROLES["download"] | ROLES["viewer"], ROLES["edit"] | ROLES["viewer"]),
    "config_default_show": (_MANY, VIEWS["series"] | VIEWS["list"] | VIEWS["random"]),
}
"""Settings at first, and those of another library."""


def put(database: str, library: str, drift: str, keep: Sequence[str]) -> None:
    """Write the state after a drift.

    Args:
        database: File of the settings and people.
        library: File of the books.
        drift: What has changed.
        keep: Keys of :func:`held` that stay as recorded, or names of people, books and shelves that must be there.
    """
    rows, order = drift == "rows", drift == "order"
    people, books, shelves = list(PEOPLE), list(BOOKS), list(SHELVES)
    if rows:
        people = [NEW_PEOPLE[0], *_some(people, keep), NEW_PEOPLE[1]]
        books = [NEW_BOOKS[0], *_some(books, keep), NEW_BOOKS[1]]
        shelves = [*NEW_SHELVES, *(name for name in shelves if name in keep or name == "Lent out")]
    if order:
        people, books, shelves = people[::-1], [*books[2:], *books[:2]], shelves[::-1]
    with sqlite3.connect(database) as to:
        _put_people(to, people, rows, keep, "de" if drift == "language" else "en")
        _put_settings(to, rows, keep, theme=int(drift == "theme"))
        _put_shelves(to, shelves, [title for title, _ in books], rows, keep)
    to.close()
    with sqlite3.connect(library) as to:
        _put_books(to, books)
    to.close()


def _some(items: Sequence[tuple[str, Any]], keep: Sequence[str]) -> list[tuple[str, Any]]:
    """Return every other item, and those that must be there."""
    return [item for number, item in enumerate(items) if item[0] in keep or number % 2]


def _bits(value: int, other: bool, place: str, names: dict[str, int], keep: Sequence[str]) -> int:
    """Return a set of flags; in another account all are turned, but those of the target."""
    if not other:
        return value
    return sum(bit for name, bit in names.items() if bool(value & bit) == (f"{place}/{name}" in keep))


def _put_people(to: sqlite3.Connection, people: Any, rows: bool, keep: Sequence[str], language: str) -> None:
    to.execute("delete from user where id > 2")
    # With these details the first page shows books at random, others each time.
    views = _bits(_MANY, rows, f"{ADMIN}/view", VIEWS, (*keep, f"{ADMIN}/view/detail"))
    email = "mara@other.example" if rows else "mara@reader.example"
    to.execute(
        "update user set name = ?, email = ?, kindle_mail = ?, role = ?, sidebar_view = ?, locale = ?,"
        " default_language = 'all', view_settings = '{}', kobo_only_shelves_sync = 0 where id = 1",
        (ADMIN, email, "", sum(ROLES.values()), views, language),
    )
    to.execute("update user set name = 'Guest', role = 32, locale = 'en' where id = 2")
    for number, (name, role) in enumerate(people, 3):
        flags = _bits(role, rows, f"{name}/role", ROLES, keep) & ~ROLES["admin"]
        to.execute(
            "insert into user (id, name, email, role, password, kindle_mail, locale, sidebar_view, default_language,"
            " denied_tags, allowed_tags, denied_column_value, allowed_column_value, view_settings,"
            " kobo_only_shelves_sync) values (?, ?, ?, ?, '', '', 'en', ?, 'all', '', '', '', '', '{}', 0)",
            (number, name, f"{name}@reader.example", flags, _MANY),
        )


def _put_settings(to: sqlite3.Connection, rows: bool, keep: Sequence[str], theme: int) -> None:
    flags = {"config_default_role": ROLES, "config_default_show": VIEWS}
    for name, (own, other) in SETTINGS.items():
        value = other if rows and name not in keep else own
        if name in flags:
            value = _bits(own, rows, name, flags[name], keep)
        to.execute(f"update settings set {name} = ?", (value,))
    to.execute("update settings set config_theme = ?", (theme,))


def _put_shelves(
    to: sqlite3.Connection, shelves: Sequence[str], books: Sequence[str], rows: bool, keep: Sequence[str]
) -> None:
    for table in ("shelf", "book_shelf_link", "book_read_link", "archived_book"):
        to.execute(f"delete from {table}")
    now = "2026-01-01 00:00:00.000000"
    for number, name in enumerate(shelves, 1):
        to.execute(
            "insert into shelf (id, uuid, name, is_public, user_id, kobo_sync, created, last_modified)"
            " values (?, ?, ?, 0, 1, 0, ?, ?)",
            (number, f"shelf-{name}", name, now, now),
        )
    numbers = {title: number for number, (title, _) in enumerate((*BOOKS, *NEW_BOOKS), 1)}
    for title, shelf in ON_SHELF:
        if shelf in shelves and title in books:
            to.execute(
                'insert into book_shelf_link (book_id, "order", shelf, date_added) values (?, 1, ?, ?)',
                (numbers[title], shelves.index(shelf) + 1, now),
            )
    for title in books:
        read = (title in READ) != (rows and title not in keep)
        to.execute(
            "insert into book_read_link (book_id, user_id, read_status, last_modified, times_started_reading)"
            " values (?, 1, ?, ?, 0)",
            (numbers[title], int(read), now),
        )


def _put_books(to: sqlite3.Connection, books: Sequence[tuple[str, str]]) -> None:
    for table in ("books", "authors", "books_authors_link"):
        to.execute(f"delete from {table}")
    authors = sorted({author for _, author in (*BOOKS, *NEW_BOOKS)})
    for number, name in enumerate(authors, 1):
        to.execute("insert into authors (id, name, sort, link) values (?, ?, ?, '')", (number, name, name))
    numbers = {title: number for number, (title, _) in enumerate((*BOOKS, *NEW_BOOKS), 1)}
    for day, (title, author) in enumerate(books, 1):
        when = f"2026-02-{day:02d} 00:00:00.000000"
        to.execute(
            "insert into books (id, title, sort, author_sort, timestamp, pubdate, series_index, last_modified, path,"
            " has_cover, uuid) values (?, ?, ?, ?, ?, ?, '1.0', ?, ?, 0, ?)",
            (numbers[title], title, title, author, when, when, when, title, f"book-{title}"),
        )
        to.execute(
            "insert into books_authors_link (book, author) values (?, ?)",
            (numbers[title], authors.index(author) + 1),
        )


def held(database: str) -> dict[str, Any]:
    """Return everything that a person can change, by key; what is absent from a list has no key."""
    titles = {number: title for number, (title, _) in enumerate((*BOOKS, *NEW_BOOKS), 1)}
    told: dict[str, Any] = {}
    with sqlite3.connect(database) as of:
        of.row_factory = sqlite3.Row
        names = {row["id"]: row["name"] for row in of.execute("select id, name from user")}
        for row in of.execute("select * from user"):
            name = row["name"]
            told |= {
                f"{name}/{column}": row[column]
                for column in ("email", "kindle_mail", "locale", "default_language")
            }
            told |= {f"{name}/role/{key}": bool(row["role"] & bit) for key, bit in ROLES.items()}
            told |= {f"{name}/view/{key}": bool(row["sidebar_view"] & bit) for key, bit in VIEWS.items()}
        settings = dict(of.execute("select * from settings").fetchone())
        for key, names_ in (("config_default_role", ROLES), ("config_default_show", VIEWS)):
            told |= {f"{key}/{name}": bool(settings[key] & bit) for name, bit in names_.items()}
        told |= {key: settings[key] for key in settings if key.startswith("config_") and key not in _MOVING}
        shelves = {row["id"]: row["name"] for row in of.execute("select * from shelf")}
        told |= {f"shelf/{row['name']}": bool(row["is_public"]) for row in of.execute("select * from shelf")}
        for row in of.execute("select * from book_shelf_link"):
            told[f"on/{shelves.get(row['shelf'])}/{titles.get(row['book_id'])}"] = True
        for row in of.execute("select * from book_read_link where read_status = 1"):
            told[f"read/{names.get(row['user_id'])}/{titles.get(row['book_id'])}"] = True
        for row in of.execute("select * from archived_book where is_archived"):
            told[f"archived/{names.get(row['user_id'])}/{titles.get(row['book_id'])}"] = True
    of.close()
    return told


_MOVING = ("config_default_role", "config_default_show", "config_calibre_uuid", "config_columns_to_ignore")
"""Settings that are told flag by flag, or that the application changes by itself."""
