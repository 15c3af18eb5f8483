"""A person as an agent: sees the episode in a local page and uses it with mouse and keyboard.

The window is a program like any other agent's: it drives the browser through the door of the episode, so what the
person does is recorded, counted and limited in the same way.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
import webbrowser
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from websp_gym.attach.agent import OutsideAgent
from websp_gym.attach.finishing import end_part
from websp_gym.browser.confinement import has_display
from websp_gym.browser.driver import playwright
from websp_gym.browser.owner import call, shut_down
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import SetupError, WorldError
from websp_gym.patience import has_ended
from websp_gym.records.runs import count
from websp_gym.window import StreamedWindow, streamed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from websp_gym.attach.attached_episode import AttachedEpisode
    from websp_gym.env.outside import Turn
    from websp_gym.env.rollout import Briefing

DONE, GIVE_UP = "Done", "Give up"
_TO_EXIT = 10.0


@dataclass
class TaskPlace:
    """Where the windows of a person are, one after the other.

    Args:
        port: Port of the page; 0 for a free one, which the first window then sets.
        word: The random word of its address.
        left: Number of windows that come after the next one.
        told: Whether the person knows the address.
    """

    port: int = 0
    word: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    left: int = 0
    told: bool = False


class PersonAgent(OutsideAgent):
    """A person at a window in a local page.

    Args:
        name: Name of the agent.
        place: Where the page is.
    """

    def __init__(self, name: str, place: TaskPlace | None = None) -> None:
        super().__init__(name)
        self._place = place or TaskPlace()
        self._window: subprocess.Popen[bytes] | None = None

    def begin(self, briefing: Briefing) -> None:
        """Open the window, print its address, and start the time of the episode when the person sees the page.

        Raises:
            SetupError: It did not open.
        """
        door, task = self._begin()
        assert self._env is not None
        options, place = self._env.options, self._place
        asked = {
            "cdp_url": door.cdp_url,
            "door": (door.port, door.token),
            "port": place.port,
            "word": place.word,
            "known": place.told,
            "then": f"{count(place.left, 'task')} to go; the next one comes in a moment."
            if place.left
            else "",
            "title": task.trajectory.instruction,
            "actions": options.max_actions,
            "seconds": options.max_seconds,
        }
        # A session of its own: Ctrl-C is for this process, which then closes the window.
        command, pipe = [sys.executable, "-m", __name__], subprocess.PIPE
        window = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True)
        self._window = window
        assert window.stdin is not None
        assert window.stdout is not None
        with suppress(BrokenPipeError):
            window.stdin.write(f"{json.dumps(asked)}\n".encode())
            window.stdin.flush()
        told = json.loads(window.stdout.readline() or b"{}")
        if "address" not in told:
            raise SetupError(told.get("error", "the window did not open"), option="port")
        if not place.told:
            sys.stdout.write("".join(f"{line}\n" for line in told["address"]))
            sys.stdout.flush()
        place.port, place.told = told["port"], True
        window.stdout.readline()  # the person sees the page
        self.began = self._env.start_clock()
        threading.Thread(target=_finish_at_exit, args=(window, self._episode), daemon=True).start()

    def act(self, observation: Mapping[str, Any]) -> Turn:
        """Wait for the person's next action, or for their end."""
        if self._window is not None and self._window.stdin is not None:
            with suppress(BrokenPipeError):
                self._window.stdin.write(f"{observation['actions_left']}\n".encode())
                self._window.stdin.flush()
        turn = super().act(observation)
        if self._window is not None and self._window.poll():
            raise WorldError(f"the window ended with an error (exit status {self._window.returncode})")
        return turn

    def leave(self) -> None:
        """Close the window and the door."""
        self.end()
        window, self._window = self._window, None
        if window is not None:
            assert window.stdin is not None
            assert window.stdout is not None
            with suppress(BrokenPipeError):
                window.stdin.close()
            has_ended(window, _TO_EXIT)
            window.kill()
            window.wait()
            window.stdout.close()
        super().leave()


def main() -> None:
    """Show the window until the person is done, or the episode is over: the program of :class:`PersonAgent`.

    Its input begins with a line of JSON, goes on with the number of actions that are left, a line each time, and ends
    with the episode. Its output is a line of JSON: its port and the lines with its address, or the error by which
    it did not open; and another one when the person sees it.
    """
    asked = json.loads(sys.stdin.readline())
    over = threading.Event()
    try:
        pressed = call(lambda: _show(asked, over))
    except SetupError as error:
        _tell(1, error=str(error))
        sys.exit(1)
    finally:
        shut_down()
    if pressed is not None:
        body = {"answer": pressed, "infeasible": pressed == GIVE_UP}
        port, token = asked["door"]
        end_part(port, token, json.dumps(body).encode())


def _finish_at_exit(window: subprocess.Popen[bytes], episode: AttachedEpisode) -> None:
    """End the person's part with the window."""
    window.wait()
    episode.finish("")


def _follow(window: StreamedWindow, over: threading.Event) -> None:
    """Tell the person what is left, until the episode is over."""
    for line in sys.stdin:
        window.say(_left(int(line)))
    over.set()


def _left(actions: int) -> str:
    return f"You have {count(actions, 'action')} left. Press Done when you have done it all."


def _tell(output: int, **said: object) -> None:
    os.write(output, f"{json.dumps(said)}\n".encode())


def _show(asked: Mapping[str, Any], over: threading.Event) -> str | None:
    """Show the window; return the button that ended it, None where the episode did."""
    told = os.dup(1)
    browser = playwright().chromium.connect_over_cdp(asked["cdp_url"])
    tabs = Tabs(browser.contexts[0], reacts_at_once=True)
    with streamed(
        tabs,
        title=asked["title"],
        says=_left(int(asked["actions"])),
        buttons=(DONE, GIVE_UP),
        port=int(asked["port"]),
        seconds=float(asked["seconds"]),
        seen=lambda: _tell(told, seen=True),
        word=str(asked["word"]),
        then=str(asked["then"]),
    ) as window:
        threading.Thread(target=_follow, args=(window, over), daemon=True).start()
        _tell(told, address=window.address, port=window.port)
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nobody reads what the person's browser writes
        if has_display() and not asked["known"]:
            webbrowser.open(window.url)
        try:
            return window.wait(over.is_set)
        except WorldError:
            if over.is_set():
                return None
            raise


if __name__ == "__main__":
    main()
