"""The responses of a site with a fault that a set of policies declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response

from .pages import NO_STORE

if TYPE_CHECKING:
    from websp_gym.sandbox.schema.site import SiteSchema

    from .pages import Renderer
    from .site_request import SiteRequest

_ANSWERS = {
    "maintenance": (503, "Down for maintenance", "This is being worked on and cannot be used at the moment."),
    "fails": (500, "Something went wrong", "What you sent was not saved."),
    "missing": (422, "Something is missing", "Something that is required was missing, so nothing was saved."),
}
"""Status, heading and text of each kind of fault."""


def fault_answer(request: SiteRequest, site: SiteSchema, kind: str, renderer: Renderer) -> Response:
    """Return the response to a request that meets a fault: a page, or JSON for a script."""
    status, title, text = _ANSWERS[kind]
    routed = "fragment" in request.place
    if not routed and (
        "x-requested-with" in request.headers or "json" in request.headers.get("content-type", "")
    ):
        return JSONResponse({"error": text, "message": text, "title": title}, status, NO_STORE)
    if routed:
        return renderer.template(
            request, site, "kit/records/message.html", status=status, fragment=True, title=title, text=text
        )
    template = "kit/scenery/fault.html" if site.layout else "kit/fault.html"
    return renderer.template(request, site, template, status=status, title=title, text=text)
