"""Panels and lists of a ``site.yaml``: what they stand for, what is refused, and that the server enforces them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fuzz_support import CATALOG
from tests.sandbox_support import Visitor
from websp_gym.sandbox.client import Sandbox
from websp_gym.sandbox.schema.panels import opaque
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_files import SiteError, load_site

SITE: dict[str, Any] = {
    "name": "Den",
    "hosts": ["den.example"],
    "settings": {
        "*": {"type": "bool", "default": True},
        "profile.private": {"default": False, "label": "Private profile"},
        "profile.search": {"label": "Search privacy", "disabled_when": {"profile.private": True}},
        "mail.all": {"label": "All mail", "implies": {False: {"mail.offers": False}}},
        "mail.offers": {"label": "Offers", "implies": {False: {"mail.partners": False}}},
        "mail.partners": {"label": "Partners", "implies": {False: {"mail.surveys": False}}},
        "mail.surveys": "Surveys",
        "note.{item}.{way}": {
            "each": {"item": {"reply": "Replies", "coin": "Coins"}, "way": ["push", "email"]},
            "label": "{item.label} by {way}",
        },
        "digest": {
            "type": "choice",
            "choices": {"daily": "Every day", "weekly": "Every week", "never": "Never"},
            "default": "daily",
            "label": "Digest",
        },
        "tips": {"label": "Tips", "disabled_when": {"digest": ["weekly", "never"]}},
    },
    "collections": {
        "words": {"key": "text", "most": 3, "fields": {"text": {"type": "text"}}, "items": [{"text": "bad"}]},
        "people": {
            "fields": {"name": {"type": "text"}, "own": {"type": "bool", "default": False}},
            "items": [{"name": "me", "own": True}, {"name": "other"}],
        },
    },
    "lists": {
        "words": {
            "row": "{text}",
            "add": {"field": "text", "label": "Word", "split": ","},
            "remove": {"button": "x"},
        },
        "people": {
            "row": "{name}",
            "keep": {"own": True},
            "remove": {"button": "Block"},
            "clear": {"button": "All"},
        },
    },
    "panels": [
        {
            "path": "/privacy",
            "title": "Privacy",
            "frame": "frame.html",
            "login": False,
            "sections": [
                {
                    "settings": [
                        "profile.*",
                        "mail.*",
                        "tips",
                        {"key": "digest", "kind": "select", "field": "frequency"},
                    ]
                }
            ],
        },
        {
            "path": "/form",
            "id": "pref-form",
            "title": "Form",
            "frame": "frame.html",
            "login": False,
            "save": "form",
            "sections": [{"settings": ["profile.private", "profile.search"]}],
        },
        {
            "each": {"item": {"reply": "Replies", "coin": "Coins"}},
            "path": "/notes/{item}",
            "title": "{item.label}",
            "frame": "frame.html",
            "login": False,
            "sections": [{"settings": ["note.{item}.*"]}],
        },
        {
            "path": "/lists/",
            "title": "Lists",
            "frame": "frame.html",
            "login": False,
            "sections": [{"items": ["words", "people"]}],
        },
    ],
}


def write(folder: Path, **changes: Any) -> Path:
    """Write the site with other entries at its top level."""
    den = folder / "den"
    (den / "templates").mkdir(parents=True)
    (den / "templates" / "frame.html").write_text("<html><body>{% block panel %}{% endblock %}</body></html>")
    (den / "site.yaml").write_text(yaml.safe_dump(SITE | changes, sort_keys=False))
    return den


@pytest.fixture(scope="module")
def den(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SiteSchema, Sandbox]]:
    folder = tmp_path_factory.mktemp("sites")
    site = load_site(write(folder))
    sandbox = Sandbox.start(sites=[folder], only=True)
    yield site, sandbox
    sandbox.close()


@pytest.fixture
def visitor(den: tuple[SiteSchema, Sandbox]) -> Iterator[Visitor]:
    sandbox = den[1]
    episode = sandbox.open_episode("den", signed_in=[])
    yield Visitor(sandbox.address, episode)
    episode.close()


def settings(den: tuple[SiteSchema, Sandbox], visitor: Visitor) -> dict[str, Any]:
    assert visitor.episode is not None
    found: dict[str, Any] = visitor.episode.state()["sites"]["den"]["settings"]
    return found


def sent(values: dict[str, str]) -> dict[str, str]:
    """Return what a form sends for settings that have no field of their own."""
    return {opaque(key): value for key, value in values.items()}


def test_a_panel_is_a_page_and_an_action(den: tuple[SiteSchema, Sandbox]) -> None:
    site, _ = den
    assert [page.path for page in site.pages] == [
        "/privacy",
        "/form",
        "/notes/reply",
        "/notes/coin",
        "/lists/",
    ]
    sets = {action.path: action.set for action in site.actions}
    keys = (
        "profile.private",
        "profile.search",
        "mail.all",
        "mail.offers",
        "mail.partners",
        "mail.surveys",
        "tips",
    )
    assert sets["/privacy"] == {**{key: opaque(key) for key in keys}, "digest": "frequency"}
    assert set(sets["/notes/coin"]) == {"note.coin.push", "note.coin.email"}
    assert {path for path in sets if path.startswith("/lists")} == {
        "/lists/words/add",
        "/lists/words/remove",
        "/lists/people/remove",
        "/lists/people/clear",
    }


def test_a_form_has_the_id_that_is_declared(visitor: Visitor) -> None:
    assert (
        '<form class="kit-panel" id="pref-form" method="post"' in visitor.get("https://den.example/form").body
    )
    assert '<div class="kit-panel" data-kit-panel>' in visitor.get("https://den.example/privacy").body


def test_short_forms_are_written_out(den: tuple[SiteSchema, Sandbox]) -> None:
    site, _ = den
    assert "*" not in site.settings
    offers, note = site.settings["mail.offers"], site.settings["note.coin.push"]
    assert (offers.type, offers.default, offers.label) == ("bool", True, "Offers")
    assert (note.label, site.panels[3].title) == ("Coins by push", "Coins")


def test_a_disabled_setting_is_not_changed_by_the_server(
    den: tuple[SiteSchema, Sandbox], visitor: Visitor
) -> None:
    assert visitor.post("https://den.example/privacy", sent({"profile.private": "on"})).status == 200
    refused = visitor.post("https://den.example/privacy", sent({"profile.search": "off"}))
    assert (refused.status, "depends on Private profile" in refused.body) == (409, True)
    # What makes it free again may be sent with it.
    both = sent({"profile.private": "off", "profile.search": "off"})
    assert visitor.post("https://den.example/privacy", both).status == 200
    now = settings(den, visitor)
    assert (now["profile.private"], now["profile.search"]) == (False, False)


@pytest.mark.parametrize(("digest", "status"), [("daily", 200), ("weekly", 409), ("never", 409)])
def test_a_setting_is_disabled_by_any_of_several_choices(
    den: tuple[SiteSchema, Sandbox], visitor: Visitor, digest: str, status: int
) -> None:
    visitor.post("https://den.example/privacy", {"frequency": digest})
    assert visitor.post("https://den.example/privacy", sent({"tips": "off"})).status == status
    assert settings(den, visitor)["tips"] is (status == 409)


def test_a_disabled_box_does_not_count_as_unticked(den: tuple[SiteSchema, Sandbox], visitor: Visitor) -> None:
    assert visitor.post("https://den.example/form", sent({"profile.private": "1"})).status == 303
    assert settings(den, visitor)["profile.search"] is True
    assert visitor.post("https://den.example/form", {}).status == 303
    now = settings(den, visitor)
    assert (now["profile.private"], now["profile.search"]) == (False, False)


def test_implied_settings_follow_unless_sent(den: tuple[SiteSchema, Sandbox], visitor: Visitor) -> None:
    visitor.post("https://den.example/privacy", sent({"mail.all": "off"}))
    assert settings(den, visitor)["mail.offers"] is False
    visitor.post("https://den.example/privacy", sent({"mail.all": "on", "mail.offers": "on"}))
    visitor.post("https://den.example/privacy", sent({"mail.all": "off", "mail.offers": "on"}))
    now = settings(den, visitor)
    assert (now["mail.all"], now["mail.offers"]) == (False, True)


def test_what_is_implied_implies_more_until_a_setting_that_was_sent(
    den: tuple[SiteSchema, Sandbox], visitor: Visitor
) -> None:
    mail = ("mail.all", "mail.offers", "mail.partners", "mail.surveys")
    visitor.post("https://den.example/privacy", sent({"mail.all": "off"}))
    assert [settings(den, visitor)[key] for key in mail] == [False, False, False, False]
    visitor.post("https://den.example/privacy", sent(dict.fromkeys(mail, "on")))
    visitor.post("https://den.example/privacy", sent({"mail.all": "off", "mail.partners": "on"}))
    assert [settings(den, visitor)[key] for key in mail] == [False, False, True, True]


def test_an_item_that_is_kept_is_not_removed_by_the_server(visitor: Visitor) -> None:
    assert visitor.post("https://den.example/lists/people/remove", {"id": "1"}).status == 404
    assert visitor.post("https://den.example/lists/people/clear", {}).status == 303
    assert visitor.episode is not None
    assert [row["name"] for row in visitor.episode.state()["sites"]["den"]["collections"]["people"]] == ["me"]


def test_a_full_list_rejects_further_items(visitor: Visitor) -> None:
    assert visitor.post("https://den.example/lists/words/add", {"text": "bad, a, b"}).status == 303
    assert visitor.post("https://den.example/lists/words/add", {"text": "c"}).status == 409
    # What is there already is no further item.
    assert visitor.post("https://den.example/lists/words/add", {"text": "a,b"}).status == 303


STATEFUL = ("coursera",)
"""Applications whose state is in each page, by the names that their own scripts have for it."""


@pytest.mark.parametrize("which", ["panels", pytest.param("others", marks=pytest.mark.proof)])
def test_no_page_tells_the_key_of_a_setting(which: str) -> None:
    """Who reads the page's source learns no more than who looks at it."""
    told, pages = [], 0
    for site in CATALOG:
        keys = [key for key in site.settings if "." in key]
        if site.slug in STATEFUL or not keys:
            continue
        server = Sandbox.shared()
        signed_in = [site.slug] if site.has_sign_in else []
        visitor = Visitor(server.address, server.open_episode(site.slug, signed_in=signed_in))
        word = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, keys))})(?![\w.])")
        for page in site.pages:
            if page.template and "{" not in page.path and ("panel" in page.context) == (which == "panels"):
                body = visitor.get(f"https://{(page.hosts or site.hosts)[0]}{page.path}").body
                told += [f"{site.slug}{page.path}: {key}" for key in word.findall(body)]
                pages += 1
    assert told == []
    assert pages > 80


