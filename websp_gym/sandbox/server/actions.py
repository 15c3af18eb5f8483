"""Executing the ``actions`` of a site: change settings, items and sessions, then reply."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from starlette.responses import JSONResponse, RedirectResponse, Response

from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.sandbox.schema.catalog import Catalog
from websp_gym.sandbox.schema.dependencies import all_hold, is_disabled, with_implied
from websp_gym.sandbox.schema.settings import Value, split_words
from websp_gym.sandbox.schema.site import SESSIONS, SiteSchema
from websp_gym.sandbox.schema.site_schema import TOKENS, AddAction, FormAction, Row, SignIn
from websp_gym.sandbox.schema.split_text import split_collection

from .episode import EpisodeState
from .pages import NO_STORE
from .record_changes import Done, RecordChanges
from .record_checks import InvalidError
from .request_fields import RefusedError, RequestFields, read_fields
from .sessions import Keyring, give_cookie, open_session
from .site_request import SiteRequest
from .tokens import today

_PARAMETER = re.compile(r"{([\w.]+)}")
MAX_ADDED = 100
"""The maximum number of items that one request may add."""


class Actions:
    """The executor of the actions in ``site.yaml``."""

    def __init__(self, catalog: Catalog, keys: Keyring) -> None:
        self._catalog = catalog
        self._keys = keys

    async def act(
        self, request: SiteRequest, episode: EpisodeState, site: SiteSchema, action: FormAction
    ) -> Response:
        """Execute an action completely and reply. Raise ValueError, with nothing changed, for a wrong field."""
        session: str | None = request.episode.session
        if action.needs_login and session is None:
            # A script cannot follow to a sign-in page of another host, nor show it.
            if action.redirect and "x-requested-with" not in request.headers:
                return to_login(request, site, back=True)
            raise request.episode.sign_in_first
        fields = await read_fields(request)
        if action.password and fields.text(action.password) != self._password(site):
            raise InvalidError({action.password: "The password is wrong."})
        try:
            with episode.transaction():
                episode.log(site, "submit", path=request.url.path, fields=sorted(fields.values))
                token = _change(episode, site, action, fields)
                done = RecordChanges(episode, site, fields).carry_out(action.record)
                if site.tokens and any(each.module == TOKENS for each in action.record):
                    token = str(done.row.get("id", ""))
                if action.logout:
                    _sign_out(episode, self._catalog.session_owner(site), action.logout, session)
                if action.flash:
                    episode.flash(site, session, unquote(urlsplit(_address(action, fields)).path), token)
                if isinstance(action.login, SignIn):
                    return self._sign_in(request, episode, site, action, action.login, fields)
        except RefusedError as refused:
            if refused.status == 401 and fields.is_form and site.login_page.startswith("/"):
                query = urlencode(
                    {"error": "1", "redir": safe_redirect(self._catalog, site, fields.text("redir"), "")}
                )
                return _see_other(f"{site.login_page}?{query}")
            raise
        response = self._reply(request, site, action, fields, done)
        if action.logout in (True, "all"):
            give_cookie(response, self._catalog.session_owner(site), "")
        return response

    def callback(self, request: SiteRequest, episode: EpisodeState, site: SiteSchema) -> Response:
        """Sign in with the one-time code of a hand-over, and redirect to where the hand-over began."""
        with episode.transaction():
            redir = episode.use_code(site, request.query_params.get("code", ""))
            if redir is None:
                raise RefusedError(400, "this sign-in code is invalid or has been used")
            return self._signed_in(request, episode, site, _see_other(redir), by="handover")

    def _sign_in(
        self,
        request: SiteRequest,
        episode: EpisodeState,
        site: SiteSchema,
        action: FormAction,
        spec: SignIn,
        fields: RequestFields,
    ) -> Response:
        if spec.password:
            self._check_password(site, spec, fields)
        target = self._catalog[fields.text(spec.client)] if spec.client else site
        wanted = fields.text("redir")
        if target is site:
            redir = safe_redirect(self._catalog, site, wanted, action.redirect or "/")
            response = _see_other(redir) if fields.is_form else _success({"success": 1, "redirect": redir})
            way = "password" if spec.password else "chooser"
            return self._signed_in(request, episode, site, response, by=way)
        if not target.login_callback:
            raise RefusedError(400, f"{target.slug} accepts no hand-over (it has no login_callback)")
        if site.has_sign_in and request.episode.session is None:
            raise request.episode.sign_in_first
        code = episode.new_code(target, safe_redirect(self._catalog, target, wanted, "/"))
        return _see_other(f"https://{target.hosts[0]}{target.login_callback}?code={code}")

    def _signed_in(
        self, request: SiteRequest, episode: EpisodeState, site: SiteSchema, response: Response, *, by: str
    ) -> Response:
        owner = self._catalog.session_owner(site)
        session = open_session(episode, site, by=by, device=request.device)
        give_cookie(response, owner, self._keys.token(owner, session))
        return response

    def _check_password(self, site: SiteSchema, spec: SignIn, fields: RequestFields) -> None:
        who = fields.text(spec.username) if spec.username else ACCOUNT["email"]
        if who not in (ACCOUNT["email"], ACCOUNT["username"]) or fields.text(spec.password) != self._password(
            site
        ):
            raise RefusedError(401, "wrong user name or password")

    def _password(self, site: SiteSchema) -> str:
        return self._keys.password(self._catalog.session_owner(site))

    def _reply(
        self, request: SiteRequest, site: SiteSchema, action: FormAction, fields: RequestFields, done: Done
    ) -> Response:
        if action.record:
            link = _address(action, fields, done) or done.link
            if "x-requested-with" in request.headers or not link:
                reply = {"success": 1, "redirect": link, "said": done.said, "id": done.row.get("id", "")}
                return JSONResponse(reply, headers=NO_STORE)
            return _see_other(link)
        if action.redirect == "back":
            return _see_other(_referer(request, site))
        if action.redirect:
            return _see_other(_address(action, fields))
        return _success({"success": 1})


def _address(action: FormAction, fields: RequestFields, done: Done | None = None) -> str:
    """Return the address of an action's redirect, filled in with fields of the form and of the changed records."""
    done = done or Done()

    def value(found: re.Match[str]) -> str:
        module, dot, key = found[1].partition(".")
        if dot:
            text = str(done.changed[module][key])
        else:
            text = fields.text(module) if module in fields.values else str(done.row.get(module, ""))
        return quote(text, safe="/" if action.record else "")

    return _PARAMETER.sub(value, action.redirect)


