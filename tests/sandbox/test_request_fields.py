"""What a request may send: limits that end before anything is built."""

from __future__ import annotations

import pytest

from websp_gym.sandbox.server.request_fields import read_yaml


def test_yaml_is_read_up_to_its_limits_and_refused_beyond() -> None:
    assert read_yaml("a: [1, true]") == {"a": ["1", "true"]}
    for text, beyond in (
        ("[" * 20 + "]" * 20, "[" * 21 + "]" * 21),
        ("[" + "a," * 1_999 + "]", "[" + "a," * 2_000 + "]"),
        ("a" * 65_536, "a" * 65_537),
    ):
        read_yaml(text)
        with pytest.raises(ValueError, match="YAML"):
            read_yaml(beyond)
    for text in ("a: &b 1", "[&a [], *a]"):
        with pytest.raises(ValueError, match="anchor or an alias"):
            read_yaml(text)
