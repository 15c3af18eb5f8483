"""The choices of fields that refer to records."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from websp_gym.sandbox.schema.site import SiteSchema

from .pages import NO_STORE
from .records import Records
from .request_fields import RefusedError
from .site_request import SiteRequest


async def options(request: SiteRequest, *, site: SiteSchema) -> Response:
    """Answer ``GET /_records/MODULE?q=TEXT``: what a field may refer to, as ``id``, ``title``, ``note``."""
    if request.episode.account is None:
        raise request.episode.sign_in_first
    records = Records(request._episode_state, site)
    name = request.path_params["module"]
    try:
        module = records.module(name)
    except ValueError as error:
        raise RefusedError(404, str(error)) from None
    noted = module.table.columns[1:2] if module.table else module.search[:1]
    found = [
        {
            "id": row["id"],
            "title": records.title(name, row),
            "note": ", ".join(filter(None, (records.text(name, each, row) for each in noted))),
        }
        for row in records.options(name, request.query_params.get("q", ""))
    ]
    return JSONResponse({"records": found}, headers=NO_STORE)
