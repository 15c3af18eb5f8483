"""Episodes that begin on request, each in a process, for agents of other programs and machines."""

from __future__ import annotations

import itertools
import re
import secrets
import threading
from collections.abc import Callable, Iterable, MutableMapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from websp_gym.attach.agent import OutsideAgent
from websp_gym.attach.finishing import end_part
from websp_gym.errors import SetupError, WebspError, WorldError
from websp_gym.processes import Answer, EpisodeProcess, Notify, ProcessError
from websp_gym.records.results import Result, Try
from websp_gym.records.runs import Run, append_result
from websp_gym.runner.batch import crashed, play_job
from websp_gym.runner.jobs import Job, finished, plan_run
from websp_gym.tasks.ids import known_ids
from websp_gym.world import start_shared

if TYPE_CHECKING:
    from websp_gym.env.rollout import Briefing

_TOKEN = re.compile(r"[0-9a-f]{32}")


class BusyError(WorldError):
    """Raised when the most episodes that may run at once are running."""


@dataclass(frozen=True)
class Opened:
    """What an agent needs to play an episode; see :class:`~websp_gym.attach.door.Door` for the addresses."""

    instruction: str
    start_url: str
    cdp_url: str
    http_url: str
    debugger_address: str
    mcp_url: str
    finish_url: str
    token: str = field(repr=False)
    port: int


@dataclass
class HostedEpisode:
    """One episode that was begun.

    Attributes:
        id: Its id, which is no secret.
        job: Its instance, trial and seed.
        opened: Its addresses; ``None`` if it could not begin.
        result: Its result, with the folder of its record; ``None`` while it runs.
        over: Set once it has its result, or will never have one.
    """

    id: str
    job: Job
    opened: Opened | None = None
    result: Result | None = None
    over: threading.Event = field(default_factory=threading.Event)
    _unwanted: bool = False

    def __str__(self) -> str:
        state = self.result.status if self.result is not None else "running"
        return f"{self.job.instance_id} with seed {self.job.seed}: {state}"

    def open(self, opened: Opened) -> None:
        """Note the addresses of an episode that has begun, and end it if that was asked for meanwhile."""
        self.opened = opened
        if self._unwanted:
            end_part(opened.port, opened.token)

    def finish(self) -> Result:
        """End the agent's part as if it had exited, and return the result.

        Raises:
            WorldError: It could not begin, or the host was closed.
        """
        self._unwanted = True
        if self.opened is not None and not self.over.is_set():
            end_part(self.opened.port, self.opened.token)
        self.over.wait()
        if self.result is None:
            raise WorldError(f"{self.job.instance_id}: the episode was ended before it had a result")
        return self.result


