"""Ways to reset an environment and to step on one page, each as a context manager that yields a function.

A step clicks a check box that the page saves by a request to the server: by stock BrowserGym, by this environment,
by Playwright alone, and by an outside agent at the door of an episode.
"""

from __future__ import annotations

import base64
import itertools
import json
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, cast

from websockets.sync.client import ClientConnection, connect

from benchmarks.stock import stock_env
from websp_gym.attach import attach
from websp_gym.browser.find import find_browser
from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env
from websp_gym.sandbox.client import EPISODE_HEADER, Sandbox

if TYPE_CHECKING:
    from playwright._impl._api_structures import SetCookieParam

Act = Callable[[], object]
INSTANCE = "Steam-task-196-ON"
"""Instance with two recorded events, on the page where steps are measured."""
PAGE = "https://store.steampowered.com/account/preferences/"
BOX = "General Mature Content Store"
FIGURE_SECONDS = 8.0
"""Most seconds spent on repeating one measurement; it is made at least three times."""
ROUNDS, IN_A_ROW = 15, 10
"""Rounds in which ways are measured in turn, and steps of each in a row: the next one waits for the last one."""
COUNTING = 4.0
"""Seconds for which steps are counted."""
_SPAWN = get_context("spawn")


@contextmanager
def stock_reset() -> Iterator[Act]:
    """Stock BrowserGym opens the page and prepares no initial state."""
    with stock_env(PAGE) as env:
        yield env.reset


@contextmanager
def our_reset(instance: str, how: str, **options: Any) -> Iterator[Act]:
    """This environment prepares a verified S0."""
    with closing(make_env(instance, initial_state=how, **options)) as env:
        env.reset(seed=0)
        yield env.reset


@contextmanager
def stock_step(delay: float) -> Iterator[Act]:
    """Stock BrowserGym, which sleeps before it observes."""
    with stock_env(PAGE) as env:
        env.pre_observation_delay = delay
        action = f"click({_bid(env.reset()[0])!r})"
        yield lambda: env.step(action)


@contextmanager
def our_step(
    kind: str, scale: float = 1.0, policies: str | None = None, *, at_point: bool = False
) -> Iterator[Act]:
    """This environment, with one kind of observation; `at_point` clicks where the box is."""
    options = {"initial_state": "snapshot", "observation": kind, "max_actions": 100_000}
    with closing(make_env(INSTANCE, picture_scale=scale, policies=policies, **options)) as env:
        observation = at_page(env)
        if kind == "browsergym":
            action = f"click({_bid(observation)!r})"
        else:
            element = _element(observation)
            action = f"mouse_click{_middle(*element['box'])}" if at_point else f"Click [{element['number']}]"
        yield lambda: env.step(action)


@contextmanager
def door_press() -> Iterator[Act]:
    """An outside agent's press of the mouse, through the door of its episode."""
    options: dict[str, Any] = {"initial_state": "snapshot", "observation": "text", "max_actions": 10_000}
    with closing(make_env(INSTANCE, **options)) as env:
        x, y = _middle(*_element(at_page(env))["box"])
    with attach(INSTANCE, **options) as door, connect(door.cdp_url, max_size=None) as socket:
        tab = Tab(socket)
        tab.send("Page.navigate", url=PAGE)
        tab.press(x, y)
        yield lambda: tab.press(x, y)


_READ = """
() => new Promise(done => requestAnimationFrame(() => {
  const all = [...document.querySelectorAll('a, button, input, select, textarea')];
  done(JSON.stringify(all.map(el => {
    const box = el.getBoundingClientRect();
    return [el.tagName, el.innerText || el.name || '', el.checked, box.x, box.y, box.width, box.height];
  })));
}))
"""
_PICTURE = {"format": "png", "optimizeForSpeed": True}


