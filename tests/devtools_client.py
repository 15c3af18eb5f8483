"""A program's own client of the DevTools protocol, in a few lines and without anything of the package."""

from __future__ import annotations

import itertools
import json
import time
from contextlib import ExitStack
from typing import Any

from websockets.sync.client import ClientConnection, connect

COOKIES = "https://store.steampowered.com/account/cookiepreferences"
SWITCHES = ("cookies.content_customization", "cookies.valve_analytics")
"""Keys of the switches that are right once they are off."""
_NAMES = dict(zip(SWITCHES, ("recentapps", "app_impressions"), strict=True))
PATIENCE = 150.0
"""Seconds until an answer is given up; only what never comes takes as long."""


def switch(key: str) -> str:
    """Return the expression that finds a switch of the cookie page."""
    return f"document.querySelector('[data-key={_NAMES[key]}]')"


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

    def answer(self, number: int, seconds: float = PATIENCE) -> dict[str, Any]:
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
            message = json.loads(self._socket.recv(timeout=PATIENCE))
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

    def until(self, script: str, seconds: float = PATIENCE) -> Any:
        """Evaluate a script until it returns something true, also on a page that another one replaces meanwhile."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if found := self.evaluate(script):
                    return found
            except CommandError as error:
                if "navigated" not in str(error):
                    raise
        raise AssertionError(script)

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
        find = switch(name)
        self.until(f"{find} !== null")
        self.press(find)
