"""The schema of ``sites/<slug>/site.yaml``: loading and validating a replica site.

Its parts are defined in ``site_schema.py``, ``settings.py`` and ``consent.py``; ``docs/adding-a-site.md`` describes
the format for authors.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, PrivateAttr, ValidationError, model_validator

from .consent import RECEIPTS, Consent
from .did_you_mean import nearest
from .settings import Setting, Strict, Value
from .site_schema import Add, Collection, FormAction, Link, Page, Remove, Row, SignIn, Update

SESSIONS = "sessions"
"""The collection of every site with a sign-in: one item per signed-in device."""

CURRENT = "current"
"""The field that is true for the session of the episode's own browser, which only signing in creates."""

_SESSION_FIELDS: Row = {name: {"type": "text", "default": ""} for name in ("device", "place", "created")}

_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_KEY = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


class SiteError(Exception):
    """Error in a ``site.yaml`` or in a file that belongs to it.

    Attributes:
        file: The file with the error.
        problems: One ``key: reason`` per problem.
    """

    def __init__(self, file: Path, problems: list[str]) -> None:
        super().__init__(f"{file}:\n" + "\n".join(f"  {problem}" for problem in problems))
        self.file = file
        self.problems = problems


class SiteSchema(Strict):
    """A replica site as its ``site.yaml`` describes it."""

    name: str
    hosts: list[str] = Field(min_length=1)
    description: str = ""
    settings: dict[str, Setting] = Field(default_factory=dict)
    collections: dict[str, Collection] = Field(default_factory=dict)
    session_cookie: str = ""
    session_of: str = ""
    cookie_domain: str = ""
    account: Literal["password", "federated"] | None = None
    login_page: str = ""
    login_callback: str = ""
    pages: list[Page] = Field(default_factory=list)
    actions: list[FormAction] = Field(default_factory=list)
    menus: dict[str, list[Link]] = Field(default_factory=dict)
    consent: Consent | None = None
    search: bool = False

    _folder: Path = PrivateAttr(default=Path())

    @property
    def folder(self) -> Path:
        """The folder of the site."""
        return self._folder

    @property
    def slug(self) -> str:
        """The name of the folder, which identifies the site everywhere else."""
        return self._folder.name

    @property
    def bookkeeping(self) -> list[str]:
        """The names of the settings and collections that are declared as ``bookkeeping``."""
        declared = [*self.settings.items(), *self.collections.items()]
        return [name for name, each in declared if each.bookkeeping]

    @property
    def has_sign_in(self) -> bool:
        """Whether the account can be signed in on this site."""
        return bool(self.session_cookie or self.session_of)

    @model_validator(mode="before")
    @classmethod
    def _sign_in_has_sessions(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not isinstance(data.get("collections") or {}, dict):
            return data
        collections = data.get("collections") or {}
        if SESSIONS in collections and not data.get("session_cookie"):
            raise ValueError('collections: only a site with its own session_cookie has "sessions"')
        if not data.get("session_cookie") and not data.get("session_of"):
            return data
        return {**data, "collections": {**collections, SESSIONS: _with_session_fields(collections)}}

    @model_validator(mode="before")
    @classmethod
    def _consent_has_settings(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not data.get("consent"):
            return data
        consent = Consent.model_validate(data["consent"])
        settings, collections = data.get("settings") or {}, data.get("collections") or {}
        taken = [key for key in settings if key.startswith("consent.")] + [RECEIPTS] * (
            RECEIPTS in collections
        )
        if taken:
            raise ValueError(f'consent: makes "{taken[0]}" itself; leave it out')
        return {
            **data,
            "consent": consent,
            "settings": {**settings, **consent.settings()},
            "collections": {**collections, RECEIPTS: consent.receipts()},
        }

    @model_validator(mode="after")
    def _fits_together(self) -> SiteSchema:
        problems = [*self._name_problems(), *self._sign_in_problems()]
        for action in self.actions:
            problems += [f"actions {action.path}: {problem}" for problem in self._action_problems(action)]
        if problems:
            raise ValueError("\n".join(problems))
        return self

    def check_value(self, key: str, value: object) -> Value:
        """Return the checked value of a setting. Raise ValueError for an unknown setting or a wrong value."""
        if key not in self.settings:
            raise ValueError(f'unknown setting "{key}"{nearest(key, self.settings)}')
        try:
            return self.settings[key].check(value)
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None

    def _name_problems(self) -> list[str]:
        problems = [
            f'hosts: "{host}" is not a lower-case host name'
            for host in self.hosts
            if not _HOST.fullmatch(host)
        ]
        problems += [
            f'settings: "{key}" is not a dotted lower-case key'
            for key in self.settings
            if not _KEY.fullmatch(key)
        ]
        # Templates write items.NAME, where Jinja2 would find a dict method of that name first.
        problems += [
            f'collections: "{name}" cannot be a name' for name in self.collections if hasattr(dict, name)
        ]
        problems += [
            f'collections: "{name}" is the name of a setting'
            for name in self.collections
            if name in self.settings
        ]
        taken: set[tuple[str, ...]] = set()
        entries: list[tuple[str, Page | FormAction]] = [("GET", page) for page in self.pages] + [
            (each.method, each) for each in self.actions
        ]
        for method, entry in entries:
            for host in entry.hosts:
                if host not in self.hosts:
                    reason = f'"{host}" is not a host of the site{nearest(host, self.hosts)}'
                    problems.append(f"{entry.path}: {reason}")
            place = (method, entry.path, *entry.hosts)
            if place in taken:
                problems.append(f"{entry.path}: {method} of this path is already taken")
            taken.add(place)
        return problems

    def _sign_in_problems(self) -> list[str]:
        problems = []
        if self.session_cookie and self.session_of:
            problems.append("session_of: a site has its own session_cookie or another site's, not both")
        needs = any(page.login for page in self.pages) or any(action.needs_login for action in self.actions)
        if needs and not self.has_sign_in:
            problems.append("session_cookie: login: true needs one (or session_of)")
        if needs and not self.login_page:
            problems.append("login_page: login: true needs one")
        if self.login_page and not self.login_page.startswith(("/", "https://")):
            problems.append("login_page: must be a path or an https:// address")
        if self.login_callback and not self.login_callback.startswith("/"):
            problems.append("login_callback: must be a path")
        if self.cookie_domain and not all(_within(host, self.cookie_domain) for host in self.hosts):
            problems.append(f'cookie_domain: "{self.cookie_domain}" does not cover every host')
        return problems

    def _action_problems(self, action: FormAction) -> list[str]:
        problems = []
        for key in [*action.set, *filter(None, [action.toggle])]:
            if key not in self.settings:
                problems.append(f'unknown setting "{key}"{nearest(key, self.settings)}')
        for key, value in action.values.items():
            try:
                self.check_value(key, value)
            except ValueError as error:
                problems.append(str(error))
        if (
            action.toggle
            and self.settings.get(action.toggle, None)
            and self.settings[action.toggle].type != "bool"
        ):
            problems.append(f'toggle: "{action.toggle}" is not a bool setting')
        if not action.redirect.startswith(("/", "https://")) and action.redirect not in ("", "back"):
            problems.append("redirect: must be a path, an https:// address or back")
        changes: list[Add | Remove | Update] = [*action.adds, *action.removes, *action.updates]
        for change in changes:
            problems += self._change_problems(change)
        if (
            isinstance(action.login, SignIn)
            and not (action.login.client or action.login.site)
            and not self.has_sign_in
        ):
            problems.append("login: the site has no session_cookie")
        return problems

    def _change_problems(self, change: Add | Remove | Update) -> list[str]:
        if change.collection == SESSIONS and self.has_sign_in:
            return [] if isinstance(change, Remove) else ["sessions: only remove; login: {} adds one"]
        if change.collection not in self.collections:
            return [f'unknown collection "{change.collection}"{nearest(change.collection, self.collections)}']
        fields = self.collections[change.collection].fields
        if fields is None:
            return []
        names = [*getattr(change, "fields", {}), *change.values, *getattr(change, "where", {})]
        return [
            f'unknown field "{name}"{nearest(name, fields)}' for name in names if name not in (*fields, "id")
        ]


def check_foreign(sessions: list[Row]) -> None:
    """Raise ValueError if a row has the field ``current``: rows describe sessions of other browsers only."""
    if any(CURRENT in row for row in sessions):
        raise ValueError(f"sessions: leave out {CURRENT}; this browser's own session comes of signing in")


def load_site(folder: Path) -> SiteSchema:
    """Load and validate ``folder/site.yaml``. Raise SiteError, which lists every problem found."""
    file = folder / "site.yaml"
    try:
        data = yaml.load(file.read_text("utf-8"), Loader=_Loader)
    except (OSError, yaml.YAMLError) as error:
        raise SiteError(file, [str(error)]) from error
    try:
        site = SiteSchema.model_validate(data)
    except ValidationError as error:
        raise SiteError(file, [_problem(entry) for entry in error.errors()]) from None
    site._folder = folder
    root = folder / "templates"
    missing = [
        f'pages {page.path}: template "{page.template}" is not in {root}{nearest(page.template, _templates(root))}'
        for page in site.pages
        if page.template and not (root / page.template).is_file()
    ]
    if missing:
        raise SiteError(file, missing)
    return site


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A fast YAML loader that rejects duplicate keys."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        # Compared as written in the file, so that a mapping can still override a key of a merge ("<<").
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            reason = f'key "{twice}" is given twice'
            raise yaml.constructor.ConstructorError(None, None, reason, node.start_mark)
        return dict(super().construct_mapping(node, deep))


def _with_session_fields(collections: Row) -> Any:
    """Return the declared collection of sessions with the fields that every site's sessions have."""
    given = collections.get(SESSIONS, {})
    fields = (given.get("fields") or {}) if isinstance(given, dict) else None
    if not isinstance(fields, dict):
        return given  # Collection rejects it.
    if CURRENT in fields:
        raise ValueError(f'collections: sessions have the field "{CURRENT}" already')
    if given.get("artefact"):
        raise ValueError("collections: sessions are not artifacts; ending one is a sign-out")
    items = given.get("items")
    check_foreign([row for row in items if isinstance(row, dict)] if isinstance(items, list) else [])
    return {**given, "fields": {**_SESSION_FIELDS, **fields, CURRENT: {"type": "bool", "default": False}}}


def _problem(entry: Any) -> str:
    place = ".".join(str(part) for part in entry["loc"] if part not in ("function-after", "function-before"))
    reason = str(entry["msg"]).removeprefix("Value error, ")
    return f"{place}: {reason}" if place else reason


def _templates(root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in root.rglob("*.html")]


def _within(host: str, domain: str) -> bool:
    return host == domain or host.endswith("." + domain)
