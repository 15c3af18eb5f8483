"""Requests to the sandbox over HTTPS without a browser: as a page would send them, or as another browser."""

from __future__ import annotations

import json
import ssl
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage, HTTPSConnection
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urljoin, urlsplit

from websp_gym.sandbox.client import EPISODE_HEADER, Sandbox

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playwright.sync_api import Cookie

_SECONDS = 60.0
"""Seconds without data after which a request failed; the server gives up after 25."""
_REDIRECTS = 6
_FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class ProbeReply:
    """The last response to a request: its status (0 without one), address after redirects, and text."""

    status: int
    url: str
    text: str


class HttpProbe:
    """An HTTPS client that sends an episode's header, cookies and host names as a browser context would.

    Args:
        sandbox: The sandbox.
        episode: Secret id of the episode.
        cookies: Cookies of the browser; those that responses set are added.
        device: Fields of this client's sessions (``device``, ``place``), if it is not the episode's own browser.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        episode: str,
        cookies: Sequence[Cookie] = (),
        *,
        device: Mapping[str, Any] | None = None,
    ) -> None:
        # No verification: the server at this local address made the certificate itself.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self._connection = HTTPSConnection(
            "127.0.0.1", sandbox.address.https_port, context=context, timeout=_SECONDS
        )
        self._episode = f"{episode} {json.dumps(device)}" if device is not None else episode
        self._cookies: list[dict[str, Any]] = [dict(each) for each in cookies]

    def status(self, url: str) -> int:
        """Return the status of a page after redirects; 0 without a response or after too many redirects."""
        return self.request("GET", url).status

    def page(self, url: str) -> tuple[int, str]:
        """Return the status as :meth:`status` does, and the text of the page."""
        reply = self.request("GET", url)
        return reply.status, reply.text

    def request(
        self,
        method: str,
        url: str,
        *,
        form: Mapping[str, str] | None = None,
        body: Any = None,
        token: str = "",
    ) -> ProbeReply:
        """Send a request and follow redirects.

        Args:
            method: The HTTP method.
            url: The address.
            form: Fields of a form.
            body: Instead of a form: JSON data; a text is sent as it is.
            token: An access token for the ``Authorization`` header.

        Returns:
            The last response; its status is 0 without a response or after too many redirects.
        """
        text, kind = _content(form, body)
        for _ in range(_REDIRECTS):
            parts = urlsplit(url)
            host = parts.hostname or ""
            headers = {"content-type": kind} if text else {}
            headers |= {"authorization": f"Bearer {token}"} if token else {}
            cookies = self._cookies_for(host)
            headers |= {"cookie": cookies} if cookies else {}
            path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
            status, received, answer = self._exchange(method, parts.netloc, path, headers, text)
            self._take_cookies(host, received)
            if status not in (301, 302, 303, 307, 308):
                return ProbeReply(status, url, answer)
            url = urljoin(url, received.get("location") or url)
            if status in (302, 303) and method != "GET":
                method, text = "GET", ""
        return ProbeReply(0, url, "")

    def send(
        self, method: str, host: str, path: str, headers: Mapping[str, str], body: str = ""
    ) -> tuple[int, str]:
        """Send one request, without redirects; return its status (0 without a response) and location."""
        status, received, _ = self._exchange(method, host, path, headers, body)
        return status, received.get("location") or ""

    def _exchange(
        self, method: str, host: str, path: str, headers: Mapping[str, str], body: str = ""
    ) -> tuple[int, HTTPMessage, str]:
        own = {**headers, "host": host, EPISODE_HEADER: self._episode}
        try:
            content = body.encode("utf-8", "surrogateescape") or None
            self._connection.request(method, path, content, own)
            response = self._connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        except (HTTPException, OSError):
            self._connection.close()
            return 0, HTTPMessage(), ""
        return response.status, response.headers, text

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _cookies_for(self, host: str) -> str:
        mine = [each for each in self._cookies if _covers(str(each.get("domain", "")), host)]
        return "; ".join(f"{each['name']}={each['value']}" for each in mine if "name" in each)

    def _take_cookies(self, host: str, received: HTTPMessage) -> None:
        for line in received.get_all("set-cookie") or []:
            for name, morsel in SimpleCookie(line).items():
                domain = f".{morsel['domain'].removeprefix('.')}" if morsel["domain"] else host
                self._cookies = [
                    each for each in self._cookies if (each.get("name"), each.get("domain")) != (name, domain)
                ]
                if morsel["max-age"] != "0":
                    self._cookies.append({"name": name, "value": morsel.value, "domain": domain})


def _content(form: Mapping[str, str] | None, body: Any) -> tuple[str, str]:
    """Return the text of a request's body and its type."""
    if form is not None:
        return urlencode(form), _FORM
    if isinstance(body, str):
        return body, "application/x-ndjson"
    return ("" if body is None else json.dumps(body)), "application/json"


def _covers(domain: str, host: str) -> bool:
    bare = domain.removeprefix(".")
    return host == bare or (domain.startswith(".") and host.endswith(domain))
