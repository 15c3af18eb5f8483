"""Secrets of accounts: in the keyring of the operating system, or in environment variables; never in a file."""

from __future__ import annotations

import os
import re
from typing import Annotated, Any

from pydantic import AfterValidator

from websp_gym.errors import SetupError, missing_extra

KEYRING = "keyring"
STATE_KEY = "WEBSP_STATE_KEY"
"""Environment variable with the key of what is stored, if there is no keyring."""
MAKE_KEY = (
    f"export {STATE_KEY}=$(python -c "
    '"from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())")'
)
"""The command that makes one."""
_SERVICE = "websp-gym"
_VARIABLE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*")


def _reference(text: str) -> str:
    if text != KEYRING and not _VARIABLE.fullmatch(text):
        # The text itself may be the secret.
        raise ValueError(
            "must be keyring or env:NAME; never put the secret itself in this file: `websp accounts add` asks for it"
        )
    return text


Reference = Annotated[str, AfterValidator(_reference)]
"""Where a secret is: ``keyring``, or ``env:NAME`` for an environment variable."""


def read_secret(account: str, field: str, reference: str) -> str:
    """Return a secret of an account.

    Args:
        account: Name of the account.
        field: What it is, such as ``password``.
        reference: Where it is: ``keyring`` or ``env:NAME``.

    Raises:
        SetupError: It is not there, or there is no keyring.
    """
    if reference != KEYRING:
        name = reference.removeprefix("env:")
        if not os.environ.get(name):
            raise SetupError(
                f"the {field} of account {account} should be in the environment variable {name}, which is not set",
                variable=name,
                option="account",
            )
        return os.environ[name]
    found = in_keyring(account, field)
    if not found:
        raise SetupError(
            f"the keyring has no {field} for account {account}; store it with `websp accounts add`, or write "
            f"`{field}: env:NAME` in accounts.yaml",
            option="account",
        )
    return found


def in_keyring(account: str, field: str) -> str | None:
    """Return a secret of an account from the keyring; None if it has none.

    Raises:
        SetupError: There is no keyring.
    """
    found: str | None = _ask("get_password", _SERVICE, _entry(account, field))
    return found


def store_secret(account: str, field: str, value: str) -> None:
    """Store a secret of an account in the keyring.

    Raises:
        SetupError: There is no keyring.
    """
    _ask("set_password", _SERVICE, _entry(account, field), value)


def forget_secret(account: str, field: str) -> None:
    """Remove a secret of an account from the keyring, if it is there.

    Raises:
        SetupError: There is no keyring.
    """
    if in_keyring(account, field) is not None:
        _ask("delete_password", _SERVICE, _entry(account, field))


def _entry(account: str, field: str) -> str:
    return f"{account}:{field}"


def _ask(function: str, *given: str) -> Any:
    try:
        import keyring
        import keyring.errors
    except ImportError as error:
        raise missing_extra(
            "storing secrets in the keyring of the operating system needs keyring",
            "live",
            otherwise=f"use env:NAME and {MAKE_KEY}",
        ) from error
    try:
        return getattr(keyring, function)(*given)
    except keyring.errors.KeyringError as error:
        # The message of a keyring names its backends, not what was to be stored.
        raise SetupError(
            f"the keyring of this machine cannot be used ({type(error).__name__}: {error}); "
            "give secrets in environment variables (`--password env:NAME`, in accounts.yaml `password: env:NAME`), "
            f"with the key of what is stored: `{MAKE_KEY}` (save its value). Or set up a keyring (Linux: "
            "gnome-keyring or KWallet; any: pip install keyrings.alt)",
            option="account",
            variable=STATE_KEY,
        ) from error
