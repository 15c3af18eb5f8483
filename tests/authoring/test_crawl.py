"""Walking through a site: one page of each template in the browser, the others by HTTP."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.check_support import SITE, write_checked
from websp_gym.authoring import SearchPaths
from websp_gym.authoring.crawl import crawl
from websp_gym.authoring.files import read_catalog
from websp_gym.browser.owner import call
from websp_gym.sandbox.schema.catalog import Catalog

TWINS = """  - {{path: /twin, template: more.html}}
actions:"""


def found(catalog: Catalog, every: bool) -> dict[str, str]:
    """What a walk finds, by the name of the check."""
    walked = crawl(catalog, "twins", start_url="https://www.twins.example/", signed_in=(), every=every)
    return {finding.check: finding.detail for finding in walked}


def test_pages_like_another_are_asked_for_and_their_links_followed(tmp_path: Path) -> None:
    more = '<a href="/nothing-here">Gone</a><script>console.error(location.pathname)</script>'
    write_checked(tmp_path, "Twins", more=more, site=SITE.replace("actions:", TWINS))
    places = SearchPaths.below(tmp_path)
    with places.known(), places.served():
        catalog, _ = read_catalog()
        assert catalog is not None
        said = {}
        for every in (True, False):
            said[every] = call(partial(found, catalog, every))
    assert ("/more" in said[True]["console"], "/twin" in said[True]["console"]) == (True, True)
    assert ("/more" in said[False]["console"], "/twin" in said[False]["console"]) == (True, False)
    assert said[True]["pages"] == "4 looked at, 4 in the browser"
    assert said[False]["pages"] == "4 looked at, 3 in the browser"
    assert "leads to https://www.twins.example/nothing-here, which answers 404" in said[False]["links"]
