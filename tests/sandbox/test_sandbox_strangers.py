"""Only a site's own signed-in pages can change its state; for each request a control shows that it works."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.fuzz_support import CATALOG, KEYS, headers_of, send, signed_in, tokens_of
from tests.sample import long_table
from websp_gym.sandbox.schema.dependencies import all_hold
from websp_gym.sandbox.schema.fields import (
    AmountField,
    DateField,
    FieldType,
    MomentField,
    RecordField,
    RecordsField,
)
from websp_gym.sandbox.schema.settings import BoolSetting, ChoiceSetting, IntSetting, MultiSetting, Setting
from websp_gym.sandbox.schema.site import SESSIONS, SiteSchema
from websp_gym.sandbox.schema.site_schema import FormAction, RecordChange, SignIn
from websp_gym.sandbox.server.app import SiteApp
from websp_gym.sandbox.server.episode import EpisodeState
from websp_gym.sandbox.server.records import Records
from websp_gym.sandbox.server.store import Store

FORM = "application/x-www-form-urlencoded"
FOREIGN = (
    "https://evil.example",
    "null",
    "https://{host}.evil.example",
    "http://127.0.0.1:1",
    "https://evil.example:443",
)
HUB = "huggingface.co"
OWN = "alexrivers/cancer-classification2"
BY_HAND = (
    (HUB, "POST", f"/datasets/{OWN}/edit/main/README.md", FORM, b"content=new&target=main", False),
    (HUB, "POST", f"/datasets/{OWN}/settings/move", FORM, b"owner=alexrivers&name=moved", False),
    (HUB, "POST", f"/datasets/{OWN}/settings/delete", FORM, f"confirm={OWN}".encode(), False),
    (HUB, "POST", "/new", FORM, b"name=made-here&owner=alexrivers", False),
    (HUB, "PUT", f"/api/datasets/{OWN}/settings", "application/json", b'{"private": true}', True),
    (HUB, "POST", f"/api/datasets/{OWN}/commit/main", "application/x-ndjson", b'{"key": "file", "value": {"path": "README.md", "content": "new"}}', True),
    (HUB, "POST", "/api/repos/create", "application/json", b'{"name": "made-here"}', True),
    (HUB, "DELETE", "/api/repos/delete", "application/json", f'{{"type": "dataset", "name": "{OWN.split("/")[1]}"}}'.encode(), True),
    ("api.github.com", "PATCH", "/repos/alexrivers/dotfiles", "application/json", b'{"description": "changed"}', True),
    ("hub.docker.com", "POST", "/v2/repositories/", "application/json", b'{"name": "made-here"}', True),
    ("hub.docker.com", "DELETE", "/v2/repositories/alexrivers/teapot/", "application/json", b"", True),
)  # fmt: skip
"""Routes of ``behaviour.py``: host, method, path, type and body, and whether an access token authorises it."""


def another(setting: Setting | FieldType | None, now: Any) -> Any:
    """A value of a setting that it does not have now."""
    if isinstance(setting, BoolSetting):
        return "off" if now else "on"
    if isinstance(setting, ChoiceSetting):
        return next(choice for choice in setting.choices if choice != now)
    if isinstance(setting, MultiSetting):
        return next((choice for choice in setting.choices if [choice] != now), "")
    if isinstance(setting, IntSetting):
        return str(setting.minimum if setting.minimum not in (None, now) else int(now or 0) + 1)
    return "another"


def prepare(site: SiteSchema, episode: EpisodeState) -> None:
    """Add an item to each collection that an action takes one from and that is empty."""
    for action in site.actions:
        for remove in action.removes:
            kinds = site.collections[remove.collection].fields or {}
            if remove.collection != SESSIONS and not episode.rows(site, remove.collection):
                row = {name: another(kind, None).replace("another", "kept") for name, kind in kinds.items()}
                episode.add(site, remove.collection, row, form=True)


def fields_of(site: SiteSchema, episode: EpisodeState, action: FormAction) -> dict[str, str]:
    """The fields of a request that an action should carry out."""
    now, items = episode.settings(site), episode.items(site)
    fields = {field: another(site.settings[key], now[key]) for key, field in action.set.items()}
    for add in action.adds:
        kinds = site.collections[add.collection].fields or {}
        fields |= {field: another(kinds.get(name), None) for name, field in add.fields.items()}
    for name, where in (
        *((remove.collection, remove.where) for remove in action.removes),
        *((update.collection, update.where) for update in action.updates),
    ):
        rows = [row for row in items[name] if not row.get("current")]
        if rows:
            fields |= {field: str(rows[0].get(key, "")) for key, field in where.items()}
    for update in action.updates:
        kinds = site.collections[update.collection].fields or {}
        row = items[update.collection][0] if items[update.collection] else {}
        fields |= {field: another(kinds.get(name), row.get(name)) for name, field in update.fields.items()}
    records = Records(episode, site)
    for change in action.record:
        fields = record_fields(site, records, change) | fields
    return fields


def record_fields(site: SiteSchema, records: Records, change: RecordChange) -> dict[str, str]:
    """The fields of a request that should change a record, one that the account may change if there is one."""
    module = site.modules[change.module]
    rows = [row for row in records.all(change.module) if all_hold({**change.needs, **change.having}, row)]
    row = next((each for each in rows if records.may("delete", change.module, each)), rows[0] if rows else {})
    place = module.typed.get(module.within)
    texts = {name: ";".join(value) if isinstance(value, list) else str(value) for name, value in row.items()}
    texts["record"] = records.title(change.module, row)
    fields = {form: texts.get(key, "") for key, form in change.where.items() if "{" not in form}
    if isinstance(place, RecordField):
        fields |= {
            place.of.removesuffix("s"): texts.get(module.within, ""),
            module.within: texts.get(module.within, ""),
        }
    fields.setdefault("id", texts.get("id", ""))
    for key, form in (change.fields or {name: module.form_name(name) for name in module.in_forms}).items():
        kind = module.typed[key]
        if isinstance(kind, RecordField | RecordsField):
            fields[form] = next((each["id"] for each in records.all(kind.of)), "")
        elif isinstance(kind, DateField | MomentField):
            fields[form] = "2031-05-06"
        elif isinstance(kind, AmountField):
            fields[form] = "7"
        else:
            fields[form] = another(kind, row.get(key))
    return {name: value for name, value in fields.items() if value}


def state(episode: EpisodeState) -> Any:
    """The stored state, without the log."""
    return json.loads(episode.state_json(events=False))


async def tried(
    app: SiteApp, store: Store, host: str, request: tuple[str, str, str, bytes], token: bool, **changed: str
) -> bool:
    """Sends a request from an account of its own, and returns whether it changed anything."""
    site = CATALOG.by_host(host)
    assert site is not None
    episode = signed_in(store)
    prepare(site, episode)
    before = state(episode)
    method, path, kind, body = request
    for way in tokens_of(site, episode) if token else [""]:
        headers = headers_of(host, episode) | {"content-type": kind}
        if token:
            headers = {name: value for name, value in headers.items() if name != "cookie"} | {
                "authorization": way
            }
        await send(app, method, path, "", headers | changed, body)
    moved = bool(state(episode) != before)
    await store.close(episode)
    return moved


def requests_of(
    site: SiteSchema, store: Store
) -> Iterator[tuple[FormAction, str, tuple[str, str, str, bytes]]]:
    """Every action of a site that changes something, with a request that should do so."""
    episode = signed_in(store)
    prepare(site, episode)
    for action in site.actions:
        if action.method == "GET" or isinstance(action.login, SignIn):
            continue
        fields = fields_of(site, episode, action)
        names = re.findall(r"{(\w+)", action.path)
        path = re.sub(r"{[^}]*}", "{}", action.path).format(
            *(quote(fields.get(name, "x"), safe="") for name in names)
        )
        yield action, (action.hosts or site.hosts)[0], (action.method, path, FORM, urlencode(fields).encode())


async def strangers(site: SiteSchema, store: Store) -> tuple[int, list[str], list[str]]:
    """Returns the number of tried actions, those that a stranger could carry out, and those that failed for everybody."""
    app, wrong, idle, count = SiteApp(store, KEYS), [], [], 0
    for action, host, request in requests_of(site, store):
        count += 1
        if not await tried(app, store, host, request, False):
            idle.append(action.path)
            continue
        for origin in FOREIGN if count == 1 else [FOREIGN[count % len(FOREIGN)]]:
            if await tried(app, store, host, request, False, origin=origin.format(host=host)):
                wrong.append(f"{action.path} from {origin}")
        if action.needs_login and await tried(app, store, host, request, False, cookie=""):
            wrong.append(f"{action.path} without a session")
    return count, wrong, idle


IDLE = 0.5
"""Most of a site's actions that may be without a control: they need another state than that of a fresh account."""


