"""Visible, operable nodes of the browser's accessibility tree have a mark that agrees with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tests.actions_support import Hands, hands, sites
from tests.controls_corpus import CONSENT, CONTROLS, Structure
from tests.kept_tab import KeptTab, borrowed_tab
from tests.sample import long_proof, long_table
from tests.tree_support import complaints
from websp_gym.browser.settle import settle
from websp_gym.observation.marks import Marks, collect_marks
from websp_gym.sandbox.client import EPISODE_HEADER, Sandbox
from websp_gym.sandbox.schema.catalog import BUILTIN
from websp_gym.sandbox.schema.site_files import load_site

__all__ = ["hands", "sites"]

ROOMS = (
    "extension/",
    "websp_gym/observation/",
    "websp_gym/sandbox/",
    "tests/observation/",
    "tests/tree_support",
)
"""A change of these visits some more sites."""
PARTS = 4
"""Into which the structures are divided, so that a failure does not hide all others."""
STRUCTURES = {structure.name: structure for structure in (*CONTROLS, *CONSENT)}

UNKNOWN = {
    "an image map": "an area has no layout of its own, so the browser gives it no box",
    "a box of a pseudo-element": "the label has no size, and its pseudo-element is no node of the tree",
    "a slider with a hidden range": "the input is clipped to nothing; what is seen is drawn beside it",
    "a document that is edited": "the tree says it of the text in the body only",
}
"""Structures that the tree does not show to be operable, and why: only their own marks are compared."""


def show(hands: Hands, structure: Structure) -> Marks:
    """Shows a structure and returns its marks."""
    other = hands.other.put("/inner", "<!doctype html><button style='margin: 20px'>Inner</button>")
    page = hands.show(structure.html.replace("{other}", other))
    if structure.begin:
        page.evaluate(f"() => {{ {structure.begin} }}")
        hands.look()
    return hands.marks


@pytest.mark.parametrize("part", long_proof(range(PARTS), [0, 3]))
def test_a_structure_has_the_marks_that_the_browser_knows_of(hands: Hands, part: int) -> None:
    for name in [*STRUCTURES][part::PARTS]:
        marks = show(hands, STRUCTURES[name])
        assert (name, *(mark.name for mark in marks)) == (name, *STRUCTURES[name].names)
        assert (name, complaints(hands.page, marks)) == (name, [])
        # The comparison finds what is wrong.
        if marks and name not in UNKNOWN:
            assert complaints(hands.page, without(marks, len(marks) - 1)) != [], f"{name}: a mark is missing"


SITES = sorted(folder.name for folder in BUILTIN.iterdir() if (folder / "site.yaml").is_file())
SAMPLE = 3


def pages(slug: str) -> list[str]:
    """The start page of a site, and further ones with an address of their own, the same in every run."""
    site = load_site(BUILTIN / slug)
    found = [
        f"https://{(page.hosts or site.hosts)[0]}{page.path}"
        for page in site.pages
        if page.template and "{" not in page.path and not page.fragment and "/oauth" not in page.path
    ]
    found += [f"https://{site.hosts[0]}{panel.path}" for panel in site.panels if "{" not in panel.path]
    others = found[1:]
    return [*found[:1], *Random(slug).sample(others, min(SAMPLE - 1, len(others)))]


@pytest.fixture(scope="module")
def tab(browser_thread: None) -> Iterator[KeptTab]:
    """A tab for all sites."""
    with borrowed_tab(args=tuple(Sandbox.shared().browser_args()), with_tabs=True) as tab:
        yield tab


@pytest.mark.parametrize("slug", long_table(SITES, *ROOMS, every=7, most=2))
def test_the_pages_of_a_site_have_the_marks_that_the_browser_knows_of(tab: KeptTab, slug: str) -> None:
    site = load_site(BUILTIN / slug)
    signed_in = [slug] if site.session_cookie or site.session_of else []
    with closing(Sandbox.shared().open_episode(slug, signed_in=signed_in)) as episode:
        tab.context.clear_cookies()
        tab.join({EPISODE_HEADER: episode.id}, episode.cookies)
        for address in pages(slug):
            tab.page.goto(address)
            settle(tab.tabs)
            marks = collect_marks(tab.page)
            assert (address, complaints(tab.page, marks)) == (address, [])
            assert (address, equal_lines(marks)) == (address, [])


def equal_lines(marks: Marks) -> list[str]:
    """The lines of one role and name that do not say which row they are in."""
    times = Counter((mark.role, mark.name or mark.text) for mark in marks)
    return [mark.line() for mark in marks if times[mark.role, mark.name or mark.text] > 1 and not mark.row]


# ------------------------------------------------------------------------------------- the comparison finds what is wrong


def without(marks: Marks, number: int) -> Marks:
    """The same marks but one."""
    return Marks(tuple(mark for mark in marks if mark.number != number), marks.frames)


CHANGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("<input type=checkbox aria-label=Ads checked>", {"checked": False}),
    ("<input type=checkbox aria-label=Ads>", {"checked": True}),
    ("<button aria-pressed=true>Mute</button>", {"checked": False}),
    ("<button>Save</button>", {"disabled": True}),
    ("<button disabled>Save</button>", {"disabled": False}),
    ("<button aria-expanded=true>More</button>", {"expanded": False}),
    ("<button>Save</button>", {"name": "Delete"}),
    ("<button>Save</button>", {"role": "link"}),
    ("<b role=tab aria-selected=true tabindex=0>Mail</b>", {"selected": False}),
    ("<input aria-label=Mail value=a>", {"value": "b"}),
)


def test_a_mark_that_contradicts_the_tree_is_reported(hands: Hands) -> None:
    for html, changes in CHANGES:
        hands.show(html)
        assert complaints(hands.page, hands.marks) == []
        wrong = Marks((replace(hands.marks[0], **changes),), hands.marks.frames)
        assert complaints(hands.page, wrong) != [], (html, changes)
