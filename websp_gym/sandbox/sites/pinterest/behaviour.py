"""Social permissions: blocked words are typed as one text, and kept as items, so that their order does not matter."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from websp_gym.sandbox.dependencies import is_disabled
from websp_gym.sandbox.request_fields import RefusedError, read_json
from websp_gym.sandbox.sessions import SiteEpisode
from websp_gym.sandbox.site import SiteSchema

PATH = "/settings/permissions/"
WORDS = {"comments.words_own": "blocked_words", "comments.words_others": "blocked_words_others"}
"""The setting with what was typed, and the collection with its words."""


def routes(site: SiteSchema) -> list[Route]:
    """Return the route that saves the social permissions."""
    known = {action.path: action.set for action in site.actions}[PATH]

    async def save(request: Request) -> Response:
        episode = request.state.episode
        if episode.session is None:
            raise RefusedError(401, "sign in first")
        sent = read_json(request.state.body)
        values = {key: site.settings[key].parse(sent[field]) for key, field in known.items() if field in sent}
        if not values:
            raise RefusedError(400, f"none of the fields {', '.join(known.values())} was sent")
        for key in WORDS.keys() & values.keys():
            values[key] = ", ".join(split(str(values[key])))
        after = {**episode.settings, **values}
        for key, value in values.items():
            if value != episode.get(key) and is_disabled(site.settings[key], after):
                raise RefusedError(409, f'"{site.settings[key].label}" cannot be changed now')
        with episode.transaction():
            for key, value in values.items():
                episode.set(key, value)
            for key in WORDS.keys() & values.keys():
                _keep(episode, WORDS[key], split(str(values[key])))
        return JSONResponse({"success": 1})

    return [Route(PATH, save, methods=["POST"])]


def split(text: str) -> list[str]:
    """Return the words and phrases of a text, each once: they are separated by commas, semicolons or line breaks."""
    words = (" ".join(part.lower().split()) for part in re.split(r"[,;\n]", text))
    return list(dict.fromkeys(filter(None, words)))


def _keep(episode: SiteEpisode, collection: str, words: list[str]) -> None:
    for word in {row["text"] for row in episode.items(collection)} - {*words}:
        episode.remove(collection, text=word)
    for word in words:
        if word not in [row["text"] for row in episode.items(collection)]:
            episode.add(collection, text=word)
