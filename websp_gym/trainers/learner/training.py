"""Behaviour cloning and REINFORCE with the mean of the group as baseline."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from websp_gym.rollouts import Pool, advantages
from websp_gym.scoring.solved_at_start import solved_at_start
from websp_gym.trainers.learner.policy import SIZE, Choice, LinearPolicy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from websp_gym.rollouts import Transcript

_FIRST_SQUARE = 1.0
"""Initial value of Adagrad's sums, high enough that one rollout does not decide about a rare feature."""


@dataclass(frozen=True)
class Batch:
    """The data of one update.

    Args:
        scored: Number of rollouts with a score.
        solved: Number of those with a reward of 1.
        unscored: Number of rollouts without a score, which were left out.
        used: Number of rollouts whose reward differed from the mean of their group, so that they taught something.
        norm: Norm of the gradient before clipping.
    """

    scored: int
    solved: int
    unscored: int
    used: int
    norm: float


class Trainer:
    """Trains a policy.

    Args:
        policy: The policy; its weights change.
        rate: Learning rate of Adagrad.
        entropy: Weight of the entropy of the policy in the objective.
        clip: Largest norm of a gradient.
        seed: Seed of the order and of the draws.
    """

    def __init__(
        self,
        policy: LinearPolicy,
        *,
        rate: float = 0.1,
        entropy: float = 0.01,
        clip: float = 5.0,
        seed: int = 0,
    ) -> None:
        self.policy = policy
        self._rate, self._entropy, self._clip = rate, entropy, clip
        self._squares: NDArray[np.float64] = np.full(SIZE, _FIRST_SQUARE)
        self._random = random.Random(seed)
        self._played: Counter[str] = Counter()
        self._solved: Counter[str] = Counter()

    def clone(self, shown: Iterable[Transcript], *, epochs: int = 8) -> None:
        """Raise the likelihood of the replies in some rollouts, as far as the policy has these actions."""
        lessons = [Choice.all_of(one) for one in shown]
        for _ in range(epochs):
            for lesson in self._random.sample(lessons, len(lessons)):
                gradient = np.zeros(SIZE)
                for choice, reply in lesson:
                    if reply in choice.actions:
                        self.policy.add_gradient(gradient, choice, reply)
                self._step(gradient)
        # What was summed up here would keep the steps of REINFORCE small.
        self._squares[:] = _FIRST_SQUARE

    def draw(self, ids: Sequence[str], count: int) -> list[str]:
        """Draw instances, half of them solved at the start, if there are any.

        Of each kind those come more often that are neither always nor never solved so far.
        """
        kinds = [[one for one in ids if solved_at_start(one) == solved] for solved in (True, False)]
        drawn = []
        for number in range(count):
            kind = kinds[number % 2] or kinds[1 - number % 2]
            hopes = [(self._solved[one] + 1) / (self._played[one] + 2) for one in kind]
            drawn += self._random.choices(kind, [hope * (1 - hope) for hope in hopes])
        return drawn

    def play(
        self, pool: Pool, ids: Sequence[str], *, groups: int = 4, size: int = 4
    ) -> list[list[Transcript]]:
        """Play groups of rollouts, each from one S0."""
        starts = [(name, self._random.randrange(1000)) for name in self.draw(ids, groups)]
        played = iter(pool.rollouts([start for start in starts for _ in range(size)], self.policy))
        return [[next(played) for _ in range(size)] for _ in starts]

    def update(self, groups: Iterable[Iterable[Transcript]]) -> Batch:
        """Take one step of REINFORCE on groups of rollouts. Rollouts without a score change nothing."""
        gradient, counts, norm = np.zeros(SIZE), Counter[str](), 0.0
        for group in map(list, groups):
            known = advantages(group)
            counts["unscored"] += len(group) - len(known)
            for played, advantage in known:
                counts["scored"] += 1
                counts["solved"] += played.reward == 1
                self._played[played.instance] += 1
                self._solved[played.instance] += played.reward == 1
                if advantage:
                    counts["used"] += 1
                    for choice, reply in Choice.all_of(played):
                        self.policy.add_gradient(
                            gradient, choice, reply, weight=advantage, entropy=self._entropy
                        )
        if counts["used"]:
            norm = self._step(gradient)
        return Batch(counts["scored"], counts["solved"], counts["unscored"], counts["used"], norm)

    def _step(self, gradient: NDArray[np.float64]) -> float:
        """Move the weights by a clipped step of Adagrad; return the norm before."""
        norm = float(np.linalg.norm(gradient))
        gradient *= min(1.0, self._clip / norm) if norm else 1.0
        (at,) = gradient.nonzero()
        self._squares[at] += gradient[at] ** 2
        self.policy.weights[at] += self._rate * gradient[at] / np.sqrt(self._squares[at])
        return norm
