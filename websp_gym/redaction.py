"""Keeping secrets out of what is written or shown.

An API may return a key in full or in part, plain or encoded. Eight characters of a key, or an encoded key,
already reveal too much.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from urllib.parse import quote, quote_plus

PART = 8
"""Length from which a part of a secret, in any of its forms, is treated as secret."""

_SECRET = r"[\w-]*(?:key|token|secret|passw|credential)[\w-]*"
_GIVEN = re.compile(
    rf"(?P<name>-{_SECRET}(?:=| +(?=[^-\s]))|{_SECRET}=)(?:\"[^\"]*\"|'[^']*'|\S+)", re.IGNORECASE
)
"""A variable or an option of a command with its value."""
_NAMES = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def named_secrets(variables: Mapping[str, str]) -> list[str]:
    """Return the values of variables whose names mark them as secrets, such as ``OPENAI_API_KEY``."""
    return [value for name, value in variables.items() if value and _NAMES.search(name)]


def masked(command: str) -> str:
    """Return a command line with the values of variables and options masked whose names mark them as secrets."""
    return _GIVEN.sub(lambda found: f"{found['name']}•••", command)


def redact(text: str, secrets: Iterable[str], *, mask: str = "[key]", parts: bool = True) -> str:
    """Replace secrets in a text, both plain and encoded (base64, hex or percent-encoding).

    Args:
        text: Any text.
        secrets: The texts to replace.
        mask: The replacement.
        parts: Whether to also replace any part of at least eight characters, ignoring case.

    Returns:
        The text without the secrets.
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
    """Return the encoded forms of a secret.

    Base64 has one form for each of its three alignments, without the end characters that depend on
    neighbouring bytes.
    """
    raw = secret.encode("utf-8", "surrogatepass")
    shifted = [base64.b64encode(bytes(shift) + raw).decode("ascii") for shift in range(3)]
    inner = [text[-(-4 * shift // 3) : (len(raw) + shift) * 4 // 3] for shift, text in enumerate(shifted)]
    forms = [*inner, *(text.replace("+", "-").replace("/", "_") for text in inner)]
    forms += [raw.hex(), raw.hex().upper(), "".join(f"%{byte:02x}" for byte in raw)]
    forms += ["".join(f"%{byte:02X}" for byte in raw), quote(raw, safe=""), quote_plus(raw)]
    return tuple(sorted({form for form in forms if len(form) >= PART}, key=len, reverse=True))


@lru_cache(maxsize=64)
def _grams(secret: str) -> frozenset[str]:
    """Return all substrings of eight characters of all forms, in lower case; none for a shorter secret."""
    if len(secret) < PART:
        return frozenset()
    forms = [form.translate(_LOWER) for form in (secret, *_forms(secret))]
    return frozenset(form[start : start + PART] for form in forms for start in range(len(form) - PART + 1))
