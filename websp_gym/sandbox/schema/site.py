"""The schema of ``sites/<slug>/site.yaml``; ``site_files.py`` loads it.

Its parts are defined in ``site_schema.py``, ``settings.py`` and ``consent.py``; ``docs/reference/sites.md`` describes
the format for authors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, PrivateAttr, model_validator

from . import module_pages
from .consent import RECEIPTS, Consent
from .dependencies import condition_problems, dependency_problems
from .did_you_mean import nearest
from .effects import Effect, Mail
from .modules import Module, People
from .more import Part, more_problems
from .panel_pages import actions_of, list_problems, page_of, resolve_panel
from .panels import ItemList, Panel
from .settings import Setting, Strict, Value
from .shorthand import expand_panels, expand_settings
from .site_schema import (
    AddAction,
    Collection,
    FormAction,
    Link,
    RemoveAction,
    Row,
    SignIn,
    SitePage,
    Stubs,
    Tokens,
    Update,
)
from .split_text import split_problems

SESSIONS = "sessions"
"""The collection of every site with a sign-in: one item per signed-in device."""
SESSION_ENDED = "Your session has ended. Sign in again."
"""What pages say to a browser whose session has expired or was ended from another device."""

CURRENT = "current"
"""The field that is true for the session of the episode's own browser, which only signing in creates."""

_SESSION_FIELDS: Row = {name: {"type": "text", "default": ""} for name in ("device", "place", "created")}

_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_KEY = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


