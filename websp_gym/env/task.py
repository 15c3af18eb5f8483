"""An instance as a BrowserGym task: setup, validation, cheat and teardown."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from websp_gym.browser.driver import call_for
from websp_gym.browser.launch import prepare_context
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.browsergym import AbstractBrowserTask
from websp_gym.env.cheat import solve
from websp_gym.env.end_pages import read_pages
from websp_gym.env.options import Options
from websp_gym.errors import JudgeError, WorldError
from websp_gym.records.ending import Ending, EndReason
from websp_gym.records.recorder import Recorder
from websp_gym.records.trajectory import Trajectory, now
from websp_gym.records.verdict import Verdict, failed_early
from websp_gym.replay.moved import address_on
from websp_gym.scoring.explain import with_failure_causes
from websp_gym.scoring.outcome import EpisodeEnd
from websp_gym.scoring.rewards import Reward
from websp_gym.tasks.instances import Instance
from websp_gym.tasks.published import of_account
from websp_gym.world.s0_report import S0Report
from websp_gym.world.state import WorldState

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from websp_gym.policies.applied import AppliedPolicies
    from websp_gym.policies.sets import Policies
    from websp_gym.world import World, WorldEpisode


class WebspTask(AbstractBrowserTask):  # type: ignore[misc]
    """One instance in one world, as a BrowserGym task.

    Args:
        seed: Seed of the episode.
        instance: The instance.
        world: The world in which it takes place.
        reward: Function from the end of the episode to a verdict.
        options: Options of the episode; ``None`` for the defaults.
        policies: The policies of the episode; ``None`` for none.
    """

    def __init__(
        self,
        seed: int,
        *,
        instance: Instance,
        world: World,
        reward: Reward,
        options: Options | None = None,
        policies: AppliedPolicies | None = None,
    ) -> None:
        super().__init__(seed)
        self.options = options or Options()
        width, height = self.options.viewport
        self.viewport = {"width": width, "height": height}
        self.slow_mo = 0
        self.timeout = 5_000
        self.instance = instance
        self.world = world
        self.verdict: Verdict | None = None
        self.outcome: EpisodeEnd | None = None
        """The end of the episode, once it is scored."""
        self.s0: S0Report | None = None
        self.tabs: Tabs | None = None
        self.folder: Path | None = None
        """Folder of the trajectory; ``None`` if it is not saved."""
        self._applied = policies
        self.policies: Policies | None = policies.declared if policies is not None else None
        self.trajectory = _blank_trajectory(instance, world, seed, self.options)
        if policies is not None:
            self.trajectory.policies = policies.declared.as_record()
        self._reward = reward
        self._world_episode: WorldEpisode | None = None

    @property
    def world_episode(self) -> WorldEpisode:
        """The episode in the world. Raises ``WorldError`` before :meth:`setup`."""
        if self._world_episode is None:
            raise WorldError("the task is not set up; call reset() first")
        return self._world_episode

    def setup(self, page: Page, tabs: Tabs | None = None) -> tuple[str, dict[str, Any]]:
        """Open an episode of the world, reach and verify S0, and go to the start page.

        Args:
            page: A blank page of a new browser context.
            tabs: The tabs of this context; ``None`` for a context that is not prepared yet.

        Returns:
            The instruction, and how S0 was reached.

        Raises:
            InitialStateError: S0 was not reached.
            ReplayError: A trace could not be replayed.
            WorldError: The world does not respond.
        """
        if tabs is None:
            prepare_context(page.context)
            tabs = Tabs(page.context, reacts_at_once=self.world.reacts_at_once)
        self.tabs = tabs
        if self._world_episode is None:
            self.open()
        self.world_episode.attach(page.context)
        self.s0 = self.world_episode.reach(self.instance, tabs, self.options)
        decision = self.instance.config.decision
        if self.policies is not None or decision is not None:
            self.world_episode.stage(
                self.policies.texts if self.policies else {},
                [fault.as_dict() for fault in self.policies.faults] if self.policies else [],
                decision.model_dump(mode="json") if decision else None,
                self.policies.forms if self.policies else {},
            )
        self._go_to_start(tabs)
        slug = self.instance.site.slug
        self.trajectory.s0 = self.s0.state.as_dict().get(slug, {})
        return self.trajectory.instruction, self.s0.as_dict()

    def open(self) -> None:
        """Start the episode in the world, before its browser: on the live web, it says whose browser that is.

        Raises:
            WorldError: The world does not respond, or no account is free.
        """
        signed_in = self.options.login == "session"
        self._world_episode = self.world.open_episode(self.instance.site, signed_in=signed_in)

    def start_record(self, parent: Path) -> Recorder:
        """Return the recorder of the episode, which has been set up.

        Args:
            parent: The record gets a folder in it: ``parent/<id>/<number>``.

        Raises:
            SetupError: The folder cannot be written to.
        """
        recorder = Recorder(parent / self.instance.id, self.trajectory, self.world_episode.secrets)
        self.folder = recorder.folder
        return recorder

    def validate(self, page: Page, chat_messages: list[Any]) -> tuple[float, bool, str, dict[str, Any]]:
        """Score the episode if the last chat message ends it.

        Args:
            page: The active page; not used.
            chat_messages: The chat. A last message with the role ``assistant`` is the answer; ``infeasible``
                gives up.

        Returns:
            Reward, whether the episode is over, an empty message, and ``{"verdict": …}`` once it is over.

        Raises:
            WorldError: The world does not respond, or the end state gives no verdict (unless
                ``on_unscored="zero"``).
            JudgeError: The judge gave no usable verdict (unless ``on_unscored="zero"``).
        """
        last = chat_messages[-1] if chat_messages else {}
        if last.get("role") not in ("assistant", "infeasible"):
            return 0.0, False, "", {}
        reason: EndReason = "answer" if last["role"] == "assistant" else "infeasible"
        self.read_pages()
        verdict = self.score(Ending(reason, str(last["message"])))
        return self.reward_of(verdict), True, "", {"verdict": verdict.as_dict()}

    def read_pages(self) -> None:
        """Read what the published checks of the task ask for, now that the agent has ended the episode."""
        checks = self.instance.task.published
        if checks is not None and self.tabs is not None:
            checks = self.trajectory.published = checks.of_account(self.world_episode.account)
            self.trajectory.pages = read_pages(checks.pages, self.tabs, self.world_episode)

    def score(self, ending: Ending, *, save: Callable[[], None] = lambda: None) -> Verdict:
        """Read the end state, record how the episode ended, and compute the verdict.

        The verdict is also stored in :attr:`verdict` and in the trajectory.

        Args:
            ending: How the episode ended. After a limit, the reward function is not called: the episode
                failed.
            save: Called once the record is complete except for the verdict.
        """
        record = self.trajectory
        record.close(ending)
        start = self.s0.state if self.s0 else WorldState()
        self.world_episode.seal()
        end = self.world_episode.state()
        slug = self.instance.site.slug
        record.end = end.as_dict().get(slug, {})
        record.events = [event.__dict__ for event in end.since(start.last_seq)]
        save()
        kept = self._applied.judge(record, self.instance) if self._applied is not None else None
        instance = self.instance.ending_in(record.right_end)
        outcome = self.outcome = EpisodeEnd(instance, start, end, ending, record, self.folder, kept)
        verdict = failed_early(ending.reason, ending.detail) or self._reward(outcome)
        if verdict.status == "pass":
            effects = self.world_episode.effects(slug, instance.task.goal, start, end)
            verdict = replace(verdict, effects=effects)
        # Whatever decided, what was done of the task is told by the state.
        verdict = replace(verdict, progress=outcome.truth.progress, policies=kept)
        self.verdict = with_failure_causes(verdict, outcome)
        record.verdict = self.verdict.as_dict()
        return self.verdict

    def reward_of(self, verdict: Verdict) -> float:
        """Return the reward for a verdict.

        This is its score, or 0.0 for an unscored verdict with ``on_unscored="zero"``.

        Raises:
            JudgeError: The judge left the episode unscored.
            WorldError: The episode is unscored for another reason, or its score is not finite.
        """
        if verdict.score is not None and not math.isfinite(verdict.score):
            raise WorldError(
                f"{self.instance.id}: the reward {verdict.source} gave {verdict.score}",
                verdict=verdict.as_dict(),
            )
        if verdict.score is not None:
            return float(verdict.score)
        if self.options.on_unscored == "zero":
            return 0.0
        kind = JudgeError if verdict.source == "judge" else WorldError
        raise kind(f"{self.instance.id} has no verdict: {verdict.reason}", verdict=verdict.as_dict())

    def cheat(self, page: Page, chat_messages: list[Any]) -> None:
        """Solve the task with an agent's marks and actions; append the answer to ``chat_messages``."""
        if self.tabs is None:
            raise WorldError("the task is not set up; call reset() first")
        tabs = self.tabs
        answer = call_for(tabs.context, lambda: solve(self.instance, self.world_episode.account, tabs))
        chat_messages.append({"role": "assistant", "timestamp": 0.0, "message": answer})

    def teardown(self) -> None:
        """End the episode in the world."""
        if self._world_episode is None:
            return
        self._world_episode.put_back()
        self._world_episode.close()
        self._world_episode = None

    def _go_to_start(self, tabs: Tabs) -> None:
        """Open the start page and, behind it, the task's other tabs, each as the first entry of its history."""
        page = tabs.current
        for extra in tabs.pages:
            if extra is not page:
                extra.close()
        start = self.instance.site.start_url
        if self.instance.task.published is not None:
            start = of_account(start, self.world_episode.account)
        self._open_in_current(tabs, start)
        for address in self.instance.config.tabs:
            tabs.context.new_page()  # which becomes the current tab
            self._open_in_current(tabs, address)
        if self.instance.config.tabs:
            tabs.activate(page)
            settle(tabs)

    def _open_in_current(self, tabs: Tabs, address: str) -> None:
        episode = self.world_episode
        url = address if episode.site_url is None else address_on(address, episode.site_url)
        episode.open_page(tabs, url)
        tabs.forget_history()


def _blank_trajectory(instance: Instance, world: World, seed: int, options: Options) -> Trajectory:
    return Trajectory(
        instance=instance.id,
        config_hash=instance.config_hash,
        instruction=instance.instruction(options.instruction),
        ground_truth=instance.ground_truth_text(),
        world=world.name,
        seed=seed,
        options=options.as_dict(),
        started=now(),
    )
