"""Where a page is what is wrong, the error has a picture of it, for the user only."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from PIL import Image

from tests.live.small_site import Author, author, home, press, serve, site
from tests.live_support import live_env
from websp_gym.errors import SetupError
from websp_gym.live.accounts import Account, save_accounts

__all__ = ["author", "home", "site"]


@contextmanager
def pictured(author: Author, name: str, match: str) -> Iterator[None]:
    """Expects an error of a reset, with a picture of that name."""
    with pytest.raises(SetupError, match=match) as caught:
        yield
    error = caught.value
    assert error.path == str(author.folder / "state" / "websp-gym" / "pictures" / f"{name}.png")
    assert f"({error.path} shows the page)" in str(error)
    assert error.site == "small"
    path = Path(error.path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with Image.open(path) as picture:
        assert picture.format == "PNG"


@pytest.mark.parametrize(
    ("path", "since", "status"),
    [
        ("/privacy", 0, 429),
        ("/", 2, 403),
        *(pytest.param("/privacy", 0, status, marks=pytest.mark.proof) for status in (403, 500)),
        *(pytest.param("/", 2, status, marks=pytest.mark.proof) for status in (429, 500)),
    ],
)
def test_a_site_that_turns_the_browser_away_is_shown(
    author: Author, path: str, since: int, status: int
) -> None:
    author.write(press("link", "Privacy", f"{author.site.url}/", "/privacy"), expect={})
    with closing(live_env("Small-task-1")) as env:
        if since:
            env.reset(seed=0)
            since = author.site.asked.count(path) * 2 - 1  # the last one of the next reset
        author.site.turned_away[path] = (status, since)
        with pictured(author, "small", f"Small answered with {status} .* at {author.site.url}{path}: "):
            env.reset(seed=0)


def test_the_picture_at_the_sign_in_bears_the_name_of_the_account(author: Author) -> None:
    author.write(press("link", "Privacy", f"{author.site.url}/", "/privacy"), expect={}, account="password")
    save_accounts({"small-1": Account(site="small", email="me@small.test")})
    author.site.turned_away["/"] = (403, 0)
    with closing(live_env("Small-task-1")) as env, pictured(author, "small-1", "Small answered with 403"):
        env.reset(seed=0)


@pytest.mark.parametrize("account", ["none", "password"])
def test_a_site_that_cannot_be_reached_is_shown(author: Author, account: str) -> None:
    with serve() as gone:
        there = Author(gone, author.folder)
    there.write(press("link", "Privacy", f"{gone.url}/", "/privacy"), expect={}, account=account)
    if account == "password":
        save_accounts({"small-1": Account(site="small", email="me@small.test")})
    name = "small" if account == "none" else "small-1"
    match = f"Small cannot be reached at {gone.url}/: "
    with closing(live_env("Small-task-1")) as env, pictured(author, name, match):
        env.reset(seed=0)
