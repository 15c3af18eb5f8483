"""Steps that only open something may be taken by place or address; all others, and what nothing proves, may not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from playwright.sync_api import Route

from tests.replay_support import HOME, Bench, Event, bench
from websp_gym.errors import ReplayError

__all__ = ["bench"]

ENGLISH = ("Profile", "Mail", "Privacy")
GERMAN = ("Über mich", "Post", "Datenschutz")
QUICK = 0.5
"""Seconds to wait for what is not there; whatever is there is found at the first look."""
SCRIPT = """<script>
for (const tab of document.querySelectorAll('[data-opens]')) tab.onclick = (event) => {
  event.preventDefault();
  for (const part of document.querySelectorAll('.part')) part.hidden = part.id !== tab.dataset.opens;
  for (const other of document.querySelectorAll('[data-opens]')) {
    if (other.ariaExpanded) other.ariaExpanded = other === tab;
    if (other.role === 'tab') other.ariaSelected = other === tab;
  }
};
</script>"""


def tab(name: str, opens: str, place: int) -> str:
    return f"<button role=tab aria-selected=false data-opens={opens}>{name}</button>"


def header(name: str, opens: str, place: int) -> str:
    return f"<h3><button aria-expanded=false data-opens={opens}>{name}</button></h3>"


def anchor(name: str, opens: str, place: int) -> str:
    return f"<li><a href='#p{place}' data-opens={opens}>{name}</a></li>"


KINDS: dict[str, Any] = {
    "tab": (tab, "tablist"),
    "header": (header, "none"),
    "anchor": (anchor, "navigation"),
}


def page(
    kind: str, names: tuple[str, ...], *, lang: str = "en", order: str = "abcdefg", mark: str = ""
) -> str:
    """A page of settings with one part for each name, of which the third has a check box."""
    make, role = KINDS[kind]
    openers = "".join(make(*one, place) for place, one in enumerate(zip(names, order, strict=False)))
    box = {"en": "Hide my age", "de": "Mein Alter verbergen"}[lang]
    title = {"en": "Settings", "de": "Einstellungen"}[lang]
    field = f"<label><input type=checkbox {mark or 'name=hide_age'}> {box}</label>"
    parts = "".join(
        f"<div class=part id={part} hidden>{field if part == 'c' else 'Text'}</div>" for part in order
    )
    return f"<h1>{title}</h1><div role={role}>{openers}</div>{parts}{SCRIPT}"


def recorded(bench: Bench, kind: str, **more: Any) -> list[Event]:
    """A click on the third opener, and on the box that it shows."""
    bench.show(page(kind, ENGLISH, **more))
    opener = ":nth-match([data-opens], 3)"
    index = "[data-opens=c]"
    before = {"expanded": False} if kind == "header" else {}
    after = {"expanded": True} if kind == "header" else {}
    opened = bench.event("click", index, before=before, after=after)
    bench.page.click(opener)
    target = bench.event("change", "input", stateful=True, before={"checked": False}, after={"checked": True})
    return [opened, target]


def test_what_only_opens_is_taken_by_its_place_in_another_language(bench: Bench) -> None:
    for kind in KINDS:
        events = recorded(bench, kind)
        assert events[0]["target"]["group"] == [*ENGLISH]
        bench.show(page(kind, GERMAN, lang="de"))
        report = bench.play(*events, timeout=QUICK)
        assert report.events[0].rung == "place"
        assert bench.page.is_checked("input")
        assert bench.page.is_visible("input")


OTHER_GROUPS = {
    "one more": ((*GERMAN, "Neu"), "abcd"),
    "one less": (GERMAN[:2], "ab"),
    "other order": (("Mail", "Über mich", "Datenschutz"), "bac"),
    "other order, all renamed": (GERMAN, "acb"),
}


@pytest.mark.parametrize(
    ("kind", "others"),
    [
        *(("tab", OTHER_GROUPS), ("header", ["one more"]), ("anchor", ["other order, all renamed"])),
        *(pytest.param(kind, OTHER_GROUPS, marks=pytest.mark.proof) for kind in ("header", "anchor")),
    ],
)
def test_a_group_of_another_number_or_order_is_refused(
    bench: Bench, kind: str, others: Iterable[str]
) -> None:
    events = recorded(bench, kind)
    for names, order in map(OTHER_GROUPS.__getitem__, others):
        bench.show(page(kind, names, lang="de", order=order))
        with pytest.raises(ReplayError):
            bench.play(*events, timeout=QUICK)
        assert not bench.page.query_selector("input:checked")


@pytest.mark.parametrize(
    "kind", ["tab", *(pytest.param(kind, marks=pytest.mark.proof) for kind in ("header", "anchor"))]
)
def test_what_follows_must_prove_it_by_a_mark_of_its_own(bench: Bench, kind: str) -> None:
    for mark in ("id=hide-7", "class=age"):
        events = recorded(bench, kind, mark=mark)
        bench.show(page(kind, GERMAN, lang="de", mark=mark))
        with pytest.raises(ReplayError):
            bench.play(*events, timeout=QUICK)
        assert not bench.page.is_checked("input")
    # Nor by a name that it still has.
    bench.show(page(kind, GERMAN, mark=mark))
    with pytest.raises(ReplayError, match=r"event 1 .*found by its place only, and event 2 does not prove"):
        bench.play(*events, timeout=QUICK)
    assert not bench.page.is_checked("input")


def test_nothing_is_opened_by_its_place_where_nothing_follows(bench: Bench) -> None:
    for kind in KINDS:
        opened, _ = recorded(bench, kind)
        bench.show(page(kind, GERMAN, lang="de"))
        with pytest.raises(ReplayError):
            bench.play(opened, timeout=QUICK)
        assert not bench.page.is_visible(".part")


def test_an_optional_step_after_it_must_still_prove_it(bench: Bench) -> None:
    opened, box = recorded(bench, "tab")
    bench.show(page("tab", GERMAN, lang="de", order="acb"))
    with pytest.raises(ReplayError, match=r"event 1 .*Privacy.*by its place only|event 2"):
        bench.play(opened, box | {"optional": True}, timeout=QUICK)


CONTROLS = {
    "form button": "<button>{}</button>",
    "form button[type=submit]": "<button type=submit aria-expanded=false>{}</button>",
    "form input": "<label><input type=checkbox> {}</label>",
    "form [role=switch]": "<button role=switch aria-checked=false>{}</button>",
    "form [aria-pressed]": "<button aria-pressed=false>{}</button>",
    "form a": "<a href='/{}'>{}</a>",
    "form [role=menuitem]": "<div role=menuitem tabindex=0>{}</div>",
}


def test_what_may_change_something_is_never_taken_by_its_place(bench: Bench) -> None:
    def form(control: str, names: tuple[str, ...], title: str) -> str:
        controls = "".join(control.format(name, name) for name in names)
        field = "<input name=age>"
        return f"<h1>{title}</h1><form onsubmit='return false'><div>{controls}</div></form>{field}"

    for css, control in CONTROLS.items():
        bench.show(form(control, ("Save", "Reset", "Delete"), "Settings"))
        pressed = bench.event("click", css, before={"expanded": False}, after={"expanded": True})
        assert "group" not in pressed["target"]
        # Even a recording that says so is not believed.
        pressed["target"]["group"] = ["Save", "Reset", "Delete"]
        typed = bench.event("type", "[name=age]", value="42")
        bench.show(form(control, ("Speichern", "Verwerfen", "Löschen"), "Einstellungen"))
        bench.page.evaluate(
            "() => { onclick = (event) => { document.title = 'pressed'; event.preventDefault(); }; }"
        )
        with pytest.raises(ReplayError):
            bench.play(pressed, typed, timeout=QUICK)
        assert bench.page.title() != "pressed", control


def test_a_menu_in_each_row_is_never_taken_by_its_place(bench: Bench) -> None:
    def rows(*names: str, title: str) -> str:
        cells = "".join(
            f"<tr><td>{name}<td><button aria-expanded=false onclick='document.title=1'>Options of {name}</button>"
            for name in names
        )
        return f"<h1>{title}</h1><table>{cells}</table><input name=age>"

    bench.show(rows("Ada", "Ben", title="People"))
    events = [
        bench.event(
            "click", "tr:nth-of-type(2) button", before={"expanded": False}, after={"expanded": True}
        ),
        bench.event("type", "[name=age]", value="42"),
    ]
    assert "group" not in events[0]["target"]
    bench.show(rows("Eva", "Tom", title="Leute"))
    with pytest.raises(ReplayError):
        bench.play(*events, timeout=QUICK)
    assert bench.page.title() != "1"


# ---------------------------------------------------------------- addresses


def test_a_link_that_is_not_found_by_its_name_leads_by_its_address_to_the_page_that_followed(
    bench: Bench,
) -> None:
    bench.show(f"<nav><a href={HOME}:443/settings>Preferences</a></nav>")
    link = bench.event("click", "a")
    bench.open("settings")
    box = bench.event("change", "input", stateful=True, before={"checked": False}, after={"checked": True})
    bench.open("empty")
    both = f"<a href={HOME}:443/settings>Einstellungen</a><ul><li><a href=/settings>Allgemein</a></ul>"
    bench.show(f"<nav>{both}</nav>")
    bench.play(link, box, timeout=QUICK)
    assert bench.page.url == f"{HOME}/settings"
    bench.open("empty")
    bench.show("<nav><a href=/privacy>Datenschutz</a><a href=/profile>Profil</a></nav>")
    with pytest.raises(ReplayError):
        bench.play(link, box, timeout=QUICK)
    assert bench.page.url == f"{HOME}/empty"


def test_an_address_that_counts_what_it_leads_to_is_not_followed_without_the_name(bench: Bench) -> None:
    for there in ("Holiday reading", "To buy"):
        bench.show("<nav><a href=/settings?shelf=2>Holiday reading</a></nav>")
        link = bench.event("click", "a")
        bench.open("settings?shelf=2")
        box = bench.event(
            "change", "input", stateful=True, before={"checked": False}, after={"checked": True}
        )
        bench.open("empty")
        bench.show(f"<nav><a href=/settings?shelf=2>Book club</a><a href=/settings?shelf=3>{there}</a></nav>")
        with pytest.raises(ReplayError, match=r"event 1 .*not found"):
            bench.play(link, box, timeout=QUICK)
        assert bench.page.url == f"{HOME}/empty"
        assert not bench.page.query_selector("input")


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("renamed", [False, True], ids=["found", "by its place"])
def test_a_step_that_only_opens_is_not_tried_again_where_the_server_refused_it(
    bench: Bench, renamed: bool
) -> None:
    events = recorded(bench, "tab")
    sent: list[str] = []

    def refuse(route: Route) -> None:
        sent.append(route.request.method)
        route.fulfill(status=403, body="no")

    bench.page.route("**/seen", refuse)
    bench.show(page("tab", GERMAN if renamed else ENGLISH, lang="de" if renamed else "en"))
    bench.page.evaluate(
        "() => addEventListener('click', () => fetch('/seen', { method: 'POST', body: 'x' }), true)"
    )
    with pytest.raises(ReplayError, match=r"event 1 .*/seen was answered with status 403"):
        bench.play(*events, timeout=QUICK)
    assert sent == ["POST"]
    assert not bench.page.is_checked("input")


def test_a_link_whose_request_was_refused_is_not_replaced_by_its_address(bench: Bench) -> None:
    link_and_box = "<nav><a href=/settings>Preferences</a></nav>"
    bench.show(link_and_box)
    link = bench.event("click", "a")
    bench.open("settings")
    box = bench.event("change", "input", stateful=True, before={"checked": False}, after={"checked": True})
    bench.open("empty")
    bench.page.route("**/leave", lambda route: route.fulfill(status=403, body="no"))
    bench.show(link_and_box)
    bench.page.evaluate(
        """() => addEventListener('click', (event) => {
            event.preventDefault();
            fetch('/leave', { method: 'POST', body: 'x' });
        }, true)"""
    )
    with pytest.raises(ReplayError, match=r"event 1 .*/leave was answered with status 403"):
        bench.play(link, box, timeout=QUICK)
    assert bench.page.url == f"{HOME}/empty"
