"""The GitHub replica: the password that is asked for before sensitive pages."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.sandbox_support import Visitor, account, items_of

__all__ = ["account"]

TOKENS = "https://github.com/settings/tokens"
SUDO = "https://github.com/sessions/sudo"


def saved_password(page: str) -> str:
    """The password that the browser has saved, as the page shows it."""
    (field,) = re.findall(r'<input type="password"[^>]*>', page)
    return str(re.findall(r'value="([^"]+)"', field)[0])


def test_a_wrong_password_opens_no_sensitive_page_and_the_right_one_does(
    account: Callable[[str], Visitor],
) -> None:
    here = account("github")
    assert here.episode is not None
    assert here.get(TOKENS).status == 200
    here.episode.patch("github", settings={"security.sudo_mode": True})
    assert here.get(TOKENS).headers["location"] == "/sessions/sudo?return_to=/settings/tokens"
    right = saved_password(here.get(f"{SUDO}?return_to=/settings/tokens").body)
    for wrong in ("", "guess", right[:-1], f"{right} "):
        refused = here.post(SUDO, {"sudo_password": wrong, "return_to": "/settings/tokens"})
        assert (refused.status, "Incorrect password." in refused.body) == (200, True)
        assert here.get(TOKENS).status == 303
    assert items_of(here, "github", "confirmed") == []
    passed = here.post(SUDO, {"sudo_password": right, "return_to": "/settings/tokens"})
    assert (passed.status, passed.headers["location"]) == (303, "/settings/tokens")
    assert here.get(TOKENS).status == 200
