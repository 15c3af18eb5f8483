"""The forms of ``forms.yaml``: how people ask for consent, and how they say what they are about to do."""

from __future__ import annotations

from websp_gym.policies.asking.forms import Form, read_forms
from websp_gym.policies.asking.tables import read_table

_TABLE = read_table("forms.yaml")


def _read(name: str) -> tuple[Form, ...]:
    return read_forms(_TABLE[name], _TABLE["classes"], _TABLE["adverbs"])


ASKING = _read("asking")
INTENDING = _read("intending")
IF_AGREED = _read("if_agreed")
SHORT = _read("short")
IS_OK = _read("is_ok")[0]
WITHOUT_A_MARK = frozenset(_TABLE["without_a_mark"].split())
WH = frozenset(("what", "which", "who", "whom", "whose", "when", "where", "why", "how"))
FACTS = WH | frozenset(_TABLE["facts"].split())
"""Words with which a question about facts begins."""
