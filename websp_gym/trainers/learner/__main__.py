"""Train the learner on one side of a split and test it on the other.

``python -m websp_gym.trainers.learner --out FOLDER``
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError
from websp_gym.rates import wilson
from websp_gym.rollouts import Pool, Transcript, agent_policy
from websp_gym.scoring.solved_at_start import solved_at_start
from websp_gym.tasks.splits import split_ids
from websp_gym.trainers.learner.curve import draw_curve
from websp_gym.trainers.learner.policy import LinearPolicy
from websp_gym.trainers.learner.training import Trainer

_RECENT = 96
"""Number of training rollouts over which the success rate of the log is taken."""
Scores = dict[str, Any]


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


def _write(path: Path, result: dict[str, Any]) -> None:
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m websp_gym.trainers.learner", description=(__doc__ or "").splitlines()[0]
    )
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
