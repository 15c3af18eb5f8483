from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox_support import write_site
from websp_gym.sandbox.schema.catalog import BUILTIN, Catalog
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_files import SiteError, load_site

HEAD = """
name: Shop
hosts: [shop.example]
settings:
  cookies.ads: {type: bool, default: true}
  chat.filter: {type: choice, choices: [strict, loose], default: loose}
collections:
  words: {key: text, fields: {text: {type: text}}, items: [{text: alpha}]}
"""


def load(tmp_path: Path, yaml: str, **templates: str) -> SiteSchema:
    pages = {f"{name}.html": text for name, text in templates.items()}
    return load_site(write_site(tmp_path / "shop", yaml, pages))


def reasons(tmp_path: Path, yaml: str) -> str:
    with pytest.raises(SiteError) as caught:
        load(tmp_path, yaml)
    assert str(tmp_path / "shop" / "site.yaml") in str(caught.value)
    return "\n".join(caught.value.problems)


def test_a_good_site_loads_with_its_folder_as_slug(tmp_path: Path) -> None:
    site = load(tmp_path, HEAD + "pages: [{path: /, template: home.html}]", home="x")
    assert site.slug == "shop"
    assert site.collections["words"].rows() == [{"text": "alpha", "id": "1"}]


@pytest.mark.parametrize(
    ("addition", "says"),
    [
        ("setings: {}", ['unknown key "setings"', 'did you mean "settings"?']),
        ("actions: [{path: /a, vals: {}}]", ["actions.0", 'unknown key "vals"', '"values"']),
        ("actions: [{path: /a, set: {cookies.adds: ads}}]", ["/a", '"cookies.adds"', '"cookies.ads"']),
        ("actions: [{path: /a, values: {cookies.ads: 1}}]", ["cookies.ads", "1 is not true or false"]),
        ("actions: [{path: /a, values: {chat.filter: lose}}]", ["'lose' is not one of", '"loose"']),
        ("actions: [{path: /a, add: {collection: word}}]", ['unknown collection "word"', '"words"']),
        (
            "actions: [{path: /a, add: {collection: words, fields: {txt: x}}}]",
            ['unknown field "txt"', '"text"'],
        ),
        ("actions: [{path: /a, remove: {collection: words}}]", ["say which items"]),
        ("actions: [{path: /a, flash: true}]", ["flash: needs a redirect"]),
        ("actions: [{path: a}]", ['"a" must begin with "/"']),
        ("actions: [{path: /a}, {path: /a}]", ["POST of this path is already taken"]),
        ("pages: [{path: /, template: home.html}]", ['template "home.html"', "templates"]),
        ("pages: [{path: /}]", ["give either template or redirect"]),
        ("pages: [{path: /, redirect: /a, login: true}]", ["session_cookie: login: true needs one"]),
        ("pages: [{path: /_site/x, redirect: /a}]", ["/_site/"]),
        ("cookie_domain: other.example", ["does not cover every host"]),
        ("name: Twice", ['key "name" is given twice']),
    ],
)
def test_a_mistake_is_named_with_file_key_and_nearest_right_key(
    tmp_path: Path, addition: str, says: list[str]
) -> None:
    message = reasons(tmp_path, HEAD + addition)
    for part in says:
        assert part in message


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("{type: bool, default: maybe}", "default"),
        ("{type: bool, defalt: true}", 'did you mean "default"?'),
        ("{type: bol, default: true}", "bool"),
        ("{type: choice, choices: [a, b], default: c}", "'c' is not one of"),
        ("{type: choice, choices: [on, off], default: on}", "choices"),
        ("{type: int, default: 5, maximum: 4}", "5 is more than 4"),
        ("{type: multi, choices: [a], default: [b]}", "'b' is not one of"),
        ("{type: choice, choices: [a, b], default: a, least_private: d}", "least_private"),
    ],
)
def test_a_setting_must_have_a_default_of_its_type(tmp_path: Path, setting: str, says: str) -> None:
    yaml = f"name: Shop\nhosts: [shop.example]\nsettings:\n  a.b: {setting}\n"
    message = reasons(tmp_path, yaml)
    assert "settings.a.b" in message
    assert says in message


def test_fixture_items_are_checked(tmp_path: Path) -> None:
    yaml = "name: S\nhosts: [s.example]\ncollections:\n  words: {fields: {text: {type: text}}, items: [{txt: a}]}"
    assert 'unknown field "txt"; did you mean "text"?' in reasons(tmp_path, yaml)


