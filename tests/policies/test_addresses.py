"""Patterns of addresses match by host, whole segments and query, never by a part of a word."""

from __future__ import annotations

import pytest

from websp_gym.sandbox.schema.addresses import AddressPattern

FIT = [
    ("github.com/settings", "https://github.com/settings"),
    ("github.com/settings", "https://GitHub.com/settings/"),
    ("github.com/settings", "https://github.com/Settings?tab=1#x"),
    ("github.com/settings", "https://github.com:443/settings"),
    ("github.com/settings", "https://github.com//settings"),
    ("github.com/set/%61b", "https://github.com/set/%2561b"),
    ("github.com", "https://github.com/any/page"),
    ("github.com", "https://github.com"),
    ("github.com/settings/**", "https://github.com/settings"),
    ("github.com/settings/**", "https://github.com/settings/billing/history"),
    ("github.com/*/settings", "https://github.com/dotfiles/settings"),
    ("*.github.com", "https://gist.github.com/"),
    ("*.github.com", "https://github.com/"),
    ("index.example/a?module=Users", "https://index.example/a?x=1&module=Users"),
    ("crm.example/index.php?module=Users&action=*", "https://crm.example/index.php?action=Edit&module=Users"),
    ("crm.example/#/contacts/**", "https://crm.example/#/contacts"),
    ("crm.example/#/contacts/**", "https://crm.example/?from=mail#/Contacts/12/edit"),
    ("crm.example/#/contacts/*/edit", "https://crm.example/#/contacts/12/edit/"),
    ("crm.example/#/list?page=*", "https://crm.example/#/list?sort=name&page=2"),
    ("crm.example#/admin/**", "https://crm.example/public/index.html#/admin"),
    ("crm.example/", "https://crm.example/#/contacts"),
]
DO_NOT = [
    ("github.com/security", "https://github.com/security-team"),
    ("github.com/security", "https://github.com/group/security"),
    ("github.com/users", "https://github.com/users/sign_in"),
    ("google.com", "https://github.com/google.com"),
    ("google.com", "https://notgoogle.com/"),
    ("google.com", "https://google.com.evil.example/"),
    ("github.com/*/settings", "https://github.com/settings"),
    ("index.example/a?module=Users", "https://index.example/a?module=Groups"),
    ("github.com", "chrome-error://chromewebdata/"),
    ("github.com", "about:blank"),
    ("crm.example/index.php?module=Users&action=*", "https://crm.example/index.php?module=Users"),
    ("crm.example/#/contacts/**", "https://crm.example/#/contacts-archive"),
    ("crm.example/#/contacts/**", "https://crm.example/contacts"),
    ("crm.example/#/contacts/**", "https://crm.example/"),
    ("crm.example/#/contacts/**", "https://crm.example/?next=%23/contacts"),
    ("crm.example/#/list?page=2", "https://crm.example/?page=2#/list"),
]


def test_an_address_fits_and_another_does_not() -> None:
    assert [
        (pattern, address) for pattern, address in FIT if not AddressPattern(pattern).matches(address)
    ] == []
    assert [
        (pattern, address) for pattern, address in DO_NOT if AddressPattern(pattern).matches(address)
    ] == []


def test_a_route_may_have_a_path_in_the_middle_of_it() -> None:
    members, tree = "/{project:path}/-/members", "/{project:path}/-/tree/{ref:path}"
    assert AddressPattern("git.example/*/*/-/members").may_be(members)
    assert AddressPattern("git.example/group/project/-/members").may_be(members)
    assert AddressPattern("git.example/*/*/-/tree/**").may_be(tree)
    assert AddressPattern("git.example/group/project/-/tree/feature/x").may_be(tree)
    assert AddressPattern("git.example/*/**").may_be(members)
    assert not AddressPattern("git.example/*/*/-/groups").may_be(members)
    assert not AddressPattern("git.example/-/members").may_be(members)
    assert not AddressPattern("git.example/*/*/-/members/7").may_be(members)
    assert not AddressPattern("git.example/*/*/-/tree").may_be(tree)


def test_a_text_that_is_no_pattern_is_refused() -> None:
    for text in (
        "https://github.com/",
        "",
        "/settings",
        "github.com/**/x",
        "a b.com",
        "git*.com",
        "a.com/#",
        "a.com/#/x#y",
        "a.com/#/**/x",
    ):
        with pytest.raises(ValueError, match=r"pattern|fragment|last segment"):
            AddressPattern(text)


def test_the_start_page_alone_has_words_too() -> None:
    assert AddressPattern("example.com/").phrase() == "the start page of example.com"
    assert AddressPattern("example.com/").address == "https://example.com/"
    assert AddressPattern("example.com/**").phrase() == "any page of example.com"


def test_a_route_behind_a_hash_has_words_and_an_address() -> None:
    pattern = AddressPattern("crm.example/#/contacts/**")
    assert pattern.phrase() == "crm.example/#/contacts or a page below it"
    assert pattern.address == "https://crm.example/#/contacts/"
    assert AddressPattern("crm.example/#/contacts/*").address is None
    assert AddressPattern("crm.example/index.php?action=*").address is None
