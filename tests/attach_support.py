"""An outside agent for tests: a program of a few lines that speaks the DevTools protocol, in a thread of the test."""

from __future__ import annotations

import itertools
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any

from websockets.sync.client import ClientConnection, connect

from websp_gym.attach.agent import OutsideAgent
from websp_gym.attach.door import Door
from websp_gym.env import WebspEnv
from websp_gym.env.rollout import Briefing, Rollout
from websp_gym.env.task import WebspTask

STEAM = "Steam-task-191-ON"
COOKIES = "https://store.steampowered.com/account/cookiepreferences"
SWITCHES = ("cookies.content_customization", "cookies.valve_analytics")
"""Keys of the switches that are right once they are off."""


class CommandError(Exception):
    """A command was refused."""


class Client:
    """A connection to a DevTools endpoint, with the session of the first tab."""

    def __init__(self, url: str) -> None:
        self._open = ExitStack()
        self._socket: ClientConnection = self._open.enter_context(connect(url, max_size=None))
        self._numbers = itertools.count(1)
        self.events: list[dict[str, Any]] = []
        self.session: str | None = None

    def close(self) -> None:
        self._open.close()

    def start(self, method: str, /, *, session: str | None = None, **arguments: Any) -> int:
        """Send a command and do not wait for its answer."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": arguments}
        self._socket.send(json.dumps({**message, **({"sessionId": session} if session else {})}))
        return number

    def send(self, method: str, *, session: str | None = None, **arguments: Any) -> dict[str, Any]:
        return self.answer(self.start(method, session=session, **arguments))

    def answer(self, number: int, seconds: float = 60.0) -> dict[str, Any]:
        while True:
            message = json.loads(self._socket.recv(timeout=seconds))
            if "id" not in message:
                self.events.append(message)
            elif message.get("id") == number:
                if "error" in message:
                    raise CommandError(message["error"]["message"])
                result: dict[str, Any] = message["result"]
                return result

    def event(self, method: str) -> dict[str, Any]:
        """Wait for an event and return what it says."""
        while True:
            for event in self.events:
                if event["method"] == method:
                    self.events.remove(event)
                    arguments: dict[str, Any] = event["params"]
                    return arguments
            message = json.loads(self._socket.recv(timeout=60))
            if "id" not in message:
                self.events.append(message)

    # ---------------------------------------------------------------- the first tab
    def attach(self, target: str = "") -> str:
        """Open a session of a tab, by default of the first one, and return it."""
        if not target:
            infos = self.send("Target.getTargets")["targetInfos"]
            target = next(info["targetId"] for info in infos if info["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return self.session

    def tell(self, method: str, **arguments: Any) -> dict[str, Any]:
        """Send a command to the tab."""
        if self.session is None:
            self.attach()
        return self.send(method, session=self.session, **arguments)

    def evaluate(self, script: str, **arguments: Any) -> Any:
        result = self.tell(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, **arguments
        )
        if "exceptionDetails" in result:
            raise CommandError(result["exceptionDetails"]["exception"].get("description", "an exception"))
        return result["result"].get("value")

    def until(self, script: str, seconds: float = 30.0) -> Any:
        """Evaluate a script until it returns something true."""
        end = time.monotonic() + seconds
        while not (found := self.evaluate(script)):
            assert time.monotonic() < end, script
        return found

    def open(self, url: str) -> None:
        self.tell("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def place_of(self, find: str) -> tuple[float, float]:
        """Return the middle of the element that an expression finds."""
        box = f"(el => {{ el.scrollIntoView({{block: 'center'}}); return el.getBoundingClientRect().toJSON(); }})({find})"
        found = self.evaluate(box)
        return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2

    def press_at(self, x: float, y: float, **more: Any) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            mouse = {"x": x, "y": y, "button": "left", "clickCount": 1, **more}
            self.tell("Input.dispatchMouseEvent", type=kind, **mouse)

    def press(self, find: str) -> None:
        """Press the element that an expression finds."""
        self.press_at(*self.place_of(find))

    def turn_off(self, name: str) -> None:
        """Turn a switch of the cookie page off, by a press."""
        find = f"document.querySelector('[data-key=\"{name}\"]')"
        self.until(f"{find} !== null")
        self.press(find)


class ThreadAgent(OutsideAgent):
    """An outside agent whose program is a function that runs in a thread; its return value is the answer.

    Args:
        program: Gets the door.
    """

    def __init__(self, program: Callable[[Door], str | None]) -> None:
        super().__init__("test")
        self.program = program
        self.error: BaseException | None = None
        self.thread: threading.Thread | None = None

    def begin(self, briefing: Briefing) -> None:
        super().begin(briefing)
        assert self.door is not None
        self.thread = threading.Thread(target=self.play, args=(self.door,), daemon=True)
        self.thread.start()

    def play(self, door: Door) -> None:
        answer = ""
        try:
            answer = self.program(door) or ""
        except BaseException as error:
            self.error = error
        finally:
            finish(door, answer)

    def leave(self) -> None:
        super().leave()
        if self.thread is not None:
            self.thread.join(20)


def finish(door: Door, answer: str) -> int:
    """Say that the agent has finished, and return the status of the response."""
    request = urllib.request.Request(door.finish_url, data=json.dumps({"answer": answer}).encode())
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


@dataclass
class Played:
    """What came of an episode."""

    task: WebspTask
    steps: list[str] = field(default_factory=list)
    """The actions of the record, without the answer."""
    told: list[str] = field(default_factory=list)
    """What the observations say of the actions."""

    @property
    def reward(self) -> float | None:
        return self.task.verdict.score if self.task.verdict else None


def play(env: WebspEnv, program: Callable[[Client, Door], str | None]) -> Played:
    """Play an episode with a program that gets a connection; its error is the test's, unless the episode was over."""

    def connected(door: Door) -> str | None:
        with closing(Client(door.cdp_url)) as client:
            return program(client, door)

    return play_door(env, connected)


def play_door(env: WebspEnv, program: Callable[[Door], str | None]) -> Played:
    """Play an episode with a program that gets the door."""
    agent = ThreadAgent(program)
    rollout = Rollout(env, agent)
    told = [step.observation["last_action_error"] for step in rollout]
    if agent.error is not None:
        raise agent.error
    assert rollout.task is not None
    steps = [step.action for step in rollout.task.trajectory.steps]
    return Played(rollout.task, [step for step in steps if not step.startswith("ANSWER")], told)
