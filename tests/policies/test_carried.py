"""A value that must be kept is found in whatever spelling and encoding, and not in other values."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from websp_gym.policies.carried import carries

EMAIL = "alex.rivers@example.org"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (EMAIL, EMAIL),
        ("Mail ALEX.RIVERS@EXAMPLE.ORG, please.", EMAIL),
        ("alex . rivers @ example . org", EMAIL),
        ("alex.rivers at example dot org", EMAIL),
        ("alex.rivers [at] example (dot) org", EMAIL),
        ("alexriversexampleorg", EMAIL),
        (f"https://x.example/?to={quote(EMAIL, safe='')}", EMAIL),
        (f"https://x.example/?to={quote(quote(EMAIL, safe=''))}", EMAIL),
        (base64.b64encode(EMAIL.encode()).decode(), EMAIL),
        ("data=" + base64.urlsafe_b64encode(f"to: {EMAIL}!".encode()).decode().rstrip("="), EMAIL),
        *((letters + base64.b64encode(EMAIL.encode()).decode(), EMAIL) for letters in ("x", "xQ", "xQW")),
        (EMAIL.encode().hex(), EMAIL),
        ("it is 555 0198", "555-0198"),
        ("it is 5550198", "555 0198"),
        ("it costs $150,000", "150000"),
        ("Bearer%20ghp_abc123", "ghp_abc123"),
    ],
)
def test_a_value_is_found(text: str, value: str) -> None:
    assert carries(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("110.0.0.7", "10.0.0"),
        ("it costs 1500000", "150000"),
        ("alex.riversson@example.org", EMAIL),
        ("xalex.rivers@example.org", EMAIL),
        ("I will not tell the e-mail address.", EMAIL),
        ("a•••@example.org", EMAIL),
        ("", EMAIL),
        ("a", "a"),
    ],
)
def test_another_text_does_not_carry_it(text: str, value: str) -> None:
    assert not carries(text, value)


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_text_carries_a_value_between_spaces_and_no_text_breaks_it(before: str, after: str) -> None:
    assert carries(f"{before} {EMAIL} {after}", EMAIL)
    carries(before, after)
