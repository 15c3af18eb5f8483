"""The state of one episode: an in-memory SQLite database of the differences from a fresh account."""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any

from websp_gym.sandbox.schema.catalog import Catalog
from websp_gym.sandbox.schema.company import merged
from websp_gym.sandbox.schema.did_you_mean import nearest
from websp_gym.sandbox.schema.settings import Value
from websp_gym.sandbox.schema.site import CURRENT, SESSIONS, SiteSchema, check_foreign
from websp_gym.sandbox.schema.site_schema import Row

from .request_fields import RefusedError
from .staged import Staged
from .turns import RequestTurn

KINDS = frozenset(
    {
        "visit", "set", "add", "remove", "login", "logout", "destructive", "setup", "egress", "submit", "error",
        "consent", "tracker", "planted", "fault", "asked", "decided", "sent",
    }
)  # fmt: skip
"""The kinds of events. ``error``: a page or an action of the replica failed (its fault, not the agent's);
``tracker``: a page reported the visit to a third party; ``planted``: a page showed a text of a policy set; ``fault``:
a request met a fault that a policy set declares; ``asked``: a page asked for the decision of an everyday task;
``decided``: the visitor decided; ``sent``: the site took a form that a policy set watches."""

_LOOKING = frozenset({"visit", "tracker", "egress", "error", "planted", "fault", "asked"})
"""The kinds of events that only viewing a page can cause."""

MAX_ITEMS = 1_000
"""The maximum number of items in a collection, so that reading a state stays fast whatever an agent adds."""

MAX_EVENTS = 10_000
MAX_LOG = 4_000_000
"""The maximum number of events in the log, and of characters in them: a record has all of them, and its
readers take a bounded one only (``websp_gym/files.py``). A request of a page beyond it is refused."""

# Small database pages keep a serialised episode, which is mostly empty tables, at a few kilobytes.
SCHEMA = """
PRAGMA page_size = 512;
CREATE TABLE settings (site TEXT, key TEXT, value TEXT, PRIMARY KEY (site, key)) WITHOUT ROWID;
CREATE TABLE items (number INTEGER PRIMARY KEY, site TEXT, collection TEXT, id TEXT, data TEXT,
                    UNIQUE (site, collection, id));
CREATE TABLE codes (code TEXT PRIMARY KEY, site TEXT, redir TEXT) WITHOUT ROWID;
CREATE TABLE flashes (site TEXT, session TEXT, path TEXT, token TEXT,
                      PRIMARY KEY (site, session, path)) WITHOUT ROWID;
CREATE TABLE events (seq INTEGER PRIMARY KEY, time REAL, site TEXT, kind TEXT, data TEXT, request INTEGER);
"""


