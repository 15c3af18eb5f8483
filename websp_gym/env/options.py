"""The options of ``gym.make``: their names, defaults and allowed values, checked before an episode starts."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from websp_gym.browser import VIEWPORT
from websp_gym.errors import SetupError, nearest
from websp_gym.observation import ObservationKind
from websp_gym.records.runs import qualified_name
from websp_gym.scoring.outcome import default_reward, reward_names
from websp_gym.tasks.instances import Instance, InstructionVariant
from websp_gym.world import InitialStateMode, Login, WorldKind, world_kind, world_kinds

if TYPE_CHECKING:
    from websp_gym.scoring.outcome import RewardSpec

RENDER_MODES = ("human", "rgb_array")
OnUnscored = Literal["raise", "zero"]
OnError = Literal["raise", "truncate"]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of an environment.

    Args:
        world: ``sandbox`` (replica sites on this machine) or ``live`` (the real websites, with your own account:
            ``docs/reference/live.md``; needs ``WEBSP_LIVE=1``).
        account: Name of the account in the live world, or of several, separated by commas; ``None`` for all of the
            site. Of several, an episode takes the first that no other one uses.
        dataset: Name of an imported dataset whose wordings, ground truth and traces are used, such as ``official``
            (``websp dataset import``); ``None`` for ours.
        locale: Language of the browser in the live world, such as ``en-US``; ``None`` leaves it to the account. The
            same holds for the next three.
        time_zone: Its time zone there, such as ``Europe/Oslo``.
        user_agent: Its user agent there.
        proxy: Address of a proxy there, such as ``socks5://127.0.0.1:1080``.
        restore: Whether the account is restored to how it was found after an episode in the live world: what S0 sets
            is read beforehand, replayed as it was and read back.
        harm_guard: Whether an episode ends (``stopped``, a failure) before the agent presses something that closes
            the account, buys, publishes, sends, or changes how to sign in, unless the task asks for it; ``None``: in
            the live world only.
        instruction: ``without_navigation`` or ``with_navigation``: the wording of the instruction.
        reward: ``state`` (the server's state decides), ``siblings`` (like ``state``, but a side effect on the
            page of the goal makes the episode fail), ``strict`` (any side effect does), ``policy`` (a policy that
            was not kept does), ``judge`` (language models decide) or a function of the episode's end
            (:class:`websp_gym.scoring.outcome.EpisodeEnd`). In the live world it is ``judge``.
        judge: The models of ``reward="judge"``, one string or several. ``None`` means the three of the paper.
        quorum: Number of these models that must agree for a verdict. ``None`` means more than half of them.
        policies: What an agent must not do along the way: the name of a set of policies (``standard``), the path of a
            YAML file, or several of these. ``None``: no policies; the actions ``ASK`` and ``REPORT`` do not exist.
        user: Who answers the agent's questions in an episode with policies: ``scripted`` (what the set says),
            ``model:MODEL`` (a language model within what the set says) or ``console`` (a person at the keyboard).
        initial_state: ``replay`` replays the recorded traces at each reset; ``snapshot`` does so once per
            process and then restores the saved state.
        login: ``session`` starts signed in; ``replay`` first replays the login trace of the site.
        observation: The keys of an observation: ``marks``, ``pixels`` (the plain screenshot, no elements), ``text``
            (no screenshot), ``axtree`` (the accessibility tree; a screenshot only for the record), ``browsergym`` or
            ``all``.
        max_actions: Maximum number of actions. Scrolling and waiting do not count (paper, section 5.1).
        max_seconds: Maximum number of seconds, counted from the first observation. The time of the agent and of its
            pages counts; time in which the browser, the server or the machine did not respond does not.
        step_timeout: Seconds one step may take. If the page caused the timeout, it is closed and the episode
            ends as a failure of the agent (``unresponsive``); otherwise a
            :class:`~websp_gym.errors.WorldError` is raised. 60 in the live world.
        reset_timeout: Seconds one reset may take before it raises a :class:`~websp_gym.errors.WorldError`. 300
            in the live world.
        headless: Whether the browser runs without a window.
        viewport: Width and height in CSS pixels, each from 200 to 8192.
        picture_scale: Size of a screenshot in relation to the viewport, from 0.25 to 1; the browser draws it at
            this size. Boxes of elements stay in CSS pixels. For ``observation="marks"`` and ``"pixels"`` only.
        record_to: Folder in which each episode saves its trajectory, in a subfolder; ``None`` saves nothing.
        on_unscored: What to do with an episode that has no verdict: ``raise`` an error, or ``zero``: pay 0.0
            and set ``info["unscored"]``.
        on_error: What to do when the world, its browser or the judge fails: ``raise`` the error, or
            ``truncate``: end the episode with the last observation, reward 0.0, ``truncated``,
            ``info["unscored"]`` and ``info["error"]``. A reset that fails is then tried once more.
        action_mapping: The action mapping of an AgentLab agent; accepted but never executed.
        render_mode: ``rgb_array`` makes ``render()`` return the last screenshot (not with
            ``observation="text"`` or ``"axtree"``); ``human`` shows the browser window, as ``headless=False`` does.
    """

    world: str = "sandbox"
    account: str | None = None
    dataset: str | None = None
    locale: str | None = None
    time_zone: str | None = None
    user_agent: str | None = None
    proxy: str | None = None
    restore: bool = False
    harm_guard: bool | None = None
    instruction: InstructionVariant = "without_navigation"
    reward: RewardSpec = "state"
    judge: str | tuple[str, ...] | None = None
    quorum: int | None = None
    policies: tuple[str, ...] | None = None
    user: str = "scripted"
    initial_state: InitialStateMode = "replay"
    login: Login = "session"
    observation: ObservationKind = "marks"
    max_actions: int = 20
    max_seconds: float = 600.0
    step_timeout: float = 30.0
    reset_timeout: float = 30.0
    headless: bool = True
    viewport: tuple[int, int] = VIEWPORT
    picture_scale: float = 1.0
    record_to: Path | None = None
    on_unscored: OnUnscored = "raise"
    on_error: OnError = "raise"
    action_mapping: Callable[[str], str] | None = None
    render_mode: str | None = None

    @property
    def kind(self) -> WorldKind:
        """What is known of the world."""
        return world_kind(self.world)

    @property
    def guarded(self) -> bool:
        """Whether the harm guard is on."""
        return not self.kind.is_ours if self.harm_guard is None else self.harm_guard

    def as_dict(self) -> dict[str, Any]:
        """Return the options as JSON data, as a trajectory stores them.

        A function as ``reward`` is stored by its name. Two options are not stored: ``record_to``, a folder of one
        machine, and ``action_mapping``, which has no effect.
        """
        values = {name: value for name, value in vars(self).items() if name not in _NOT_STORED}
        reward = qualified_name(self.reward) if callable(self.reward) else self.reward
        judge = list(self.judge) if isinstance(self.judge, tuple) else self.judge
        if self.policies is None:
            # They leave no trace where they are off.
            del values["policies"], values["user"]
        else:
            values["policies"] = list(self.policies)
        for name in _of_other_worlds(self.kind):
            del values[name]
        for name in ("harm_guard", "dataset"):
            if values[name] is None:
                del values[name]
        return {**values, "reward": reward, "judge": judge, "viewport": list(self.viewport)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Options:
        """Return the options from JSON data, such as ``options`` of a trajectory or of ``run.json``.

        Args:
            data: Options by name, as :meth:`as_dict` returns them. One that is missing has its default.

        Raises:
            SetupError: An option is unknown or its value invalid, or ``reward`` is the name of a function: put the
                function itself in its place.
        """
        reward = data.get("reward", cls.reward)
        if isinstance(reward, str) and reward not in reward_names():
            raise SetupError(
                f'reward="{reward}" names a function, and only its name is stored: put the function in its place',
                option="reward",
            )
        return read_options(data)


def refuse_foreign(options: Mapping[str, Any]) -> None:
    """Raise ``SetupError`` for a world that is not ours, where an account serves one episode, and nobody trains."""
    world = str(options.get("world", Options.world))
    if not world_kind(world).is_ours:
        raise SetupError(
            f'rollouts, vectors and websp-v0 do not run in world="{world}": an account on a website of others '
            f'serves one episode at a time; to measure there, use gym.make(ID, world="{world}") or '
            f"`websp run --world {world}`",
            option="world",
        )


def _of_other_worlds(kind: WorldKind) -> tuple[str, ...]:
    """Return the names of the options that only other worlds take."""
    return tuple(name for name in _OF_WORLDS if name not in kind.options)


_OF_WORLDS = ("account", "locale", "time_zone", "user_agent", "proxy", "restore")
"""Options about an account and its browser, which some worlds take."""
_NOT_STORED = ("record_to", "action_mapping")
EPISODE_OPTIONS = (
    "instruction",
    "initial_state",
    "login",
    "max_actions",
    "max_seconds",
    "step_timeout",
    "reset_timeout",
)
"""Options that ``reset(options=…)`` may change for one episode."""


def kind_for(reads: ObservationKind, options: Mapping[str, Any]) -> ObservationKind:
    """Return the observation kind for an agent that reads ``reads``.

    ``text`` becomes ``marks`` where a record or the reward needs screenshots.
    """
    reward = options.get("reward") or default_reward(str(options.get("world", "sandbox")))
    seen_by_others = options.get("record_to") is not None or reward not in (
        "state",
        "siblings",
        "strict",
        "policy",
    )
    return "marks" if reads == "text" and seen_by_others else reads


def of_reset(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the options of a reset; raise ``SetupError`` if they are no dictionary."""
    if not isinstance(given, Mapping | None):
        raise SetupError(f"options={given!r}: give reset() a dictionary", option="options")
    return dict(given or {})


def for_episode(options: Options, given: Mapping[str, Any] | None, *more: str) -> Options:
    """Return the options of one episode.

    Args:
        options: Those of the environment.
        given: Those of a reset.
        *more: Further names that the reset accepts and has already handled.

    Raises:
        SetupError: ``given`` is not valid in a reset.
    """
    chosen = of_reset(given)
    for name, value in chosen.items():
        if name not in EPISODE_OPTIONS:
            known = [*more, *EPISODE_OPTIONS]
            hint = nearest(name, known)
            raise SetupError(
                f'reset() has no option "{name}"{hint} (options: {", ".join(known)})', option=name
            )
        _check(name, value)
    return replace(options, **chosen)


_ELSEWHERE = {"max_steps": "max_actions", "max_episode_steps": "max_actions", "headed": "headless"}
"""Names of some options in other tools, which no similarity of spelling would suggest."""


def read_options(given: Mapping[str, Any]) -> Options:
    """Check options given by a user and return all options.

    The viewport may also be a dictionary with ``width`` and ``height``, as in AgentLab. Raise ``SetupError``
    for an unknown name or an invalid value.
    """
    known = [field.name for field in fields(Options)]
    for name, value in given.items():
        if name not in known:
            hint = f'; did you mean "{_ELSEWHERE[name]}"?' if name in _ELSEWHERE else nearest(name, known)
            raise SetupError(f'no option "{name}"{hint} (options: {", ".join(known)})', option=name)
        _check(name, value)
    values = dict(given)
    if values.get("render_mode") == "human":
        if values.get("headless"):
            raise SetupError(
                'render_mode="human" shows a window: leave out headless=True', option="render_mode"
            )
        values["headless"] = False
    if "viewport" in values:
        values["viewport"] = _size(values["viewport"])
    if isinstance(values.get("judge"), list):
        values["judge"] = tuple(values["judge"])
    if values.get("policies") is not None:
        given_policies = values["policies"]
        single = isinstance(given_policies, str | Path)
        values["policies"] = tuple(map(str, [given_policies] if single else given_policies))
    if values.get("record_to") is not None:
        values["record_to"] = Path(values["record_to"])
    world = str(values.get("world", Options.world))
    defaults: dict[str, Any] = dict(world_kind(world).defaults)
    if not world_kind(world).is_ours:
        defaults["reward"] = default_reward(world)
    options = Options(**{**defaults, **values})
    if options.policies is None:
        _check_without_policies(options)
    _check_world(options)
    if options.picture_scale != 1 and options.observation not in ("marks", "pixels"):
        raise SetupError(
            f'picture_scale={options.picture_scale:g} scales the pictures of observation="marks" and "pixels" only',
            option="picture_scale",
        )
    if options.observation in ("axtree", "browsergym", "all"):
        from websp_gym.browsergym import require

        require(f'observation="{options.observation}"', option="observation")
    return options


def _check_without_policies(options: Options) -> None:
    if options.reward == "policy":
        raise SetupError('reward="policy" needs policies, such as policies="standard"', option="reward")
    if options.user != Options.user:
        raise SetupError(
            f'user="{options.user}" answers questions in episodes with policies only; add policies="standard"',
            option="user",
        )


def _check_world(options: Options) -> None:
    for name in _of_other_worlds(options.kind):
        if value := getattr(options, name):
            takers = " or ".join(f'"{each}"' for each in world_kinds() if name in world_kind(each).options)
            raise SetupError(f"{name}={value!r} is an option of world={takers} only", option=name)
    if options.kind.is_ours:
        return
    # The tasks of a dataset may have checks of their own, which read pages.
    if options.reward in ("siblings", "strict") or (options.reward in _BY_STATE and options.dataset is None):
        raise unreadable(options)


_BY_STATE = ("state", "policy")
"""Rewards that read the state of the server, or the checks that a task has in its place."""


def unreadable(options: Options) -> SetupError:
    """Return the error that a reward reads what no one can read on a live website."""
    return SetupError(
        f'reward="{options.reward}" reads the state of the server, which is impossible on a live website; '
        'use reward="judge", or a function of the episode\'s end',
        option="reward",
    )


def check_readable(options: Options, instance: Instance) -> None:
    """Raise ``SetupError`` if the reward reads a state that no one can read."""
    if not options.kind.is_ours and options.reward in _BY_STATE and instance.task.published is None:
        raise unreadable(options)


_CHOICES: dict[str, tuple[str, ...]] = {
    "instruction": get_args(InstructionVariant),
    "initial_state": get_args(InitialStateMode),
    "login": get_args(Login),
    "observation": get_args(ObservationKind),
    "on_unscored": get_args(OnUnscored),
    "on_error": get_args(OnError),
}

_SECONDS: tuple[str, Callable[[Any], bool]] = (
    "a finite number above 0",
    lambda value: _is_number(value, int, float) and 0 < value < math.inf,
)

_RULES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "max_actions": ("a whole number from 1", lambda value: _is_number(value, int) and value >= 1),
    "max_seconds": _SECONDS,
    "step_timeout": _SECONDS,
    "reset_timeout": _SECONDS,
    "picture_scale": (
        "a number from 0.25 to 1",
        lambda value: _is_number(value, int, float) and 0.25 <= value <= 1,
    ),
    "judge": ('one model, e.g. "openai:gpt-6.2-sol", or a list of them', lambda value: _is_judge(value)),
    "policies": ("a set of policies, a path, or a list of these, or None", lambda value: _is_policies(value)),
    "user": ('"scripted", "console" or "model:MODEL"', lambda value: isinstance(value, str) and bool(value)),
    "quorum": (
        "a whole number from 1, or None",
        lambda value: value is None or (_is_number(value, int) and value >= 1),
    ),
    "dataset": (
        "the name of an imported dataset, or None",
        lambda value: value is None or (isinstance(value, str) and bool(value)),
    ),
    "harm_guard": ("True, False or None", lambda value: value in (True, False, None)),
    "restore": ("True or False", lambda value: isinstance(value, bool)),
    "headless": ("True or False", lambda value: isinstance(value, bool)),
    "record_to": ("a folder, or None", lambda value: value is None or isinstance(value, str | Path)),
    "action_mapping": ("a callable, or None", lambda value: value is None or callable(value)),
    "render_mode": ('"human", "rgb_array", or None', lambda value: value in (None, *RENDER_MODES)),
}


def _check(name: str, value: Any) -> None:
    if name in _CHOICES and value not in _CHOICES[name]:
        hint = nearest(str(value), list(_CHOICES[name]))
        raise SetupError(f"{name}={value!r}: use one of {', '.join(_CHOICES[name])}{hint}", option=name)
    if name in _RULES:
        wanted, is_right = _RULES[name]
        if not is_right(value):
            raise SetupError(f"{name}={value!r}: give {wanted}", option=name)


def _is_number(value: Any, *kinds: type) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


def _is_judge(value: Any) -> bool:
    if value is None:
        return True
    names = [value] if isinstance(value, str) else value
    return (
        isinstance(names, list | tuple)
        and bool(names)
        and all(isinstance(name, str) and name.strip() for name in names)
    )


def _is_policies(value: Any) -> bool:
    if value is None or (isinstance(value, str | Path) and str(value)):
        return True
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(each, str | Path) and str(each) for each in value)
    )


_LARGEST = 8192


def _size(viewport: Any) -> tuple[int, int]:
    """Return the viewport as a pair; it may be given as a pair or, as in AgentLab, as a dictionary."""
    try:
        pair = (viewport["width"], viewport["height"]) if isinstance(viewport, Mapping) else viewport
        width, height = (operator.index(side) for side in pair)
    except (KeyError, TypeError, ValueError):
        raise SetupError(
            f"viewport={viewport!r}: give width and height, e.g. (1280, 1024)", option="viewport"
        ) from None
    if min(width, height) < 200:
        raise SetupError(f"viewport={viewport!r}: at least 200 pixels each way", option="viewport")
    if max(width, height) > _LARGEST:
        raise SetupError(f"viewport={viewport!r}: at most {_LARGEST} pixels each way", option="viewport")
    return width, height
