"""The policy: a softmax over the actions of a page, log-linear in hashed features."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from websp_gym.trainers.learner.features import candidates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from websp_gym.rollouts import Transcript

SIZE = 2**18
"""Number of weights. Features that share a hash share a weight."""
MOST_TURNS = 25
"""Turns after which the policy answers; scrolling is free, so nothing else would end an episode of scrolling."""


@dataclass(frozen=True)
class Choice:
    """The actions of one page.

    Args:
        actions: Text of each action.
        features: Hashed features (0 to SIZE - 1) of all actions, one action after the other.
        sizes: Number of features of each action.
    """

    actions: tuple[str, ...]
    features: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def on(cls, played: Transcript) -> Choice:
        """Return the choice on the current page of a rollout."""
        texts, rows = zip(*candidates(played), strict=True)
        if len(played.replies) >= MOST_TURNS:
            texts, rows = texts[-1:], rows[-1:]
        hashed = [zlib.crc32(one.encode()) % SIZE for row in rows for one in row]
        return cls(texts, np.array(hashed), np.array([len(row) for row in rows]))

    @classmethod
    def all_of(cls, played: Transcript) -> list[tuple[Choice, str]]:
        """Return the choice on each page of a rollout, with the reply that was given there."""
        starts = [type(played)(played.pages[: n + 1], played.replies[:n]) for n in range(len(played.replies))]
        return [(cls.on(start), reply) for start, reply in zip(starts, played.replies, strict=True)]


class LinearPolicy:
    """A stochastic policy with a weight for each feature; :class:`~websp_gym.rollouts.Pool` plays it.

    Args:
        weights: The weights; all zero if not given, so that all actions are equally likely.
        seed: Seed of the draws.
        greedy: Whether to take the most likely action instead of drawing one.
    """

    def __init__(
        self, weights: NDArray[np.float64] | None = None, *, seed: int = 0, greedy: bool = False
    ) -> None:
        self.weights = np.zeros(SIZE) if weights is None else weights
        self.greedy = greedy
        self._random = random.Random(seed)

    def __call__(self, played: Transcript) -> str:
        """Return an action for the current page of a rollout."""
        choice = Choice.on(played)
        chances = self.chances(choice)
        if self.greedy:
            return choice.actions[int(chances.argmax())]
        return self._random.choices(choice.actions, chances.tolist())[0]

    def chances(self, choice: Choice) -> NDArray[np.float64]:
        """Return the probability of each action."""
        starts = np.cumsum(choice.sizes) - choice.sizes
        scores = np.add.reduceat(self.weights[choice.features], starts)
        chances = np.exp(scores - scores.max())
        return np.asarray(chances / chances.sum())

    def add_gradient(
        self,
        into: NDArray[np.float64],
        choice: Choice,
        action: str,
        *,
        weight: float = 1.0,
        entropy: float = 0.0,
    ) -> None:
        """Add the gradient of ``weight * log P(action) + entropy * H(P)`` to ``into``, an array of SIZE."""
        chances = self.chances(choice)
        logs = np.log(np.maximum(chances, 1e-300))
        rows = -weight * chances - entropy * chances * (logs - chances @ logs)
        rows[choice.actions.index(action)] += weight
        np.add.at(into, choice.features, np.repeat(rows, choice.sizes))

    def save(self, path: Path | str) -> None:
        """Write the weights to a file ``.npz``."""
        (used,) = self.weights.nonzero()
        np.savez_compressed(path, size=SIZE, used=used, values=self.weights[used])

    @classmethod
    def load(cls, path: Path | str, *, seed: int = 0, greedy: bool = True) -> LinearPolicy:
        """Read a policy that :meth:`save` wrote."""
        with np.load(path) as stored:
            weights = np.zeros(int(stored["size"]))
            weights[stored["used"]] = stored["values"]
        return cls(weights, seed=seed, greedy=greedy)