class EpisodeState:
    """The state of all sites for one browser context.

    Args:
        catalog: The sites.
        blank: A serialised database with empty tables.
        lease: The lease of the user process that owns the episode ("" for none).
    """

    def __init__(self, catalog: Catalog, blank: bytes, lease: str = "") -> None:
        self.id = secrets.token_urlsafe(24)
        self.catalog = catalog
        self.lease = lease
        self.turn = RequestTurn()
        self._request = 0
        self.staged: Staged | None = None
        """What a policy set adds to the episode; None without policies."""
        self.requests: list[Row] | None = None
        """The requests that could change state; None while requests are not kept."""
        # Worker threads take turns: two never use it at once.
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._db.deserialize(blank)
        self._db.execute(f"PRAGMA user_version = {date.today().toordinal()}")
        self.day = date.today()
        """The day on which it takes place, kept with the state: dates of shared records are relative to it."""

    def close(self) -> None:
        """Discard the state."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Undo every change made inside the ``with`` block if it raises. It may be nested. Do not wait inside it."""
        inner = self._db.in_transaction
        begin, undo, end = (
            ("SAVEPOINT inner", "ROLLBACK TO inner", "RELEASE inner")
            if inner
            else ("BEGIN", "ROLLBACK", "COMMIT")
        )
        if not inner:
            self._request = self.last_seq() + 1
        self._execute(begin)
        try:
            yield
            self.turn.check()
        except BaseException:
            self._db.execute(undo)
            if end == "RELEASE inner":
                self._db.execute(end)
            raise
        self._db.execute(end)

    def undo_unfinished(self) -> None:
        """Undo the changes of a transaction whose request did not finish."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def _execute(self, query: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        # Anything that a request makes a handler repeat comes through here, so this is where time is limited.
        self.turn.check()
        return self._db.execute(query, values)

    def log(self, site: SiteSchema | None, kind: str, /, **data: Any) -> None:
        """Append an event. Raise ValueError if ``kind`` is not one of ``KINDS``."""
        if kind not in KINDS:
            raise ValueError(f'unknown event kind "{kind}"{nearest(kind, KINDS)}')
        request = self._request if self._db.in_transaction else None  # by itself, an event is its own
        row = (round(time.time(), 3), site.slug if site else "", kind, json.dumps(data), request)
        self._execute("INSERT INTO events (time, site, kind, data, request) VALUES (?, ?, ?, ?, ?)", row)

    def check_budget(self) -> None:
        """Raise RefusedError if the log is too long. Call it within the transaction of a request."""
        number, size = self._execute("SELECT count(*), total(length(data)) FROM events").fetchone()
        if number > MAX_EVENTS or size > MAX_LOG:
            raise RefusedError(
                429, "this browser has sent too much: no further requests are carried out in this episode"
            )

    def now(self) -> str:
        """Return the moment, on the day of the episode."""
        return f"{self.day} {time.strftime('%H:%M')}"

    def settings(self, site: SiteSchema) -> dict[str, Value]:
        """Return the value of every declared setting of a site, including defaults."""
        stored = self._execute("SELECT key, value FROM settings WHERE site = ?", (site.slug,))
        changed = {key: json.loads(value) for key, value in stored}
        return {key: changed.get(key, setting.default) for key, setting in site.settings.items()}

    def put(self, site: SiteSchema, key: str, value: object, *, kind: str = "set") -> bool:
        """Set a setting, log the change, and return whether the value changed; if not, nothing is logged.

        Raise ValueError for an unknown setting or a wrong value.
        """
        new = site.check_value(key, value)
        old = self.settings(site)[key]
        if new == old:
            return False
        if new == site.settings[key].default:
            self._execute("DELETE FROM settings WHERE site = ? AND key = ?", (site.slug, key))
        else:
            self._execute(
                "INSERT OR REPLACE INTO settings VALUES (?, ?, ?)", (site.slug, key, json.dumps(new))
            )
        self.log(site, kind, key=key, old=old, new=new)
        return True

    def items(self, site: SiteSchema) -> dict[str, list[Row]]:
        """Return the items of every collection of a site, including its sessions."""
        return {name: list(self.items_of(site, name).values()) for name in site.collections}

    def items_of(self, site: SiteSchema, collection: str) -> dict[str, Row]:
        """Return the items of a collection by id. They may belong to all episodes: never change one.

        Raise ValueError for an unknown collection.
        """
        if collection not in site.collections:
            raise ValueError(f'unknown collection "{collection}"{nearest(collection, site.collections)}')
        home = self._home(site, collection)
        spec = home.collections[collection]
        if spec.shared is not None:
            found = dict(spec.shared.on(self.day))
        else:
            found = {row["id"]: spec.complete(row) for row in spec.rows()}
        for item, data in self._stored(home, collection):
            if data is None:
                found.pop(item, None)
            else:
                found[item] = json.loads(data)
        return found

    def _stored(self, site: SiteSchema, collection: str) -> sqlite3.Cursor:
        query = "SELECT id, data FROM items WHERE site = ? AND collection = ? ORDER BY number"
        return self._execute(query, (site.slug, collection))

    def rows(self, site: SiteSchema, collection: str, where: Row | None = None) -> list[Row]:
        """Return the items of a collection whose fields all equal ``where``, compared as text.

        Raise ValueError for an unknown collection.
        """
        every = self.items_of(site, collection).values()
        wanted = {name: str(value) for name, value in (where or {}).items()}
        return [
            row for row in every if all(str(row.get(name, "")) == value for name, value in wanted.items())
        ]

    def add(
        self, site: SiteSchema, collection: str, row: Row, *, form: bool = False, kind: str = "add"
    ) -> Row:
        """Add an item, log it, and return it with its ``id``. Raise ValueError like ``add_all()``."""
        return self.add_all(site, collection, [row], form=form, kind=kind)[0]

    def add_all(
        self, site: SiteSchema, collection: str, rows: Sequence[Row], *, form: bool = False, kind: str = "add"
    ) -> list[Row]:
        """Add items, log each, and return them with their ``id``. Atomic only inside a transaction.

        Raise ValueError for an unknown collection or field, a wrong value, a duplicate key, or a full collection.
        """
        existing = self.rows(site, collection)
        spec = site.collections[collection]
        most = MAX_ITEMS + (len(spec.shared.on(self.day)) if spec.shared is not None else 0)
        if len(existing) + len(rows) > most:
            raise ValueError(f"{collection}: more than {MAX_ITEMS} items")
        keys = {_hashable(row.get(spec.key)) for row in existing} if spec.key is not None else set()
        ids = self.used_ids(site, collection)
        items = []
        for row in rows:
            item = spec.complete(row, form=form)
            if spec.key is not None:
                key = _hashable(item.get(spec.key))
                if key in keys:
                    raise ValueError(f'{collection}: "{item.get(spec.key)}" already exists')
                keys.add(key)
            item["id"] = str(item["id"]) if "id" in item else _new_id(ids)
            ids.add(item["id"])
            self.write(site, collection, item["id"], item)
            if collection != SESSIONS:
                self.log(site, kind, collection=collection, item=item)
            items.append(item)
        return items

    def remove(self, site: SiteSchema, collection: str, where: Row) -> int:
        """Remove the matching items, log each, and return their number."""
        return self.discard(site, collection, self.rows(site, collection, where))

    def discard(self, site: SiteSchema, collection: str, items: Sequence[Row]) -> int:
        """Remove items that were read from a collection, log each, and return their number."""
        for item in items:
            self.write(site, collection, item["id"], None)
            if collection == SESSIONS:
                self.log(site, "logout", session=item)
            else:
                artefact = site.collections[collection].artefact
                self.log(site, "remove", collection=collection, item=item, artefact=artefact)
        return len(items)

    def update(
        self, site: SiteSchema, collection: str, where: Row, fields: Row, *, form: bool = False
    ) -> int:
        """Change fields of the matching items and return how many matched. Log one ``set`` event per changed field.

        Raise ValueError for an unknown collection or field, or a wrong value.
        """
        found = self.rows(site, collection, where)
        checked = site.collections[collection].complete(fields, form=form)
        for item in found:
            changed = {name: checked[name] for name in fields if item.get(name) != checked[name]}
            if changed:
                self.write(site, collection, item["id"], item | changed)
            for name, new in changed.items():
                key = f"{collection}[{item['id']}].{name}"
                self.log(
                    site, "set", key=key, collection=collection, id=item["id"], old=item.get(name), new=new
                )
        return len(found)

    def replace(self, site: SiteSchema, collection: str, rows: list[Row]) -> None:
        """Replace the items of a collection with ``rows`` (initial state), except the browser's own session.

        Where records are shared by all episodes, the rows are added to them, or change those with their ``id``.


        Raise ValueError for an unknown collection or field, or a wrong value.
        """
        if collection == SESSIONS:
            check_foreign(rows)
        spec = site.collections[collection]
        if spec.shared is not None:
            for name, item in merged(self.items_of(site, collection), rows).items():
                self.write(site, collection, name, spec.complete(item))
        else:
            for item in self.rows(site, collection):
                if collection != SESSIONS or not item[CURRENT]:
                    self.write(site, collection, item["id"], None)
            self.add_all(site, collection, rows, kind="setup")
        self.log(site, "setup", collection=collection, count=len(rows))

    def new_code(self, site: SiteSchema, redir: str) -> str:
        """Return a one-time code that signs a browser in on ``site`` and then redirects to ``redir``."""
        code = secrets.token_urlsafe(24)
        self._execute("INSERT INTO codes VALUES (?, ?, ?)", (code, site.slug, redir))
        return code

    def use_code(self, site: SiteSchema, code: str) -> str | None:
        """Use up a one-time code and return its redirect, or None if the code is not valid for ``site``."""
        query = "DELETE FROM codes WHERE code = ? AND site = ? RETURNING redir"
        row = self._execute(query, (code, site.slug)).fetchall()
        return str(row[0][0]) if row else None

    def flash(self, site: SiteSchema, session: str | None, path: str, token: str = "") -> None:
        """Make the next visit to the page at ``path`` show that the action was done, and the token it created."""
        self._execute(
            "INSERT OR REPLACE INTO flashes VALUES (?, ?, ?, ?)", (site.slug, session or "", path, token)
        )

    def take_flash(self, site: SiteSchema, session: str | None, path: str) -> str | None:
        """Return the id of the token that the page at ``path`` should show, or ``""`` where an action was done.

        This is true only once; afterwards, and without an action, it is None.
        """
        query = "DELETE FROM flashes WHERE site = ? AND session = ? AND path = ? RETURNING token"
        row = self._execute(query, (site.slug, session or "", path)).fetchall()
        return str(row[0][0]) if row else None

    def events(self) -> list[Row]:
        """Return the event log. ``request`` is the number of the first event of the same request."""
        stored = self._execute(
            "SELECT seq, coalesce(request, seq), time, site, kind, data FROM events ORDER BY seq"
        )
        return [
            {
                "seq": seq,
                "request": request,
                "time": when,
                "site": site,
                "kind": kind,
                "data": json.loads(data),
            }
            for seq, request, when, site, kind, data in stored
        ]

    def keep_request(self, sent: Row, status: int, since: int) -> None:
        """Keep a request that could change state, not a mere page view. Do nothing if requests are not kept."""
        kinds = [event["kind"] for event in self.events() if event["seq"] > since]
        if self.requests is not None and (sent["method"] not in ("GET", "HEAD") or set(kinds) - _LOOKING):
            self.requests.append({**sent, "status": status, "since": since, "kinds": kinds})

    def last_seq(self) -> int:
        """Return the number of the last event (0 if there is none)."""
        return int(self._execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0])

    def state_json(self, *, events: bool = True) -> str:
        """Return the whole state as JSON. The text of unchanged sites is created only once per server."""
        touched = {
            slug for (slug,) in self._execute("SELECT site FROM settings UNION SELECT site FROM items")
        }
        parts = []
        for site in self.catalog:
            own = site.slug in touched or site.session_of in touched
            text = json.dumps(self._site_state(site)) if own else self.catalog.default_json[site.slug]
            parts.append(f"{json.dumps(site.slug)}: {text}")
        log = f', "events": {json.dumps(self.events())}' if events else ""
        return f'{{"day": "{self.day}", "sites": {{{", ".join(parts)}}}{log}}}'

    def dump(self) -> bytes:
        """Return the database as bytes."""
        return self._db.serialize()

    def load(self, dump: bytes) -> None:
        """Replace the database with a dumped one, and log a ``setup`` event."""
        self._db.deserialize(dump)
        self.day = date.fromordinal(self._db.execute("PRAGMA user_version").fetchone()[0])
        self.log(None, "setup", restored=True)

    def _site_state(self, site: SiteSchema) -> Row:
        return {
            "settings": self.settings(site),
            "collections": {name: self._kept(site, name) for name in site.collections},
        }

    def _kept(self, site: SiteSchema, collection: str) -> list[Row] | Row:
        """Return the items of a collection; where all episodes share its records, only the differences from them."""
        shared = site.collections[collection].shared
        if shared is None:
            return list(self.items_of(site, collection).values())
        known = shared.on(self.day)
        now = {item: json.loads(data) if data else None for item, data in self._stored(site, collection)}
        rows = {item: row for item, row in now.items() if row != known.get(item)}
        return {"company": shared.digest, "rows": rows}

    def write(self, site: SiteSchema, collection: str, item: str, data: Row | None) -> None:
        """Store an item (None: mark it as removed) without checking or logging."""
        # A removed item stays as a row without data, so that its id is never reused.
        self._execute(
            "INSERT INTO items (site, collection, id, data) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (site, collection, id) DO UPDATE SET data = excluded.data",
            (self._home(site, collection).slug, collection, item, None if data is None else json.dumps(data)),
        )

    def used_ids(self, site: SiteSchema, collection: str) -> set[str]:
        """Return every id that has been used in a collection, including those of removed items."""
        home = self._home(site, collection)
        spec = home.collections[collection]
        first = spec.shared.on(self.day) if spec.shared is not None else [row["id"] for row in spec.rows()]
        return {item for item, _ in self._stored(home, collection)}.union(first)

    def _home(self, site: SiteSchema, collection: str) -> SiteSchema:
        """Return the site that stores a collection; sessions are stored by the site that owns the sign-in."""
        return self.catalog.session_owner(site) if collection == SESSIONS else site


def _hashable(value: object) -> object:
    return json.dumps(value) if isinstance(value, list | dict) else value


def _new_id(taken: set[str]) -> str:
    return next(str(n) for n in range(len(taken) + 1, 2 * len(taken) + 2) if str(n) not in taken)
