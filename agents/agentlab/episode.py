"""A wrapper that stores the result of an episode in the folder of its AgentLab experiment.

AgentLab itself keeps only the reward. The wrapper writes the verdict to its own file as soon as there is one,
and adds it to ``summary_info.json`` when AgentLab, having written that file, closes the environment.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym

from websp_gym.agents.agentlab.columns import columns_of
from websp_gym.errors import WebspError
from websp_gym.records.results import Result, facts_of
from websp_gym.records.verdict import failed

if TYPE_CHECKING:
    from websp_gym.env import WebspEnv
    from websp_gym.env.task import WebspTask
    from websp_gym.records.verdict import Verdict

RESULT = "websp_result.json"
SUMMARY = "summary_info.json"
BRIEFING = "websp_briefing"
"""Key of the first observation with the instance, the account and the seed, for our agents."""

Seen = dict[str, Any]


class NotedEpisode(gym.Wrapper[Seen, str, Seen, str]):
    """An environment that writes how its episode ends to the experiment's folder.

    Args:
        env: The environment.
        folder: The experiment's folder.
        with_briefing: Whether the agent is one of ours.
    """

    def __init__(self, env: gym.Env[Seen, str], folder: Path, *, with_briefing: bool) -> None:
        super().__init__(env)
        self._folder = folder
        self._with_briefing = with_briefing
        self._task: WebspTask | None = None
        self._trajectory = ""
        self._seed = 0
        self._result: Result | None = None
        self._began = time.monotonic()

    @property
    def websp(self) -> WebspEnv:
        """The unwrapped environment."""
        env: Any = self.env.unwrapped
        return env  # type: ignore[no-any-return]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, Seen]:
        """Start an episode; with one of our agents, the first observation contains its briefing."""
        websp, self._task, self._seed = self.websp, None, seed or 0
        observation, info = self.env.reset(seed=seed, options=options)
        self._began = time.monotonic()
        task = self._task = websp.task
        assert task is not None
        if task.folder is not None:
            self._trajectory = task.folder.resolve().relative_to(self._folder.resolve()).as_posix()
        if self._with_briefing:
            account = dict(task.world_episode.account)
            observation[BRIEFING] = {
                "instance": websp.instance.id,
                "account": account,
                "seed": self._seed,
                "policies": websp.options.policies,
            }
        return observation, info

    def step(self, action: str) -> tuple[Seen, Any, bool, bool, Seen]:
        """Take a step; after the last one, ``info["task_info"]`` contains the verdict."""
        try:
            observation, reward, terminated, truncated, info = self.env.step(action)
        except WebspError:
            verdict = self._task.verdict if self._task is not None else None
            if verdict is not None and verdict.status == "unscored":
                self._note(verdict)
            raise
        if self._task is not None and self._task.verdict is not None:
            self._note(self._task.verdict)
            info["task_info"] = {**info["task_info"], "verdict": info["verdict"]}
        return observation, reward, terminated, truncated, info

    def close(self) -> None:
        """End the episode and complete AgentLab's summary of it."""
        try:
            self._complete()
        finally:
            super().close()

    def _note(self, verdict: Verdict, **facts: Any) -> None:
        assert self._task is not None
        self._result = Result.of(verdict, self._task.trajectory, **self._known(), **facts)
        self._write()

    def _known(self) -> Seen:
        seconds = round(time.monotonic() - self._began, 3)
        return {"agent": "", "seconds": seconds, "trajectory": self._trajectory}

    def _complete(self) -> None:
        path = self._folder / SUMMARY
        try:
            summary = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            return  # No summary: closed in the middle of the episode, which AgentLab will repeat.
        if self._result is None:
            self._note_no_verdict(summary.get("err_msg"))
        assert self._result is not None
        _replace(path, summary | columns_of(self._result, self.websp.instance))

    def _note_no_verdict(self, problem: str | None) -> None:
        """Write the result of an episode that ended without a verdict."""
        if not problem:
            # In AgentLab, an agent that gives no action ends the episode with no reward.
            reason = "the agent gave no action, so AgentLab ended the episode"
            self._note(failed("agentlab", reason), end_reason="abandoned")
            return
        websp = self.websp
        told: dict[str, Any] = {"id": websp.instance.id, "config_hash": websp.instance.config_hash}
        told |= {"seed": self._seed, "instruction": websp.options.instruction}
        if self._task is not None:
            told = facts_of(self._task.trajectory)
        self._result = Result(
            **told, **self._known(), reward=None, status="error", error=plain_error(problem)
        )
        self._write()

    def _write(self) -> None:
        assert self._result is not None
        _replace(self._folder / RESULT, asdict(self._result))


def plain_error(message: str) -> str:
    """Return AgentLab's error message (``err_msg`` of its summary) in one line: the error's type and message.

    The sentence that AgentLab puts before every error is removed.
    """
    head, _, rest = message.partition("\n")
    kept = rest if rest and head.startswith("Exception uncaught") else message
    return kept.strip().replace(":\n", ": ", 1)


def _replace(path: Path, data: Any) -> None:
    """Write JSON atomically."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(json.dumps(data, ensure_ascii=False, indent=1), "utf-8")
        os.replace(part, path)
    finally:
        with suppress(OSError):
            part.unlink()
