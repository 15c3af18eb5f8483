"""Notice what an outside agent's scripts do in pages where a person would click and type.

A listener in an isolated world of each document tells of events that no person caused. They count while a script of
the agent runs; a request counts if a script began it that is none of the page's. What a script causes together is one
action; the next one needs another script, also while one goes on for ever.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from websp_gym.actions.calls import Call
from websp_gym.browser.scripts import name_scripts
from websp_gym.env.outside import OutsideAction

WORLD = "websp-scripted"
"""The isolated world of the listener; agents are not shown it."""
_BINDING = "websp_tell"
_FOCUS = "focus"
"""What the listener tells when the focus moves."""
_AFTER = 0.3
"""Seconds after a script in which what it began may still happen."""
_SAFE = ("GET", "HEAD", "OPTIONS")
_OF_PAGES = ("http:", "https:", "blob:", "data:", "webpack")
"""What the addresses of a page's own scripts begin with."""


class ScriptWatch:
    """What the scripts of one agent do.

    Args:
        send: Sends a command of our own: session, method, arguments.
        happened: Called with each action that scripts have taken.
        focus_moved: Called with the tab in which another element has the focus.
        clock: Tells the time in seconds.

    Attributes:
        timers: Whether a request by a script without an address counts also while none of the agent's runs. Pages of
            the live web have such scripts of their own.
    """

    def __init__(
        self,
        send: Callable[[str, str, Mapping[str, Any]], object],
        happened: Callable[[OutsideAction], None],
        focus_moved: Callable[[str], None],
        clock: Callable[[], float],
    ) -> None:
        self._send = send
        self._happened = happened
        self._focus_moved = focus_moved
        self._clock = clock
        self.timers = False
        self._running: set[tuple[str, int]] = set()
        self._ended = float("-inf")
        self._targets: dict[str, str] = {}
        self._worlds: dict[str, set[int]] = {}
        """The execution contexts of our listeners, by session."""
        self._last: OutsideAction | None = None
        """The action of scripts that still run."""
        self._of_last: set[tuple[str, int]] = set()
        self._acted = float("-inf")
        """When the last action began."""
        self._new: set[tuple[str, int]] = set()
        """The scripts that began after the last action and run."""
        self._new_ended = float("-inf")
        """When one of these ended last."""

    def begin(self, session: str, number: int) -> None:
        """Note that a script begins, by the session and the id of its command."""
        self._running.add((session, number))
        self._new.add((session, number))

    def end(self, session: str, number: int) -> None:
        """Note that a command was answered."""
        command = session, number
        if command not in self._running:
            return
        self._running.discard(command)
        self._ended = self._clock()
        if command in self._new:
            self._new.discard(command)
            self._new_ended = self._ended
        self._of_last.discard(command)
        if not self._of_last:
            self._end_last()

    @property
    def running(self) -> bool:
        """Whether a script runs, or ended a moment ago."""
        return bool(self._running) or self._clock() - self._ended < _AFTER

    def target_of(self, session: str) -> str:
        """Return the DevTools id of the tab of a session of ours."""
        return self._targets.get(session, "")

    def attached(self, session: str, target: str) -> None:
        """Begin to watch a tab, in a session of our own."""
        self._targets[session] = target
        source = {"source": _script(), "worldName": WORLD, "runImmediately": True}
        self._send(session, "Runtime.enable", {})  # without it nothing is told
        self._send(session, "Runtime.addBinding", {"name": _BINDING, "executionContextName": WORLD})
        self._send(session, "Page.enable", {})
        self._send(session, "Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})
        self._send(session, "Page.addScriptToEvaluateOnNewDocument", source)

    def world_changed(self, session: str, method: str, arguments: Mapping[str, Any]) -> None:
        """Take an event about the execution contexts of a tab."""
        ours = self._worlds.setdefault(session, set())
        match method:
            case "Runtime.executionContextCreated":
                context = arguments["context"]
                if context["name"] == WORLD and context["auxData"]["type"] == "isolated":
                    ours.add(context["id"])
            case "Runtime.executionContextDestroyed":
                ours.discard(arguments["executionContextId"])
            case "Runtime.executionContextsCleared":
                ours.clear()

    def told(self, session: str, arguments: Mapping[str, Any]) -> None:
        """Take what a listener tells. Scripts of pages and of the agent can call a function of its name, too."""
        if arguments["executionContextId"] not in self._worlds.get(session, ()):
            return
        if arguments["payload"] == _FOCUS:
            self._focus_moved(self._targets.get(session, ""))
            return
        if not self.running:
            return
        try:
            told = json.loads(arguments["payload"])
            met = {name: str(told[name]) for name in ("role", "name", "form", "frame")}
            kind, value = str(told["kind"]), str(told["value"])
        except (ValueError, TypeError, KeyError, RecursionError):
            return
        self._take(_call(kind, value), f"{kind} {met['role']} {met['name']!r}", session, met)

    def requested(self, session: str, arguments: Mapping[str, Any]) -> None:
        """Take a request of a page: it is a script's if what led to it began in one that the page does not have."""
        request = arguments["request"]
        method, url = request["method"], request["url"]
        if arguments.get("type") != "Document" and method in _SAFE:
            return
        if _is_foreign(arguments.get("initiator", {})):
            call: Call = ("goto", [url], {}) if method in _SAFE else ("request", [method, url], {})
            self._take(call, f"{method} {url}", session, {}, late=self.timers and not self.running)

    def _take(
        self, call: Call, text: str, session: str, met: Mapping[str, str], *, late: bool = False
    ) -> None:
        """Tell of an action, unless the same script goes on; ``late`` by a timer that it has set."""
        now = self._clock()
        begun = late or self._new or now - self._new_ended < _AFTER
        if not begun or now - self._acted < _AFTER:
            return
        self._acted, self._new_ended = now, float("-inf")
        self._new.clear()
        self._end_last()
        action = OutsideAction(call, self._targets.get(session, ""), by_script=text, met=met)
        self._happened(action)
        if self._running:
            self._last, self._of_last = action, set(self._running)
        else:
            action.end()

    def _end_last(self) -> None:
        if self._last is not None:
            self._last.end()
            self._last = None


def _is_foreign(initiator: Mapping[str, Any]) -> bool:
    """Whether a request was caused by a script that came with a command, not with a page: it has no address."""
    frames = initiator.get("stack", {}).get("callFrames", [])
    return bool(frames) and not frames[-1]["url"].startswith(_OF_PAGES)


def _call(kind: str, value: str) -> Call:
    """Return what a script's event is as a call of BrowserGym; the facts say which element it met."""
    if kind in ("input", "change"):
        return "fill", ["", value], {}
    return ("press", [""], {}) if kind == "keydown" else ("click", [""], {})


@cache
def _script() -> str:
    source = files("websp_gym.attach").joinpath("scripted.js").read_text("utf-8")
    return f"({source})(globalThis.{_BINDING}, () => {{ {name_scripts()}; return globalThis.__websp; }})"