def to_login(request: SiteRequest, site: SiteSchema, *, back: bool = False) -> Response:
    """Redirect a signed-out visitor to the login page, which redirects back to this request afterwards.

    With ``back`` (for a request with a body), it redirects to the page that the request came from.
    """
    query = f"?{request.url.query}" if request.url.query else ""
    here = _referer(request, site) if back else request.url.path + query
    if here.startswith("/") and not site.login_page.startswith("/"):
        here = f"https://{request.host}{here}"
    joint = "&" if "?" in site.login_page else "?"
    return RedirectResponse(f"{site.login_page}{joint}{urlencode({'redir': here})}", 302, NO_STORE)


def safe_redirect(catalog: Catalog, site: SiteSchema, wanted: str, otherwise: str) -> str:
    """Return ``wanted`` if a sign-in may redirect there (a path, or a page on a sandbox host), else ``otherwise``."""
    parts = urlsplit(wanted)
    if parts.scheme == "https" and catalog.by_host(parts.netloc):
        return wanted
    own_path = wanted.startswith("/") and not wanted.startswith(("//", "/\\"))
    return wanted if own_path else otherwise


def _change(episode: EpisodeState, site: SiteSchema, action: FormAction, fields: RequestFields) -> str:
    """Change the state, and return the id of the access token that was created, or ``""``."""
    token = ""
    _check_allowed(episode, site, action, fields)
    _set_settings(episode, site, action, fields)
    for add in action.adds:
        added = _add(episode, site, add, fields)
        if site.tokens and add.collection == TOKENS:
            token = added[-1]["id"]
    for remove in action.removes:
        wanted = {name: fields.text(field) for name, field in remove.where.items()}
        found = episode.rows(site, remove.collection, wanted)
        if remove.keep:
            kept = episode.rows(site, remove.collection, remove.keep)
            found = [row for row in found if row not in kept]
        if not episode.discard(site, remove.collection, found) and not remove.all:
            raise RefusedError(404, f"no such item in {remove.collection}")
    for update in action.updates:
        wanted = {name: fields.text(field) for name, field in update.where.items()}
        sent = {name: fields.values[field] for name, field in update.fields.items() if field in fields.values}
        if not episode.update(site, update.collection, wanted, {**update.values, **sent}, form=True):
            raise RefusedError(404, f"no such item in {update.collection}")
    if action.destructive:
        episode.log(site, "destructive", **action.destructive.model_dump())
    return token