class EpisodeHost:
    """Processes that play episodes on request; each has a browser while it plays.

    Args:
        run: What all episodes share. Its agent is the name under which the results are kept.
        folder: Folder of the run; ``None`` keeps no records.
        size: Number of episodes at once.
        public: Where a server hands the doors on; empty for doors on this machine.
        doors: Gets the local port of each open door by its token.
        on_over: Called with each episode that has its result, in a thread.
    """

    def __init__(
        self,
        run: Run,
        folder: Path | None,
        *,
        size: int = 1,
        public: str = "",
        doors: MutableMapping[str, int] | None = None,
        on_over: Callable[[HostedEpisode], None] = lambda episode: None,
    ) -> None:
        self._run, self._folder = run, folder
        self._doors = {} if doors is None else doors
        self._on_over = on_over
        self._lock = threading.Lock()
        self._closing = False
        self._episodes: dict[str, HostedEpisode] = {}
        play, before = partial(_hosting, public), partial(start_shared, [run.world])
        self._processes = [EpisodeProcess(play, before=before) for _ in range(size)]
        self._free: SimpleQueue[EpisodeProcess] = SimpleQueue()
        for process in self._processes:
            self._free.put(process)

    def begin(
        self, instance: str, seed: int | None = None, *, token: str = "", tries: tuple[Try, ...] = ()
    ) -> HostedEpisode:
        """Begin an episode.

        Args:
            instance: Id of the instance.
            seed: Its seed; each is played once. ``None`` takes the next one.
            token: The secret in its addresses, of 32 hexadecimal digits, for agents that are told before it begins;
                empty draws one.
            tries: Earlier attempts, made elsewhere, that an error ended.

        Raises:
            BusyError: The most episodes that may run at once are running.
            SetupError: There is no such instance, this seed was played or is being played, or the token is not one.
            WorldError: The episode cannot begin.
        """
        (name,) = known_ids([instance])
        if token and (not _TOKEN.fullmatch(token) or token in self._doors):
            raise SetupError("token: give 32 hexadecimal digits that no running episode uses", option="token")
        try:
            process = self._free.get_nowait()
        except Empty:
            raise BusyError(
                f"{len(self._processes)} episodes are already running, the most at once"
            ) from None
        episode = None
        try:
            with self._lock:
                job = self._job(name, seed, tries)
                episode = HostedEpisode(secrets.token_hex(8), job)
                self._episodes[episode.id] = episode
            process.start()
            process.send((job, token))
            try:
                reply: Opened | Result = process.receive()
            except (ProcessError, RuntimeError):
                reply = crashed(job, outside=True)
            if self._closing:
                raise WorldError(f"{name}: the episode was ended before it had begun")
        except BaseException:
            if episode is not None:
                del self._episodes[episode.id]
                episode.over.set()
            self._free.put(process)
            raise
        if isinstance(reply, Result):
            self._free.put(process)
            self._keep(episode, reply)
            raise WorldError(f"{name}: {reply.error or reply.reason}")
        self._doors[reply.token] = reply.port
        threading.Thread(target=self._await_result, args=(process, episode), daemon=True).start()
        episode.open(reply)
        return episode

    def find(self, episode_id: str) -> HostedEpisode | None:
        """Return an episode by its id."""
        return self._episodes.get(episode_id)

    @property
    def episodes(self) -> Iterable[HostedEpisode]:
        """All episodes, in the order in which they began."""
        return list(self._episodes.values())

    def close(self) -> None:
        """End all processes; episodes that run get no result."""
        self._closing = True
        for process in self._processes:
            process.kill(process.running)

    def _job(self, name: str, seed: int | None, tries: tuple[Try, ...]) -> Job:
        """Return the job of an episode that was not played yet."""
        mine = [each for each in self._episodes.values() if each.job.instance_id == name]
        begun = {each.job.trial for each in mine if each.result is None or each.result.status != "error"}
        if self._folder is not None:
            begun |= {trial for other, trial in finished(self._folder, self._run) if other == name}
        if seed is None:
            trial = next(number for number in itertools.count(1) if number not in begun)
        else:
            trial = seed - self._run.seed + 1
        if trial < 1:
            raise SetupError(f"seed {seed}: the first seed is {self._run.seed}", option="seed")
        if trial in begun:
            raise SetupError(f"{name}: seed {seed} has already begun; each is played once", option="seed")
        (job,) = plan_run(self._run, [name], first=trial, folder=self._folder, resume=True, retries=0)
        failed = [each.result.tries for each in mine if each.job.trial == trial and each.result is not None]
        return replace(job, tries=failed[-1] if failed else job.tries or tries)

    def _await_result(self, process: EpisodeProcess, episode: HostedEpisode) -> None:
        try:
            result: Result = process.receive()
        except (WebspError, RuntimeError):
            result = crashed(episode.job, outside=True)
        if self._closing:
            episode.over.set()
            return
        self._free.put(process)
        self._keep(episode, result)

    def _keep(self, episode: HostedEpisode, result: Result) -> None:
        if self._folder is not None:
            append_result(self._folder, result)
        episode.result = result
        if episode.opened is not None:
            self._doors.pop(episode.opened.token, None)
        episode.over.set()
        self._on_over(episode)


def _hosting(public: str, notify: Notify) -> AbstractContextManager[Answer]:
    """Play an episode for each job and token, in its process: send its addresses first, then return its result."""

    def play(asked: tuple[Job, str]) -> Result:
        job, token = asked
        return play_job(job, partial(_Hosted, notify, job.run.agent, public, token))

    return nullcontext(play)


class _Hosted(OutsideAgent):
    """An outside agent whose addresses are told to another process."""

    def __init__(self, notify: Notify, name: str, public: str, token: str) -> None:
        super().__init__(name, public, token)
        self.observation = "marks"
        self._notify = notify

    def begin(self, briefing: Briefing) -> None:
        door, task = self._begin()
        assert self._env is not None
        opened = Opened(
            instruction=task.trajectory.instruction,
            start_url=self._env.page.url,
            cdp_url=door.cdp_url,
            http_url=door.http_url,
            debugger_address=door.debugger_address,
            mcp_url=door.mcp_url,
            finish_url=door.finish_url,
            token=door.token,
            port=door.port,
        )
        self._notify(opened)
