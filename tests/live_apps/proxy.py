"""A reverse proxy in front of an application, which does what its servers and their neighbours do to visitors."""

from __future__ import annotations

import http.client
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from tests.http_support import Handler, listening

_HOP = {
    "connection",
    "keep-alive",
    "transfer-encoding",
    "content-length",
    "content-encoding",
    "date",
    "server",
}
_TEXT = ("text/", "application/json", "application/javascript")

CONSENT = """
<div style="position:fixed;inset:0;z-index:2147483647;background:#fff" role="dialog" aria-label="Your privacy">
<p>We and our 812 partners value your privacy.</p>
<button onclick="document.cookie='consent=yes;path=/';this.parentNode.remove()">Accept all</button></div>
"""
"""A wall over the page until it is answered."""
SESSION = '<a href="/tracker/?COOKIE">Report a problem (COOKIE)</a>'
"""A link that shows the session, as pages for support do."""


@dataclass(frozen=True)
class Fault:
    """What happens to some requests.

    Args:
        status: Status of the answer in place of the application's; 0 lets the application answer.
        path: Beginning of the paths that are meant.
        method: The method that is meant; empty for all.
        headers: Further headers of the answer.
        cover: HTML that is put into each page, unless the cookie ``consent`` is there; ``COOKIE`` in it is what the
            browser sent as cookies.
        after: Number of such requests that pass before.
    """

    status: int = 0
    path: str = "/"
    method: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    cover: str = ""
    after: int = 0


@dataclass
class Proxy:
    """A proxy that runs.

    Args:
        behind: The address of the application.
        url: Its own address.
        fault: What happens to requests now.
        sent: Method and path of the requests that the application got.
    """

    behind: str
    url: str = ""
    fault: Fault | None = None
    sent: list[tuple[str, str]] = field(default_factory=list)
    passed: int = 0

    def put(self, fault: Fault | None) -> None:
        """Let a fault happen from now on; None for none."""
        self.fault, self.passed = fault, 0

    def fault_of(self, method: str, path: str) -> Fault | None:
        """Return what happens to a request."""
        fault = self.fault
        if fault is None or not path.startswith(fault.path) or fault.method not in ("", method):
            return None
        self.passed += 1
        return fault if self.passed > fault.after else None


class _Handler(Handler):
    proxy: Proxy

    def _forward(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        fault = self.proxy.fault_of(self.command, self.path)
        if fault is not None and fault.status:
            page = f"<!doctype html><title>{fault.status}</title><h1>Error {fault.status}</h1>".encode()
            self._answer(fault.status, {"Content-Type": "text/html", **fault.headers}, page)
            return
        self.proxy.sent.append((self.command, self.path))
        # The application must not know that it is behind something.
        ours, theirs = (urlsplit(url).netloc for url in (self.proxy.url, self.proxy.behind))
        headers = {
            name: value.replace(ours, theirs)
            for name, value in self.headers.items()
            if name.lower() not in ("host", "connection", "accept-encoding", "content-length")
        }
        for one, other in ((ours, theirs), (quote(ours), quote(theirs))):
            body = body and body.replace(one.encode(), other.encode())
        client = http.client.HTTPConnection(theirs, timeout=60)
        try:
            client.request(self.command, self.path, body, headers)
            reply = client.getresponse()
            content = reply.read()
            said = [(name, value.replace(theirs, ours)) for name, value in reply.getheaders()]
            kind = reply.getheader("Content-Type", "")
            if kind.startswith(_TEXT):
                content = content.replace(theirs.encode(), ours.encode())
            wall = fault is not None and kind.startswith("text/html")
            if wall and fault is not None and "consent=yes" not in self.headers.get("Cookie", ""):
                cover = fault.cover.replace("COOKIE", self.headers.get("Cookie", ""))
                content = content.replace(b"</body>", cover.encode() + b"</body>")
            self._answer(reply.status, said, content)
        finally:
            client.close()

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = do_OPTIONS = _forward

    def _answer(
        self, status: int, headers: Mapping[str, str] | list[tuple[str, str]], content: bytes
    ) -> None:
        self.send_response_only(status)
        for name, value in headers.items() if isinstance(headers, Mapping) else headers:
            if name.lower() not in _HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


@contextmanager
def in_front_of(behind: str) -> Iterator[Proxy]:
    """Run a proxy in front of an application as long as it is needed."""
    proxy = Proxy(behind)
    with listening(_Handler, proxy=proxy) as proxy.url:
        yield proxy