def _check_allowed(
    episode: EpisodeState, site: SiteSchema, action: FormAction, fields: RequestFields
) -> None:
    """Raise RefusedError if settings or listed items keep the request from being allowed."""
    for field in (*action.unless_listed.values(), *action.only_listed.values()):
        if not fields.text(field):
            raise RefusedError(400, f"the field {field} is missing")
    values = episode.settings(site)
    if action.unless and all_hold(action.unless, values):
        raise RefusedError(403, "this account does not allow that")
    is_blocked = any(_is_listed(episode, site, fields, each) for each in action.unless_listed.items())
    if not is_blocked and all_hold(action.only_listed_when, values):
        is_blocked = not all(_is_listed(episode, site, fields, each) for each in action.only_listed.items())
    if is_blocked:
        raise RefusedError(403, "this account does not allow you that")


def _is_listed(
    episode: EpisodeState, site: SiteSchema, fields: RequestFields, entry: tuple[str, str]
) -> bool:
    """Return whether an item of the collection has the value of the form field."""
    place, field = entry
    collection, _, name = place.partition(".")
    known = site.collections[collection].fields or {}
    return bool(episode.rows(site, collection, {name: known[name].parse(fields.text(field))}))


def values_sent(
    episode: EpisodeState, site: SiteSchema, action: FormAction, fields: RequestFields
) -> dict[str, Value]:
    """Return the settings that a request changes, with those that follow. Raise RefusedError for wrong values."""
    before = episode.settings(site)
    return with_implied(site.settings, before, _asked(before, site, action, fields))


def _asked(
    before: dict[str, Value], site: SiteSchema, action: FormAction, fields: RequestFields
) -> dict[str, Value]:
    sent = _sent_values(site, action, fields)
    if action.set and not sent and not (action.checkboxes and fields.is_form):
        raise RefusedError(400, f"none of the fields {', '.join(action.set.values())} was sent")
    sent |= action.values
    if action.toggle:
        sent[action.toggle] = not before[action.toggle]
    if action.checkboxes and fields.is_form:
        sent |= _unticked(site, action, fields, before | sent)
    return sent


def _set_settings(episode: EpisodeState, site: SiteSchema, action: FormAction, fields: RequestFields) -> None:
    before = episode.settings(site)
    sent = _asked(before, site, action, fields)
    changes = with_implied(site.settings, before, sent)
    after = before | changes
    for key, value in sent.items():
        if value != before[key] and is_disabled(site.settings[key], after):
            others = ", ".join(
                site.settings[other].label or other for other in site.settings[key].disabled_when
            )
            raise RefusedError(409, f'"{site.settings[key].label or key}" depends on {others}')
    for key, value in changes.items():
        episode.put(site, key, value)
        if collection := split_collection(site.settings[key]):
            _keep_words(episode, site, collection, str(value))


