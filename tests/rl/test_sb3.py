"""MaskablePPO of sb3-contrib over candidate actions, with the policy that scores them one by one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

import websp_gym  # noqa: F401 (registers the ids)
from websp_gym.trainers.candidates import CandidateActions
from websp_gym.trainers.sb3 import CandidatePolicy

SOLVED = "Steam-task-191-OFF"


@pytest.fixture(scope="module")
def env() -> Iterator[CandidateActions]:
    made = gym.make(f"websp/{SOLVED}", observation="text", initial_state="snapshot", max_actions=5)
    env = CandidateActions(made)
    yield env
    env.close()


@pytest.fixture(scope="module")
def model(env: CandidateActions) -> MaskablePPO:
    # Nothing has to be done in this instance: who learns to answer at once is paid.
    return MaskablePPO(
        CandidatePolicy, env, n_steps=64, batch_size=32, ent_coef=0.0, learning_rate=3e-3, seed=0
    )


def test_its_masks_are_found(env: CandidateActions, model: MaskablePPO) -> None:
    env.reset(seed=0)
    assert is_masking_supported(model.get_env())
    assert get_action_masks(model.get_env()).sum() == len(env.actions)


def test_a_row_gets_the_same_score_in_another_place_of_the_page(
    env: CandidateActions, model: MaskablePPO
) -> None:
    rows, _ = env.reset(seed=0)
    order = np.arange(len(rows))
    order[: len(env.actions)] = np.roll(order[: len(env.actions)], 3)
    both = torch.as_tensor(np.stack([rows, rows[order]]))
    logits = model.policy.get_distribution(both).distribution.logits.detach().numpy()
    assert np.allclose(logits[0][order], logits[1], atol=1e-5)


def test_it_never_takes_what_is_masked_and_learns_to_answer(
    env: CandidateActions, model: MaskablePPO, tmp_path: Path
) -> None:
    def chance() -> float:
        rows, info = env.reset(seed=0)
        seen = torch.as_tensor(rows).unsqueeze(0)
        chances = (
            model.policy.get_distribution(seen, info["action_mask"]).distribution.probs[0].detach().numpy()
        )
        assert chances[~info["action_mask"]].sum() == pytest.approx(0.0, abs=1e-6)
        return float(chances[env.actions.index("ANSWER; done")])

    before = chance()
    model.learn(256)
    assert chance() > 2 * before
    model.save(tmp_path / "model.zip")
    again = MaskablePPO.load(tmp_path / "model.zip", env=env)
    rows, info = env.reset(seed=0)
    actions = [
        each.predict(rows, action_masks=info["action_mask"], deterministic=True)[0] for each in (model, again)
    ]
    assert actions[0] == actions[1]
