"""Social permissions: blocked words are typed as one text, and kept as items, so that their order does not matter.

They decide which mentions and comments of other people are accepted.
"""

from __future__ import annotations

import re

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from websp_gym.sandbox.schema.dependencies import is_disabled
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.request_fields import RefusedError, read_fields, read_json
from websp_gym.sandbox.server.sessions import SiteEpisode
from websp_gym.sandbox.server.site_request import SiteRequest

PATH = "/settings/permissions/"
WORDS = {"comments.words_own": "blocked_words", "comments.words_others": "blocked_words_others"}
"""The setting with what was typed, and the collection with its words."""


def routes(site: SiteSchema) -> list[Route]:
    """Return the route that saves the social permissions, and those at which others mention and comment."""
    known = {action.path: action.set for action in site.actions}[PATH]

    async def save(request: SiteRequest) -> Response:
        episode = request.episode
        if episode.session is None:
            raise request.episode.sign_in_first
        sent = read_json(request.content)
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

    followed = {setting.label for key, setting in site.settings.items() if key.startswith("following.")}

    async def mention(request: SiteRequest) -> Response:
        episode = request.episode
        who, (sender, text) = episode.get("mentions.who"), await _received(request)
        if who != "everyone" and not (who == "followees" and sender in followed):
            raise RefusedError(403, "this account cannot be mentioned")
        episode.add("received", kind="mention", sender=sender, text=text)
        return JSONResponse({"success": 1})

    async def comment(request: SiteRequest) -> Response:
        episode = request.episode
        sender, text = await _received(request)
        if not episode.get("comments.allowed"):
            raise RefusedError(403, "this account takes no comments")
        words = episode.items(WORDS["comments.words_own"]) if episode.get("comments.filter_own") else []
        shown = not any(_has(text, row["text"]) for row in words)
        episode.add("received", kind="comment", sender=sender, text=text, shown=shown)
        return JSONResponse({"success": 1, "shown": shown})

    return [
        Route(PATH, save, methods=["POST"]),
        Route("/api/v1/mentions", mention, methods=["POST"]),
        Route("/api/v1/comments", comment, methods=["POST"]),
    ]


async def _received(request: SiteRequest) -> tuple[str, str]:
    """Return who sends something to the account, and its text."""
    fields = await read_fields(request)
    sender = fields.text("from")
    if not sender:
        raise RefusedError(400, "the field from is missing")
    if sender in [row["name"] for row in request.episode.items("blocked_accounts")]:
        raise RefusedError(403, "this account has blocked you")
    return sender, fields.text("text")


def _has(text: str, word: str) -> bool:
    """Return whether a text has a word or phrase, however it is written."""
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", " ".join(text.lower().split())))


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
