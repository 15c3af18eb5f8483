"""The one port of many doors: who is handed on, and who cannot keep the others out."""

from __future__ import annotations

import asyncio
import socket
from contextlib import closing

from websp_gym.attach.front import MOST_OF_A_DOOR, MOST_UNKNOWN, Front

MINE, THEIRS = "1" * 32, "2" * 32


async def door() -> tuple[asyncio.Server, int]:
    """A server that answers each request with its first line, and keeps the connection open."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"door: " + await reader.readline())
        await reader.read()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    return server, server.sockets[0].getsockname()[1]


async def ask(port: int, token: str) -> tuple[bytes, asyncio.StreamWriter]:
    """Send the head of a request and return the first line of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /{token}/json HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return await asyncio.wait_for(reader.readline(), 150), writer


def test_connections_of_nobody_and_of_another_agent_keep_no_agent_out() -> None:
    async def play() -> None:
        server, local = await door()
        with closing(socket.create_server(("127.0.0.1", 0))) as listener:
            port = listener.getsockname()[1]
            front = Front(listener)
            front.doors = {MINE: local, THEIRS: local}
            await front.start()
            silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3 * MOST_UNKNOWN)]
            greedy = [await ask(port, THEIRS) for _ in range(MOST_OF_A_DOOR + 5)]
            assert [line.split()[1] for line, _ in greedy[MOST_OF_A_DOOR:]] == [b"503"] * 5
            line, mine = await ask(port, MINE)
            assert line.startswith(b"door: GET /")
            # One that ends makes room.
            greedy[0][1].close()
            for _ in range(1000):
                line, again = await ask(port, THEIRS)
                again.close()
                if line.startswith(b"door"):
                    break
                await asyncio.sleep(0.01)
            assert line.startswith(b"door")
            line, _ = await ask(port, "3" * 32)
            assert line.startswith(b"HTTP/1.1 404")
            dropped = [reader for reader, _ in silent if reader.at_eof() or reader.exception()]
            assert len(dropped) >= len(silent) - MOST_UNKNOWN
            for _, writer in (*silent, *greedy, (None, mine)):
                writer.close()
            front.close()
        server.close()

    asyncio.run(play())
