"""Stored sign-ins: cookies and stored items of a signed-in browser, and optionally its whole profile."""

from __future__ import annotations

from typing import Any

from websp_gym.live.sealed import forget, keep, keep_bytes, kept, kept_at, kept_bytes


def keep_sign_in(account: str, state: dict[str, Any], profile: bytes | None = None) -> None:
    """Store the sign-in of an account.

    Args:
        account: Name of the account.
        state: The storage state of a browser context, as Playwright returns it.
        profile: The profile of the browser; None to store none.

    Raises:
        SetupError: There is no key, or the file cannot be written.
    """
    if profile is not None:
        keep_bytes("profiles", account, profile)
    keep("sign-ins", account, state)


def kept_sign_in(account: str) -> dict[str, Any] | None:
    """Return the stored sign-in of an account; None if there is none.

    Raises:
        SetupError: It cannot be read with this key.
    """
    state: dict[str, Any] | None = kept("sign-ins", account)
    return state


def kept_profile(account: str) -> bytes:
    """Return the stored profile of an account; empty if there is none. Raises the same errors as
    :func:`kept_sign_in`."""
    return kept_bytes("profiles", account) or b""


def forget_sign_in(account: str) -> bool:
    """Remove the stored sign-in of an account, with its profile; return whether there was one."""
    forget("profiles", account)
    return forget("sign-ins", account)


def sign_in_kept_at(account: str) -> float | None:
    """Return when the sign-in of an account was stored, as Unix time; None if there is none."""
    return kept_at("sign-ins", account)
