"""No eight characters of a secret in a row survive, in whatever form they are echoed."""

from __future__ import annotations

import base64
import string
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from websp_gym.redaction import PART, masked, redact

KEY = "sk-proj-Ab3/dE+fGh1jKl=Mn0pQr5tUv"
keys = st.text(string.ascii_letters + string.digits + "-_+/=.", min_size=16, max_size=80)
URLSAFE = str.maketrans("+/", "-_")
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(keys, words, words, st.data())
def test_no_part_of_eight_characters_survives(key: str, before: str, after: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(key) - PART))
    end = data.draw(st.integers(start + PART, len(key)))
    shown = redact(before + key[start:end] + after, [key])
    assert not any(key[at : at + PART] in shown for at in range(len(key) - PART + 1))


@given(keys, st.binary(max_size=20), st.binary(max_size=20))
def test_a_key_in_base64_does_not_survive_wherever_it_stands_in_it(
    key: str, before: bytes, after: bytes
) -> None:
    encoded = base64.b64encode(before + key.encode() + after).decode()
    # Six bits a character: these stand for the key alone, and not for what is before or behind it too.
    of_the_key = encoded[-(-len(before) * 4 // 3) : (len(before) + len(key)) * 4 // 3]
    for alphabet in ({}, URLSAFE):
        inner = of_the_key.translate(alphabet)
        shown = redact(encoded.translate(alphabet), [key])
        assert not any(inner[at : at + PART] in shown for at in range(len(inner) - PART + 1))


@given(keys, words, words)
def test_a_key_in_hex_or_for_an_address_does_not_survive(key: str, before: str, after: str) -> None:
    percent = "".join(f"%{byte:02X}" for byte in key.encode())
    for form in (key.encode().hex(), key.encode().hex().upper(), quote(key, safe=""), percent, key.upper()):
        shown = redact(f"{before} {form} {after}", [key])
        assert form not in shown
        assert not any(form[at : at + PART] in shown for at in range(len(form) - PART + 1) if form[at] != "%")


@given(words)
def test_a_text_without_the_key_stays_as_it_is(text: str) -> None:
    assert redact(text, [KEY]) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"Incorrect API key: {KEY}.", "Incorrect API key: [key]."),
        (f"Incorrect API key: {KEY[:8]}********{KEY[-8:]}", "Incorrect API key: [key]********[key]"),
        ("two in a row " + KEY + KEY, "two in a row [key][key]"),
        ("seven: " + KEY[:7], "seven: " + KEY[:7]),
    ],
)
def test_a_message_keeps_its_words(text: str, shown: str) -> None:
    assert redact(text, [KEY]) == shown


def test_a_short_secret_goes_whole_only_and_an_empty_one_hides_nothing() -> None:
    assert redact("pin 1234, not 123", ["1234", ""]) == "pin [key], not 123"
    assert (
        redact(f"{KEY[:9]} stays, {KEY} goes", [KEY], mask="•••", parts=False) == f"{KEY[:9]} stays, ••• goes"
    )


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("MY_API_KEY=sk-abc node x.mjs", "MY_API_KEY=••• node x.mjs"),
        ("A=1 TOKEN='a b' run", "A=1 TOKEN=••• run"),
        ("node x --api-key sk-1 --port 3", "node x --api-key ••• --port 3"),
        ('x --password="a b" y', "x --password=••• y"),
        ("x -token abc", "x -token •••"),
        ("x --no-token-limit --y", "x --no-token-limit --y"),
        ("monkey keyboard.py tokens.txt", "monkey keyboard.py tokens.txt"),
    ],
)
def test_secrets_that_a_command_names_are_masked(command: str, shown: str) -> None:
    assert masked(command) == shown
