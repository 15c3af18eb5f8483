"""One running episode: its browser context, its task, its limits and its record."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.actions.computer.action import Screen
from websp_gym.actions.computer.find import written
from websp_gym.actions.computer.pages import Pages
from websp_gym.actions.harm import HarmGuard
from websp_gym.browser.deadline import Watch
from websp_gym.browser.driver import discard_dead_driver, event_loop
from websp_gym.browser.internals import loop_of
from websp_gym.browser.launch import BrowserOptions, close_unless_used, first_page, open_context, version_of
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.env.chat import MemoryChat
from websp_gym.env.harm_hooks import HarmHooks
from websp_gym.env.limits import Limits
from websp_gym.env.outside import OutsideAction, OutsideEnd, Turn
from websp_gym.env.record import EpisodeRecord
from websp_gym.env.task import WebspTask
from websp_gym.env.turns import AgentTurns
from websp_gym.errors import WebspError, WorldError
from websp_gym.observation.observe import Observer
from websp_gym.observation.veil import Veil
from websp_gym.records.ending import Ending
from websp_gym.records.hooks import CurrentStep
from websp_gym.records.trajectory import versions
from websp_gym.texts import encodable

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from websp_gym.browser.shared_pipe import SharedPipe
    from websp_gym.env.options import Options
    from websp_gym.policies.applied import AppliedPolicies
    from websp_gym.policies.policy_watch import PolicyWatch
    from websp_gym.records.hooks import EpisodeHooks
    from websp_gym.scoring.rewards import Reward
    from websp_gym.tasks.instances import Instance
    from websp_gym.world import World

Observation = dict[str, Any]
Info = dict[str, Any]
_TO_CLOSE = 5.0
"""Seconds a browser context may take to close before its browser is killed."""
_STOOD_STILL = {
    "browser": "the browser",
    "world": "the server of the world",
    "machine": "this machine or process",
}


class Episode:
    """One running episode of one instance. The caller must always :meth:`end` it.

    Args:
        instance: The instance.
        options: Options of the episode.
        world: The world in which it takes place.
        reward: Function from the end of the episode to a verdict.
        seed: Seed of the episode.
        policies: The policies of the episode; ``None`` for none.
        pipe: Shares the browser with an outside agent; ``None`` for the browser of all episodes of the process.
    """

    def __init__(
        self,
        instance: Instance,
        options: Options,
        world: World,
        reward: Reward,
        seed: int,
        policies: AppliedPolicies | None = None,
        pipe: SharedPipe | None = None,
    ) -> None:
        self.options = options
        self.seed = seed
        self.chat = MemoryChat()
        self.policies = policies
        self.task = WebspTask(
            seed, instance=instance, world=world, reward=reward, options=options, policies=policies
        )
        self.pid = os.getpid()
        """Id of the process that owns its browser."""
        self.context: BrowserContext | None = None
        self._flags = BrowserOptions(options.headless, world.browser_args(), pipe)
        self._record = EpisodeRecord(self.task, reward, options.record_to)
        self._step = CurrentStep()
        self._limits = Limits(options.max_actions, options.max_seconds)
        self._overdue = False
        """Whether a call ran into its deadline; the browser may still be busy with the page."""
        self.observation: Observation = {}
        """The last observation; empty before the first."""
        self._policy_watch: PolicyWatch | None = None
        self._hooks: list[EpisodeHooks] = []

    @property
    def ending(self) -> Ending | None:
        """How the episode ended; ``None`` while it runs."""
        return self._step.ending

    @property
    def lost_browser(self) -> bool:
        """Whether the browser of the episode has died."""
        browser = self.context.browser if self.context is not None else None
        return browser is not None and not browser.is_connected()

    def begin(self, called: float) -> tuple[Observation, Info]:
        """Open the browser context, reach and verify S0, and return the first observation and ``info``.

        Args:
            called: Start of the reset, on the monotonic clock.

        Raises:
            WorldError: S0 was not reached before ``reset_timeout``.
        """
        watch = Watch(event_loop(), self.options.reset_timeout)
        try:
            with watch:
                return self._begin(called, watch)
        except (PlaywrightError, WebspError) as error:
            if not watch.expired:
                raise
            self._overdue = True
            raise WorldError(
                f"{self.task.instance.id}: S0 was not reached within {self.options.reset_timeout:g} seconds; "
                "call reset() to try again (option reset_timeout)"
            ) from error

    def _begin(self, called: float, watch: Watch) -> tuple[Observation, Info]:
        self.task.open()
        watch.suspect = "browser"
        self.context = watch.context = open_context(
            self._flags, viewport=self.options.viewport, **self.task.world.context_options()
        )
        self.tabs = Tabs(self.context, reacts_at_once=self.task.world.reacts_at_once)
        self.observer = Observer(
            self.options.observation,
            self.tabs,
            seed=self.seed,
            scale=self.options.picture_scale,
            recorded=self._record.on_disk,
        )
        page = first_page(self.context)
        watch.suspect = "page"
        goal, report = self.task.setup(page, self.tabs)
        if self.task.world_episode.shows_secrets:
            self.observer.veil = Veil(self.task.world_episode.secrets)
        if self.policies is not None:
            slug = self.task.instance.site.slug
            self._policy_watch = self.policies.watch(self.task.world_episode, self.tabs, goal, slug)
            self._hooks.append(self._policy_watch)
        if self.options.guarded:
            # After the policies: what it forbids is still a fact of the step.
            self._hooks.append(HarmHooks(HarmGuard(self.task.instance)))
        screen = Screen(*self.options.viewport, self.options.picture_scale, Pages(self.tabs))
        self._turns = AgentTurns(self.tabs, self.observer, self.chat, screen, self._hooks, self._policy_watch)
        self.chat.add_message("assistant", "Hi! I am your web assistant. What can I do for you?")
        self.chat.add_message("user", goal)
        record = self.task.trajectory
        record.versions = versions(version_of(self.context))
        if self.task.instance.origin is not None:
            record.versions[self.task.instance.origin.dataset] = self.task.instance.origin.digest
        self._record.start()
        self._limits.start()
        observation = self.observation = self._observe()
        for each in self._hooks:
            each.begin(self.observer.known_marks())
        if self._policy_watch is not None and record.policies is not None:
            record.policies.begun = self._policy_watch.begun
        record.reset_seconds = time.monotonic() - called
        record.initial = self._record.view(self.observer)
        self._record.save()
        return observation, {
            "initial_state": report,
            "task_info": {"instance": record.instance, "seed": self.seed},
        }

    def wait(self) -> None:
        """Wait until the world accepts the next action; on the caller's thread, because this needs no browser.

        This time is not charged to the agent: :meth:`step` gets the time of the call, before this.
        """
        left = self.task.world_episode.to_wait()
        if left > 0:
            time.sleep(left)  # not for something to happen: it is the limit itself

    def step(self, action: Turn | Mapping[str, Any], called: float) -> tuple[Observation, Info]:
        """Carry out one action, wait until the page is at rest, and return the observation and ``info``.

        :attr:`ending` is set if this was the last step.

        Args:
            action: The agent's reply, a computer-use action as a dictionary, or an action that the agent takes
                itself.
            called: Start of the step, on the monotonic clock; the time since then is not charged to the
                agent.

        Raises:
            WorldError: The browser, the server or the machine did not respond.
        """
        if self.context is None:
            raise WorldError("the episode has not begun; call reset() first")
        reply = action if isinstance(action, OutsideAction | OutsideEnd) else _text(action)
        info: Info = {"action_exec_start": time.time(), "action_exec_timeout": 0.0}
        info["task_info"] = {"instance": self.task.instance.id}
        watch = Watch(
            loop_of(self.context),
            self.options.step_timeout,
            context=self.context,
            answers=self.task.world_episode.answers,
        )
        with self._limits.step(called, watch):
            try:
                with watch:
                    return self._carry_out(reply, info, watch), info
            except (PlaywrightError, WebspError) as error:
                if not watch.expired:
                    raise
                self._overdue = True
                return self._cut_off(watch, error), info

    def score(self, info: Info) -> float:
        """Compute the verdict on the episode, which has ended, and return the reward. This uses no browser.

        Args:
            info: The ``info`` of the last step; gets the reason of the end and the verdict.

        Raises:
            WorldError: The world does not respond, or the end state gives no verdict (unless
                ``on_unscored="zero"``).
            JudgeError: The judge gave no usable verdict (unless ``on_unscored="zero"``).
        """
        ending = self.ending
        if ending is None:
            raise WorldError("the episode has not ended")
        seconds = self._limits.seconds
        verdict = self.task.score(ending, save=self._record.save)
        self._record.save()
        reward = self.task.reward_of(verdict)
        info |= {
            "reason": ending.reason,
            "caused_by": ending.cause,
            "verdict": verdict.as_dict(),
            "side_effects": list(verdict.side_effects),
            "unscored": verdict.status == "unscored",
        }
        if self.task.outcome is not None and self.task.outcome.truth.checks:
            info["costs"] = self.task.outcome.costs(self._limits.actions, seconds)
        return reward

    def end(self, ending: Ending) -> None:
        """Free all resources. This works at any time, even when the world is gone.

        Args:
            ending: How the episode ended, if nothing has ended it yet; not recorded once it is scored.
        """
        self._record.close(ending)
        discard_dead_driver()
        self._close_context()
        with contextlib.suppress(WebspError):
            self.task.teardown()
        self.chat.close()
        self._record.discard_copy()

    def _close_context(self) -> None:
        context = self.context
        if context is None or loop_of(context).is_closed():
            return
        watch = Watch(loop_of(context), _TO_CLOSE, context=context)
        with watch, contextlib.suppress(PlaywrightError):
            context.close()
            if self._overdue and context.browser is not None:
                close_unless_used(context.browser)

    def _carry_out(self, reply: Turn, info: Info, watch: Watch) -> Observation:
        began = time.monotonic()
        step = self._step = self._turns.begin(reply, self._step.number + 1)
        if self._limits.is_out_of_time:
            step.error = "not carried out: the time was up"
            if isinstance(reply, OutsideAction):
                reply.refuse(step.error)
            step.ending = self._limits.reached
        else:
            before, left = self.task.trajectory.last_view, self._limits.actions_left
            self._turns.carry_out(reply, watch, before, left=left)
            self._limits.actions += step.counted
            self._limits.understood |= step.act is not None
        self._seal_if_over()
        info["action_exec_stop"] = time.time()
        # A page that waits for an unresponsive server is not at rest.
        while not settle(self.tabs) and watch.frozen:
            pass
        self.task.world_episode.check()
        self._note_ending()
        self._seal_if_over()
        for each in self._hooks:
            each.at_rest()
        observation = self.observation = self._observe()
        for each in self._hooks:
            each.end_step(step, self.observer.known_marks())
        self._record.add(step, self.observer, time.monotonic() - began)
        if step.ending is not None:
            self.task.read_pages()
        return observation

    def start_clock(self) -> float:
        """Restart the episode's clock; return the time."""
        self._limits.start()
        return self._limits.began

    def _cut_off(self, watch: Watch, error: Exception) -> Observation:
        """Handle a step that ran into its deadline: the agent failed if the page was at fault, else raise."""
        if watch.blame != "page":
            raise WorldError(
                f"{_STOOD_STILL[watch.blame]} did not answer for {watch.stuck:.0f} seconds; "
                "call reset() to start a new episode"
            ) from error
        seconds, step = self.options.step_timeout, self._step
        step.error = f"the page did not respond within {seconds:g} seconds of the action and was closed"
        step.ending = step.ending or Ending("unresponsive", detail=step.error)
        self._seal_if_over()
        for each in self._hooks:
            each.cut_off(step)
        step.counted = 1
        self._limits.actions += 1
        self.observation = {
            **self.observation,
            "last_action": step.action,
            "last_action_error": step.error,
        }
        if "last_action_result" in self.observation:
            self.observation["last_action_result"] = ""
        if "actions_left" in self.observation:
            self.observation["actions_left"] = self._limits.actions_left
            self.observation["seconds_left"] = self._limits.seconds_left
        self._record.add(step, self.observer, watch.seconds)
        return self.observation

    def _seal_if_over(self) -> None:
        """Keep what pages do after the end from counting: the state of this moment is scored."""
        if self.ending is not None:
            self.task.world_episode.seal()

    def _note_ending(self) -> None:
        """End the episode if a limit is reached, and put an agent's last words into the chat."""
        step = self._step
        if step.ending is None:
            step.ending = self._limits.reached
        elif not step.ending.is_limit and step.ending.reason != "exit":
            role = "assistant" if step.ending.reason == "answer" else "infeasible"
            self.chat.add_message(role, step.ending.answer)

    @property
    def _goal(self) -> str:
        """The instruction; agents of BrowserGym and AgentLab read nothing else, so it has the policies for them."""
        instruction = self.task.trajectory.instruction
        if self.policies is None or self.options.observation not in ("browsergym", "all"):
            return instruction
        block = self.policies.block
        return f"{instruction}\n\n{block}" if block else instruction

    def _observe(self) -> dict[str, Any]:
        problems = [text for text in [self._step.error, *self.tabs.notices.texts] if text]
        # Report each notice once; a dialog that opens between steps is reported on the next.
        self.tabs.begin_step()
        observation = self.observer.observe(
            goal=self._goal,
            chat=self.chat.messages,
            last_action=self._step.action,
            last_action_error="; ".join(problems),
            last_action_result=self._step.result,
            actions_left=self._limits.actions_left,
            elapsed=self._limits.seconds,
            max_seconds=self._limits.max_seconds,
        )
        if self.policies is not None and self._policy_watch is not None:
            observation["policies"] = self.policies.shown
            observation["user_reply"] = self._policy_watch.reply
        return observation


def _text(action: object) -> str:
    """Return a reply as text; one that is neither a string nor a dictionary is an action that cannot be parsed."""
    if isinstance(action, Mapping):
        return encodable(written(action))
    return encodable(action if isinstance(action, str) else repr(action))
