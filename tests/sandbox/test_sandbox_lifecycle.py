from __future__ import annotations

import contextlib
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.sandbox_support import Visitor, write_site, write_sites
from websp_gym.sandbox.client import VARIABLE, Address, Sandbox, SandboxError
from websp_gym.sandbox.client.launching import family_secret, launch

USER = """
import sys
from websp_gym.sandbox.client import Sandbox
sandbox = Sandbox.shared()
sandbox.open_episode("websp", signed_in=[]).state()
sys.stdout.write(f"{sandbox.address.pid} {sandbox.address.control_port}\\n")
sys.stdout.flush()
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _no_shared_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # What other tests of this process share is put aside, not closed.
    monkeypatch.setattr(Sandbox, "_shared", None)
    monkeypatch.delenv(VARIABLE, raising=False)
    yield
    if Sandbox._shared is not None:
        Sandbox._shared.close()


@contextlib.contextmanager
def user() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that uses the shared server until its stdin closes; with the pid of that server."""
    command = [sys.executable, "-c", USER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, int(process.stdout.readline().split()[0])
        finally:
            process.kill()


def wait_for_end(pid: int, seconds: float) -> bool:
    """Waits until a process is gone; it is woken by the kernel, not by a clock."""
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watch], [], [], seconds)[0])
    finally:
        os.close(watch)


def test_a_process_has_one_shared_server_also_from_many_threads() -> None:
    found: list[Sandbox] = []
    threads = [threading.Thread(target=lambda: found.append(Sandbox.shared())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(sandbox) for sandbox in found}) == 1
    assert Address.parse(os.environ[VARIABLE], secret=family_secret()) == found[0].address


def test_the_address_is_put_back_for_child_processes_when_it_was_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mine = Sandbox.shared()
    monkeypatch.delenv(VARIABLE)
    assert Sandbox.shared() is mine
    assert Address.parse(os.environ[VARIABLE], secret=family_secret()) == mine.address


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_worker_processes_share_the_server_of_their_parent(method: str) -> None:
    mine = Sandbox.shared()
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    child = context.Process(target=_use_in_a_worker, args=(theirs,))  # type: ignore[attr-defined]
    child.start()
    assert ours.recv() == (mine.address.pid, 2)
    child.join()
    assert mine.alive()


def _use_in_a_worker(pipe: multiprocessing.connection.Connection) -> None:
    own = Sandbox.shared()
    pipe.send((own.address.pid, own.call("GET", "/health")["leases"]))


def test_a_forked_child_cannot_use_the_connection_of_its_parent() -> None:
    mine = Sandbox.shared()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=_use_after_fork, args=(theirs, mine))
    child.start()
    assert ours.recv() == "SandboxError"
    child.join()


def _use_after_fork(pipe: multiprocessing.connection.Connection, inherited: Sandbox) -> None:
    try:
        inherited.sites()
    except SandboxError as error:
        pipe.send(type(error).__name__)


def test_a_program_that_inherits_the_environment_cannot_reach_the_control_api() -> None:
    mine = Sandbox.shared()
    everything = "\n".join(f"{name}={value}" for name, value in os.environ.items())
    assert mine.address.secret not in everything
    with user() as (_, pid):
        assert pid != mine.address.pid, "it has a server of its own"
        assert mine.call("GET", "/health")["leases"] == 1


def test_a_server_is_shared_with_a_program_that_is_given_its_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Sandbox.shared()
    monkeypatch.setenv(VARIABLE, mine.address.dump(secret=True))
    with user() as (_, pid):
        assert pid == mine.address.pid


def test_a_server_that_stands_still_is_replaced() -> None:
    first = Sandbox.shared()
    first.call_timeout = 0.3
    os.kill(first.address.pid, signal.SIGSTOP)
    with pytest.raises(SandboxError, match="stands still"):
        first.sites()
    second = Sandbox.shared(patience=0.3)
    assert second.address.pid != first.address.pid
    assert second.sites()
    assert wait_for_end(first.address.pid, 3)


def test_a_server_that_was_only_slow_stays() -> None:
    first = Sandbox.shared()
    first.call_timeout = 0.3
    with stopped(first.address.pid), pytest.raises(SandboxError, match="stands still"):
        first.sites()
    assert Sandbox.shared() is first


HOLDING = """
import re
from starlette.responses import JSONResponse
from starlette.routing import Route


async def hold(request):
    # Takes hundreds of years, in compiled code that keeps the interpreter to itself.
    return JSONResponse({"found": bool(re.match(r"(a+)+$", "a" * 60 + "b"))})


async def loop(request):
    while True:
        pass


def routes(site):
    return [Route("/hold", hold, methods=["POST"]), Route("/loop", loop, methods=["POST"])]
"""


def test_a_request_that_stops_all_others_ends_the_server_and_not_its_users(tmp_path: Path) -> None:
    site = "name: Held\nhosts: [held.example]\nsearch: false\npages: [{path: /, template: home.html}]"
    write_site(tmp_path / "held", site, {"home.html": "<html><body>home</body></html>"}, HOLDING)
    options = [f"--sites={tmp_path}", "--only", "--held-seconds=1"]
    sandbox = Sandbox(*launch(options, family_secret()))
    with sandbox.as_shared():
        visitor = Visitor(sandbox.address, sandbox.open_episode("held", signed_in=[]))
        with pytest.raises(OSError):
            visitor.send("POST", "https://held.example/hold", None, {}, timeout=60)
        assert wait_for_end(sandbox.address.pid, 30)
        other = Sandbox.shared()
        try:
            assert other.address.pid != sandbox.address.pid
            assert other.sites()
        finally:
            other.close()
    sandbox.close()


