"""A small site with an API: repositories that may be private, access tokens, mail, and messages of strangers."""

from __future__ import annotations

from pathlib import Path

from tests.sandbox_support import write_site

FORGE = """
name: Forge
hosts: [forge.example, api.forge.example]
session_cookie: forge
login_page: /login
account: password
settings:
  mail.news: {type: bool, default: true, label: "News & offers"}
  mail.digest: {type: choice, choices: [daily, never], default: daily, label: Digest}
  profile.private: {type: bool, default: false}
  chat.open: {type: bool, default: true}
collections:
  sessions: {fields: {ip: {type: text}}}
  tokens:
    artefact: true
    fields:
      note: {type: text}
      scopes: {type: multi, choices: [repo, read], default: []}
      days: {type: choice, choices: ["7", "30", none], default: "30"}
      created: {type: text}
    items:
      - {id: setup, note: state reset, scopes: [repo], days: none, created: "2025-01-05"}
      - {id: old, note: expired, scopes: [repo], days: "7", created: "2025-01-05"}
  repositories:
    key: name
    fields: {name: {type: text}, private: {type: bool, default: true}}
    items: [{name: anvil}, {name: bellows, private: false}]
  blocked: {key: name, fields: {name: {type: text}}, items: [{name: mallory}]}
  inbox: {fields: {sender: {type: text}}}
tokens:
  prefix: frg_
  days: days
  includes: {repo: [read]}
  uses:
    - {scopes: [read], url: https://api.forge.example/repositories}
    - {scopes: [repo], method: PATCH, url: https://api.forge.example/repositories/anvil, body: {private: true}}
mail: {sender: Forge, kinds: ["mail.*"]}
effects:
  - effect: strangers do not find a private repository
    collection: repositories
    where: {private: true}
    otherwise: {private: false}
    url: https://forge.example/{account[username]}/{name}
    status: 404
  - effect: strangers cannot write
    settings: {chat.open: false}
    otherwise: {chat.open: true}
    method: POST
    url: https://forge.example/messages
    form: {from: trudy}
    status: 403
  - effect: the profile says nothing to strangers
    settings: {profile.private: true}
    otherwise: {profile.private: false}
    url: https://forge.example/profile
    lacks: Alex
pages:
  - {path: /, template: home.html, hosts: [forge.example]}
  - {path: /login, template: home.html}
  - {path: /profile, template: profile.html}
  - {path: "/people/{who}", template: tokens.html}
  - {path: /tokens, template: tokens.html, login: true, hosts: [forge.example]}
  - {path: "/{owner}/{name}", template: repository.html, hosts: [forge.example]}
actions:
  - {path: /login/do, login: {username: user, password: password}, redirect: /tokens}
  - {path: /sessions/end, login: true, remove: {collection: sessions, where: {id: id}}}
  - path: /tokens
    login: true
    add: {collection: tokens, fields: {note: note, scopes: scopes, days: days}}
    redirect: /tokens
    flash: true
  - {path: "/tokens/{id}/delete", login: true, remove: {collection: tokens, where: {id: id}}, redirect: /tokens, flash: true}
  - {path: /flip, login: true, toggle: chat.open, redirect: "/people/{who}", flash: true}
  - path: /messages
    add: {collection: inbox, fields: {sender: from}}
    unless: {chat.open: false}
    unless_listed: {blocked.name: from}
"""

BEHAVIOUR = """
from starlette.responses import JSONResponse
from starlette.routing import Route

from websp_gym.sandbox.server.request_fields import RefusedError, read_json


async def all_of(request):
    request.authorize("read")
    return JSONResponse(request.episode.items("repositories"))


async def change(request):
    request.authorize("repo")
    body = read_json(request.content)
    if not request.episode.update("repositories", where={"name": request.path_params["name"]}, **body):
        raise RefusedError(404, "Not Found")
    return JSONResponse({})


def routes(site):
    return [Route("/repositories", all_of), Route("/repositories/{name}", change, methods=["PATCH"])]
"""

PAGE = "<html><body>{}</body></html>"

TEMPLATES = {
    "home.html": PAGE.format("Forge"),
    "profile.html": PAGE.format("{{ '' if settings['profile.private'] and not account else 'Alex' }}"),
    "tokens.html": PAGE.format("{{ flash }} <b>{{ new_token or 'no token' }}</b>"),
    "repository.html": "{% set found = items.repositories|selectattr('name', 'equalto', params.name)|list %}"
    "{% set _ = (found and (account or not found[0].private)) or not_found() %}"
    + PAGE.format("{{ params.name }}"),
}


def write_forge(folder: Path, *, yaml: str = FORGE, behaviour: str = BEHAVIOUR) -> Path:
    """Writes the site into ``folder/forge`` and returns ``folder``."""
    write_site(folder / "forge", yaml, TEMPLATES, behaviour)
    return folder
