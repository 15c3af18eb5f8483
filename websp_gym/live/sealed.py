"""What is stored about an account between episodes: encrypted, in the user's state folder, readable only by its
owner."""

from __future__ import annotations

import json
import os
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal

from websp_gym.errors import SetupError
from websp_gym.live.vault import MAKE_KEY, STATE_KEY, in_keyring, store_secret
from websp_gym.user_folders import state_folder, write_private

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

Kind = Literal["sign-ins", "profiles", "found"]
"""``sign-ins``: the storage state of a browser; ``profiles``: its whole profile; ``found``: how an account was before
S0 was set."""
_OWNER = "sign-ins"
_FIELD = "key"


def require_key() -> None:
    """Make sure that something can be stored, before what would be lost otherwise.

    Raises:
        SetupError: There is no key, and no keyring to make one in.
    """
    _cipher(make=True)


def keep(kind: Kind, account: str, data: Any) -> None:
    """Store JSON data of an account.

    Raises:
        SetupError: There is no key, or the file cannot be written.
    """
    keep_bytes(kind, account, json.dumps(data).encode())


def keep_bytes(kind: Kind, account: str, data: bytes) -> None:
    """Store bytes of an account. Raises the same errors as :func:`keep`."""
    write_private(_path(kind, account), _cipher(make=True).encrypt(data))


def kept(kind: Kind, account: str) -> Any:
    """Return the stored JSON data of an account; None if there is none.

    Raises:
        SetupError: It cannot be read with this key.
    """
    data = kept_bytes(kind, account)
    return None if data is None else json.loads(data)


def kept_bytes(kind: Kind, account: str) -> bytes | None:
    """Return the stored bytes of an account; None if there are none. Raises the same errors as :func:`kept`."""
    from cryptography.fernet import InvalidToken

    path = _path(kind, account)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SetupError(f"cannot read {path}: {error.strerror}", path=str(path)) from error
    try:
        return _cipher(make=False).decrypt(data)
    except InvalidToken as error:
        way = (
            f"remove {quote(str(path))} to continue"
            if kind == "found"
            else f"sign in again: `websp login {account}`"
        )
        raise SetupError(
            f"the stored data of {account} ({kind}) cannot be read with this key; {way}", path=str(path)
        ) from error


def forget(kind: Kind, account: str) -> bool:
    """Remove the stored data of an account; return whether there was any."""
    path = _path(kind, account)
    there = path.exists()
    path.unlink(missing_ok=True)
    return there


def kept_at(kind: Kind, account: str) -> float | None:
    """Return when it was stored, as Unix time; None if there is none."""
    try:
        return _path(kind, account).stat().st_mtime
    except OSError:
        return None


def _path(kind: Kind, account: str) -> Path:
    return state_folder() / kind / f"{account}.bin"


def _cipher(*, make: bool) -> Fernet:
    from cryptography.fernet import Fernet

    key = os.environ.get(STATE_KEY) or in_keyring(_OWNER, _FIELD)
    if not key and not make:
        raise SetupError(
            f"the keyring has no key for what is stored about accounts: set {STATE_KEY} to the one it was stored "
            f"with, or remove {quote(str(state_folder()))} with all of it",
            variable=STATE_KEY,
        )
    if not key:
        key = Fernet.generate_key().decode()
        store_secret(_OWNER, _FIELD, key)
    try:
        return Fernet(key)
    except ValueError:
        raise SetupError(
            f"{STATE_KEY} is not a key: create one with `{MAKE_KEY}`",
            variable=STATE_KEY,
        ) from None
