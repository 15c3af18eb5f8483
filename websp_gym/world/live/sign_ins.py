"""Kept sign-ins: cookies and stored items of a browser that is signed in, encrypted, in the user's state folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from websp_gym.errors import SetupError
from websp_gym.world.live.folders import state_folder, write_private
from websp_gym.world.live.vault import read_secret, store_secret

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

STATE_KEY = "WEBSP_STATE_KEY"
"""Environment variable with the key of kept sign-ins, where there is no keyring."""
_OWNER = "sign-ins"
_FIELD = "key"


def keep_sign_in(account: str, state: dict[str, Any]) -> None:
    """Keep the sign-in of an account.

    Args:
        account: Name of the account.
        state: The storage state of a browser context, as Playwright returns it.

    Raises:
        SetupError: There is no key, or the file cannot be written.
    """
    write_private(_path(account), _cipher(make=True).encrypt(json.dumps(state).encode()))


def kept_sign_in(account: str) -> dict[str, Any] | None:
    """Return the kept sign-in of an account; None if there is none.

    Raises:
        SetupError: It cannot be read with this key.
    """
    from cryptography.fernet import InvalidToken

    path = _path(account)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SetupError(f"cannot read {path}: {error.strerror}", path=str(path)) from error
    try:
        state: dict[str, Any] = json.loads(_cipher(make=False).decrypt(data))
    except (InvalidToken, ValueError) as error:
        raise SetupError(
            f"the kept sign-in of {account} cannot be read with this key; sign in again: `websp login {account}`",
            path=str(path),
        ) from error
    return state


def forget_sign_in(account: str) -> bool:
    """Remove the kept sign-in of an account; return whether there was one."""
    path = _path(account)
    there = path.exists()
    path.unlink(missing_ok=True)
    return there


def kept_at(account: str) -> float | None:
    """Return when the sign-in of an account was kept, as Unix time; None if there is none."""
    try:
        return _path(account).stat().st_mtime
    except OSError:
        return None


def _path(account: str) -> Path:
    return state_folder() / "sign-ins" / f"{account}.bin"


def _cipher(*, make: bool) -> Fernet:
    from cryptography.fernet import Fernet

    key = os.environ.get(STATE_KEY)
    if not key:
        try:
            key = read_secret(_OWNER, _FIELD, "keyring")
        except SetupError:
            if not make:
                raise
            # A keyring that cannot be used says so here.
            key = Fernet.generate_key().decode()
            store_secret(_OWNER, _FIELD, key)
    try:
        return Fernet(key)
    except ValueError:
        raise SetupError(
            f"{STATE_KEY} is not a key: make one with "
            "`python -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())'`",
            variable=STATE_KEY,
        ) from None
