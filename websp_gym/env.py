"""The Gymnasium environment."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import gymnasium as gym
from playwright.sync_api import Error as PlaywrightError

from websp_gym.actions import parse_action
from websp_gym.actions.browsergym import looks_like_calls, parse_calls, perform_calls
from websp_gym.actions.grammar import thought_of
from websp_gym.actions.perform import perform
from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.chat import MemoryChat
from websp_gym.errors import ActionError, SetupError, WebspError, WorldError
from websp_gym.initial_state import How, Login
from websp_gym.instances import InstructionVariant, LoadedInstance
from websp_gym.observation.observe import ObservationKind, Observer, observation_space
from websp_gym.rewards import make_reward
from websp_gym.spaces import ActionText
from websp_gym.task import WebspTask
from websp_gym.trajectory import EndReason, Recorder, Step, versions
from websp_gym.verdict import Verdict, failed
from websp_gym.world import make_world

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from websp_gym.rewards import RewardSpec

ActionMapping = Callable[[str], str]
OnUnscored = Literal["raise", "zero"]


@dataclass
class _Progress:
    """What one episode has used up, and how it ended."""

    began: float
    actions: int = 0
    reason: EndReason | None = None
    answer: str = ""
    last_action: str = ""
    last_error: str = ""
    steps: int = 0


class WebspEnv(gym.Env[dict[str, Any], str]):
    """One instance as a Gymnasium environment; what ``gym.make("websp/…")`` returns.

    Actions are texts (:data:`websp_gym.actions.ACTIONS`, or BrowserGym calls). The reward is paid on the
    terminating step only and is a Python ``float``. See ``docs/architecture.md`` for the options.

    Args:
        loaded: The instance.
        world: ``sandbox`` or ``live``.
        instruction: Which wording the agent gets.
        reward: ``state``, ``judge`` or a callable.
        initial_state: ``replay`` or ``snapshot``.
        login: ``session`` starts signed in, ``replay`` plays the site's login trace first.
        observation: Which keys an observation has.
        max_actions: Actions allowed; scrolling and waiting are free (paper, section 5.1).
        max_seconds: Seconds allowed from the first observation on.
        headless: Whether the browser has no window.
        viewport: Width and height in CSS pixels.
        record_to: Folder that gets a sub-folder with the trajectory of each episode.
        on_unscored: What an episode without a verdict does: ``raise`` or pay ``zero`` and say so in ``info``.
        action_mapping: An AgentLab agent's mapping; consulted, never executed.
        render_mode: ``rgb_array`` lets :meth:`render` give the last screenshot.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(
        self,
        loaded: LoadedInstance,
        *,
        world: str = "sandbox",
        instruction: InstructionVariant = "without_navigation",
        reward: RewardSpec = "state",
        initial_state: How = "replay",
        login: Login = "session",
        observation: ObservationKind = "marks",
        max_actions: int = 20,
        max_seconds: float = 600.0,
        headless: bool = True,
        viewport: tuple[int, int] = (1280, 1024),
        record_to: str | Path | None = None,
        on_unscored: OnUnscored = "raise",
        action_mapping: ActionMapping | None = None,
        render_mode: str | None = None,
    ) -> None:
        _check_kinds(
            max_actions=max_actions,
            max_seconds=max_seconds,
            headless=headless,
            record_to=record_to,
            action_mapping=action_mapping,
            render_mode=render_mode,
        )
        self.loaded = loaded
        self.render_mode = render_mode
        self.viewport = viewport
        self.max_actions = max_actions
        self.max_seconds = max_seconds
        self.headless = headless
        self.record_to = Path(record_to) if record_to is not None else None
        self.observation_kind: ObservationKind = observation
        self.observation_space = observation_space(observation, viewport)
        self.action_space = ActionText()
        self.action_mapping = action_mapping
        self._world = make_world(world)
        self._task_options: dict[str, Any] = {
            "loaded": loaded,
            "world": self._world,
            "reward": make_reward(reward),
            "instruction": instruction,
            "initial_state": initial_state,
            "login": login,
            "on_unscored": on_unscored,
        }
        self._check_options()
        self.task: WebspTask | None = None
        self.context: BrowserContext | None = None
        self.chat: MemoryChat | None = None
        self._tabs: Tabs | None = None
        self._observer: Observer | None = None
        self._recorder: Recorder | None = None
        self._progress: _Progress | None = None

    @property
    def page(self) -> Page:
        """The tab the agent looks at."""
        return self._running()[0].current

    @property
    def tabs(self) -> Tabs:
        """The open tabs."""
        return self._running()[0]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins a new episode: a fresh account and browser context, brought to a verified S0.

        Args:
            seed: Seed of the episode (colours of the marks).
            options: Not used.

        Returns:
            The first observation, and ``info`` with how S0 was reached.

        Raises:
            SetupError: Browser, trace or record folder is missing or not usable.
            InitialStateError: S0 was not reached.
            ReplayError: A trace could not be replayed.
            WorldError: The world or its browser does not answer.
        """
        super().reset(seed=seed)
        began = time.monotonic()
        self._end_episode("abandoned")
        number = seed if seed is not None else int(self.np_random.integers(2**31))
        try:
            return self._begin(number, began)
        except BaseException as error:
            self._end_episode("error")
            if isinstance(error, PlaywrightError):
                raise WorldError(f"the browser failed during reset: {_first_line(error)}") from error
            raise

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Carries out one action.

        Args:
            action: A line of text such as ``Click [7]``; a whole ``Thought: … Action: …`` reply; or BrowserGym
                calls such as ``click('a12')``.

        Returns:
            Observation, reward (0.0 until the terminating step), terminated, truncated, info. A bad action
            changes nothing and is explained in ``last_action_error``.

        Raises:
            WorldError: The world or its browser failed; the episode is over without a score.
            SetupError: The record folder cannot be written any more.
        """
        tabs, task, progress = self._running()
        if progress.reason is not None:
            raise WorldError("the episode is over; call reset() to start a new one")
        try:
            return self._step(action, tabs, task, progress)
        except BaseException as error:
            self._end_episode("error", str(error))
            if isinstance(error, PlaywrightError):
                raise WorldError(f"the browser failed during the episode: {_first_line(error)}") from error
            raise

    def render(self) -> Any:
        """The last screenshot.

        Returns:
            uint8 array, height × width × 3.
        """
        return self._observer.picture if self._observer is not None else None

    def close(self) -> None:
        """Ends the episode; the browser stays for the process's other environments."""
        self._end_episode("abandoned")

    # --- one episode ---------------------------------------------------------------------------------

    def _begin(self, seed: int, began: float) -> tuple[dict[str, Any], dict[str, Any]]:
        options = BrowserOptions(self.headless, self._world.browser_args())
        self.context = open_context(options, viewport=self.viewport)
        self._tabs = tabs = Tabs(self.context)
        self.task = task = WebspTask(seed, **self._task_options)
        task.tabs = tabs
        goal, report = task.setup(self.context.new_page())
        self.chat = _opened_chat(goal)
        self._observer = Observer(self.observation_kind, tabs, seed=seed, pictures=self.record_to is not None)
        record = task.trajectory
        record.versions = versions(self.context.browser.version if self.context.browser else "")
        record.options = self._public_options()
        if self.record_to is not None:
            secrets = task.episode.secrets
            self._recorder = Recorder(self.record_to / self.loaded.id, record, secrets)
        self._progress = _Progress(began=time.monotonic())
        observation = self._observe()
        record.reset_seconds = time.monotonic() - began
        record.initial = self._observer.view(self._recorder, 0)
        self._save()
        return observation, {"initial_state": report, "task_info": {"instance": self.loaded.id, "seed": seed}}

    def _step(
        self, action: str, tabs: Tabs, task: WebspTask, progress: _Progress
    ) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        began = time.monotonic()
        info: dict[str, Any] = {"action_exec_start": time.time(), "action_exec_timeout": 0.0}
        progress.steps += 1
        # What is no text is an action like any other that cannot be read.
        action = action if isinstance(action, str) else repr(action)
        counted = True
        if self._out_of_time(progress):
            progress.last_action, progress.last_error = action, "not carried out: the time was over"
        else:
            counted = self._act(action, tabs, progress)
        info["action_exec_stop"] = time.time()
        settle(tabs)
        task.episode.check()
        verdict = self._ending(task, progress)
        observation = self._observe()
        self._record_step(action, counted, began)
        info["task_info"] = {"instance": self.loaded.id}
        if verdict is None:
            return observation, 0.0, False, False, info
        reward = task.pay(verdict)
        info |= {
            "reason": progress.reason,
            "verdict": verdict.as_dict(),
            "side_effects": list(verdict.side_effects),
        }
        info["unscored"] = verdict.status == "unscored"
        self._conclude(progress)
        over = progress.reason in ("answer", "infeasible")
        return observation, reward, over, not over, info

    def _act(self, text: str, tabs: Tabs, progress: _Progress) -> bool:
        """Carries out the action text; returns whether it counts against the limit."""
        progress.last_action, progress.last_error = text, ""
        tabs.begin_step()
        counted = True
        try:
            # Ours first: a call quoted inside an ANSWER is text, not an action.
            if looks_like_calls(text):
                self._act_browsergym(text, tabs, progress)
            else:
                action = parse_action(text)
                counted = not action.free
                if action.kind == "ANSWER":
                    progress.reason, progress.answer = "answer", action.text or ""
                else:
                    perform(action, tabs, self._known_marks())
        except ActionError as error:
            progress.last_error = str(error)
        progress.actions += counted
        return counted

    def _act_browsergym(self, text: str, tabs: Tabs, progress: _Progress) -> None:
        calls = parse_calls(text)

        def say(message: str) -> None:
            progress.reason, progress.answer = "answer", str(message)

        def give_up(reason: str) -> None:
            progress.reason, progress.answer = "infeasible", str(reason)

        perform_calls(calls, tabs, say, give_up)

    def _ending(self, task: WebspTask, progress: _Progress) -> Verdict | None:
        """The verdict, when this step ends the episode."""
        if progress.reason in ("answer", "infeasible"):
            answered = progress.reason == "answer"
            self._chat().add_message("assistant" if answered else "infeasible", progress.answer)
            return task.finish(answered=answered, answer=progress.answer)
        if self._out_of_time(progress):
            progress.reason = "time_limit"
            limit = failed("limit", f"the time limit of {self.max_seconds:g} seconds was reached")
            return task.finish(answered=False, limit=limit)
        if progress.actions >= self.max_actions:
            progress.reason = "action_limit"
            limit = failed("limit", f"the limit of {self.max_actions} actions was reached without an answer")
            return task.finish(answered=False, limit=limit)
        return None

    def _observe(self) -> dict[str, Any]:
        observer, progress = self._observer, self._progress
        if observer is None or progress is None:
            raise WorldError("no episode is running; call reset() first")
        error = "; ".join([text for text in [progress.last_error, *self.tabs.dialogs] if text])
        return observer.observe(
            goal=self._goal(),
            chat=self._chat().messages,
            last_action=progress.last_action,
            last_action_error=error,
            actions_left=max(self.max_actions - progress.actions, 0),
            elapsed=time.monotonic() - progress.began,
            max_seconds=self.max_seconds,
        )

    def _record_step(self, action: str, counted: bool, began: float) -> None:
        task, progress, observer = self.task, self._progress, self._observer
        if task is None or progress is None or observer is None:
            return
        index = progress.steps
        task.trajectory.steps.append(
            Step(
                number=index,
                thought=thought_of(action),
                action=action,
                error=progress.last_error,
                counted=counted,
                seconds=time.monotonic() - began,
                view=observer.view(self._recorder, index),
            )
        )
        self._save()

    def _conclude(self, progress: _Progress) -> None:
        if self.task is not None:
            self.task.trajectory.end_reason = progress.reason
        self._save()

    def _end_episode(self, reason: EndReason, message: str = "") -> None:
        """Frees everything an episode holds; works at any point and on a world that is already gone."""
        task, self.task = self.task, None
        context, self.context = self.context, None
        recorder, self._recorder = self._recorder, None
        self._tabs = self._observer = self._progress = None
        if task is not None and recorder is not None and task.trajectory.end_reason is None:
            task.trajectory.end_reason, task.trajectory.error = reason, message
            with contextlib.suppress(SetupError):  # the error that ended the episode is already on its way
                recorder.save()
        if context is not None:
            with contextlib.suppress(PlaywrightError):
                context.close()
        if task is not None:
            with contextlib.suppress(WebspError):
                task.teardown()
        if self.chat is not None:
            self.chat.close()

    # --- small things --------------------------------------------------------------------------------

    def _running(self) -> tuple[Tabs, WebspTask, _Progress]:
        if self._tabs is None or self.task is None or self._progress is None:
            raise WorldError("no episode is running; call reset() first")
        return self._tabs, self.task, self._progress

    def _chat(self) -> MemoryChat:
        if self.chat is None:
            raise WorldError("no episode is running; call reset() first")
        return self.chat

    def _goal(self) -> str:
        return self.task.trajectory.instruction if self.task else ""

    def _known_marks(self) -> Any:
        observer = self._observer
        if observer is None:
            raise WorldError("no episode is running; call reset() first")
        return observer.known_marks()

    def _out_of_time(self, progress: _Progress) -> bool:
        return time.monotonic() - progress.began > self.max_seconds

    def _save(self) -> None:
        if self._recorder is not None:
            self._recorder.save()

    def _public_options(self) -> dict[str, Any]:
        return {
            "world": self._world.name,
            "observation": self.observation_kind,
            "initial_state": self._task_options["initial_state"],
            "instruction": self._task_options["instruction"],
            "login": self._task_options["login"],
            "max_actions": self.max_actions,
            "max_seconds": self.max_seconds,
            "viewport": list(self.viewport),
        }

    def _check_options(self) -> None:
        choices = {
            "instruction": ("without_navigation", "with_navigation"),
            "initial_state": ("replay", "snapshot"),
            "login": ("session", "replay"),
            "on_unscored": ("raise", "zero"),
        }
        for name, allowed in choices.items():
            if self._task_options[name] not in allowed:
                raise SetupError(
                    f"{name}={self._task_options[name]!r}: use one of {', '.join(allowed)}", option=name
                )


def _check_kinds(**options: Any) -> None:
    """Refuses values that would otherwise fail in the middle of an episode."""
    rules: dict[str, tuple[str, Callable[[Any], bool]]] = {
        "max_actions": ("a whole number from 1", lambda value: _is_number(value, int) and value >= 1),
        "max_seconds": ("a number above 0", lambda value: _is_number(value, int, float) and value > 0),
        "headless": ("True or False", lambda value: isinstance(value, bool)),
        "record_to": ("a folder, or None", lambda value: value is None or isinstance(value, str | Path)),
        "action_mapping": ("a callable, or None", lambda value: value is None or callable(value)),
        "render_mode": ('"rgb_array", or None', lambda value: value in (None, "rgb_array")),
    }
    for name, value in options.items():
        wanted, is_right = rules[name]
        if not is_right(value):
            raise SetupError(f"{name}={value!r}: give {wanted}", option=name)


def _is_number(value: Any, *kinds: type) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


def _opened_chat(goal: str) -> MemoryChat:
    chat = MemoryChat()
    chat.add_message("assistant", "Hi! I am your web assistant. What can I do for you?")
    chat.add_message("user", goal)
    return chat


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]