@pytest.mark.parametrize(("asked", "page"), [("/privacy/?a=1", "/privacy?a=1"), ("/lists", "/lists/")])
def test_a_path_with_or_without_a_slash_leads_to_the_page(visitor: Visitor, asked: str, page: str) -> None:
    reply = visitor.get(f"https://den.example{asked}")
    assert (reply.status, reply.headers["location"]) == (302, page)
    assert visitor.get("https://den.example/nothing/").status == 404


def test_each_name_that_a_site_declares_is_given_and_read_by_a_template() -> None:
    wrong = []
    for site in CATALOG:
        texts = "".join(
            file.read_text("utf-8") for file in sorted((site.folder / "templates").rglob("*.html"))
        )
        parts: dict[str, list[Any]] = {
            "panel": list(site.panels),
            "section": [section for panel in site.panels for section in panel.sections],
            "control": [control for panel in site.panels for control in panel.all_controls],
            "list": list(site.lists.values()),
        }
        for kind, names in site.more.items():
            given = sorted({name for part in parts[kind] for name in part.more})
            read = set(re.findall(rf"more(?:\.|\[[\"']|\.get\([\"'])({'|'.join(names)})\b", texts))
            if not names == given == sorted(read):
                wrong.append((site.slug, kind, names, given, sorted(read)))
    assert wrong == []


