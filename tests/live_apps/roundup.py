"""Roundup: an issue tracker. Its pages are forms that the server renders, its login fields have no labels; SQLite."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.live_apps.application import Person, PipApplication, Start, run
from tests.live_apps.recording import Recording, typed

if TYPE_CHECKING:
    from playwright.sync_api import Page

_COLUMNS = {"address": "email", "phone": "phone", "organisation": "organisation"}
_SETTINGS = "admin_email=admin@tracker.test,mail_domain=tracker.test,mail_host=127.0.0.1,tracker_web=http://127.0.0.1/"


class Roundup(PipApplication):
    """Roundup's classic tracker, with two people who may report issues."""

    slug = "roundup"
    packages = ("roundup==2.6.0",)
    people = (
        Person("ada.l", "ada@tracker.test", "Lantern-quay-7305", "Ada Lindqvist"),
        Person("grace.h", "grace@tracker.test", "Compass-fjord-9182", "Grace Holm"),
    )
    ready = "/tracker/"

    def prepare(self) -> None:
        """Make the tracker and its people with its own commands."""
        self._admin("install", "classic", "sqlite", _SETTINGS)
        self._admin("initialise", "Harbour-pilot-5521")
        for person in self.people:
            fields = {
                "username": person.username,
                "address": person.email,
                "password": person.password,
                "realname": person.name,
                "roles": "User",
            }
            self._admin("create", "user", *(f"{key}={value}" for key, value in fields.items()))

    def start(self, place: Path, port: int) -> Start:
        """Let its configuration name the address, and return its command."""
        config = place / "config.ini"
        web = f"web = http://127.0.0.1:{port}/tracker/"
        config.write_text(re.sub(r"(?m)^web = .*$", web, config.read_text()))
        binary = self.python.parent / "roundup-server"
        # It says no to root, as which containers run, unless told so.
        user = ["-u", "root"] if os.getuid() == 0 else []
        return Start([str(binary), *user, "-n", "127.0.0.1", "-p", str(port), f"tracker={place}"])

    def truth(self, place: Path, person: Person) -> dict[str, Any]:
        """Return the details of a person."""
        with closing(sqlite3.connect(place / "db" / "db")) as database:
            row = database.execute(
                f"select {', '.join(f'_{name}' for name in _COLUMNS)} from _user"
                " where _username = ? and __retired__ = 0",
                (person.username,),
            ).fetchone()
        return (
            {} if row is None else dict(zip(_COLUMNS.values(), (value or "" for value in row), strict=True))
        )

    def write(self, place: Path, person: Person, **columns: str) -> None:
        """Write details of a person into the database."""
        names = {ours: theirs for theirs, ours in _COLUMNS.items()}
        with closing(sqlite3.connect(place / "db" / "db")) as to, to:
            for name, value in columns.items():
                to.execute(
                    f"update _user set _{names[name]} = ? where _username = ?", (value, person.username)
                )

    def end_sessions(self, place: Path) -> None:
        """Sign everybody out."""
        with closing(sqlite3.connect(place / "db" / "db-session")) as to, to:
            to.execute("delete from sessions")

    def recordings(self) -> Mapping[str, Recording]:
        """Return what is recorded."""
        return {
            "login": Recording("/tracker/", _sign_in, signed_in=False),
            "phone": Recording("/tracker/", _phone),
            "no_phone": Recording("/tracker/", partial(_detail, field="phone", value=""), before=_phone),
            "address": Recording("/tracker/", _address),
        }

    def _admin(self, *words: str) -> None:
        run([str(self.python.parent / "roundup-admin"), "-i", str(self.template), *words])


def _sign_in(page: Page, person: Person) -> None:
    typed(page.locator("[name=__login_name]"), person.username)
    typed(page.locator("[name=__login_password]"), person.password)
    page.get_by_role("button", name="Login").click()
    page.get_by_text("Your Details").wait_for()


def _detail(page: Page, person: Person, field: str, value: str) -> None:
    page.get_by_role("link", name="Your Details").click()
    typed(page.locator(f"[name={field}]"), value)
    page.get_by_role("button", name="Submit Changes").click()
    page.get_by_text("edited ok").wait_for()


def _address(page: Page, person: Person) -> None:
    _detail(page, person, "address", f"{person.username}@new.test")


_phone = partial(_detail, field="phone", value="555-0199")
