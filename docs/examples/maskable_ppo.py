"""Train MaskablePPO of sb3-contrib on a CPU: imitate the oracle first, then improve by the reward.

pip install -e '.[sb3]'
python docs/examples/maskable_ppo.py --steps 2000
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import gymnasium as gym
import numpy as np
import torch
from sb3_contrib import MaskablePPO

from websp_gym import split_ids
from websp_gym.rollouts import agent_policy
from websp_gym.trainers.candidates import CandidateActions, Mask, Rows
from websp_gym.trainers.sb3 import CandidatePolicy

Lesson = tuple[Rows, Mask, int]


def make(ids: Sequence[str]) -> CandidateActions:
    """Return the environment over some instances."""
    env = gym.make(
        "websp-v0",
        ids=ids,
        observation="text",
        reward="strict",
        initial_state="snapshot",
        instruction="with_navigation",
        on_error="truncate",
    )
    return CandidateActions(env)


def lessons(env: CandidateActions, ids: Sequence[str]) -> Iterator[Lesson]:
    """Yield the pages of the oracle's episodes, each with the number of its action."""
    for instance in ids:
        rows, info = env.reset(seed=0, options={"instance": instance})
        oracle, over = agent_policy("oracle"), False
        while not over:
            said = oracle(env.played)
            wanted = "ANSWER; done" if said.startswith("ANSWER") else said
            if wanted not in env.actions:
                break  # a text that no instruction quotes
            number = env.actions.index(wanted)
            yield rows, info["action_mask"], number
            rows, _, terminated, truncated, info = env.step(number)
            over = terminated or truncated


def clone(model: MaskablePPO, shown: Sequence[Lesson], *, epochs: int = 30) -> None:
    """Raise the likelihood of the actions that were shown."""
    policy = model.policy
    for _ in range(epochs):
        for part in np.array_split(np.random.permutation(len(shown)), max(len(shown) // 32, 1)):
            rows, masks, numbers = (np.stack(each) for each in zip(*(shown[at] for at in part), strict=True))
            likely = policy.get_distribution(torch.as_tensor(rows), masks).log_prob(torch.as_tensor(numbers))
            policy.optimizer.zero_grad()
            (-likely.mean()).backward()
            policy.optimizer.step()


def solved(model: MaskablePPO, env: CandidateActions, ids: Sequence[str]) -> str:
    """Play the most likely actions on each instance and return how many were solved."""
    rewards = []
    for instance in ids:
        rows, info = env.reset(seed=0, options={"instance": instance})
        over = False
        while not over:
            action, _ = model.predict(rows, action_masks=info["action_mask"], deterministic=True)
            rows, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        if not info.get("unscored"):
            rewards.append(float(reward))
    return f"{sum(rewards):g} of {len(rewards)}"


def main() -> None:
    """Clone, train, and play the instances of both sides of the split before and after."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--site", default="Steam", help="the site to train on")
    parser.add_argument("--steps", type=int, default=2_000, help="actions of MaskablePPO")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    train, test = ([one for one in side if one.startswith(f"{args.site}-")] for side in split_ids("task"))
    env = make(train + test)
    learning = make(train)
    model = MaskablePPO(
        CandidatePolicy,
        learning,
        learning_rate=1e-3,
        n_steps=256,
        batch_size=64,
        n_epochs=4,
        ent_coef=0.001,
        gamma=0.98,
        clip_range=0.1,
        seed=args.seed,
        verbose=1,
    )

    def report(when: str) -> None:
        print(
            f"{when}: training {solved(model, env, train)}, held out {solved(model, env, test)}", flush=True
        )

    report("untrained")
    clone(model, list(lessons(env, train)))
    report("after the oracle")
    model.learn(args.steps)
    report("after MaskablePPO")
    env.close()
    learning.close()


if __name__ == "__main__":
    main()
