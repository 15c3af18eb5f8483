"""One-time codes of accounts with a second factor (RFC 6238: six digits, 30 seconds, SHA-1)."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable

from websp_gym.errors import SetupError

_STEP = 30
_DIGITS = 6
_TO_TYPE = 5.0
"""Seconds for typing and sending a code; some sites accept no older one."""


def code_for_some_seconds(
    key: str, *, clock: Callable[[], float] = time.time, wait: Callable[[float], None] = time.sleep
) -> str:
    """Return a one-time code that stays valid long enough to type it; wait for the next one if necessary.

    Args:
        key: The key, as for :func:`code_now`.
        clock: Returns Unix time.
        wait: Waits for some seconds, until the next code.

    Raises:
        SetupError: It is not such a key.
    """
    left = _STEP - clock() % _STEP
    if left < _TO_TYPE:
        wait(left)
    return code_now(key, at=clock())


def code_now(key: str, *, at: float | None = None) -> str:
    """Return the current one-time code.

    Args:
        key: The key, in base32 as sites show it; spaces and case make no difference.
        at: Unix time; None for now.

    Raises:
        SetupError: It is not such a key.
    """
    from cryptography.hazmat.primitives.hashes import SHA1
    from cryptography.hazmat.primitives.twofactor.totp import TOTP

    plain = "".join(key.split()).upper()
    try:
        raw = base64.b32decode(plain + "=" * (-len(plain) % 8))
    except (binascii.Error, ValueError):
        raise SetupError(
            "the key of the one-time codes (totp) is not base32; copy the one that the site shows under its QR code",
            option="account",
        ) from None
    # Sites give keys of 80 bits too.
    totp = TOTP(raw, _DIGITS, SHA1(), _STEP, enforce_key_length=False)
    return totp.generate(int(time.time() if at is None else at)).decode()
