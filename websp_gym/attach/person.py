"""A person as an agent: sees the episode in a local page and uses it with mouse and keyboard.

The window is a program like any other agent's: it drives the browser through the door of the episode, so what the
person does is recorded, counted and limited in the same way.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING

from websp_gym.attach.agent import OutsideAgent, finish_at_exit
from websp_gym.browser.confinement import has_display
from websp_gym.browser.driver import playwright
from websp_gym.browser.owner import call, shut_down
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import WorldError
from websp_gym.records.runs import count
from websp_gym.window import streamed

if TYPE_CHECKING:
    from websp_gym.env.rollout import Briefing

DONE, GIVE_UP = "Done", "Give up"
_TO_EXIT = 10.0


class PersonAgent(OutsideAgent):
    """A person at a window in a local page.

    Args:
        name: Name of the agent.
        port: Port of the page; 0 for a free one.
    """

    def __init__(self, name: str, port: int = 0) -> None:
        super().__init__(name)
        self._port = port
        self._window: subprocess.Popen[bytes] | None = None

    def begin(self, briefing: Briefing) -> None:
        """Open the window."""
        door, task = self._begin()
        assert self._env is not None
        options = self._env.options
        asked = {
            "cdp_url": door.cdp_url,
            "finish_url": door.finish_url,
            "port": self._port,
            "title": task.trajectory.instruction,
            "actions": options.max_actions,
            "seconds": options.max_seconds,
        }
        self._window = subprocess.Popen([sys.executable, "-m", __name__], stdin=subprocess.PIPE)
        assert self._window.stdin is not None
        self._window.stdin.write(f"{json.dumps(asked)}\n".encode())
        self._window.stdin.flush()
        episode = self._episode
        assert episode is not None
        threading.Thread(target=finish_at_exit, args=(self._window, episode), daemon=True).start()

    def leave(self) -> None:
        """Close the window and the door."""
        self.end()
        window, self._window = self._window, None
        if window is not None:
            assert window.stdin is not None
            window.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                window.wait(_TO_EXIT)
            window.kill()
            window.wait()
        super().leave()


def main() -> None:
    """Show the window until the person is done, or the episode is over: the program of :class:`PersonAgent`.

    Its input begins with a line of JSON and ends with the episode.
    """
    asked = json.loads(sys.stdin.readline())
    over = threading.Event()
    threading.Thread(target=_await_end, args=(over,), daemon=True).start()
    try:
        pressed = call(lambda: _show(asked, over))
    finally:
        shut_down()
    if pressed is not None:
        body = {"answer": pressed, "infeasible": pressed == GIVE_UP}
        request = urllib.request.Request(asked["finish_url"], json.dumps(body).encode())
        with suppress(urllib.error.URLError):  # it is over at this moment
            urllib.request.urlopen(request).close()


def _await_end(over: threading.Event) -> None:
    sys.stdin.read()
    over.set()


def _show(asked: dict[str, str], over: threading.Event) -> str | None:
    """Show the window; return the button that ended it, None where the episode did."""
    browser = playwright().chromium.connect_over_cdp(asked["cdp_url"])
    tabs = Tabs(browser.contexts[0], reacts_at_once=True)
    says = f"You have {count(int(asked['actions']), 'action')}. Press Done when all of it is done."
    with streamed(
        tabs,
        title=asked["title"],
        says=says,
        buttons=(DONE, GIVE_UP),
        port=int(asked["port"]),
        seconds=float(asked["seconds"]),
    ) as window:
        sys.stdout.write("".join(f"{line}\n" for line in window.address))
        sys.stdout.flush()
        if has_display():
            webbrowser.open(window.url)
        try:
            return window.wait(over.is_set)
        except WorldError:
            if over.is_set():
                return None
            raise


if __name__ == "__main__":
    main()