def test_the_server_ends_when_its_user_is_killed() -> None:
    with user() as (process, server):
        process.send_signal(signal.SIGKILL)
        assert wait_for_end(server, 3)


def test_the_server_stays_while_another_user_does() -> None:
    mine = Sandbox.shared()
    with user() as (process, _):
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert mine.open_episode("websp", signed_in=[]).state()["events"] == []


@contextlib.contextmanager
def stopped(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_stalled_server_is_distinguished_from_a_busy_one(
    tmp_path: Path,
) -> None:
    sandbox = Sandbox.start(sites=[write_sites(tmp_path)], only=True)
    assert sandbox.ping(10)
    with ThreadPoolExecutor() as pool, stopped(sandbox.address.pid):
        hanging = [pool.submit(sandbox.sites) for _ in range(3)]
        began = time.monotonic()
        assert not sandbox.ping(0.3)
        assert time.monotonic() - began < 5
        assert sandbox.alive()
        os.kill(sandbox.address.pid, signal.SIGCONT)
        assert sandbox.ping(10)
        assert all(len(call.result()) == 2 for call in hanging)
    sandbox.close()
    assert not sandbox.ping(1)


def test_a_control_call_that_times_out_is_named_and_the_next_succeeds(tmp_path: Path) -> None:
    sandbox = Sandbox.start(sites=[write_sites(tmp_path)], only=True)
    episode = sandbox.open_episode("shop", signed_in=[])
    sandbox.call_timeout = 0.3
    with (
        stopped(sandbox.address.pid),
        pytest.raises(SandboxError, match=r"did not answer GET state within 0\.3 s; it stands still"),
    ):
        episode.state()
    sandbox.call_timeout = 30
    episode.patch("shop", settings={"profile.note": "after"})
    assert episode.state()["sites"]["shop"]["settings"]["profile.note"] == "after"
    sandbox.close()


def test_a_forked_child_does_not_inherit_sockets(tmp_path: Path) -> None:
    sandbox = Sandbox.start(sites=[write_sites(tmp_path)], only=True)
    sandbox.open_episode("shop", signed_in=[])
    context = multiprocessing.get_context("fork")
    mine, theirs = context.Pipe()
    child = context.Process(target=_look_at_sockets, args=(theirs, sandbox))
    child.start()
    theirs.close()
    assert mine.recv() == (-1, 0, False, True)
    child.join()
    assert sandbox.open_episode("shop", signed_in=[]).state()
    sandbox.close()


def _look_at_sockets(pipe: multiprocessing.connection.Connection, inherited: Sandbox) -> None:
    facts = (
        inherited._lease.connection.fileno(),
        len(inherited._control._idle),
        inherited.alive(),
        inherited.ping(10),
    )
    pipe.send(facts)


def test_a_dead_server_is_named_and_replaced_on_the_same_ports() -> None:
    first = Sandbox.shared()
    episode = first.open_episode("websp", signed_in=[])
    os.kill(first.address.pid, signal.SIGKILL)
    assert wait_for_end(first.address.pid, 3)
    with pytest.raises(SandboxError, match=f"pid {first.address.pid}.* has died"):
        episode.state()
    second = Sandbox.shared()
    assert second is not first
    assert second.address.pid != first.address.pid
    assert second.browser_args() == first.browser_args()
    assert second.open_episode("websp", signed_in=[]).state()["events"] == []


def test_a_stale_address_in_the_environment_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, Address(999999, 1, 2, 3, "secret", "spki").dump(secret=True))
    assert Sandbox.shared().sites()
    monkeypatch.setenv(VARIABLE, "not an address")
    assert Sandbox.shared().alive()


def test_a_sandbox_closes_its_server() -> None:
    sandbox = Sandbox.shared()
    sandbox.close()
    assert wait_for_end(sandbox.address.pid, 3)
    assert VARIABLE not in os.environ


def test_a_server_that_cannot_start_reports_the_reason(tmp_path: Path) -> None:
    write_site(tmp_path / "bad", "name: Bad\nhosts: [bad.example]\nsetings: {}", {})
    with pytest.raises(SandboxError, match=r'exit code 2(.|\n)*unknown key "setings"'):
        Sandbox.start(sites=[tmp_path], only=True)


def test_more_sites_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBSP_SANDBOX_SITES", str(write_sites(tmp_path)))
    sandbox = Sandbox.shared()
    assert {"shop", "accounts", "websp"} <= {site["slug"] for site in sandbox.sites()}
    episode = sandbox.open_episode("websp", signed_in=[])
    assert "shop.example" in Visitor(sandbox.address, episode).get("https://sandbox.websp/").body


def test_the_secret_is_in_no_message_and_on_no_command_line() -> None:
    sandbox = Sandbox.shared()
    assert sandbox.address.secret not in repr(sandbox.address)
    command = Path(f"/proc/{sandbox.address.pid}/cmdline").read_bytes()
    assert sandbox.address.secret.encode() not in command


def test_the_client_is_cheap_to_import() -> None:
    code = "import sys, websp_gym.sandbox.client; sys.stdout.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"starlette", "uvicorn", "jinja2", "httpx", "http.client", "cryptography"}
    assert not heavy & set(done.stdout.split())