ROOMS = ("websp_gym/sandbox/", "tests/sandbox/")
"""A change of these tries every site."""


@pytest.mark.parametrize("slug", long_table([site.slug for site in CATALOG if site.actions], *ROOMS))
def test_no_stranger_carries_out_an_action(slug: str) -> None:
    count, wrong, idle = asyncio.run(strangers(CATALOG[slug], Store(CATALOG)))
    assert wrong == []
    assert len(idle) <= max(2, IDLE * count), idle


@pytest.mark.parametrize("request_", BY_HAND, ids=lambda each: f"{each[1]} {each[2]}")
def test_no_stranger_uses_the_routes_of_a_behaviour(request_: tuple[str, str, str, str, bytes, bool]) -> None:
    host, method, path, kind, body, token = request_

    async def play() -> list[bool]:
        store = Store(CATALOG)
        app, request = SiteApp(store, KEYS), (method, path, kind, body)
        control = await tried(app, store, host, request, token)
        ways = [{"origin": origin.format(host=host)} for origin in FOREIGN]
        ways.append({"authorization": "Bearer nothing"} if token else {"cookie": ""})
        return [control, *[await tried(app, store, host, request, token, **way) for way in ways]]

    assert asyncio.run(play()) == [True] + [False] * (len(FOREIGN) + 1)
