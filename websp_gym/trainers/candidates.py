"""The environment for learners of Gymnasium's own spaces, such as Stable-Baselines3 and CleanRL. Needs no extra.

Text spaces cannot be flattened. :class:`CandidateActions` offers the actions that make sense on a page as a
``Discrete`` space with a mask, and describes each by hashed features of words as a ``Box``.
"""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from websp_gym.env import WebspEnv
from websp_gym.errors import SetupError
from websp_gym.rollouts import Page, Transcript
from websp_gym.trainers.features import SIZE, ActionChoice

Rows = NDArray[np.float32]
Mask = NDArray[np.bool_]

_NO_ACTION = "Wait"
"""How features represent an invalid action: as no action."""


class CandidateActions(gym.Wrapper[Any, Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Choose among the actions of a page by number.

    Action *i* is the one that row *i* of the observation describes. Rows are actions on the visible elements in the
    order of the page, then scrolling down, then the answer; rows that are left are zero and masked.

    An episode that ends at a limit is ``terminated``: the policy did not finish, and that is worth 0.0. One that
    ends without a score is ``truncated``: algorithms that bootstrap the value of a truncated episode do not take the
    0.0 for its reward.

    Args:
        env: An environment of an instance or of several, with any ``observation`` but ``"browsergym"``.
        most: Number of actions. On a page with more, the last ones of the page are left out;
            ``info["left_out"]`` counts them.
        size: Number of features of an action; features that share a hash are one. A power of two.

    Attributes:
        observation_space: ``Box(0, 1, (most, size), float32)``; 1 where the action has the feature.
        action_space: ``Discrete(most)``.

    Raises:
        SetupError: The environment is not from this package, its observation has no elements, or a number
            does not fit.

    Example:
        >>> env = CandidateActions(gym.make("websp-v0", site="Steam", observation="text"))
        >>> observation, info = env.reset(seed=0)
        >>> index = env.action_space.sample(info["action_mask"].astype("int8"))
        >>> observation, reward, terminated, truncated, info = env.step(index)
    """

    def __init__(self, env: gym.Env[dict[str, Any], str], *, most: int = 128, size: int = 512) -> None:
        gym.utils.RecordConstructorArgs.__init__(self, most=most, size=size)
        gym.Wrapper.__init__(self, env)
        inner = env.unwrapped
        if not isinstance(inner, WebspEnv):
            raise SetupError(f"CandidateActions wraps environments of websp_gym, not {type(inner).__name__}")
        if inner.options.observation == "browsergym":
            raise SetupError(
                'observation="browsergym" has no list of elements; use observation="text"',
                option="observation",
            )
        if most < 2:
            raise SetupError(f"most={most}: there must be room for at least two actions", option="most")
        if size < 1 or SIZE % size:
            raise SetupError(f"size={size}: give a power of two, at most {SIZE}", option="size")
        self.observation_space = gym.spaces.Box(0.0, 1.0, (most, size), np.float32)
        self.action_space = gym.spaces.Discrete(most)
        self.actions: tuple[str, ...] = ()
        """Texts of the actions of the current page."""
        self._most, self._size = most, size
        self.played = Transcript((Page("", 0),))
        """The episode so far, for policies of :mod:`websp_gym.rollouts` (``agent_policy("oracle")``)."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Rows, dict[str, Any]]:
        """Start an episode; arguments and errors as for the environment.

        Returns:
            The rows, and the environment's ``info`` with ``action_mask`` (bool, shape ``(most,)``) and ``left_out``.
        """
        seen, info = self.env.reset(seed=seed, options=options)
        inner = self.env.unwrapped
        assert isinstance(inner, WebspEnv)
        assert inner.task is not None
        self.played = Transcript(
            (Page(inner.instance.id, seed or 0, 0, dict(inner.task.world_episode.account), seen),)
        )
        rows, told = self._look()
        return rows, info | told

    def step(self, action: np.int64 | int) -> tuple[Rows, SupportsFloat, bool, bool, dict[str, Any]]:
        """Carry out an action by its number. One that is masked is invalid: it changes nothing, and it counts.

        Returns:
            As the environment's ``step``, with rows as observation; ``info`` also has ``action_mask``, ``left_out``
            and ``action``, the text that was carried out.
        """
        number = int(action)
        is_offered = 0 <= number < len(self.actions)
        text = self.actions[number] if is_offered else f"(masked action {number})"
        seen, reward, terminated, truncated, info = self.env.step(text)
        before = self.played.page
        page = Page(before.instance, before.seed, before.turn + 1, before.account, seen)
        self.played = self.played.after(text if is_offered else _NO_ACTION, page)
        rows, told = self._look()
        unscored = bool(info.get("unscored", False))
        over = terminated or truncated
        return rows, reward, over and not unscored, unscored, info | told | {"action": text}

    def action_masks(self) -> Mask:
        """Return which actions there are, as a bool array of shape ``(most,)``; sb3-contrib asks for it."""
        return np.arange(self._most) < len(self.actions)

    def _look(self) -> tuple[Rows, dict[str, Any]]:
        choice = ActionChoice.on(self.played)
        count = len(choice.actions)
        # The last two are to scroll and to answer.
        kept = [*range(max(min(count, self._most) - 2, 0)), *range(max(count - 2, 0), count)]
        self.actions = tuple(choice.actions[place] for place in kept)
        rows = np.zeros((count, self._size), np.float32)
        rows[np.repeat(np.arange(count), choice.sizes), choice.features % self._size] = 1
        shown = np.zeros((self._most, self._size), np.float32)
        shown[: len(kept)] = rows[kept]
        return shown, {"action_mask": self.action_masks(), "left_out": count - len(kept)}
