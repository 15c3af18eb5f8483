"""One port for the doors of many episodes, which other machines can reach."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import ssl
from collections import Counter
from pathlib import Path

from websp_gym.errors import SetupError

_LOCAL = "127.0.0.1"
_TOKEN = re.compile(rb"\b[0-9a-f]{32}\b")
_CONNECTION = re.compile(rb"\r\nconnection:[^\r\n]*", re.IGNORECASE)
_UPGRADE = re.compile(rb"\r\nupgrade:", re.IGNORECASE)
_TO_BEGIN = 60.0
"""Seconds that a client may take to send the head of its request."""
MOST_UNKNOWN = 64
"""Connections that may wait for the head of their request at once."""
MOST_OF_A_DOOR = 64
"""Connections that one agent may have at once."""
_LONGEST_HEAD = 1 << 16
_PIECE = 1 << 16
_TOO_MANY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Front:
    """Hands each connection on to the door whose token is in its address; all others get 404.

    Args:
        listener: The socket to listen on.
        tls: Certificate and key; ``None`` for plain HTTP.

    Attributes:
        doors: Local port of each door by its token. The caller keeps it.
    """

    def __init__(self, listener: socket.socket, tls: ssl.SSLContext | None = None) -> None:
        self.doors: dict[str, int] = {}
        self._listener = listener
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._unknown: dict[asyncio.StreamWriter, None] = {}
        """Connections that have not said whose they are, the oldest first."""
        self._open: Counter[str] = Counter()
        """Number of connections to each door, by its token."""

    async def start(self) -> None:
        """Begin to listen, on the running event loop."""
        self._server = await asyncio.start_server(
            self._take, sock=self._listener, ssl=self._tls, limit=_LONGEST_HEAD
        )

    def close(self) -> None:
        """Stop listening; connections end with their doors."""
        if self._server is not None:
            self._server.close()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
            head = await self._head(reader, writer)
            token = next((name for name in _tokens(head) if name in self.doors), None)
            if token is None:
                writer.write(_NOT_FOUND)
            elif self._open[token] >= MOST_OF_A_DOOR:
                writer.write(_TOO_MANY)
            else:
                self._open[token] += 1
                try:
                    await _forward(_for_one_request(head), self.doors[token], reader, writer)
                finally:
                    self._open[token] -= 1
            await writer.drain()
        writer.close()

    async def _head(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        """Read the head of a request. Of too many that come without one, the oldest are dropped."""
        self._unknown[writer] = None
        if len(self._unknown) > MOST_UNKNOWN:
            next(iter(self._unknown)).transport.abort()
        try:
            return await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _TO_BEGIN)
        finally:
            self._unknown.pop(writer, None)


def load_tls(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """Return the TLS context for a certificate and its key; ``None`` without either.

    Raises:
        SetupError: One of the two is missing, or they cannot be read or do not fit.
    """
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise SetupError("give both --tls-certificate and --tls-key, or neither", option="tls_certificate")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise SetupError(
            f"cannot serve TLS with {certificate} and {key}: {error}", option="tls_certificate"
        ) from error
    return context


def _tokens(head: bytes) -> list[str]:
    """Return what may be a token: in the path, or in the name of the host."""
    line, _, rest = head.partition(b"\r\n")
    host = next((each for each in rest.split(b"\r\n") if each[:5].lower() == b"host:"), b"")
    return [found.decode() for found in _TOKEN.findall(line + b" " + host)]


def _for_one_request(head: bytes) -> bytes:
    """Return a head that ends the connection after its request: the next one may be for another door."""
    if _UPGRADE.search(head):
        return head
    return _CONNECTION.sub(b"", head)[:-2] + b"Connection: close\r\n\r\n"


async def _forward(
    head: bytes, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    from_door, to_door = await asyncio.open_connection(_LOCAL, port)
    to_door.write(head)
    sending = asyncio.create_task(_copy(reader, to_door))
    try:
        await _copy(from_door, writer)
    finally:
        sending.cancel()
        to_door.close()


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await source.read(_PIECE):
            target.write(piece)
            await target.drain()
        # Whoever is at the other end must learn that no more comes, or it would wait for ever.
        if target.can_write_eof():
            target.write_eof()
