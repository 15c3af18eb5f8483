"""Calibre-Web: a library of e-books. Its pages are forms that the server renders; SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.live_apps.application import SCRIPTS, Person, PipApplication, Start, run
from tests.live_apps.recording import Recording, typed

if TYPE_CHECKING:
    from playwright.sync_api import Page

_SHOWN = {"hot": 16, "random": 32, "best_rated": 128}
"""Bits of the column ``sidebar_view``."""


class CalibreWeb(PipApplication):
    """Calibre-Web with two administrators."""

    slug = "calibreweb"
    packages = ("calibreweb==0.6.27",)
    people = (
        Person("ada.l", "ada@library.test", "Lantern-quay-7305"),
        Person("grace.h", "grace@library.test", "Compass-fjord-9182"),
    )
    ready = "/login"

    def prepare(self) -> None:
        """Write the database by the application itself."""
        people = json.dumps([asdict(person) for person in self.people])
        # The first start writes the tables.
        run([str(self.python), str(SCRIPTS / "prepare_calibreweb.py"), str(self.template), people])

    def start(self, place: Path, port: int) -> Start:
        """Let its settings name the port and the library, and return its command."""
        self.configure(place, config_port=port, config_calibre_dir=str(place))
        binary = self.python.parent / "cps"
        files = ["-p", "app.db", "-g", "gdrive.db", "-o", "log.txt"]
        return Start([str(binary), *files, "-i", "127.0.0.1"], {"CALIBRE_DBPATH": str(place)})

    def configure(self, place: Path, **settings: Any) -> None:
        """Set columns of its own settings; it reads them when it starts."""
        columns = ", ".join(f"{name} = ?" for name in settings)
        with closing(sqlite3.connect(place / "app.db")) as to, to:
            to.execute(f"update settings set {columns}", tuple(settings.values()))

    def truth(self, place: Path, person: Person) -> dict[str, Any]:
        """Return what the profile page shows."""
        columns = ("email", "kindle_mail", "locale", "sidebar_view")
        with closing(sqlite3.connect(place / "app.db")) as database:
            row = database.execute(
                f"select {', '.join(columns)} from user where name = ?", (person.username,)
            ).fetchone()
        if row is None:
            return {}
        found = dict(zip(columns, row, strict=True))
        shown = found.pop("sidebar_view")
        return {**found, **{f"show.{name}": bool(shown & bit) for name, bit in _SHOWN.items()}}

    def end_sessions(self, place: Path) -> None:
        """Sign everybody out, as an administrator can."""
        with closing(sqlite3.connect(place / "app.db")) as to, to:
            to.execute("delete from user_session")

    def recordings(self) -> Mapping[str, Recording]:
        """Return what is recorded."""
        return {
            "login": Recording("/login", _sign_in, signed_in=False),
            "hot_books": Recording("/me", _hot_books),
            "reader_address": Recording(
                "/me", partial(_profile, field="kindle_mail", value="reader@new.test")
            ),
            "address": Recording("/me", _address),
        }


def _sign_in(page: Page, person: Person) -> None:
    typed(page.get_by_label("Username"), person.username)
    typed(page.get_by_label("Password"), person.password)
    page.get_by_role("button", name="Login").click()
    page.get_by_role("link", name="Logout").wait_for()


def _hot_books(page: Page, person: Person) -> None:
    page.get_by_label("Show Hot Books").click()
    _save(page)


def _address(page: Page, person: Person) -> None:
    _profile(page, person, "email", f"{person.username}@new.test")


def _profile(page: Page, person: Person, field: str, value: str) -> None:
    typed(page.locator(f"[name={field}]"), value)
    _save(page)


def _save(page: Page) -> None:
    page.locator("#user_submit").click()
    page.get_by_text("Success! Profile Updated").wait_for()
