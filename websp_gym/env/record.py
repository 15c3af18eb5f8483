"""The record of an episode while it runs: in memory, and on disk if requested or if the reward reads it."""

from __future__ import annotations

import contextlib
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from websp_gym.actions.grammar import thought_of
from websp_gym.errors import SetupError
from websp_gym.records.trajectory import Step, View

if TYPE_CHECKING:
    from websp_gym.env.task import WebspTask
    from websp_gym.observation.observe import Observer
    from websp_gym.records.ending import Ending
    from websp_gym.records.hooks import CurrentStep
    from websp_gym.records.recorder import Recorder
    from websp_gym.scoring.rewards import Reward


class EpisodeRecord:
    """The record of one episode. The caller must always :meth:`close` it.

    Args:
        task: The task of the episode, which has the trajectory.
        reward: The reward; one that reads the record on disk gets a copy, which is deleted with the episode.
        parent: Folder for the record; ``None`` to keep none.
    """

    def __init__(self, task: WebspTask, reward: Reward, parent: Path | None) -> None:
        self._task = task
        self._parent = parent
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        if parent is None and getattr(reward, "reads_the_record", False):
            self._scratch = tempfile.TemporaryDirectory(prefix="websp-")
            self._parent = Path(self._scratch.name)
        self._recorder: Recorder | None = None
        self.on_disk = self._parent is not None
        """Whether it is written to disk."""

    def start(self) -> None:
        """Start writing it to disk, once the episode is set up."""
        if self._parent is not None:
            self._recorder = self._task.start_record(self._parent)

    def view(self, observer: Observer, number: int = 0) -> View:
        """Return the last observation in its stored form; ``number`` is that of its step, 0 for the first one."""
        page = observer.view()
        return View.of(page) if self._recorder is None else self._recorder.view(number, page)

    def add(self, step: CurrentStep, observer: Observer, seconds: float) -> None:
        """Add a step that is over.

        Args:
            step: The step.
            observer: Has the observation after it.
            seconds: Seconds it took.
        """
        self._task.trajectory.steps.append(
            Step(
                number=step.number,
                thought=thought_of(step.action),
                action=step.action,
                act=step.act,
                error=step.error,
                counted=step.counted,
                seconds=seconds,
                ended=time.time(),
                view=self.view(observer, step.number),
                facts=step.facts,
            )
        )
        if self._recorder is not None:
            self._recorder.append()

    def save(self) -> None:
        """Write everything that is not on disk yet."""
        if self._recorder is not None:
            self._recorder.save()

    def close(self, ending: Ending) -> None:
        """End it. ``ending`` says how the episode ended; not recorded once it is scored, as it is saved then."""
        record = self._task.trajectory
        if self._recorder is not None and record.verdict is None:
            record.close(ending)
            record.error = ending.detail
            with contextlib.suppress(SetupError):  # the error that ended the episode is already being raised
                self._recorder.save()

    def discard_copy(self) -> None:
        """Remove the copy that was made for the reward alone."""
        if self._scratch is not None:
            self._scratch.cleanup()
