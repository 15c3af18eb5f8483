"""The request that the endpoints of a site's ``behaviour.py`` receive."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from websp_gym.sandbox.schema.module_pages import ROUTED

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import Receive, Scope

    from websp_gym.sandbox.schema.catalog import Catalog
    from websp_gym.sandbox.schema.site_schema import FormAction, Row

    from .episode import EpisodeState
    from .sessions import SiteEpisode


class SiteRequest(Request):
    """Starlette's request, with its episode and the server's functions for sites.

    Attributes:
        content: The body as it was sent; ``read_fields`` and ``read_json`` parse it.
        host: The host that was asked, in lower case and without a port.
        device: The browser's own description if it is not the episode's browser; else None.
        sites: The sites of the sandbox.
        episode: State of the site in this episode, as the visitor sees it. ``scope["episode"]`` is the same, for a
            route that matches in some states only.
        action: The declared action that the request was taken for; None for a page or a route of the site's own.
    """

    host: str
    sites: Catalog
    episode: SiteEpisode
    _episode_state: EpisodeState
    _render: Callable[..., Response]
    _authorize: Callable[..., Row]

    def __init__(self, scope: Scope, receive: Receive, content: bytes) -> None:
        super().__init__(scope, receive)
        self.content = content
        self.device: Any = None
        self.action: FormAction | None = None

    @property
    def place(self) -> dict[str, str]:
        """Path, query and fragment of the page that the request shows: the start page loads some by its fragment."""
        path, query = self.url.path, self.url.query
        if path.startswith(ROUTED):
            route = path.removeprefix(ROUTED.rstrip("/")) + (f"?{query}" if query else "")
            return {"path": "/", "fragment": route}
        return {"path": path, **({"query": query} if query else {})}

    def render(self, template: str, /, status: int = 200, fragment: bool = False, **context: Any) -> Response:
        """Return the page of a template.

        Args:
            template: A file in the site's ``templates/``, or ``kit/…`` for a template of the kit.
            status: The HTTP status.
            fragment: Whether this is a part of a page, which gets no note that it is a replica.
            **context: More variables of the template.
        """
        return self._render(template, status=status, fragment=fragment, **context)

    def authorize(self, *scopes: str) -> Row:
        """Return the token in the header ``Authorization``.

        Args:
            *scopes: The token must have one of these.

        Raises:
            RefusedError: There is none, it was revoked or has expired, or it has none of the scopes.
        """
        return self._authorize(*scopes)
