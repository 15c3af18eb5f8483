"""A route for one of a site's hosts, for ``behaviour.py``: an API has its own host."""

from __future__ import annotations

from typing import Any

from starlette.routing import Match, Route
from starlette.types import Scope


class HostRoute(Route):
    """A route that matches requests to one host only.

    Args:
        host: The host.
        path: The path.
        endpoint: The handler.
        **options: As for Starlette's ``Route``.
    """

    def __init__(self, host: str, path: str, endpoint: Any, **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        self.host = host

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match as other routes do, if the request is for the host."""
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1").partition(":")[0].lower()
        return super().matches(scope) if host.removesuffix(".") == self.host else (Match.NONE, {})