@contextmanager
def raw_step(pictures: bool) -> Iterator[Act]:
    """Playwright alone: click, wait until it is saved (the page takes no other click before), read the elements.

    Nothing is marked, named or decoded, and the picture stays a PNG.
    """
    from playwright.sync_api import sync_playwright

    sandbox = Sandbox.shared()
    with (
        closing(sandbox.open_episode("steam", signed_in=["steam"])) as episode,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=find_browser(playwright, headless=True), args=list(sandbox.browser_args())
        )
        context = browser.new_context(viewport={"width": 1280, "height": 1024})
        context.set_extra_http_headers({EPISODE_HEADER: episode.id})
        context.add_cookies(cast("list[SetCookieParam]", episode.cookies))
        page = context.new_page()
        page.goto(PAGE)
        session = context.new_cdp_session(page)
        box = page.get_by_role("checkbox", name=BOX).bounding_box()
        assert box is not None
        at = _middle(box["x"], box["y"], box["width"], box["height"])

        def step() -> None:
            with page.expect_response(lambda answer: answer.request.method == "POST"):
                page.mouse.click(*at)
            page.evaluate(_READ)
            if pictures:
                base64.b64decode(session.send("Page.captureScreenshot", _PICTURE)["data"])

        yield step
        browser.close()


def at_page(env: WebspEnv) -> dict[str, Any]:
    """Reset an environment, go to the page, and return the observation."""
    env.reset(seed=0)
    env.page.goto(PAGE)
    return env.step("Wait")[0]


def _element(observation: dict[str, Any]) -> dict[str, Any]:
    return next(each for each in observation["elements"] if each["name"] == BOX)


def _middle(x: float, y: float, width: float, height: float) -> tuple[float, float]:
    return x + width / 2, y + height / 2


def _bid(observation: dict[str, Any]) -> str:
    """Return BrowserGym's id of the box."""
    nodes = observation["axtree_object"]["nodes"]
    named = (node for node in nodes if node.get("name", {}).get("value") == BOX)
    return next(str(node["browsergym_id"]) for node in named if node.get("browsergym_id"))


class Tab:
    """The first tab of a browser, over the DevTools protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._session = {}
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        self._session = {
            "sessionId": self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        }

    def send(self, method: str, **arguments: Any) -> Any:
        """Send a command and return its result."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": arguments, **self._session}))
        while (answer := json.loads(self._socket.recv())).get("id") != number:
            pass
        return answer["result"]

    def press(self, x: float, y: float) -> None:
        """Press the mouse at a point."""
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


# --- measuring them ----------------------------------------------------------------------------------------


def in_process(function: Callable[..., Any], *arguments: Any) -> Any:
    """Run a measurement in a new process, so that earlier ones do not affect it; return its result."""
    Sandbox.shared()
    with ProcessPoolExecutor(1, mp_context=_SPAWN) as pool:
        return pool.submit(function, *arguments).result()


def seconds_of(repeat: int, way: Callable[..., Any], *arguments: Any) -> float:
    """Return the median seconds of a way, in a process of its own."""
    return float(in_process(_seconds_of, repeat, way, *arguments))


def _seconds_of(repeat: int, way: Callable[..., Any], *arguments: Any) -> float:
    times: list[float] = []
    with way(*arguments) as act:
        while len(times) < min(3, repeat) or (len(times) < repeat and sum(times) < FIGURE_SECONDS):
            times.append(_timed(act))
    return statistics.median(times)


def _timed(act: Act) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def in_turn(*ways: Callable[[], Any]) -> tuple[float, ...]:
    """Return the median seconds of ways that are measured in turn: two runs differ by more than these do."""
    with ExitStack() as stack:
        acts = [stack.enter_context(way()) for way in ways]
        times: list[list[float]] = [[] for _ in ways]
        for _ in range(ROUNDS):
            for act, own in zip(acts, times, strict=True):
                act()
                own.append(_timed(lambda act=act: [act() for _ in range(IN_A_ROW)]) / IN_A_ROW)  # type: ignore[misc]
    return tuple(map(statistics.median, times))


def per_second(processes: int, way: Callable[..., Any], *arguments: Any) -> float:
    """Return how many steps a second several processes make together."""
    Sandbox.shared()
    with _SPAWN.Manager() as manager, ProcessPoolExecutor(processes, mp_context=_SPAWN) as pool:
        barrier = manager.Barrier(processes)
        counts = [pool.submit(_count, barrier, way, *arguments) for _ in range(processes)]
        return sum(count.result(timeout=300) for count in counts) / COUNTING


def _count(barrier: Any, way: Callable[..., Any], *arguments: Any) -> int:
    with way(*arguments) as act:
        barrier.wait(timeout=300)
        end = time.monotonic() + COUNTING
        for number in itertools.count():
            if time.monotonic() >= end:
                return number
            act()
    raise AssertionError("it counts until it returns")