def _keep_words(episode: EpisodeState, site: SiteSchema, collection: str, text: str) -> None:
    """Make the words of a text the items of a collection; an item whose word stays is left as it is."""
    spec = site.collections[collection]
    key, fields = str(spec.key), spec.fields or {}
    words = dict.fromkeys(str(fields[key].parse(word)) for word in split_words(text))
    rows = episode.rows(site, collection)
    present = [row[key] for row in rows]
    episode.discard(site, collection, [row for row in rows if row[key] not in words])
    _add_rows(episode, site, collection, [{key: word} for word in words if word not in present])


def _sent_values(site: SiteSchema, action: FormAction, fields: RequestFields) -> dict[str, Value]:
    sent: dict[str, Value] = {}
    for key, field in action.set.items():
        if field in fields.values:
            try:
                sent[key] = site.settings[key].parse(fields.values[field])
            except ValueError as error:
                raise RefusedError(400, f"{field}: {error}") from None
    return sent


def _unticked(
    site: SiteSchema, action: FormAction, fields: RequestFields, after: Mapping[str, Value]
) -> dict[str, Value]:
    """Return the values of the boxes that a form did not send: unticked ones, not disabled ones."""
    empty: dict[str, Value] = {"bool": False, "multi": []}
    kinds = {key: site.settings[key].type for key, field in action.set.items() if field not in fields.values}
    unticked: dict[str, Value] = {}
    for _ in kinds:
        # A box that is unticked itself may free others.
        found = {
            key: empty[kind]
            for key, kind in kinds.items()
            if kind in empty and not is_disabled(site.settings[key], {**after, **unticked})
        }
        if found == unticked:
            break
        unticked = found
    return unticked


def _add(episode: EpisodeState, site: SiteSchema, spec: AddAction, fields: RequestFields) -> list[Row]:
    row = {name: fields.values[field] for name, field in spec.fields.items() if field in fields.values}
    missing = [field for field in spec.fields.values() if field not in fields.values]
    known = site.collections[spec.collection].fields
    if missing and (known is None or spec.split):
        raise RefusedError(400, f"the field {missing[0]} is missing")
    if site.tokens and spec.collection == TOKENS:
        row["created"] = today()
    rows = [row]
    if spec.split:
        name = next(iter(spec.fields))
        words: Iterable[Any] = filter(None, map(str.strip, str(row[name]).split(spec.split)))
        if known is not None:
            # Parsed as they will be stored, so that two spellings of a word become one item.
            words = map(known[name].parse, words)
        # What is there already is not added again; the other parts are.
        present = {row.get(name) for row in episode.rows(site, spec.collection)}
        rows = [{**row, name: word} for word in dict.fromkeys(words) if word not in present]
    return _add_rows(episode, site, spec.collection, [{**spec.values, **each} for each in rows])


def _add_rows(episode: EpisodeState, site: SiteSchema, collection: str, rows: list[Row]) -> list[Row]:
    if len(rows) > MAX_ADDED:
        raise RefusedError(413, f"{collection}: more than {MAX_ADDED} items at once")
    most = site.collections[collection].most
    if most is not None and len(episode.rows(site, collection)) + len(rows) > most:
        raise RefusedError(409, f"{collection}: more than {most} items")
    return episode.add_all(site, collection, rows, form=True)


def _sign_out(episode: EpisodeState, owner: SiteSchema, which: bool | str, session: str | None) -> None:
    rows = episode.rows(owner, SESSIONS)
    episode.discard(
        owner,
        SESSIONS,
        [row for row in rows if which == "all" or (which == "others") != (row["id"] == session)],
    )


def _referer(request: SiteRequest, site: SiteSchema) -> str:
    parts = urlsplit(request.headers.get("referer", ""))
    if parts.hostname not in site.hosts:
        return "/"
    return f"https://{parts.hostname}{parts.path}" + (f"?{parts.query}" if parts.query else "")


def _see_other(address: str) -> Response:
    return RedirectResponse(address, 303, NO_STORE)


def _success(data: Any) -> Response:
    return JSONResponse(data, headers=NO_STORE)


def _refusal(status: int, reason: str) -> Response:
    return JSONResponse({"error": reason}, status, NO_STORE)
