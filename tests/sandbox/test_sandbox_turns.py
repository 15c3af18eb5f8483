from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from tests.process_support import UNMEASURED
from tests.sandbox_support import Visitor, write_site, write_sites
from websp_gym.sandbox.client import EpisodeHandle, Sandbox
from websp_gym.sandbox.schema.catalog import Catalog
from websp_gym.sandbox.server import episode as server_episode
from websp_gym.sandbox.server import turns
from websp_gym.sandbox.server.episode import MAX_LOG
from websp_gym.sandbox.server.request_fields import MAX_BODY, MAX_HEADERS, MAX_URL, RefusedError
from websp_gym.sandbox.server.store import Store
from websp_gym.sandbox.server.turns import (
    MOST_WAITING,
    CrowdedError,
    EndedError,
    OverTimeError,
    SealedError,
    finish,
)

BUSY = """
name: Busy
hosts: [busy.example]
collections:
  words: {key: text, fields: {text: {type: text, lower: true}}}
settings:
  done.count: {type: int, default: 0}
pages:
  - {path: /, template: home.html}
actions:
  - {path: /add, add: {collection: words, fields: {text: word}, split: ","}}
"""

BUSY_BEHAVIOUR = """
from starlette.responses import JSONResponse
from starlette.routing import Route

began, released = [], []


async def compute(request):
    began.append(True)
    while not released:
        pass
    return JSONResponse({})


async def computes(request):
    return JSONResponse(bool(began))


async def release(request):
    released.append(True)
    return JSONResponse({})


async def forever(request):
    episode = request.episode
    with episode.transaction():
        episode.set("done.count", 1)
        while True:
            pass


def routes(site):
    return [Route("/compute", compute), Route("/computes", computes), Route("/release", release), Route("/forever", forever, methods=["POST"])]
"""
PAGE = "<html><body>{{ items.words|length }} words</body></html>"
HOME = "https://busy.example/"


