"""Template rendering: the sites' Jinja2 environments, template variables, and the replica's footer note."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import jinja2
from starlette.responses import HTMLResponse, Response

from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.sandbox.schema.addresses import AddressPattern
from websp_gym.sandbox.schema.catalog import Catalog
from websp_gym.sandbox.schema.site import SESSION_ENDED, SiteSchema
from websp_gym.sandbox.schema.site_schema import Row, SitePage

from . import panel_view, records, scenery
from .episode import EpisodeState
from .search import find
from .sessions import Keyring, SiteEpisode
from .site_request import SiteRequest

KIT = Path(__file__).parents[1] / "kit"
FOOTER_MARK = "data-websp-replica"
NO_STORE = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


class RenderError(Exception):
    """Error for a template that raised a ValueError."""


class NotFoundError(Exception):
    """Raised by a template that calls ``not_found()``: there is nothing at this address for this visitor."""


class PageResponse(HTMLResponse):
    """An HTML response from the renderer, which needs no further footer note."""


class Renderer:
    """A renderer for the templates of all sites, which caches compiled templates.

    Args:
        catalog: The sites.
        keys: The source of the account's saved passwords.
        reload: Whether to reload changed templates on every request (for template authors).
    """

    def __init__(self, catalog: Catalog, keys: Keyring, *, reload: bool = False) -> None:
        self._catalog = catalog
        self._keys = keys
        self._reload = reload
        self._kit_loader = jinja2.FileSystemLoader(KIT / "templates")
        self._environments: dict[str, jinja2.Environment] = {}

    def environment(self, site: SiteSchema | None) -> jinja2.Environment:
        """Return the Jinja2 environment of a site, created on first use (None: for pages that belong to no site)."""
        slug = site.slug if site else ""
        if slug not in self._environments:
            self._environments[slug] = self._new_environment(site)
        return self._environments[slug]

    def page(self, request: SiteRequest, site: SiteSchema, page: SitePage, *, status: int = 200) -> Response:
        """Render the template of a page entry."""
        saved = {"saved_login": self._saved_login(site)} if page.password else {}
        html = self._html(request, site, page.template, {**page.context, "page": page, **saved})
        return PageResponse(html if page.fragment else self.with_footer(html, site), status, NO_STORE)

    def template(
        self,
        request: SiteRequest,
        site: SiteSchema,
        template: str,
        /,
        status: int = 200,
        fragment: bool = False,
        **context: Any,
    ) -> Response:
        """Render any template of a site. Handlers call it as ``request.render(template, ...)``.

        Args:
            request: The request.
            site: The site of the request.
            template: A file in the site's ``templates/``, or ``kit/...`` for a template of the kit.
            status: The HTTP status.
            fragment: Whether this is a part of a page, which gets no footer note.
            **context: Additional template variables.

        Returns:
            The HTML response.
        """
        entry = SitePage(path="/", template=template, title=str(context.get("title", "")))
        html = self._html(request, site, template, {"page": entry, **context})
        return PageResponse(html if fragment else self.with_footer(html, site), status, NO_STORE)

    def plain(self, template: str, status: int, **context: Any) -> Response:
        """Render a page of the kit that belongs to no site."""
        html = self.environment(None).get_template(f"kit/{template}").render(context)
        return PageResponse(html, status, NO_STORE)

    def with_footer(self, html: str, site: SiteSchema) -> str:
        """Return the page with the replica note, added before ``</body>`` if the layout has none."""
        if FOOTER_MARK in html:
            return html
        note = self.environment(site).get_template("kit/footer.html").render(site=site)
        head, end, tail = html.rpartition("</body>")
        return f"{head}{note}{end}{tail}" if end else html + note

    def with_decision(self, html: str, site: SiteSchema, decision: dict[str, Any]) -> str:
        """Return a page with the question that covers it until it is decided."""
        asked = self.environment(site).get_template("kit/decision.html").render(site=site, decision=decision)
        head, end, tail = html.rpartition("</body>")
        return f"{head}{asked}{end}{tail}" if end else html + asked

    def _html(self, request: SiteRequest, site: SiteSchema, template: str, context: dict[str, Any]) -> str:
        variables = self._variables(request, site) | context
        try:
            return self.environment(site).get_template(template).render(variables)
        except ValueError as error:
            # The app answers a ValueError with "bad request", but this one is an error in the template.
            raise RenderError(f"{template}: {error}") from error

    def _variables(self, request: SiteRequest, site: SiteSchema) -> dict[str, Any]:
        episode: SiteEpisode = request.episode
        flash = episode.take_flash(request.url.path) if request.method == "GET" else None
        return {
            "site": site,
            "account": episode.account,
            "session_ended": SESSION_ENDED if episode.session_ended else "",
            "settings": episode.settings,
            "items": _Items(request._episode_state, site),
            "sessions": episode.sessions,
            "menus": site.menus,
            "consent": site.consent.shown(episode.settings) if site.consent else None,
            "params": request.path_params,
            "query": dict(request.query_params),
            "queries": {name: request.query_params.getlist(name) for name in request.query_params},
            "record": request.path_params.get("id", ""),
            "flash": flash is not None,
            "new_token": self._keys.access_token(site, flash) if flash else None,
            "path": request.url.path,
            "host": request.host,
            "saved_login": self._saved_login(site) if request.url.path == site.login_page else None,
            "data": site.data,
            "planted": partial(_planted, request, site),
            "planted_here": partial(_planted_here, request, site),
            **records.helpers(request._episode_state, site),
            "find_pages": partial(find, sites=[site], signed_in=episode.account is not None, every=True),
        }

    def _saved_login(self, site: SiteSchema) -> dict[str, str] | None:
        if site.account != "password":
            return None
        return {
            "username": ACCOUNT["email"],
            "password": self._keys.password(self._catalog.session_owner(site)),
        }

    def _new_environment(self, site: SiteSchema | None) -> jinja2.Environment:
        kit = jinja2.PrefixLoader({"kit": self._kit_loader})
        own = [jinja2.FileSystemLoader(site.folder / "templates")] if site else []
        environment = jinja2.Environment(
            loader=jinja2.ChoiceLoader([*own, kit]),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            auto_reload=self._reload,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals.update(panel_view.helpers(site), **scenery.helpers(site))
        environment.globals.update(
            static=lambda name: f"/_site/{name}",
            kit=lambda name: f"/_kit/{name}",
            url=lambda slug: f"https://{self._catalog[slug].hosts[0]}",
            not_found=_not_found,
        )
        return environment


class _Items(Mapping[str, list[Row]]):
    """The items of each collection, read when a template asks for them."""

    def __init__(self, episode: EpisodeState, site: SiteSchema) -> None:
        self._episode = episode
        self._site = site
        self._known: dict[str, list[Row]] = {}

    def __getitem__(self, name: str) -> list[Row]:
        if name not in self._site.collections:
            raise KeyError(name)
        if name not in self._known:
            self._known[name] = self._episode.rows(self._site, name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._site.collections)

    def __len__(self) -> int:
        return len(self._site.collections)


def _not_found() -> None:
    raise NotFoundError


def _planted_here(request: SiteRequest, site: SiteSchema) -> list[str]:
    """Return the texts at the places whose page, by its address, is the one that is shown."""
    staged = request._episode_state.staged
    here = [
        place
        for place in (staged.places if staged else ())
        if place in site.planted and AddressPattern(site.planted[place]).fits(request.host, **request.place)
    ]
    return [text for place in here for text in _planted(request, site, place)]


def _planted(request: SiteRequest, site: SiteSchema, place: str) -> list[str]:
    """Return the texts of other people that a policy set puts at a place of the page; usually none."""
    episode = request._episode_state
    texts = episode.staged.texts(place) if episode.staged else []
    for text in texts:
        episode.log(site, "planted", place=place, text=text)
    return texts
