"""Train MaskablePPO of sb3-contrib on a few instances, from nothing, on a CPU.

pip install -e '.[sb3]'
python docs/examples/maskable_ppo.py --steps 6000
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import gymnasium as gym
from sb3_contrib import MaskablePPO
from stable_baselines3.common.monitor import Monitor

import websp_gym  # noqa: F401 (registers the ids)
from websp_gym.trainers.candidates import CandidateActions
from websp_gym.trainers.sb3 import CandidatePolicy

INSTANCES = ("Airbnb-task-219", "Amazon-task-221", "HuggingFace-task-220", "Pinterest-task-218")
"""Tasks of a few clicks, which chance finds; longer ones need demonstrations (`agents/learner`)."""


def make(ids: Sequence[str]) -> Monitor:
    """Return the environment over some instances, with candidate actions."""
    env = gym.make(
        "websp-v0",
        ids=ids,
        observation="text",
        reward="strict",
        initial_state="snapshot",
        instruction="with_navigation",
        on_error="truncate",
    )
    return Monitor(CandidateActions(env))


def solved(model: MaskablePPO, env: Monitor, instance: str) -> float:
    """Return the reward of the most likely actions on an instance."""
    observation, info = env.reset(seed=0, options={"instance": instance})
    while True:
        action, _ = model.predict(observation, action_masks=info["action_mask"], deterministic=True)
        observation, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            return float(reward)


def main() -> None:
    """Train, and play each instance once before and after."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=6_000, help="actions to train for")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("ids", nargs="*", default=INSTANCES, help="instances")
    args = parser.parse_args()
    env = make(args.ids)
    model = MaskablePPO(
        CandidatePolicy,
        env,
        n_steps=256,
        batch_size=64,
        n_epochs=6,
        ent_coef=0.02,
        gamma=0.98,
        seed=args.seed,
        verbose=1,
    )
    for when in ("before", "after"):
        rewards = {instance: solved(model, env, instance) for instance in args.ids}
        print(f"{when}: {sum(rewards.values()):g} of {len(rewards)} solved", rewards, flush=True)
        if when == "before":
            model.learn(args.steps)
    env.close()


if __name__ == "__main__":
    main()
