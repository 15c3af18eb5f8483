"""Choose episodes to play, instances and seeds, for data sets of trainers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from websp_gym.errors import SetupError, nearest
from websp_gym.scoring.solved_at_start import balance_solved, without_solved
from websp_gym.tasks.selection import select_instances
from websp_gym.tasks.splits import SplitBy, on_side

Solved = Literal["keep", "drop", "balance"]
SOLVED: tuple[Solved, ...] = ("keep", "drop", "balance")


def choose_episodes(
    ids: str | Iterable[str] = "*",
    *,
    split: Literal["train", "test"] | None = None,
    split_by: SplitBy = "task",
    solved: Solved = "keep",
    trials: int = 1,
) -> list[tuple[str, int]]:
    """Return episodes to play, as :meth:`Pool.rollouts <websp_gym.rollouts.pool.Pool.rollouts>` takes them.

    Args:
        ids: A glob, or several, of the instances.
        split: Only one side of a split (:func:`~websp_gym.tasks.splits.on_side`).
        split_by: What that split holds out: ``task``, ``site`` or ``state``.
        solved: What to do with instances that are solved at the start: ``keep`` or ``drop`` them, or ``balance``
            them with the others (:func:`~websp_gym.scoring.solved_at_start.balance_solved`).
        trials: Number of seeds, from 0 on, of each instance.

    Returns:
        Pairs of an instance's id and a seed; all instances with seed 0, then all with seed 1, and so on.

    Raises:
        SetupError: No instance is left, or an argument is wrong.
    """
    if solved not in SOLVED:
        raise SetupError(
            f'solved="{solved}"{nearest(solved, SOLVED)} (one of {", ".join(SOLVED)})', option="solved"
        )
    if trials < 1:
        raise SetupError(f"trials={trials!r}: give a whole number from 1", option="trials")
    names = select_instances([ids] if isinstance(ids, str) else list(ids))
    if split is not None:
        names = on_side(names, split, split_by)
    if solved == "drop":
        names = without_solved(names)
    if solved == "balance":
        names = balance_solved(names)
    if not names:
        raise SetupError(
            f"no instance is left of {ids!r} with split={split!r} and solved={solved!r}", option="ids"
        )
    return [(name, seed) for seed in range(trials) for name in names]
