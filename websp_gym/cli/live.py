"""The account of commands on live websites: from the environment, or one of ``accounts.yaml``."""

from __future__ import annotations

import os

_FIELDS = {
    "email": "WEBSP_ACCOUNT_EMAIL",
    "username": "WEBSP_ACCOUNT_USERNAME",
    "name": "WEBSP_ACCOUNT_NAME",
    "password": "WEBSP_ACCOUNT_PASSWORD",
    "new_password": "WEBSP_ACCOUNT_NEW_PASSWORD",
}


def live_account() -> dict[str, str]:
    """Return the account of a live site from the environment."""
    return {field: os.environ[name] for field, name in _FIELDS.items() if os.environ.get(name)}


def new_password() -> dict[str, str]:
    """Return the password to set where a recording set a new one, from the environment; empty if there is none."""
    return {field: value for field, value in live_account().items() if field == "new_password"}
