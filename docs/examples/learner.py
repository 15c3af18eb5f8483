"""Train a small policy by REINFORCE on one side of a split of the tasks, and test it on the other.

    python docs/examples/learner.py --out runs/learner --minutes 20

The policy is log-linear in hashed features of words, with numpy alone. It first imitates the oracle, then improves on
groups of rollouts from one S0, with the mean of the group as baseline. An example of a training loop on
``websp_gym.rollouts``, and a check that the reward teaches something.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from websp_gym import SetupError, solved_at_start, split_ids
from websp_gym.rates import wilson
from websp_gym.rollouts import Pool, Transcript, advantages, agent_policy
from websp_gym.trainers.features import SIZE, ActionChoice

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST_SQUARE = 1.0
"""Initial value of Adagrad's sums, high enough that one rollout does not decide about a rare feature."""
_COLOURS = ("#1f5f8b", "#b3541e", "#3f7f5f", "#6b4c9a")
_GREY = "#6b6b6b"
_RECENT = 96
"""Number of training rollouts over which the success rate of the log is taken."""
Scores = dict[str, Any]


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
        choice = ActionChoice.on(played)
        chances = self.chances(choice)
        if self.greedy:
            return choice.actions[int(chances.argmax())]
        return self._random.choices(choice.actions, chances.tolist())[0]

    def chances(self, choice: ActionChoice) -> NDArray[np.float64]:
        """Return the probability of each action."""
        starts = np.cumsum(choice.sizes) - choice.sizes
        scores = np.add.reduceat(self.weights[choice.features], starts)
        chances = np.exp(scores - scores.max())
        return np.asarray(chances / chances.sum())

    def add_gradient(
        self,
        into: NDArray[np.float64],
        choice: ActionChoice,
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
        lessons = [ActionChoice.all_of(one) for one in shown]
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
                    for choice, reply in ActionChoice.all_of(played):
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program."""
    options = _parse(arguments)
    train, test = split_ids(options.split, ids=options.ids)
    others = {
        name: LinearPolicy() if name == "untrained" else agent_policy(name) for name in options.baselines
    }
    options.out.mkdir(parents=True, exist_ok=True)
    result: dict[str, Any] = {
        "options": {**vars(options), "out": None},
        "train": train,
        "test": test,
        "runs": [],
    }
    with (
        Pool(options.processes, instruction=options.instruction) as pool,
        open(options.out / "log.jsonl", "w", encoding="utf-8") as log,
    ):

        def say(**line: Any) -> None:
            print(json.dumps(line), flush=True)
            log.write(json.dumps(line) + "\n")
            log.flush()

        shown: list[Transcript] = []
        if options.epochs:
            shown, took = _played(pool, train, agent_policy("oracle"))
            say(stage="demonstrations", **took)
        baselines: dict[str, Scores] = {}
        for name, policy in others.items():
            baselines[name] = evaluate(pool, test, policy)
            say(stage=name, test=baselines[name])
        result["baselines"] = baselines
        for seed in options.seeds:
            result["runs"].append(_run(pool, train, test, shown, options, seed, say))
            _write(options.out / "result.json", result)
    if not draw_curve(result, options.out / "curve.svg"):
        print("no curve.svg: matplotlib is not installed")


def evaluate(pool: Pool, ids: Sequence[str], policy: Callable[[Transcript], str]) -> Scores:
    """Play each instance once.

    Returns:
        For ``all`` instances, for those ``solved`` at the start and those ``to_do``: the ``hits`` ``of`` those that
        have a score, the ``rate`` and its 95 % interval by Wilson. ``balanced`` is the mean of the rates of the two
        kinds, and ``unscored`` the number of episodes that were left out.
    """
    rollouts, took = _played(pool, ids, policy)
    kinds = {"all": (True, False), "solved": (True,), "to_do": (False,)}
    scores: Scores = {}
    for name, kind in kinds.items():
        rewards = [
            one.reward for one in rollouts if one.reward is not None and solved_at_start(one.instance) in kind
        ]
        hits = sum(reward == 1 for reward in rewards)
        figure = wilson(hits, len(rewards))
        scores[name] = {
            "hits": hits,
            "of": len(rewards),
            "rate": figure.value,
            "low": figure.low,
            "high": figure.high,
        }
    rates = [scores[name]["rate"] for name in ("solved", "to_do")]
    balanced = None if None in rates else sum(rates) / 2
    return {**scores, "balanced": balanced, **took}


def _played(
    pool: Pool, ids: Sequence[str], policy: Callable[[Transcript], str]
) -> tuple[list[Transcript], dict[str, Any]]:
    started = time.monotonic()
    rollouts = pool.rollouts([(one, 0) for one in ids], policy)
    return rollouts, {
        "unscored": sum(one.reward is None for one in rollouts),
        "episodes": len(rollouts),
        "replies": sum(len(one.replies) for one in rollouts),
        "seconds": round(time.monotonic() - started, 1),
    }


def _run(
    pool: Pool,
    train: Sequence[str],
    test: Sequence[str],
    shown: Sequence[Transcript],
    options: argparse.Namespace,
    seed: int,
    say: Callable[..., None],
) -> dict[str, Any]:
    """Train once: behaviour cloning, then REINFORCE, with the test set played greedily after each."""
    policy = LinearPolicy(seed=seed)
    trainer = Trainer(policy, rate=options.rate, entropy=options.entropy, seed=seed)
    trainer.clone([one for one in shown if one.reward == 1], epochs=options.epochs)
    points: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []
    recent: deque[float] = deque(maxlen=_RECENT)
    minutes, updates, episodes = 0.0, 0, 0

    def look() -> None:
        points.append(
            {
                "minutes": minutes,
                "episodes": episodes,
                "test": evaluate(pool, test, LinearPolicy(policy.weights, greedy=True)),
            }
        )
        say(stage="test", seed=seed, **points[-1])

    look()
    for number in range(1, options.looks + 1):
        while minutes < options.minutes * number / options.looks:
            started = time.monotonic()
            groups = trainer.play(pool, train, groups=options.groups, size=options.size)
            batch = trainer.update(groups)
            minutes += (time.monotonic() - started) / 60
            updates += 1
            episodes += batch.scored + batch.unscored
            recent.extend([1.0] * batch.solved + [0.0] * (batch.scored - batch.solved))
            rate = sum(recent) / max(1, len(recent))
            lines.append({"minutes": minutes, "episodes": episodes, "rate": rate, **asdict(batch)})
            say(stage="update", seed=seed, update=updates, **lines[-1])
        if options.minutes:
            look()
    policy.save(options.out / f"policy-{seed}.npz")
    return {"seed": seed, "minutes": minutes, "episodes": episodes, "updates": lines, "points": points}


def draw_curve(result: Mapping[str, Any], path: Path) -> bool:
    """Write the plot as SVG, if matplotlib is installed.

    Args:
        result: The content of ``result.json``.
        path: The file.

    Returns:
        Whether it was written.
    """
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "websp"
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for run, colour in zip(result["runs"], _COLOURS * len(result["runs"]), strict=False):
        lines = run["updates"]
        points = [point for point in run["points"] if point["test"]["all"]["of"]]
        axes.plot(
            [line["minutes"] for line in lines],
            [100 * line["rate"] for line in lines],
            color=colour,
            linewidth=1,
            alpha=0.6,
            label=f"training rollouts, seed {run['seed']}",
        )
        figures = [point["test"]["all"] for point in points]
        rates = [100 * one["rate"] for one in figures]
        reach = [
            [rate - 100 * one["low"] for rate, one in zip(rates, figures, strict=True)],
            [100 * one["high"] - rate for rate, one in zip(rates, figures, strict=True)],
        ]
        axes.errorbar(
            [point["minutes"] for point in points],
            rates,
            yerr=reach,
            color=colour,
            marker="o",
            capsize=3,
            label=f"held-out instances, greedy, seed {run['seed']}",
        )
    for name, scores in result["baselines"].items():
        if not scores["all"]["of"]:
            continue
        rate = 100 * scores["all"]["rate"]
        axes.axhline(rate, color=_GREY, linewidth=1, linestyle="dotted")
        axes.annotate(name, (1, rate), xycoords=("axes fraction", "data"), xytext=(-4, 3), textcoords="offset points",
                      ha="right", color=_GREY, fontsize=9)  # fmt: skip
    axes.set_ylim(0, 100)
    axes.set_xlabel("minutes of REINFORCE (at 0: what came before it)")
    axes.set_ylabel("success (%)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return True


def _write(path: Path, result: dict[str, Any]) -> None:
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add(
        "--out",
        type=Path,
        required=True,
        help="folder of log.jsonl, result.json, curve.svg and policy-SEED.npz",
    )
    add("--minutes", type=float, default=20, help="minutes of REINFORCE, for each seed")
    add("--split", choices=("task", "site"), default="task", help="what the test set holds out")
    add("--ids", nargs="+", default=["*"], help="globs of the instances to split")
    add("--seeds", type=int, nargs="+", default=[0], help="seeds; each trains from scratch")
    add(
        "--instruction",
        choices=("with_navigation", "without_navigation"),
        default="with_navigation",
        help="whether the instruction says where the setting is",
    )
    add(
        "--epochs", type=int, default=8, help="passes over the oracle's rollouts first; 0 for REINFORCE alone"
    )
    add("--processes", type=_count, default=2, help="environments, each a process with a browser")
    add("--groups", type=_count, default=6, help="groups in an update")
    add("--size", type=_count, default=4, help="rollouts in a group")
    add("--rate", type=float, default=0.1, help="learning rate")
    add("--entropy", type=float, default=0.01, help="weight of the entropy")
    add(
        "--looks",
        type=_count,
        default=1,
        help="times that the test set is played during REINFORCE, the last at its end",
    )
    add("--baselines", nargs="*", default=["noop", "random"], help="noop, random, untrained")
    return parser.parse_args(arguments)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: give a whole number from 1")
    return int(text)


if __name__ == "__main__":
    try:
        main()
    except SetupError as error:
        sys.exit(f"error: {error}")