PANEL = SITE["panels"][0]
SECTION = PANEL["sections"][0]
HINTED = {"key": "digest", "more": {"hnt": "Once a week is plenty."}}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"panels": [PANEL | {"sections": [{"settings": ["mail.al"]}]}]},
            'unknown setting "mail.al"; did you mean "mail.all"?',
        ),
        ({"panels": [PANEL | {"sections": [{"settings": ["post.*"]}]}]}, 'no setting matches "post.*"'),
        (
            {"panels": [PANEL | {"sections": [{"settings": ["mail.*", "mail.all"]}]}]},
            '"mail.all" is given twice',
        ),
        (
            {"panels": [PANEL | {"sections": [{"settings": [{"key": "digest", "kind": "switch"}]}]}]},
            "a choice setting cannot be a switch",
        ),
        (
            {"panels": [PANEL | {"sections": [{"items": "word"}]}]},
            'unknown list "word"; did you mean "words"?',
        ),
        (
            {"panels": [PANEL | {"sections": [{"settings": [{"key": "mail.*", "label": "Mail"}]}]}]},
            '"mail.*": label, id and field are for a single setting',
        ),
        ({"panels": [PANEL | {"frame": ""}]}, "needs a frame, or the site needs a layout"),
        (
            {"panels": [PANEL | {"leave": {"text": "Leave?"}}]},
            "with save: at_once there are no unsaved changes",
        ),
        ({"panels": [PANEL | {"save": "form", "dialect": "app"}]}, "save: form needs native controls"),
        ({"panels": [PANEL | {"reset": "Reset"}]}, "with save: at_once there are no changes to undo"),
        ({"panels": [PANEL, PANEL]}, "GET of this path is already taken"),
        ({"lists": {"word": {"row": "x"}}}, 'unknown collection "word"; did you mean "words"?'),
        (
            {"lists": SITE["lists"] | {"words": {"row": "{txt}"}}},
            'words has no field "txt"; did you mean "text"?',
        ),
        (
            {"settings": SITE["settings"] | {"profile.search": {"disabled_when": {"profile.privat": True}}}},
            'unknown setting "profile.privat"',
        ),
        (
            {"settings": SITE["settings"] | {"tips": {"disabled_when": {"digest": ["weekly", "yearly"]}}}},
            "digest: 'yearly' is not one of",
        ),
        (
            {"settings": SITE["settings"] | {"mail.all": {"implies": {False: {"mail.offers": 3}}}}},
            "mail.offers: 3 is not true or false",
        ),
        ({"settings": SITE["settings"] | {"mail.all": {"each": ["a"], "label": "x"}}}, "give words by name"),
        (
            {"more": {"panel": ["intro"]}, "panels": [PANEL | {"more": {"intr": "Hello"}}]},
            'panels /privacy: more: unknown name "intr"; did you mean "intro"?',
        ),
        (
            {
                "more": {"panel": ["side"]},
                "panels": [PANEL | {"sections": [SECTION | {"more": {"side": True}}]}],
            },
            'section "": more: unknown name "side"; names that templates use are declared',
        ),
        (
            {"more": {"control": ["hint"]}, "panels": [PANEL | {"sections": [{"settings": [HINTED]}]}]},
            'panels /privacy: digest: more: unknown name "hnt"; did you mean "hint"?',
        ),
        (
            {
                "more": {"list": ["kind"]},
                "lists": {"words": {"row": "{text}", "more": {"knd": 1}}},
                "panels": [],
            },
            'lists words: more: unknown name "knd"; did you mean "kind"?',
        ),
        ({"more": {"panle": ["intro"]}}, "more"),
    ],
)
def test_mistakes_in_a_panel_are_named(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    with pytest.raises(SiteError) as caught:
        load_site(write(tmp_path, **changes))
    assert says in "\n".join(caught.value.problems)
