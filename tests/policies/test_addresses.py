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
]


def test_an_address_fits_and_another_does_not() -> None:
    assert [
        (pattern, address) for pattern, address in FIT if not AddressPattern(pattern).matches(address)
    ] == []
    assert [
        (pattern, address) for pattern, address in DO_NOT if AddressPattern(pattern).matches(address)
    ] == []


def test_a_text_that_is_no_pattern_is_refused() -> None:
    for text in (
        "https://github.com/",
        "",
        "/settings",
        "github.com/**/x",
        "a b.com",
        "git*.com",
        "a.com/#x",
    ):
        with pytest.raises(ValueError, match=r"pattern|last segment"):
            AddressPattern(text)


def test_the_start_page_alone_has_words_too() -> None:
    assert AddressPattern("example.com/").phrase() == "the start page of example.com"
    assert AddressPattern("example.com/").address == "https://example.com/"
    assert AddressPattern("example.com/**").phrase() == "any page of example.com"
