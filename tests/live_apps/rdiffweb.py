"""rdiffweb: a reader of backups. An old and a new version, whose pages differ as after years of work; SQLite."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
from base64 import b64encode
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.live_apps.application import HOME, Person, PipApplication, Start, run
from tests.live_apps.recording import Recording, typed

if TYPE_CHECKING:
    from playwright.sync_api import Page

OLD = ("rdiffweb==2.9.7", "configargparse==1.7.1", "setuptools==75.8.0")
"""What is recorded on. It cannot start with a later ConfigArgParse, or without the ``pkg_resources`` of setuptools."""
NEW = ("rdiffweb==7.2.0",)
_COLUMNS = {"name": "fullname", "email": "UserEmail", "language": "lang", "report": "report_time_range"}
_MAKE = """
import json, sys, cherrypy
from rdiffweb.rdw_app import RdiffwebApp
cherrypy.tree.mount(RdiffwebApp(RdiffwebApp.parse_args(json.loads(sys.argv[1]))))
cherrypy.server.unsubscribe()
cherrypy.engine.start()
cherrypy.engine.exit()
"""
"""Starts it without its server, which makes the tables and the account that the options name."""


class Rdiffweb(PipApplication):
    """rdiffweb in one of its versions, with two administrators."""

    slug = "rdiffweb"
    people = (
        Person("ada.l", "ada@backup.test", "Lantern-quay-7305", "Ada Lindqvist"),
        Person("grace.h", "grace@backup.test", "Compass-fjord-9182", "Grace Holm"),
    )
    ready = "/login/"

    def __init__(self, packages: tuple[str, ...] = OLD) -> None:
        self.packages = packages

    @property
    def home(self) -> Path:
        """The folder of this version."""
        return HOME / self.packages[0].replace("==", "-")

    def prepare(self) -> None:
        """Make the database with both people by the application itself."""
        # It asks for the program that writes backups, and runs it only where there are some.
        shutil.copy(str(shutil.which("true")), self.python.parent / "rdiff-backup")
        for person in self.people:
            secret = b64encode(hashlib.sha1(person.password.encode()).digest()).decode()
            options = [*self._options(self.template, person), f"--admin-password={{SSHA}}{secret}"]
            run([str(self.python), "-c", _MAKE, json.dumps(options)])
            self.write(self.template, person, name=person.name, email=person.email)

    def start(self, place: Path, port: int) -> Start:
        """Return its command; a limit of requests is no part of the pages."""
        options = [*self._options(place, self.people[0]), "--server-host=127.0.0.1", f"--server-port={port}"]
        binary = self.python.parent / "rdiffweb"
        path = f"{binary.parent}{os.pathsep}{os.environ['PATH']}"
        return Start([str(binary), *options, "--rate-limit=10000"], {"PATH": path})

    def truth(self, place: Path, person: Person) -> dict[str, Any]:
        """Return the settings of a person."""
        with closing(sqlite3.connect(place / "rdw.db")) as database:
            row = database.execute(
                f"select {', '.join(_COLUMNS.values())} from users where Username = ?", (person.username,)
            ).fetchone()
        return {} if row is None else dict(zip(_COLUMNS, row, strict=True))

    def write(self, place: Path, person: Person, **settings: str) -> None:
        """Write settings of a person into the database."""
        with closing(sqlite3.connect(place / "rdw.db")) as to, to:
            for name, value in settings.items():
                to.execute(
                    f"update users set {_COLUMNS[name]} = ? where Username = ?", (value, person.username)
                )

    def end_sessions(self, place: Path) -> None:
        """Sign everybody out."""
        with closing(sqlite3.connect(place / "rdw.db")) as to, to:
            to.execute("delete from sessions")

    def recordings(self) -> Mapping[str, Recording]:
        """Return what is recorded."""
        return {
            "login": Recording("/login/", _sign_in, signed_in=False),
            "name": Recording("/prefs/general", _name),
            "email": Recording("/prefs/general", _email),
            "language": Recording("/prefs/general", _language),
            "weekly": Recording("/prefs/notification", _weekly),
            "weekly_by_menu": Recording("/", _weekly_by_menu),
        }

    @staticmethod
    def _options(place: Path, person: Person) -> list[str]:
        return [f"--database-uri={place / 'rdw.db'}", f"--admin-user={person.username}"]


def _sign_in(page: Page, person: Person) -> None:
    typed(page.locator("[name=login]"), person.username)
    typed(page.locator("[name=password]"), person.password)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Logout").or_(page.get_by_text(person.username)).first.wait_for()


def _name(page: Page, person: Person) -> None:
    typed(page.locator("[name=fullname]"), "Quay Keeper")
    _save_profile(page)


def _email(page: Page, person: Person) -> None:
    typed(page.locator("[name=email]"), f"{person.username}@new.test")
    _save_profile(page)


def _language(page: Page, person: Person) -> None:
    page.locator("[name=lang]").focus()
    page.keyboard.type("Fr")
    page.locator("[name=set_profile_info]").click()
    page.locator("html[lang=fr]").wait_for()


def _weekly(page: Page, person: Person) -> None:
    page.get_by_label("Weekly").click()
    page.locator("[name=set_report_info]").click()
    page.get_by_text("Report settings updated").wait_for()


def _weekly_by_menu(page: Page, person: Person) -> None:
    page.get_by_role("button", name=person.username).click()
    page.get_by_role("link", name="Notifications").click()
    _weekly(page, person)


def _save_profile(page: Page) -> None:
    page.locator("[name=set_profile_info]").click()
    page.get_by_text("Profile updated").wait_for()
