"""A press of an outside agent, through the door of its episode, beside the same press by ``step``."""

from __future__ import annotations

import itertools
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from websockets.sync.client import ClientConnection, connect

from benchmarks.pages import BOX, INSTANCE, PAGE, at_page
from websp_gym.attach import attach
from websp_gym.env.registration import make_env

ROUNDS = 12
"""Rounds, in which both are measured in turn."""
PRESSES = 10
"""Presses one after another in each: the next one passes once the step of the last one is over."""


def presses(results: Any) -> None:
    """Put the median seconds of a press by ``step`` and through the door."""
    env = make_env(INSTANCE, initial_state="snapshot", observation="text", max_actions=10_000)
    observation = at_page(env)
    box = next(each["box"] for each in observation["elements"] if each["name"] == BOX)
    x, y = box[0] + box[2] / 2, box[1] + box[3] / 2
    options: dict[str, Any] = {"initial_state": "snapshot", "observation": "text", "max_actions": 10_000}
    with attach(INSTANCE, **options) as door, connect(door.cdp_url, max_size=None) as socket:
        tab = _Tab(socket)
        tab.send("Page.navigate", url=PAGE)
        tab.press(x, y)
        times: tuple[list[float], list[float]] = ([], [])
        ways: tuple[Callable[[], object], ...] = (
            lambda: env.step(f"mouse_click({x}, {y})"),
            lambda: tab.press(x, y),
        )
        for _ in range(ROUNDS):
            for press, each in zip(ways, times, strict=True):
                press()
                began = time.perf_counter()
                for _ in range(PRESSES):
                    press()
                each.append((time.perf_counter() - began) / PRESSES)
        results.put(tuple(map(statistics.median, times)))
    env.close()


class _Tab:
    """The first tab of an episode, over the DevTools protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._session = ""
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        self._session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]

    def send(self, method: str, **arguments: Any) -> Any:
        """Send a command and return its result."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": arguments}
        self._socket.send(json.dumps({**message, **({"sessionId": self._session} if self._session else {})}))
        while (answer := json.loads(self._socket.recv())).get("id") != number:
            pass
        return answer["result"]

    def press(self, x: float, y: float) -> None:
        """Press the mouse at a point."""
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
