"""Cutting the secrets of an episode out of what an outside agent gets."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from urllib.parse import quote

_GROUP = 3
"""Bytes that base64 encodes together: a text has another form at each of three places."""


class Secrets:
    """The texts that an agent must never see, in each form in which a message may have them.

    Args:
        texts: The texts, each of at least eight characters.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        forms = {form for text in texts for form in _forms(text)}
        self._pattern = re.compile(
            b"|".join(map(re.escape, sorted(forms, key=len, reverse=True))) or rb"(?!)"
        )

    def cut(self, message: bytes) -> bytes:
        """Return a message with each secret replaced by as many zeros."""
        return self._pattern.sub(lambda found: b"0" * len(found[0]), message)


def _forms(text: str) -> Iterable[bytes]:
    plain = text.encode()
    yield plain
    # As JSON spells a quote, a backslash or another letter, in either of its two spellings; a page's own text in JSON
    # stands in a message that is JSON itself.
    for ascii_alone in (True, False):
        once = json.dumps(text, ensure_ascii=ascii_alone)[1:-1]
        yield once.encode()
        yield json.dumps(once)[1:-1].encode()
    yield quote(text, safe="").encode()
    yield plain.hex().encode()
    yield plain.hex().upper().encode()
    for before in range(_GROUP):
        # Whole groups of the text alone: what stands around it is in the first and the last one.
        whole = plain[(_GROUP - before) % _GROUP :]
        encoded = base64.b64encode(whole[: len(whole) // _GROUP * _GROUP])
        yield encoded
        yield encoded.replace(b"+", b"-").replace(b"/", b"_")
