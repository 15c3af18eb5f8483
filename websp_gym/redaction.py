"""Keeping secrets out of what is written or shown.

An endpoint may quote a key whole or in part, or in the encoding in which it got it. Whoever reads eight characters of
it, or the whole in base64, has read too much.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from urllib.parse import quote, quote_plus

PART = 8
"""So many characters of a secret in a row, in any of its forms, are as good as the secret."""

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def redact(text: str, secrets: Iterable[str], *, mask: str = "[key]", parts: bool = True) -> str:
    """Takes secrets out of a text: as they are, and encoded in base64, hex or for an address.

    Args:
        text: Any text.
        secrets: What may not show.
        mask: What stands in its place.
        parts: Whether eight characters in a row of any of these forms go too, whatever the case of letters.

    Returns:
        The text without them.
    """
    given = sorted({secret for secret in secrets if secret}, key=len, reverse=True)
    for secret in given:
        for form in (secret, *_forms(secret)) if len(secret) >= PART else (secret,):
            text = text.replace(form, mask)
    return _without_parts(text, frozenset().union(*map(_grams, given)), mask) if parts and given else text


def _without_parts(text: str, grams: frozenset[str], mask: str) -> str:
    plain = text.translate(_LOWER)
    kept: list[str] = []
    done = until = 0
    for start in range(len(text) - PART + 1):
        if plain[start : start + PART] not in grams:
            continue
        if start > until or not kept:
            kept += [text[done:start], mask]
        done = until = start + PART
    return "".join([*kept, text[done:]])


@lru_cache(maxsize=64)
def _forms(secret: str) -> tuple[str, ...]:
    """The secret encoded; in base64 at each place of three at which it can begin, without the ends it shares."""
    raw = secret.encode("utf-8", "surrogatepass")
    shifted = [base64.b64encode(bytes(shift) + raw).decode("ascii") for shift in range(3)]
    inner = [text[-(-4 * shift // 3) : (len(raw) + shift) * 4 // 3] for shift, text in enumerate(shifted)]
    forms = [*inner, *(text.replace("+", "-").replace("/", "_") for text in inner)]
    forms += [raw.hex(), raw.hex().upper(), "".join(f"%{byte:02x}" for byte in raw)]
    forms += ["".join(f"%{byte:02X}" for byte in raw), quote(raw, safe=""), quote_plus(raw)]
    return tuple(sorted({form for form in forms if len(form) >= PART}, key=len, reverse=True))


@lru_cache(maxsize=64)
def _grams(secret: str) -> frozenset[str]:
    """All pieces of eight characters of all forms, in small letters; none of a secret shorter than that."""
    if len(secret) < PART:
        return frozenset()
    forms = [form.translate(_LOWER) for form in (secret, *_forms(secret))]
    return frozenset(form[start : start + PART] for form in forms for start in range(len(form) - PART + 1))
