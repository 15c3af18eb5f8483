"""Google Cloud credentials for Vertex."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

from websp_gym.errors import MissingKeyError, missing_extra
from websp_gym.models.settings import Settings

_SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"


def google_credentials(spec: str, settings: Settings) -> Any:
    """Return Google's refreshable credentials.

    They come from the file that the settings name, or from ``gcloud auth application-default login``.

    Raises:
        MissingKeyError: There are no credentials.
        MissingExtraError: Google's credentials library is not installed.
    """
    try:
        auth: Any = import_module("google.auth")
        import_module("google.auth.transport.requests")
    except ImportError:
        raise missing_extra(
            f"{spec} needs Google's credentials library",
            "vertex",
            otherwise="set GOOGLE_OAUTH_ACCESS_TOKEN",
            model=spec,
        ) from None
    file = settings.get(_VARIABLE)
    try:
        if file:
            return auth.load_credentials_from_file(file, scopes=_SCOPES)[0]
        return auth.default(scopes=_SCOPES)[0]
    except auth.exceptions.GoogleAuthError:
        raise MissingKeyError(
            f"{spec} needs credentials of Google Cloud: set {_VARIABLE} to a key file, or run gcloud auth "
            "application-default login",
            variable=_VARIABLE,
            model=spec,
        ) from None


def fresh_token(credentials: Any) -> Callable[[], str]:
    """Return a function that returns a valid token, refreshed if the last one has expired."""
    lock = threading.Lock()

    def token() -> str:
        requests: Any = import_module("google.auth.transport.requests")
        with lock:
            if not credentials.valid:
                credentials.refresh(requests.Request())
            return str(credentials.token)

    return token
