"""A sandbox server: who shares it, how long it stays, and when it is ended or replaced."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.sandbox_support import Visitor, write_site, write_sites
from websp_gym.sandbox.client import VARIABLE, Address, EpisodeHandle, Sandbox, SandboxError, launching
from websp_gym.sandbox.client.launching import family_secret, launch

USER = """
import sys
from websp_gym.sandbox.client import Sandbox
sandbox = Sandbox.shared()
sandbox.open_episode(sandbox.sites()[0]["slug"], signed_in=[]).state()
sys.stdout.write(f"{sandbox.address.pid} {sandbox.address.control_port}\\n")
sys.stdout.flush()
sys.stdin.read()
"""
PATIENCE = 120
"""Seconds after which a test fails that waits for what comes at once, also where the machine is busy."""


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Sandbox]]:
    """What four threads got that asked for the shared server at once, where the variable names a server that is gone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sandbox, "_shared", None)
        patch.setenv(VARIABLE, Address(999999, 1, 2, 3, "secret", "spki").dump())
        patch.setenv("WEBSP_SANDBOX_SITES", str(write_sites(tmp_path_factory.mktemp("sites"))))
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: Sandbox.shared(), range(4)))
    yield found
    for sandbox in {id(each): each for each in found}.values():
        sandbox.close()


@pytest.fixture(autouse=True)
def _no_shared_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # What other tests of this process share is put aside, not closed.
    monkeypatch.setattr(Sandbox, "_shared", None)
    monkeypatch.delenv(VARIABLE, raising=False)
    yield
    if Sandbox._shared is not None:
        Sandbox._shared.close()


@pytest.fixture
def mine(started: list[Sandbox], _no_shared_server: None) -> Iterator[Sandbox]:
    """The shared server of this process, which no test may end."""
    with started[0].as_shared():
        yield started[0]


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


@contextlib.contextmanager
def stopped(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def wait_for_end(pid: int) -> bool:
    """Waits until a process is gone; it is woken by the kernel, not by a clock."""
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watch], [], [], PATIENCE)[0])
    finally:
        os.close(watch)


def test_a_process_has_one_shared_server_also_from_many_threads(started: list[Sandbox]) -> None:
    """Instead of one that is gone, and with the sites that the variable names."""
    assert len({id(sandbox) for sandbox in started}) == 1
    assert {"shop", "accounts", "websp"} <= {site["slug"] for site in started[0].sites()}


def test_the_address_is_put_back_for_child_processes_when_it_was_lost(
    mine: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    assert Sandbox.shared() is mine
    assert Address.parse(os.environ[VARIABLE], secret=family_secret()) == mine.address
    assert Address.parse("not an address", secret="") is None


@pytest.mark.parametrize("method", ["fork", "spawn", pytest.param("forkserver", marks=pytest.mark.proof)])
def test_worker_processes_share_the_server_of_their_parent(mine: Sandbox, method: str) -> None:
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


def test_a_forked_child_has_no_socket_of_its_parent(mine: Sandbox) -> None:
    mine.open_episode("shop", signed_in=[])
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=_look_at_sockets, args=(theirs, mine))
    child.start()
    theirs.close()
    assert ours.recv() == (-1, 0, False, True, "SandboxError")
    child.join()
    assert mine.open_episode("shop", signed_in=[]).state()


def _look_at_sockets(pipe: multiprocessing.connection.Connection, inherited: Sandbox) -> None:
    error = ""
    try:
        inherited.sites()
    except SandboxError as refused:
        error = type(refused).__name__
    connection = inherited._lease.connection.fileno()
    answers = inherited.ping(PATIENCE)
    pipe.send((connection, len(inherited._control._idle), inherited.alive(), answers, error))


def test_a_program_that_inherits_the_environment_has_a_server_of_its_own(mine: Sandbox) -> None:
    """It cannot reach the control API of ours, and its server ends with it, also if it is killed."""
    everything = "\n".join(f"{name}={value}" for name, value in os.environ.items())
    assert mine.address.secret not in everything
    with user() as (process, pid):
        assert pid != mine.address.pid
        assert mine.call("GET", "/health")["leases"] == 1
        process.send_signal(signal.SIGKILL)
        assert wait_for_end(pid)


