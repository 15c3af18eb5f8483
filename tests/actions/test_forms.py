"""Every form of every site, filled in: whatever is typed, the site answers, and an episode keeps its verdict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz_support import CATALOG
from tests.sample import long_table
from tests.sandbox_support import write_site
from websp_gym.authoring.files import tasks_of
from websp_gym.authoring.forms import PageForm, fill_forms, forms_of
from websp_gym.sandbox.client import Sandbox
from websp_gym.sandbox.schema.catalog import Catalog
from websp_gym.tasks.instances import signed_in_site

SITE = """
name: Forms
hosts: [forms.example]
search: false
collections: {notes: {fields: {text: {type: text}}}}
pages: [{path: /, template: home.html}, {path: /found, template: found.html}]
"""
HOME = """<html><body><form action="/found"><input type="search" name="q"></form>
<form method="post" action="/parse"><textarea name="text"></textarea><input type="hidden" name="kind" value="note">
<button>Save</button></form></body></html>"""
FOUND = """<html><body>{% for row in data.shelf if query.get("q", "") in row.title %}<p>{{ row.title }}: {{ row.colour }}</p>
{% endfor %}</body></html>"""
SHELF = "- {title: a red book, colour: red}\n- {title: a book without}\n"
PARSE = """
import json
from starlette.responses import JSONResponse
from starlette.routing import Route


async def parse(request):
    depth = int(json.dumps((await request.form())["text"]).count("["))
    return JSONResponse({"depth": 100 // (depth < 100)})


def routes(site):
    return [Route("/parse", parse, methods=["POST"])]
"""


ROOMS = (
    *(f"websp_gym/{room}/" for room in ("actions", "authoring", "browser", "observation", "sandbox")), "tests/actions/"
)  # fmt: skip
"""A change of these fills in the forms of some more sites."""


@pytest.mark.parametrize("slug", long_table(CATALOG.slugs, *ROOMS, every=7, most=2))
def test_every_form_of_a_site_is_answered_whatever_is_typed(slug: str) -> None:
    instances, _ = tasks_of(slug)
    owner = CATALOG[slug].has_sign_in
    signed_in = signed_in_site(instances).signed_in if instances else (slug,) * owner
    (finding,) = fill_forms(CATALOG, slug, signed_in=signed_in)
    assert finding.outcome == "ok", finding.detail


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Catalog]:
    """A site whose search and whose parser break on some texts."""
    write_site(tmp_path / "forms", SITE, {"home.html": HOME, "found.html": FOUND}, PARSE)
    (tmp_path / "forms" / "data").mkdir()
    (tmp_path / "forms" / "data" / "shelf.yaml").write_text(SHELF)
    sandbox = Sandbox.start(sites=[tmp_path], only=True)
    with sandbox.as_shared():
        yield Catalog([tmp_path])
    sandbox.close()


def test_a_search_and_a_parser_that_break_are_named(site: Catalog) -> None:
    (finding,) = fill_forms(site, "forms", signed_in=())
    assert finding.outcome == "failed"
    assert "GET https://forms.example/found with 'a' answers 500; UndefinedError" in finding.detail
    assert "POST https://forms.example/parse with '[[[[" in finding.detail
    assert "answers 500; ZeroDivisionError" in finding.detail


def test_the_forms_of_a_page_are_read_with_what_they_hold() -> None:
    html = """<input name="lost"><form><input name="q" value="old"><input type="checkbox" name="on" checked>
    <input type="checkbox" name="off"><input type="hidden" name="id" value="7"><button name="go">Go</button></form>
    <form method="POST" action="../save"><textarea name="text"></textarea><select name="who"></select></form>"""
    assert forms_of("https://x.example/a/b", html) == [
        PageForm("GET", "https://x.example/a/b", {"q": "old", "on": "on", "id": "7"}, ["q"]),
        PageForm("POST", "https://x.example/save", {"text": "", "who": ""}, ["text"]),
    ]
