"""The secrets of an episode in what an agent is told: cut out in every form in which a message may have them."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from websp_gym.attach.secrets import Secrets

PLAIN = "Tr0ub4dor&3-horse"
TEXTS = (PLAIN, 'quo"te\\back-slash', "Straße-☃-Übung", "line\nand tab\t", "0123456789abcdef0123456789abcdef")


def forms(text: str) -> dict[str, str]:
    """A text in the forms in which a message may have it."""
    in_json = {
        name: json.dumps(text, ensure_ascii=alone)[1:-1]
        for name, alone in (("JSON", False), ("ASCII JSON", True))
    }
    return {
        "plain": text,
        "address": quote(text, safe=""),
        "hexadecimal": text.encode().hex(),
        "HEXADECIMAL": text.encode().hex().upper(),
        **in_json,
        **{f"{name} in JSON": json.dumps(each)[1:-1] for name, each in in_json.items()},
    }


@pytest.mark.parametrize("text", TEXTS)
def test_a_secret_is_cut_out_in_every_form_and_nothing_around_it(text: str) -> None:
    secrets = Secrets([*TEXTS, "of-another"])
    for name, form in forms(text).items():
        message = f'{{"result":{{"value":"a {form} z"}}}}'.encode()
        cut = secrets.cut(message)
        assert form.encode() not in cut, name
        assert cut.startswith(b'{"result":{"value":"a 0000') and cut.endswith(b'0 z"}}'), name  # noqa: PT018
        assert len(cut) == len(message), name


@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_secret_that_is_encoded_with_what_stands_before_it_is_cut_out(before: int, encode: object) -> None:
    """Whole groups of it: what is left is less than a group at each end."""
    assert callable(encode)
    message = b"x" * before + "Straße-☃-Übung?>~".encode() + b"y" * 5
    cut = Secrets(["Straße-☃-Übung?>~"]).cut(encode(message))
    longest = max(map(len, cut.split(b"0")))
    assert b"0" * 16 in cut
    assert longest <= len(encode(b"x" * before + b"y" * 5)) + 4


def test_without_secrets_nothing_is_cut() -> None:
    assert Secrets([]).cut(b'{"id":1,"result":{}}') == b'{"id":1,"result":{}}'