def test_a_full_server_starts_another_one_which_stays_when_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same sites; and those that come later share the last one that has room."""
    options = ["--only", f"--sites={write_sites(tmp_path)}", "--users=2"]
    with contextlib.closing(Sandbox(*launch(options, family_secret()))) as first:
        monkeypatch.setenv(VARIABLE, first.address.dump(secret=True))
        with contextlib.ExitStack() as stack:
            users = [stack.enter_context(user()) for _ in range(3)]
            # A server is a user of the one that it has started.
            assert len({first.address.pid, *(server for _, server in users[1:])}) == 3
            assert users[0][1] == first.address.pid
            os.kill(first.address.pid, signal.SIGKILL)
            assert wait_for_end(first.address.pid)
            users[0][0].kill()
            for process, server in users[1:]:
                os.kill(server, 0)
                process.kill()
            for _, server in users[1:]:
                assert wait_for_end(server)


def test_a_server_is_shared_with_a_program_that_is_given_its_secret(
    mine: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it stays when that program is killed."""
    monkeypatch.setenv(VARIABLE, mine.address.dump(secret=True))
    with user() as (process, pid):
        assert pid == mine.address.pid
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert mine.open_episode("websp", signed_in=[]).state()["events"] == []


def test_a_server_that_was_only_slow_stays(mine: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    episode = mine.open_episode("shop", signed_in=[])
    monkeypatch.setattr(mine, "call_timeout", 0.3)
    said = r"did not answer GET state within 0\.3 s; it stands still"
    with stopped(mine.address.pid), pytest.raises(SandboxError, match=said):
        episode.state()
    monkeypatch.setattr(mine, "call_timeout", PATIENCE)
    assert Sandbox.shared() is mine
    episode.patch("shop", settings={"profile.note": "after"})
    assert episode.state()["sites"]["shop"]["settings"]["profile.note"] == "after"


def test_a_stalled_server_is_distinguished_from_one_that_is_gone(mine: Sandbox) -> None:
    with ThreadPoolExecutor() as pool, stopped(mine.address.pid):
        hanging = [pool.submit(mine.sites) for _ in range(3)]
        assert not mine.ping(0.3)
        assert mine.alive()
        os.kill(mine.address.pid, signal.SIGCONT)
        assert mine.ping(PATIENCE)
        assert all({"shop", "accounts"} <= {site["slug"] for site in call.result()} for call in hanging)


HOLDING = """
import re
from starlette.responses import JSONResponse
from starlette.routing import Route


async def hold(request):
    # Takes hundreds of years, in compiled code that keeps the interpreter to itself.
    return JSONResponse({"found": bool(re.match(r"(a+)+$", "a" * 60 + "b"))})


def routes(site):
    return [Route("/hold", hold, methods=["POST"])]
"""


def ask_for_ever(episode: EpisodeHandle) -> None:
    while True:
        episode.state()


def test_a_server_that_can_answer_nobody_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First one that a request keeps busy, which it notices itself; then one that stands still, which its user ends.

    While a server works, however little of a processor it gets, nobody takes it for one that stands still.
    """
    site = "name: Held\nhosts: [held.example]\nsearch: false\npages: [{path: /, template: home.html}]"
    write_site(tmp_path / "held", site, {"home.html": "<html><body>home</body></html>"}, HOLDING)
    held = Sandbox(*launch([f"--sites={tmp_path}", "--only", "--held-seconds=1"], family_secret()))
    monkeypatch.setattr(held, "call_timeout", 0.3)
    monkeypatch.setattr(launching, "_ANSWER_WAIT", 10_000)
    with held.as_shared():
        episode = held.open_episode("held", signed_in=[])
        visitor = Visitor(held.address, episode)
        with ThreadPoolExecutor() as pool:
            request = pool.submit(
                visitor.send, "POST", "https://held.example/hold", None, {}, timeout=PATIENCE
            )
            with pytest.raises(SandboxError, match=f"pid {held.address.pid}.*(has died|did not answer)"):
                ask_for_ever(episode)
            with pytest.raises(OSError):
                request.result()
        assert wait_for_end(held.address.pid)
        second = Sandbox.shared()
        assert second.address.pid != held.address.pid
        assert second.browser_args() == held.browser_args()
        monkeypatch.setattr(second, "call_timeout", 0.3)
        os.kill(second.address.pid, signal.SIGSTOP)
        with pytest.raises(SandboxError, match="stands still"):
            second.sites()
        third = Sandbox.shared(patience=0.3)
        assert third.address.pid != second.address.pid
        assert third.open_episode("websp", signed_in=[]).state()["events"] == []
        assert wait_for_end(second.address.pid)
        third.close()
        assert wait_for_end(third.address.pid), "a sandbox closes its server"
        assert VARIABLE not in os.environ
    held.close()


def test_a_server_that_cannot_start_reports_the_reason(tmp_path: Path) -> None:
    write_site(tmp_path / "bad", "name: Bad\nhosts: [bad.example]\nsetings: {}", {})
    with pytest.raises(SandboxError, match=r'exit code 2(.|\n)*unknown key "setings"'):
        Sandbox.start(sites=[tmp_path], only=True)


@pytest.fixture
def interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shell script, still to be written, that is started in place of a server; it may do nothing for 0.2 seconds."""
    path = tmp_path / "python"
    path.touch(0o755)
    monkeypatch.setattr(sys, "executable", str(path))
    monkeypatch.setenv("WEBSP_START_SECONDS", "0.2")
    return path


def test_a_server_that_stands_still_as_it_starts_is_ended_and_the_error_says_by_whom(
    interpreter: Path,
) -> None:
    interpreter.write_text("#!/bin/sh\necho 'reading the sites' >&2\nkill -STOP $$\n", "utf-8")
    told = r"we ended it: .* and did nothing for .* s; WEBSP_START_SECONDS=0\.4 gives .*:\nreading the sites"
    with pytest.raises(SandboxError, match=told):
        Sandbox.start()


def test_a_server_that_works_for_longer_as_it_starts_is_waited_for(
    interpreter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it takes on the wall: it is the CPU time that it uses which says that it is at work."""
    for limit in ("_START_WORK", "_START_WAIT"):
        monkeypatch.setattr(launching, limit, 10_000)
    address = Address(1, 2, 3, 4, "secret", "spki")
    burn = "i=0\nwhile [ $i -lt 400000 ]; do i=$((i+1)); done\n"
    interpreter.write_text(f"#!/bin/sh\n{burn}echo '{address.dump()}'\n", "utf-8")
    told, process = launch([], "secret")
    assert told == address
    process.wait()


def test_a_server_that_works_for_too_long_as_it_starts_is_ended(interpreter: Path) -> None:
    interpreter.write_text("#!/bin/sh\nwhile :; do :; done\n", "utf-8")
    with pytest.raises(SandboxError, match="we ended it"):
        Sandbox.start()


@pytest.mark.parametrize("seconds", ["soon", "0", "-1", "inf"])
def test_a_limit_that_is_no_number_of_seconds_is_an_error(
    interpreter: Path, monkeypatch: pytest.MonkeyPatch, seconds: str
) -> None:
    monkeypatch.setenv("WEBSP_START_SECONDS", seconds)
    with pytest.raises(SandboxError, match=f"WEBSP_START_SECONDS={seconds} is not a number"):
        Sandbox.start()


def test_the_secret_is_in_no_message_and_on_no_command_line(mine: Sandbox) -> None:
    assert mine.address.secret not in repr(mine.address)
    command = Path(f"/proc/{mine.address.pid}/cmdline").read_bytes()
    assert mine.address.secret.encode() not in command


def test_the_client_is_cheap_to_import() -> None:
    code = "import sys, websp_gym.sandbox.client; sys.stdout.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"starlette", "uvicorn", "jinja2", "httpx", "http.client", "cryptography"}
    assert not heavy & set(done.stdout.split())
