"""Which process is at the other end of a connection."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import closing

import pytest

from websp_gym.attach.peers import is_of_session

CONNECT = """
import socket, subprocess, sys
if len(sys.argv) > 2:
    sys.exit(subprocess.run([sys.executable, "-c", sys.argv[2], sys.argv[1]]).returncode)
family = socket.AF_INET6 if sys.argv[1].startswith("6") else socket.AF_INET
host = "::ffff:127.0.0.1" if family == socket.AF_INET6 else "127.0.0.1"
connection = socket.socket(family)
connection.connect((host, int(sys.argv[1][1:])))
connection.recv(1)
"""


@pytest.mark.parametrize("child", [False, True], ids=["itself", "its child"])
@pytest.mark.parametrize("family", "46")
def test_a_connection_is_known_by_the_session_of_its_process(family: str, child: bool) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
        command = [sys.executable, "-c", CONNECT, f"{family}{port}", *([CONNECT] if child else [])]
        with subprocess.Popen(command, start_new_session=True) as process:
            connection, peer = listener.accept()
            with connection:
                assert is_of_session(peer[1], process.pid)
                # This process has the other end of it, and is of another session.
                stranger = subprocess.Popen(["sleep", "600"], start_new_session=True)
                try:
                    assert not is_of_session(peer[1], stranger.pid)
                finally:
                    stranger.kill()
                    stranger.wait()
    assert not is_of_session(peer[1], process.pid)