@pytest.mark.parametrize(
    ("sign_in", "sessions", "says"),
    [
        (
            "session_cookie: SID",
            "{items: [{device: Phone, current: true}]}",
            "signing in creates this browser's own session",
        ),
        ("session_cookie: SID", "{fields: {current: {type: bool, default: true}}}", "already"),
        ("session_cookie: SID", "{artefact: true}", "not artifacts"),
        ("session_cookie: SID", "{items: [{divice: Phone}]}", 'did you mean "device"?'),
        ("session_cookie: SID", "[]", "collections.sessions"),
        ("session_cookie: SID", "{items: 5}", "collections.sessions.items"),
        ("session_of: accounts", "{}", "its own session_cookie"),
        ("search: true", "{}", "its own session_cookie"),
    ],
)
def test_sessions_are_a_collection_that_a_sign_in_fills(
    tmp_path: Path, sign_in: str, sessions: str, says: str
) -> None:
    yaml = f"name: S\nhosts: [s.example]\n{sign_in}\ncollections: {{sessions: {sessions}}}"
    assert says in reasons(tmp_path, yaml)


def test_sessions_have_the_fields_of_all_sites_and_those_of_their_own(tmp_path: Path) -> None:
    own = "collections: {sessions: {fields: {ip: {type: text}}, items: [{device: Phone, ip: 192.0.2.1}]}}"
    write_site(tmp_path / "accounts", f"name: A\nhosts: [a.example]\nsession_cookie: SID\n{own}", {})
    write_site(tmp_path / "mail", "name: M\nhosts: [m.example]\nsession_of: accounts", {})
    phone = {"id": "1", "device": "Phone", "place": "", "created": "", "ip": "192.0.2.1", "current": False}
    catalog = Catalog([tmp_path])
    for slug in ("accounts", "mail"):
        assert catalog.default_state(catalog[slug])["collections"]["sessions"] == [phone]


def test_a_collection_and_a_setting_cannot_have_one_name(tmp_path: Path) -> None:
    assert '"words" is the name of a setting' in reasons(tmp_path, HEAD.replace("chat.filter", "words"))


def test_settings_of_one_page_are_those_of_its_panel_form_or_banner(tmp_path: Path) -> None:
    site = load(
        tmp_path,
        """
name: Shop
hosts: [shop.example]
layout: layout.html
settings:
  cookies.ads: {type: bool, default: true, label: Ads}
  mail.news: {type: bool, default: true}
  mail.offers: {type: bool, default: true}
  theme: {type: choice, choices: [dark, light], default: light, label: Theme}
  alone: {type: bool, default: true}
collections:
  words: {key: text, fields: {text: {type: text}}}
lists:
  words: {row: "{text}"}
panels:
  - {path: /privacy, title: Privacy, login: false, sections: [{settings: [cookies.ads, theme]}, {items: words, buttons: [{label: All, set: {alone: false}}]}]}
actions:
  - {path: /mail, set: {mail.news: news, mail.offers: offers}}
  - {path: /alone, set: {alone: alone}}
""",
        layout="x",
    )
    pages = [set(names) for names in site.shown_together]
    assert {"cookies.ads", "theme", "words", "alone"} in pages
    assert {"mail.news", "mail.offers"} in pages
    assert not any({"mail.news", "theme"} <= page for page in pages)
    banner = load_site(BUILTIN / "ikea").shown_together[-1]
    assert "consent.analytic" in banner


def test_two_sites_cannot_share_a_host(tmp_path: Path) -> None:
    for slug in ("one", "two"):
        write_site(tmp_path / slug, "name: S\nhosts: [s.example]", {})
    with pytest.raises(SiteError, match=r'"s\.example" already belongs to one'):
        Catalog([tmp_path])


def test_a_shared_sign_in_must_name_a_site_that_has_one(tmp_path: Path) -> None:
    write_site(tmp_path / "accounts", "name: A\nhosts: [a.example]\nsession_cookie: SID", {})
    write_site(tmp_path / "mail", "name: M\nhosts: [m.example]\nsession_of: acounts", {})
    with pytest.raises(SiteError, match='did you mean "accounts"'):
        Catalog([tmp_path])


def test_the_built_in_sites_are_good() -> None:
    assert "websp" in Catalog([BUILTIN]).slugs
