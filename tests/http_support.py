"""A small HTTP server on this machine, which says nothing of clients that hang up."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Handler(BaseHTTPRequestHandler):
    """Answers requests, and writes no log."""

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing: clients that hang up are part of the tests."""


@contextmanager
def listening(handler: type[Handler], **state: Any) -> Iterator[str]:
    """Runs a server as long as it is needed; yields its address.

    Args:
        handler: Answers the requests.
        state: What the handlers share, by name of the attribute.
    """
    server = _Server(("127.0.0.1", 0), type("Handler", (handler,), state))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
