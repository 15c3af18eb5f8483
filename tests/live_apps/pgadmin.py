"""pgAdmin: an administration tool for PostgreSQL. A single page in React, a second factor (TOTP); SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.live_apps.application import Person, PipApplication, Start, run
from tests.live_apps.recording import Recording, typed
from websp_gym.live.totp import code_for_some_seconds

if TYPE_CHECKING:
    from playwright.sync_api import Page

_DEFAULTS = {"breadcrumbs_enable": "True", "breadcrumbs_show_comment": "True", "process_retain_days": "5"}
"""Names and defaults of preferences; the database only has what was changed."""
_CONFIG = """\
HELP_PATH = ""
MINIFY_HTML = False
SERVER_MODE = True
DEFAULT_SERVER = "127.0.0.1"
DEFAULT_SERVER_PORT = {port}
DATA_DIR = "{place}"
SQLITE_PATH = "{place}/pgadmin4.db"
LOG_FILE = "{place}/log.txt"
SESSION_DB_PATH = "{place}/sessions"
STORAGE_DIR = "{place}/storage"
AZURE_CREDENTIAL_CACHE_DIR = "{place}/azure"
KERBEROS_CCACHE_DIR = "{place}/kerberos"
ALLOW_SPECIAL_EMAIL_DOMAINS = ["test"]
UPGRADE_CHECK_ENABLED = False
MASTER_PASSWORD_REQUIRED = False
SHOW_GRAVATAR_IMAGE = False
MFA_SUPPORTED_METHODS = ["authenticator"]
"""


class PgAdmin(PipApplication):
    """pgAdmin with two people who sign in with a one-time code."""

    slug = "pgadmin"
    packages = ("pgadmin4==9.18",)
    people = (
        Person("ada", "ada@pg.test", "Lantern-quay-7305", totp="JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"),
        Person("grace", "grace@pg.test", "Compass-fjord-9182", totp="KRUGS4ZANFZSAYJAONSWG4TFOQQGWZLZ"),
    )
    ready = "/misc/ping"

    def prepare(self) -> None:
        """Write the database with its own commands, and the keys of the second factor into it."""
        env = self._configured(self.template, 5050)
        setup = [str(self.python), str(self._package / "setup.py")]
        first, second = self.people
        asked = {"PGADMIN_SETUP_EMAIL": first.email, "PGADMIN_SETUP_PASSWORD": first.password}
        run([*setup, "setup-db"], env={**env, **asked})
        run([*setup, "add-user", second.email, second.password, "--admin"], env=env)
        with closing(sqlite3.connect(self.template / "pgadmin4.db")) as to, to:
            for person in self.people:
                to.execute(
                    "insert into user_mfa select id, 'authenticator', ? from user where email = ?",
                    (person.totp, person.email),
                )

    def start(self, place: Path, port: int) -> Start:
        """Write its configuration and return its command."""
        env = self._configured(place, port)
        return Start([str(self.python), str(self._package / "pgAdmin4.py")], env)

    @property
    def _package(self) -> Path:
        (found,) = self.home.glob("venv/lib/python*/site-packages/pgadmin4")
        return found

    def _configured(self, place: Path, port: int) -> dict[str, str]:
        config = place / "config.py"
        config.write_text(_CONFIG.format(place=place, port=port))
        return {"CONFIG_DISTRO_FILE_PATH": str(config)}

    def truth(self, place: Path, person: Person) -> dict[str, Any]:
        """Return preferences of a person, and whether the account is protected as it was."""
        with closing(sqlite3.connect(place / "pgadmin4.db")) as database:
            user = database.execute(
                "select id, password from user where email = ?", (person.email,)
            ).fetchone()
            if user is None:
                return {}
            changed = dict(
                database.execute(
                    "select preferences.name, value from user_preferences"
                    " join preferences on preferences.id = pid where uid = ?",
                    user[:1],
                ).fetchall()
            )
            keys = database.execute("select options from user_mfa where user_id = ?", user[:1]).fetchall()
        found = {name: _plain(changed.get(name, default)) for name, default in _DEFAULTS.items()}
        return {**found, "password": user[1], "second_factor": keys == [(person.totp,)]}

    def end_sessions(self, place: Path) -> None:
        """Sign everybody out: a session names this mark of its user, and sessions themselves are in memory too."""
        with closing(sqlite3.connect(place / "pgadmin4.db")) as to, to:
            to.execute("update user set fs_uniquifier = lower(hex(randomblob(16)))")

    def recordings(self) -> Mapping[str, Recording]:
        """Return what is recorded."""
        return {
            "login": Recording("/login", _sign_in, signed_in=False),
            "breadcrumbs": Recording("/browser/", _breadcrumbs),
            "retention": Recording("/browser/", _retention),
        }


def _plain(value: str) -> bool | str:
    return {"True": True, "False": False}.get(value, value)


def _sign_in(page: Page, person: Person) -> None:
    typed(page.get_by_placeholder("Email Address / Username"), person.email)
    typed(page.get_by_placeholder("Password"), person.password)
    page.get_by_role("button", name="Login").click()
    typed(page.get_by_placeholder("Enter code"), code_for_some_seconds(person.totp))
    page.get_by_role("button", name="Validate").click()
    page.get_by_text("Object Explorer").wait_for(timeout=60_000)


def _open(page: Page, category: str) -> None:
    page.get_by_role("button", name="File").first.click()
    page.get_by_role("menuitem", name="Preferences").click()
    page.get_by_role("treeitem", name=category, exact=True).click()


def _save(page: Page) -> None:
    with page.expect_response(lambda response: response.request.method == "PUT") as saved:
        page.get_by_role("button", name="Save").click()
    assert saved.value.ok


def _breadcrumbs(page: Page, person: Person) -> None:
    _open(page, "Object Breadcrumbs")
    page.get_by_role("switch", name="breadcrumbs_show_comment").click()
    _save(page)


def _retention(page: Page, person: Person) -> None:
    _open(page, "Processes")
    typed(page.locator("input[type=tel]:visible"), "30")
    _save(page)
