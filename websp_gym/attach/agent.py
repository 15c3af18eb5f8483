"""Outside agents as agents of this package: a program that drives the browser of the episode by itself."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from websp_gym.attach.attached_episode import AttachedEpisode
from websp_gym.attach.browsers import borrow, give_back
from websp_gym.attach.door import Door
from websp_gym.attach.peers import is_of_session
from websp_gym.attach.unseen import UnseenChanges
from websp_gym.browser.owner import call
from websp_gym.errors import SetupError, WorldError
from websp_gym.patience import has_ended, tree_of, wait
from websp_gym.redaction import named_secrets, redact
from websp_gym.texts import shortened

if TYPE_CHECKING:
    from websp_gym.browser.launch import BrowserOptions
    from websp_gym.browser.shared_pipe import SharedPipe
    from websp_gym.env.environment import WebspEnv
    from websp_gym.env.outside import Turn
    from websp_gym.env.rollout import Briefing
    from websp_gym.env.task import WebspTask
    from websp_gym.observation import ObservationKind

OUTPUT = "output.txt"
"""Name of the file with what a program wrote, in the folder of the record."""
_OVER = "the episode is over; nothing done now counts"
_NOT_COME = "before using any address of its door"
_ASSIGNED = re.compile(r"\b(\w+)=[\"']?([^\s\"']+)")
"""A variable and its value in a command."""
_LONGEST_LINE = 200
"""Characters of a program's last line that the end of its episode has."""
_TO_EXIT, _TO_WORK_ON = 5.0, 60.0
"""Seconds that a program may do nothing, and may take in all, before it exits after its episode is over."""
_have_come: set[str] = set()
"""Commands of which a program has reached its door, in this process."""


class OutsideAgent:
    """An agent that drives the browser by itself, through the door of each episode.

    Args:
        name: Its name.
        public: Where a server hands its doors on; empty for doors on this machine only.
        token: The token of its doors; empty draws one for each.

    Attributes:
        door: The door of the running episode; ``None`` between episodes.
    """

    observation: ObservationKind = "text"
    turns: Sequence[Any] = ()
    began: float | None = None
    """When it saw the episode, on the monotonic clock, if that was later than its beginning."""
    has_tools_alone = False
    """Whether it plays by the tools alone where the harm guard is on."""

    def __init__(self, name: str, public: str = "", token: str = "") -> None:
        self.name = name
        self._public, self._token = public, token
        self.door: Door | None = None
        self._env: WebspEnv | None = None
        self._options: BrowserOptions | None = None
        self._pipe: SharedPipe | None = None
        self._episode: AttachedEpisode | None = None
        self._unseen: UnseenChanges | None = None
        self._last: Turn | None = None

    _is_own: Callable[[int], bool] | None = None
    """Tells by its local port whether a connection is of the agent's own processes, where they can be told."""

    def join(self, env: WebspEnv) -> None:
        """Give the environment a browser of its own that can be shared.

        Raises:
            SetupError: The harm guard is on, which sees no scripts, and the agent does not play by the tools alone.
        """
        if env.options.guarded and not self.has_tools_alone:
            raise SetupError(
                "the harm guard does not see what an agent's scripts do over the DevTools endpoint: use only the "
                "tools (mcp:COMMAND), or an account you can afford to lose with harm_guard=False (--no-harm-guard)",
                option="harm_guard",
            )
        self._env, self._options = env, env.browser_options
        self._pipe = borrow(self._options)
        env.share_browser(self._pipe)

    def begin(self, briefing: Briefing) -> None:
        """Open the door of the episode."""
        self._begin()

    def act(self, observation: Mapping[str, Any]) -> Turn:
        """Wait for the agent's next action, or for its end."""
        episode, unseen = self._episode, self._unseen
        assert episode is not None
        assert unseen is not None
        episode.observed(observation)
        left = float(observation.get("seconds_left", 0.0))
        if self._last is not None:
            unseen.step_ended(self._last)
        turn = episode.next_turn(left)
        changed = unseen.before(turn, final=turn is None or episode.at_last_turn)
        if changed is not None:
            episode.put_back(turn)
        # After the time limit any reply ends the episode, and none is carried out.
        self._last = changed or ("noop()" if turn is None else turn)
        return self._last

    def finish(self, answer: str) -> bool:
        """End the episode with an answer; return whether it was still going on."""
        return self._episode is not None and self._episode.finish(answer)

    def end(self) -> None:
        """Accept nothing more; the door stays open and says why."""
        if self._episode is not None:
            ending = self._env.ending if self._env is not None else None
            self._episode.end(f"{_OVER} ({ending.detail})" if ending is not None and ending.detail else _OVER)

    def leave(self) -> None:
        """Close the door, and leave the browser behind it to the next one."""
        self.end()
        if self._episode is not None:
            if self._episode.usage is not None:
                self.turns = (*self.turns, self._episode.usage)
            call(self._episode.dialogs.end)
        if self.door is not None:
            self.door.close()
        if self._env is not None:
            self._env.share_browser(None)
        if self._pipe is not None and self._options is not None:
            # One in which no episode could begin may be what is wrong.
            give_back(self._options, self._pipe, keep=self.door is not None)
        self.door = self._env = self._options = self._pipe = self._episode = self._unseen = None

    def _begin(self) -> tuple[Door, WebspTask]:
        env, pipe = self._env, self._pipe
        if env is None or pipe is None or env.task is None:
            raise WorldError("no episode is running; call join() and reset() first")
        world_episode, reacts_at_once = env.task.world_episode, env.task.world.reacts_at_once

        def attach() -> AttachedEpisode:
            episode = AttachedEpisode(pipe, env.tabs, world_episode.secrets, env.observation)
            episode.scripts.timers = reacts_at_once
            episode.dialogs.begin()
            return episode

        self._episode, self._last = call(attach), None
        self._unseen = UnseenChanges(world_episode)
        self.door = Door(
            self._episode, self._public, self._token, tools_alone=env.options.guarded, is_own=self._is_own
        )
        return self.door, env.task