@pytest.fixture(scope="module", autouse=True)
def _unmeasured() -> Iterator[None]:
    """Leave the server out of coverage: in a traced thread of Python 3.11, an error that is raised from outside is lost."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in UNMEASURED.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sites")
    return write_site(root / "busy", BUSY, {"home.html": PAGE}, BUSY_BEHAVIOUR).parent


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(Catalog([write_sites(tmp_path)]))


def opened(sandbox: Sandbox) -> tuple[EpisodeHandle, Visitor]:
    episode = sandbox.open_episode("busy", signed_in=[])
    return episode, Visitor(sandbox.address, episode)


def test_one_episode_is_answered_while_the_request_of_another_computes(sandbox: Sandbox) -> None:
    (_, busy), (episode, other) = opened(sandbox), opened(sandbox)
    with ThreadPoolExecutor() as pool:
        # It computes until a request of the other episode is answered.
        computing = pool.submit(busy.send, "GET", f"{HOME}compute", None, {}, timeout=150)
        while other.get(f"{HOME}computes").body != "true":
            time.sleep(0.01)
        episode.state()
        episode.snapshot()
        opened(sandbox)[0].close()
        assert not computing.done()
        assert other.get(f"{HOME}release").status == 200
        assert computing.result().status == 200


def test_the_requests_of_one_episode_are_answered_one_after_the_other(sandbox: Sandbox) -> None:
    episode, visitor = opened(sandbox)
    with ThreadPoolExecutor() as pool:
        replies = list(pool.map(lambda n: visitor.post(HOME + "add", {"word": f"w{n}"}), range(30)))
    assert {reply.status for reply in replies} == {200}
    rows = episode.state()["sites"]["busy"]["collections"]["words"]
    assert sorted(int(row["id"]) for row in rows) == list(range(1, 31))


def words(letter: str, number: int) -> dict[str, str]:
    """A form that adds as many words."""
    return {"word": ",".join(f"{letter}{n}" for n in range(number))}


def test_a_request_adds_a_hundred_items_and_a_collection_has_a_thousand(sandbox: Sandbox) -> None:
    mine, visitor = opened(sandbox)
    reply = visitor.post(HOME + "add", words("a", 101))
    assert (reply.status, "more than 100 items" in reply.body) == (413, True)
    assert mine.state()["events"] == []
    for letter in "abcdefghij":
        assert visitor.post(HOME + "add", words(letter, 100)).status == 200
    reply = visitor.post(HOME + "add", {"word": "one"})
    assert (reply.status, "more than 1000 items" in reply.body) == (400, True)
    assert len(mine.state()["sites"]["busy"]["collections"]["words"]) == 1000


def test_a_log_that_is_full_takes_nothing_more_and_the_state_stays(sandbox: Sandbox) -> None:
    episode, visitor = opened(sandbox)
    query = "?" + "x" * 15_000
    answers = [visitor.get(HOME + query).status for _ in range(MAX_LOG // 15_000 + 2)]
    assert answers[0] == 200
    assert answers[-1] == 429
    assert len(json.dumps(episode.state()["events"])) < 1.1 * MAX_LOG
    assert visitor.get("https://unknown.example/" + "x" * 16_000).status == 429
    added = [visitor.post(HOME + "add", {"word": f"{n}{'x' * 9_000}"}).status for n in range(3)]
    assert added[-1] == 429
    assert len(episode.state()["sites"]["busy"]["collections"]["words"]) == added.count(200)
    _, its_visitor = opened(sandbox)
    assert its_visitor.post(HOME + "add", {"word": "x"}).status == 200


def test_a_log_has_a_greatest_number_of_events(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_episode, "MAX_EVENTS", 2)
    episode = store.open()
    for _ in range(3):
        episode.check_budget()
        episode.log(None, "egress", host="x")
    with pytest.raises(RefusedError, match="too much"):
        episode.check_budget()


def test_pages_are_answered_no_more_once_an_episode_is_sealed(sandbox: Sandbox) -> None:
    episode, visitor = opened(sandbox)
    assert visitor.post(HOME + "add", {"word": "before"}).status == 200
    last = episode.seal()
    assert visitor.post(HOME + "add", {"word": "after"}).status == 403
    assert visitor.get(HOME).status == 403
    assert (episode.seal(), episode.ask_last_seq()()) == (last, last)
    state = episode.state()
    assert [row["text"] for row in state["sites"]["busy"]["collections"]["words"]] == ["before"]
    # What is tried on the state afterwards is tried in a copy.
    fork = episode.fork()
    assert Visitor(sandbox.address, fork).get(HOME).status == 200
    fork.close()


def test_a_request_that_had_begun_is_carried_out_and_those_that_waited_are_not(store: Store) -> None:
    episode, began, goes_on = store.open(), threading.Event(), threading.Event()
    done: list[str] = []

    def work(name: str) -> None:
        began.set()
        assert goes_on.wait(150)
        done.append(name)

    async def play() -> None:
        take = partial(store.workers.take, episode.turn, page=True)
        first = asyncio.create_task(take(partial(work, "first")))
        await asyncio.to_thread(began.wait, 150)
        second = asyncio.create_task(take(partial(work, "second")))
        await asyncio.sleep(0)
        episode.turn.sealed = True
        reading = asyncio.create_task(store.workers.take(episode.turn, lambda: done.append("read")))
        await asyncio.sleep(0)
        goes_on.set()
        await asyncio.gather(first, reading)
        with pytest.raises(SealedError):
            await second
        with pytest.raises(SealedError):
            await take(partial(work, "third"))

    asyncio.run(play())
    assert done == ["first", "read"]


def test_control_requests_go_before_those_of_pages_of_which_only_so_many_wait(store: Store) -> None:
    episode = store.open()
    done: list[str] = []

    async def play() -> None:
        take = partial(store.workers.take, episode.turn)
        async with episode.turn.lock:
            pages = [
                asyncio.create_task(take(partial(done.append, "page"), page=True))
                for _ in range(MOST_WAITING)
            ]
            await asyncio.sleep(0)
            control = [asyncio.create_task(take(partial(done.append, "control"))) for _ in range(2)]
            await asyncio.sleep(0)
            with pytest.raises(CrowdedError):
                await take(partial(done.append, "one too many"), page=True)
            pages[0].cancel()
        await asyncio.gather(*control, *pages[1:])
        assert await take(lambda: "free again", page=True) == "free again"

    asyncio.run(play())
    assert done == ["control"] * 2 + ["page"] * (MOST_WAITING - 1)


def test_a_turn_handed_to_a_request_that_is_given_up_goes_to_the_next_one(store: Store) -> None:
    lock = store.open().turn.lock

    async def play() -> None:
        await lock.acquire()
        first, second = asyncio.create_task(lock.acquire()), asyncio.create_task(lock.acquire(page=True))
        await asyncio.sleep(0)
        lock.release()
        first.cancel()
        await second
        lock.release()
        await lock.acquire()

    asyncio.run(play())


@pytest.mark.proof
def test_a_request_that_computes_for_too_long_changes_nothing_and_is_its_senders_fault(
    sandbox: Sandbox,
) -> None:
    episode, visitor = opened(sandbox)
    assert visitor.post(HOME + "forever").status == 503
    state = episode.state()
    assert state["sites"]["busy"]["settings"]["done.count"] == 0
    assert "error" not in {event["kind"] for event in state["events"]}
    assert visitor.get(HOME).status == 200


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        ("add", "x" * (MAX_BODY + 1), {}, 413),
        ("?" + "x" * MAX_URL, None, {}, 414),
        ("", None, {"x-much": "x" * MAX_HEADERS}, 431),
    ],
)
def test_a_request_has_a_greatest_size(
    sandbox: Sandbox, path: str, body: str | None, headers: dict[str, str], status: int
) -> None:
    episode, visitor = opened(sandbox)
    assert visitor.send("POST" if body else "GET", HOME + path, body, headers).status == status
    assert episode.state()["events"] == []


def test_a_turn_that_was_only_kept_waiting_is_the_servers_fault(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "WAIT_SECONDS", 0.1)
    episode, goes_on, found = store.open(), threading.Event(), []

    def job() -> None:
        goes_on.wait(150)
        found.append(episode.turn.stalled())
        episode.log(None, "error", error="stood still")

    async def play() -> None:
        with pytest.raises(OverTimeError):
            await store.workers.take(episode.turn, job, cpu_seconds=1)
        goes_on.set()
        async with episode.turn.lock:
            pass

    asyncio.run(play())
    assert found == [True]
    assert [event["kind"] for event in episode.events()] == ["error"]


def test_a_turn_that_waits_for_a_closed_episode_ends(store: Store) -> None:
    episode = store.open()

    async def play() -> None:
        async with episode.turn.lock:
            waiting = asyncio.create_task(store.workers.take(episode.turn, lambda: None))
            closing = asyncio.create_task(store.close(episode))
            await asyncio.sleep(0)
        with pytest.raises(EndedError):
            await waiting
        await closing

    asyncio.run(play())


def test_a_handler_that_awaits_something_else_is_reported() -> None:
    with pytest.raises(RuntimeError, match="not wait"):
        finish(asyncio.sleep(0))


TRACED = """
import sys
from websp_gym.sandbox.server.turns import RequestTurn

def trace(frame, event, argument):
    return trace

def play():
    turn = RequestTurn()
    turn.begin(1.0)
    turn.over()
    return sum(range(10))

sys.settrace(trace)
assert play() == 45
"""


def test_a_turn_ends_where_a_debugger_or_coverage_traces_it() -> None:
    subprocess.run([sys.executable, "-c", TRACED], check=True, timeout=150)
