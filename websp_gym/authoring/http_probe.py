"""Request pages of the sandbox over HTTPS, without a browser."""

from __future__ import annotations

import ssl
from http.client import HTTPException, HTTPSConnection
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from websp_gym.sandbox.client import EPISODE_HEADER, Sandbox

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playwright.sync_api import Cookie

_REDIRECTS = 6


class HttpProbe:
    """An HTTPS client that sends an episode's header, cookies and host names as a browser context would.

    Args:
        sandbox: The sandbox.
        episode: Secret id of the episode.
        cookies: Cookies of the browser.
    """

    def __init__(self, sandbox: Sandbox, episode: str, cookies: Sequence[Cookie] = ()) -> None:
        # No verification: the server at this local address made the certificate itself.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self._connection = HTTPSConnection(
            "127.0.0.1", sandbox.address.https_port, context=context, timeout=10
        )
        self._episode = episode
        self._cookies = cookies

    def status(self, url: str) -> int:
        """Return the status of a page after redirects; 0 without a response or after too many redirects."""
        return self.page(url)[0]

    def page(self, url: str) -> tuple[int, str]:
        """Return the status as :meth:`status` does, and the text of the page."""
        for _ in range(_REDIRECTS):
            parts = urlsplit(url)
            path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
            cookies = self._cookies_for(parts.hostname or "")
            status, location, text = self._exchange(
                "GET", parts.netloc, path, {"cookie": cookies} if cookies else {}
            )
            if status not in (301, 302, 303, 307, 308):
                return status, text
            url = urljoin(url, location or url)
        return 0, ""

    def send(
        self, method: str, host: str, path: str, headers: Mapping[str, str], body: str = ""
    ) -> tuple[int, str]:
        """Send one request, without redirects; return its status (0 without a response) and location."""
        return self._exchange(method, host, path, headers, body)[:2]

    def _exchange(
        self, method: str, host: str, path: str, headers: Mapping[str, str], body: str = ""
    ) -> tuple[int, str, str]:
        own = {**headers, "host": host, EPISODE_HEADER: self._episode}
        try:
            content = body.encode("utf-8", "surrogateescape") or None
            self._connection.request(method, path, content, own)
            response = self._connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        except (HTTPException, OSError):
            self._connection.close()
            return 0, "", ""
        return response.status, response.headers.get("location") or "", text

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _cookies_for(self, host: str) -> str:
        mine = [each for each in self._cookies if _covers(str(each.get("domain", "")), host)]
        return "; ".join(f"{each['name']}={each['value']}" for each in mine if "name" in each)


def _covers(domain: str, host: str) -> bool:
    bare = domain.removeprefix(".")
    return host == bare or (domain.startswith(".") and host.endswith(domain))