class SiteSchema(Strict):
    """A replica site as its ``site.yaml`` describes it."""

    name: str
    """The name that people read."""
    hosts: list[str] = Field(min_length=1)
    """Its host names; `url("slug")` links to the first one."""
    description: str = ""
    """A short description, for the sandbox's index and search."""
    settings: dict[str, Setting] = Field(default_factory=dict)
    """The settings that the server keeps, by dotted lower-case key."""
    collections: dict[str, Collection] = Field(default_factory=dict)
    """The lists in the account (words, tokens, devices), by name."""
    modules: dict[str, Module] = Field(default_factory=dict)
    """The records of enterprise software, by name: collections whose items have lists, pages and forms."""
    record_paths: str = "/"
    """The first part of the addresses of their pages; `/#/` for pages that the start page loads by its fragment."""
    people: People | None = None
    """Who the account is among the records."""
    session_cookie: str = ""
    """The name of the session cookie. It gives the site a sign-in and the collection `sessions`."""
    session_of: str = ""
    """Instead of `session_cookie`: the site whose sign-in and sessions this one shares."""
    cookie_domain: str = ""
    """The domain of the session cookie: the common parent of several hosts."""
    account: Literal["password", "federated"] | None = None
    """How the account signs in: `password` (the login page gets `saved_login`) or `federated`."""
    login_page: str = ""
    """Where visitors who are not signed in are sent: a path, or another site's address."""
    login_callback: str = ""
    """The path that receives sign-ins from another site."""
    layout: str = ""
    """The template that its pages extend; panels and the kit's scenery use it."""
    panels: list[Panel] = Field(default_factory=list)
    """Settings pages."""
    lists: dict[str, ItemList] = Field(default_factory=dict)
    """How collections are shown on panels, by name."""
    more: dict[Part, list[str]] = Field(default_factory=dict)
    """What its templates read in `more` of a `panel`, `section`, `control` or `list`: `{panel: [intro]}`."""
    stubs: list[Stubs] = Field(default_factory=list)
    """Pages that only say that there is nothing here."""
    pages: list[SitePage] = Field(default_factory=list)
    """What GET requests show."""
    actions: list[FormAction] = Field(default_factory=list)
    """What requests with a body do."""
    menus: dict[str, list[Link]] = Field(default_factory=dict)
    """Lists of links, by name; `menus.NAME` in templates."""
    tokens: Tokens | None = None
    """The account's access tokens, which authorise requests to the site's API."""
    mail: Mail | None = None
    """The mail that it sends to the account."""
    effects: list[Effect] = Field(default_factory=list)
    """What strangers see because of the account's settings."""
    consent: Consent | None = None
    """The kinds of cookies that visitors may decide about."""
    planted: dict[str, str] = Field(default_factory=dict)
    """The places on its pages for texts of a policy set (`planted("NAME")` in a template), each with the address of a
    page that shows it."""
    search: bool = False
    """Whether the sandbox's Google lists its pages that have a title and a description and need no login."""

    _folder: Path = PrivateAttr(default=Path())
    _data: dict[str, list[Row]] = PrivateAttr(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder of the site."""
        return self._folder

    @property
    def data(self) -> dict[str, list[Row]]:
        """The entries of each file in the site's folder ``data``, by file name."""
        return self._data

    @property
    def slug(self) -> str:
        """The name of the folder, which identifies the site everywhere else."""
        return self._folder.name

    @property
    def is_routed(self) -> bool:
        """Whether its start page loads pages that the fragment of the address names."""
        return self.record_paths.startswith(module_pages.ROUTE)

    @property
    def bookkeeping(self) -> list[str]:
        """The names of the settings and collections that are declared as ``bookkeeping``.

        Also ``COLLECTION.FIELD`` for what the server itself fills on every change of a record.
        """
        declared = [*self.settings.items(), *self.collections.items()]
        touched = [f"{name}.{field}" for name, module in self.modules.items() for field in module.touch]
        return [*(name for name, each in declared if each.bookkeeping), *touched]

    @property
    def shown_together(self) -> list[list[str]]:
        """The names of the settings and collections of each panel, of each form, and of the cookie banner."""
        panels = [
            [
                *(control.key for control in panel.all_controls),
                *(
                    name
                    for part in panel.sections
                    for name in (*part.items, *(key for button in part.buttons for key in button.set))
                ),
            ]
            for panel in self.panels
        ]
        forms = [list(action.set) for action in self.actions if len(action.set) > 1]
        banner = [key for key in self.settings if self.consent and key.startswith("consent.")]
        return [names for names in (*panels, *forms, banner) if names]

    @property
    def shared_digests(self) -> dict[str, str]:
        """The digest of the records that all episodes share, by collection."""
        shared = {name: spec.shared for name, spec in self.collections.items()}
        return {name: company.digest for name, company in shared.items() if company is not None}

    @property
    def has_sign_in(self) -> bool:
        """Whether the account can sign in on this site."""
        return bool(self.session_cookie or self.session_of)

    @model_validator(mode="before")
    @classmethod
    def _written_out(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        changed = {"settings": expand_settings, "panels": expand_panels}
        return data | {name: change(data[name]) for name, change in changed.items() if data.get(name)}

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
            raise ValueError(f'consent: defines "{taken[0]}" itself; leave it out')
        return {
            **data,
            "consent": consent,
            "settings": {**settings, **consent.settings()},
            "collections": {**collections, RECEIPTS: consent.receipts()},
        }

    @model_validator(mode="after")
    def _expanded(self) -> SiteSchema:
        """Add the pages and actions of modules, panels, lists and stubs to those that are written out."""
        problems = [
            *self._module_problems(),
            *dependency_problems(self.settings),
            *split_problems(self.settings, self.collections),
            *list_problems(self.lists, self.collections),
        ]
        for number, panel in enumerate(self.panels):
            try:
                self.panels[number] = done = resolve_panel(panel, self.settings, self.layout)
                unknown = [
                    name for section in done.sections for name in section.items if name not in self.lists
                ]
                if unknown:
                    raise ValueError(f'unknown list "{unknown[0]}"{nearest(unknown[0], self.lists)}')
            except ValueError as error:
                problems.append(f"panels {panel.path}: {error}")
                continue
            self.pages.append(page_of(done))
            self.actions.extend(actions_of(done, self.lists))
        if problems:
            raise ValueError("\n".join(problems))
        for stubs in self.stubs:
            self.pages.extend(stubs.expanded())
        for name, module in self.modules.items():
            taken = {page.path for page in self.pages}
            made = module_pages.pages_of(name, module, self.record_paths, self.layout)
            self.pages.extend(page for page in made if page.path not in taken)
            self.actions.extend(module_pages.actions_of(name, module))
        return self

    @model_validator(mode="after")
    def _fits_together(self) -> SiteSchema:
        problems = [*self._name_problems(), *self._sign_in_problems(), *self._effect_problems()]
        problems += more_problems(self.more, self.panels, self.lists)
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

    def _module_problems(self) -> Iterator[str]:
        for name, module in self.modules.items():
            if name in self.collections:
                yield f'modules: "{name}" is the name of a collection'
            self.collections[name] = module
            yield from (f"modules {name}: {problem}" for problem in module.problems(name, self.modules))
        if self.people and self.people.module not in self.modules:
            yield f'people: unknown module "{self.people.module}"{nearest(self.people.module, self.modules)}'

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
        entries: list[tuple[str, SitePage | FormAction]] = [("GET", page) for page in self.pages] + [
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

    def _effect_problems(self) -> list[str]:
        problems = list(self.mail.problems(self.settings)) if self.mail else []
        for effect in self.effects:
            problems += effect.problems(self.settings, self.collections, self.hosts)
        return problems + list(self.tokens.problems(self.collections) if self.tokens else ())

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
        for name in ("unless", "only_listed_when"):
            found = condition_problems(self.settings, getattr(action, name))
            problems += [f"{name}: {problem}" for problem in found]
        known = [f"{name}.{field}" for name, each in self.collections.items() for field in each.fields or {}]
        for name in ("unless_listed", "only_listed"):
            unknown = [place for place in getattr(action, name) if place not in known]
            problems += [
                f'{name}: "{place}" is not a field of a collection{nearest(place, known)}'
                for place in unknown
            ]
        if (
            action.toggle
            and self.settings.get(action.toggle, None)
            and self.settings[action.toggle].type != "bool"
        ):
            problems.append(f'toggle: "{action.toggle}" is not a bool setting')
        if not action.redirect.startswith(("/", "https://")) and action.redirect not in ("", "back"):
            problems.append("redirect: must be a path, an https:// address or back")
        for each in action.record:
            problems += module_pages.change_problems(each, self.modules)
        changes: list[AddAction | RemoveAction | Update] = [*action.adds, *action.removes, *action.updates]
        for change in changes:
            problems += self._change_problems(change)
        if isinstance(action.login, SignIn) and not action.login.client and not self.has_sign_in:
            problems.append("login: the site has no session_cookie")
        return problems

    def _change_problems(self, change: AddAction | RemoveAction | Update) -> list[str]:
        if change.collection == SESSIONS and self.has_sign_in:
            return [] if isinstance(change, RemoveAction) else ["sessions: only remove; login: {} adds one"]
        if change.collection not in self.collections:
            return [f'unknown collection "{change.collection}"{nearest(change.collection, self.collections)}']
        fields = self.collections[change.collection].fields
        if fields is None:
            return []
        names = [*(name for part in ("fields", "values", "where") for name in getattr(change, part, {}))]
        return [
            f'unknown field "{name}"{nearest(name, fields)}' for name in names if name not in (*fields, "id")
        ]


def check_foreign(sessions: list[Row]) -> None:
    """Raise ValueError if a row has the field ``current``: rows describe sessions of other browsers only."""
    if any(CURRENT in row for row in sessions):
        raise ValueError(f"sessions: leave out {CURRENT}; signing in creates this browser's own session")


def _with_session_fields(collections: Row) -> Any:
    """Return the declared collection of sessions with the fields that every site's sessions have."""
    given = collections.get(SESSIONS, {})
    fields = (given.get("fields") or {}) if isinstance(given, dict) else None
    if not isinstance(fields, dict):
        return given  # Collection rejects it.
    if CURRENT in fields:
        raise ValueError(f'collections: sessions already have the field "{CURRENT}"')
    if given.get("artefact"):
        raise ValueError("collections: sessions are not artifacts; ending one is a sign-out")
    items = given.get("items")
    check_foreign([row for row in items if isinstance(row, dict)] if isinstance(items, list) else [])
    return {**given, "fields": {**_SESSION_FIELDS, **fields, CURRENT: {"type": "bool", "default": False}}}


def _within(host: str, domain: str) -> bool:
    return host == domain or host.endswith("." + domain)