class CommandAgent(OutsideAgent):
    """A program that is started for each episode, with the addresses of its door in its environment.

    ``WEBSP_CDP_URL`` is the DevTools endpoint, ``WEBSP_MCP_URL`` the tools, ``WEBSP_TASK`` the instruction,
    ``WEBSP_START_URL`` the address of the start page and ``WEBSP_FINISH_URL`` where the answer goes. Its exit is the
    end of the episode. What it writes is kept as ``output.txt`` in the folder of the record.

    Args:
        command: The command, which a shell runs.
        name: Name of the agent.
        for_tools: Whether it is one for the tools, which then return pictures too. Where the harm guard is on, it
            gets no DevTools endpoint, and one that is not for the tools cannot play.
    """

    def __init__(self, command: str, name: str, *, for_tools: bool = False) -> None:
        super().__init__(name)
        self.command = command
        self.observation = "marks" if for_tools else "text"
        self.has_tools_alone = for_tools
        self._secrets = named_secrets({**os.environ, **dict(_ASSIGNED.findall(command))})
        self._process: subprocess.Popen[bytes] | None = None
        self._exit: threading.Thread | None = None
        """Waits for the program to exit."""
        self._output: IO[bytes] | None = None

    def begin(self, briefing: Briefing) -> None:
        """Open the door and start the program."""
        door, task = self._begin()
        assert self._env is not None
        page = self._env.page
        ours = {
            "WEBSP_CDP_URL": door.cdp_url,
            "WEBSP_HTTP_URL": door.http_url,
            "WEBSP_MCP_URL": door.mcp_url,
            "WEBSP_DEBUGGER_ADDRESS": door.debugger_address,
            "WEBSP_TASK": task.trajectory.instruction,
            "WEBSP_START_URL": page.url,
            "WEBSP_FINISH_URL": door.finish_url,
        }
        self._output = _output_file(task)
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", self.command],
            env={**command_environment(), **{name: value for name, value in ours.items() if value}},
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._exit = threading.Thread(
            target=self._await_exit, args=(self._process, self._episode, door), daemon=True
        )
        self._exit.start()

    def act(self, observation: Mapping[str, Any]) -> Turn:
        """Wait for the program's next action, or for its end."""
        turn = super().act(observation)
        process, door = self._process, self.door
        assert process is not None
        assert door is not None
        if door.reached:
            _have_come.add(self.command)
        elif process.poll() is not None and self.command not in _have_come:
            # It has gained nothing by it, and the episodes to come would end alike.
            said = redact(self.output.strip(), self._secrets)[-300:] or "it wrote nothing"
            raise SetupError(
                f"agent {self.name!r} {_exited(process.returncode)} {_NOT_COME}: {said}",
                agent=self.name,
            )
        return turn

    def _await_exit(self, process: subprocess.Popen[bytes], episode: AttachedEpisode, door: Door) -> None:
        """Wait for the program to exit, which ends the agent's part; an error is no answer."""
        status = process.wait()
        if status == 0 and door.reached:
            episode.finish("")
            return
        came = "" if door.reached else f" {_NOT_COME}"
        lines = self.output.split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        last = shortened(redact(last, self._secrets), _LONGEST_LINE)
        said = f'; its last line: "{last}"' if last else ""
        episode.leave(f"the program {_exited(status)}{came}, without an answer{said}")

    def _is_own(self, port: int) -> bool:
        process = self._process
        return process is not None and is_of_session(port, process.pid)

    @property
    def output(self) -> str:
        """What the program of the running episode has written so far."""
        if self._output is None:
            return ""
        # Not by seeking: the program writes where this file stands.
        number = self._output.fileno()
        return os.pread(number, os.fstat(number).st_size, 0).decode("utf-8", "replace")

    def leave(self) -> None:
        """End the program, if it does not exit by itself, and close the door."""
        self.end()
        process, self._process = self._process, None
        if process is not None:
            wait(
                partial(has_ended, process),
                lambda: tree_of(process.pid),
                still=_TO_EXIT,
                longest=_TO_WORK_ON,
            )
            # Also what it started and left behind.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if self._exit is not None:
                self._exit.join()  # it reads the output
        if self._output is not None:
            self._output.close()
            self._output = None
        super().leave()


def _output_file(task: WebspTask) -> IO[bytes]:
    """Return a file for what a program writes: in the folder of the record, if there is one."""
    return tempfile.TemporaryFile() if task.folder is None else (task.folder / OUTPUT).open("w+b")


def _exited(status: int) -> str:
    """Return how a program exited, in words."""
    if status >= 0:
        return f"exited with status {status}"
    return f"was ended by signal {-status} ({signal.strsignal(-status)})"


def command_environment() -> dict[str, str]:
    """Return this process's environment without our own variables, and with no proxy before addresses of doors."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WEBSP_")}
    lower, upper = kept.get("no_proxy", ""), kept.get("NO_PROXY", "")
    return {**kept, "no_proxy": _past_proxies(lower or upper), "NO_PROXY": _past_proxies(upper or lower)}


def _past_proxies(hosts: str) -> str:
    """Return a list of hosts that no proxy is used for, with this machine added; ``*`` is all of them alone."""
    return hosts if hosts.strip() == "*" else ",".join(filter(None, (hosts, "127.0.0.1,localhost")))
