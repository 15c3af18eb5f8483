"""One running episode: its browser context, its task, what the agent has used up, and its record."""

from __future__ import annotations

import contextlib
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.actions import parse_action
from websp_gym.actions.browsergym import actions_in, looks_like_calls, parse_calls, perform_calls
from websp_gym.actions.grammar import thought_of
from websp_gym.actions.perform import perform
from websp_gym.actions.reply import kept
from websp_gym.browser.driver import bury_dead
from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.chat import MemoryChat
from websp_gym.errors import ActionError, SetupError, WebspError, WorldError
from websp_gym.observation.observe import Observer
from websp_gym.task import WebspTask
from websp_gym.texts import encodable, shortened
from websp_gym.trajectory import EndReason, Recorder, Step, versions
from websp_gym.verdict import Verdict, failed

if TYPE_CHECKING:
    from websp_gym.instances import LoadedInstance
    from websp_gym.options import Options
    from websp_gym.rewards import Reward
    from websp_gym.world import World

_LONGEST_ERROR = 1_000

StepResult = tuple[dict[str, Any], float, bool, bool, dict[str, Any]]


class Session:
    """Plays one episode of one instance. Whoever makes one must :meth:`end` it, whatever happens.

    Args:
        loaded: The instance.
        options: How the environment behaves.
        world: Where the episode takes place.
        reward: What turns the end of the episode into a verdict.
        seed: Seed of the episode.
    """

    def __init__(
        self, loaded: LoadedInstance, options: Options, world: World, reward: Reward, seed: int
    ) -> None:
        self.options = options
        self.seed = seed
        self.chat = MemoryChat()
        self.task = WebspTask(
            seed,
            loaded=loaded,
            world=world,
            reward=reward,
            instruction=options.instruction,
            initial_state=options.initial_state,
            login=options.login,
            on_unscored=options.on_unscored,
        )
        flags = BrowserOptions(options.headless, world.browser_args())
        self.context = open_context(flags, viewport=options.viewport)
        self.tabs = self.task.tabs = Tabs(self.context)
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._record_to = options.record_to
        if self._record_to is None and getattr(reward, "reads_the_record", False):
            # Such a reward reads what was written, which is free of secrets; it is gone with the episode.
            self._scratch = tempfile.TemporaryDirectory(prefix="websp-")
            self._record_to = Path(self._scratch.name)
        self.observer = Observer(options.observation, self.tabs, seed=seed)
        self.reason: EndReason | None = None
        """Why the episode ended; ``None`` while it runs."""
        self._recorder: Recorder | None = None
        self._began = 0.0
        self._steps = 0
        self._actions = 0
        self._answer = ""
        self._last_action = ""
        self._last_error = ""

    def begin(self, called: float) -> tuple[dict[str, Any], dict[str, Any]]:
        """Brings the episode to its verified S0 and looks for the first time.

        Args:
            called: When the reset was asked for, on the monotonic clock.

        Returns:
            The first observation, and ``info``.
        """
        goal, report = self.task.setup(self.context.new_page())
        self.chat.add_message("assistant", "Hi! I am your web assistant. What can I do for you?")
        self.chat.add_message("user", goal)
        record = self.task.trajectory
        record.versions = versions(self.context.browser.version if self.context.browser else "")
        record.options = self.options.public()
        if self._record_to is not None:
            folder = self._record_to / record.instance
            self._recorder = Recorder(folder, record, self.task.episode.secrets)
            self.task.folder = self._recorder.folder
        self._began = time.monotonic()
        observation = self._observe()
        record.reset_seconds = time.monotonic() - called
        record.initial = self.observer.view(self._recorder, 0)
        self._save()
        return observation, {
            "initial_state": report,
            "task_info": {"instance": record.instance, "seed": self.seed},
        }

    def step(self, action: str) -> StepResult:
        """Carries out one action, waits until the page is at rest, and looks.

        Args:
            action: What the agent said.

        Returns:
            Observation, reward, terminated, truncated, info.
        """
        began = time.monotonic()
        info: dict[str, Any] = {"action_exec_start": time.time(), "action_exec_timeout": 0.0}
        self._steps += 1
        # What is no text is an action like any other that cannot be read.
        text = encodable(action if isinstance(action, str) else repr(action))
        counted = 1
        if self._out_of_time():
            self._last_action, self._last_error = kept(text), "not carried out: the time was over"
        else:
            counted = self._act(text)
        info["action_exec_stop"] = time.time()
        settle(self.tabs)
        self.task.episode.check()
        limit = self._ending()
        observation = self._observe()
        self._record(kept(text), counted, time.monotonic() - began)
        info["task_info"] = {"instance": self.task.loaded.id}
        if self.reason is None:
            return observation, 0.0, False, False, info
        verdict = self.task.finish(answered=self.reason == "answer", answer=self._answer, limit=limit)
        reward = self.task.pay(verdict)
        info |= {
            "reason": self.reason,
            "verdict": verdict.as_dict(),
            "side_effects": list(verdict.side_effects),
            "unscored": verdict.status == "unscored",
        }
        self.task.trajectory.end_reason = self.reason
        self._save()
        over = self.reason in ("answer", "infeasible")
        return observation, reward, over, not over, info

    def end(self, reason: EndReason, message: str = "") -> None:
        """Frees everything; works at any point and on a world that is already gone.

        Args:
            reason: Why, where the episode had not come to an end of its own.
            message: The error that ended it.
        """
        record = self.task.trajectory
        if self._recorder is not None and record.end_reason is None:
            record.end_reason, record.error = reason, message
            with contextlib.suppress(SetupError):  # the error that ended the episode is already on its way
                self._recorder.save()
        bury_dead()
        with contextlib.suppress(PlaywrightError):
            self.context.close()
        with contextlib.suppress(WebspError):
            self.task.teardown()
        self.chat.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def _act(self, text: str) -> int:
        """Carries out the action text; returns how many actions it counts as."""
        self._last_action, self._last_error = kept(text), ""
        counted = 1
        try:
            # A call quoted inside an ANSWER is text, not an action: what begins as one of ours is ours.
            if looks_like_calls(text):
                calls = parse_calls(text, left=self.options.max_actions - self._actions)
                counted = actions_in(calls)
                perform_calls(calls, self.tabs, self._say, self._give_up)
            else:
                action = parse_action(text)
                counted = int(not action.free)
                if action.kind == "ANSWER":
                    self._say(action.text or "")
                else:
                    perform(action, self.tabs, self.observer.known_marks())
        except ActionError as error:
            self._last_error = shortened(str(error), _LONGEST_ERROR)
        self._actions += counted
        return counted

    def _say(self, message: str) -> None:
        self.reason, self._answer = "answer", str(message)

    def _give_up(self, reason: str) -> None:
        self.reason, self._answer = "infeasible", str(reason)

    def _ending(self) -> Verdict | None:
        """Notes whether this step ends the episode; gives the verdict where a limit does."""
        options = self.options
        if self.reason in ("answer", "infeasible"):
            self.chat.add_message("assistant" if self.reason == "answer" else "infeasible", self._answer)
            return None
        if self._out_of_time():
            self.reason = "time_limit"
            text = f"the time limit of {options.max_seconds:g} seconds was reached"
        elif self._actions >= options.max_actions:
            self.reason = "action_limit"
            text = f"the limit of {options.max_actions} actions was reached without an answer"
        else:
            return None
        return failed("limit", text)

    def _observe(self) -> dict[str, Any]:
        problems = [text for text in [self._last_error, *self.tabs.dialogs] if text]
        # Told now, and not again; one that comes while the agent thinks is told the next time.
        self.tabs.begin_step()
        return self.observer.observe(
            goal=self.task.trajectory.instruction,
            chat=self.chat.messages,
            last_action=self._last_action,
            last_action_error="; ".join(problems),
            actions_left=max(self.options.max_actions - self._actions, 0),
            elapsed=time.monotonic() - self._began,
            max_seconds=self.options.max_seconds,
        )

    def _record(self, action: str, counted: int, seconds: float) -> None:
        view = self.observer.view(self._recorder, self._steps)
        step = Step(
            number=self._steps,
            thought=thought_of(action),
            action=action,
            error=self._last_error,
            counted=counted,
            seconds=seconds,
            ended=time.time(),
            view=view,
        )
        self.task.trajectory.steps.append(step)
        self._save()

    def _save(self) -> None:
        if self._recorder is not None:
            self._recorder.save()

    def _out_of_time(self) -> bool:
        return time.monotonic() - self._began > self.options.max_seconds


def as_world_error(error: PlaywrightError, when: str) -> WorldError:
    """A browser's failure as the error a user is told.

    Args:
        error: What Playwright raised.
        when: When it happened.

    Returns:
        The error to raise.
    """
    first_line = str(error).split("\n", 1)[0]
    return WorldError(f"the browser failed {when} ({first_line}); call reset() to start a new episode")
