"""A trace whose site is at another address."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from websp_gym.errors import SetupError
from websp_gym.replay.trace import Trace


def on_site(trace: Trace, site_url: str | None) -> Trace:
    """Return the trace with the addresses of its own site moved to another one; None leaves them.

    Raise SetupError if ``site_url`` is not an http or https URL. A path in it comes before those of the trace.
    """
    if site_url is None:
        return trace
    start = urlsplit(trace.start_url)
    old = f"{start.scheme}://{start.netloc}"

    def move(part: Any, key: str = "") -> Any:
        if isinstance(part, dict):
            return {name: move(value, name) for name, value in part.items()}
        if isinstance(part, list):
            return [move(value) for value in part]
        is_own = (
            key in ("url", "start_url", "href", "form")
            and isinstance(part, str)
            and f"{part}/".startswith(f"{old}/")
        )
        return address_on(part, site_url) if is_own else part

    return Trace.model_validate(move(trace.model_dump(mode="json", by_alias=True)))


def address_on(address: str, site_url: str) -> str:
    """Return an address with its site moved to ``site_url``, whose path comes before that of the address.

    Raise SetupError if ``site_url`` is not an http or https URL.
    """
    url = urlsplit(site_url)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise SetupError(
            f"{site_url} is not a web address; write, for example, https://staging.example.com",
            option="site-url",
        )
    parts = urlsplit(address)
    return f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}" + address.removeprefix(
        f"{parts.scheme}://{parts.netloc}"
    )
