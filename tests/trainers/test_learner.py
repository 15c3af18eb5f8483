"""The example ``docs/examples/learner.py``: its gradient, what it learns from, and that its weights can be stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from docs.examples.learner import LinearPolicy, Trainer, main
from websp_gym.rollouts import Pool, Transcript, agent_policy
from websp_gym.trainers.features import SIZE, ActionChoice, Reader, StatedGoal, candidates

SOLVED = "Steam-task-191-OFF"


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1, instruction="with_navigation", max_actions=5) as opened:
        yield opened


@pytest.fixture(scope="module")
def shown(pool: Pool) -> Transcript:
    """The oracle's rollout of an instance that is solved at the start: it goes to the setting and answers."""
    return pool.rollout(SOLVED, agent_policy("oracle"))


@pytest.fixture
def random_weights() -> np.ndarray:
    return np.random.default_rng(3).normal(0, 0.3, SIZE)


def objective(weights: np.ndarray, choice: ActionChoice, action: str) -> float:
    """0.7 * log-likelihood + 0.2 * entropy, from the definition."""
    chances = LinearPolicy(weights).chances(choice)
    return float(
        0.7 * np.log(chances[choice.actions.index(action)]) - 0.2 * np.sum(chances * np.log(chances))
    )


def test_the_gradient_is_that_of_likelihood_and_entropy(
    shown: Transcript, random_weights: np.ndarray
) -> None:
    choice, reply = ActionChoice.all_of(shown)[1]
    gradient = np.zeros(SIZE)
    LinearPolicy(random_weights).add_gradient(gradient, choice, reply, weight=0.7, entropy=0.2)
    used = np.unique(choice.features)
    assert not np.delete(gradient, used).any()
    for at in used[::7]:
        step = np.zeros(SIZE)
        step[at] = 1e-5
        up, down = (objective(random_weights + sign * step, choice, reply) for sign in (1, -1))
        assert gradient[at] == pytest.approx((up - down) / 2e-5, abs=1e-6)


def test_cloning_makes_the_shown_actions_the_likeliest(shown: Transcript) -> None:
    policy = LinearPolicy()
    Trainer(policy).clone([shown], epochs=20)
    greedy = LinearPolicy(policy.weights, greedy=True)
    for number, reply in enumerate(shown.replies):
        assert greedy(Transcript(shown.pages[: number + 1], shown.replies[:number])) == reply


def test_updates_raise_the_probability_of_what_was_rewarded(pool: Pool) -> None:
    policy = LinearPolicy(seed=1)
    trainer = Trainer(policy, seed=1)
    start = ActionChoice.on(Transcript((pool.rollout(SOLVED, agent_policy("noop")).pages[0],)))
    answer = start.actions.index("ANSWER; done")
    # Drawn uniformly an answer is rare, and a group without one teaches nothing.
    policy.weights[start.features[-start.sizes[-1] :]] += 0.25
    before = policy.chances(start)[answer]
    batches = [trainer.update(trainer.play(pool, [SOLVED], groups=1, size=4)) for _ in range(2)]
    assert all(batch.scored == 4 and batch.unscored == 0 for batch in batches)
    assert any(0 < batch.solved < 4 for batch in batches)
    assert policy.chances(start)[answer] > before


def test_rollouts_without_a_score_change_nothing(shown: Transcript) -> None:
    policy = LinearPolicy()
    trainer = Trainer(policy)
    broken = replace(
        shown, pages=(*shown.pages[:-1], replace(shown.page, reward=None, failure="the browser died"))
    )
    lost = replace(shown, pages=(*shown.pages[:-1], replace(shown.page, reward=0.0)))
    batch = trainer.update([[broken, broken], [shown, broken]])
    assert (batch.scored, batch.unscored, batch.used) == (1, 3, 0)
    assert not policy.weights.any()
    # The same with a loss in place of the failure does teach.
    batch = trainer.update([[shown, lost]])
    assert (batch.scored, batch.used) == (2, 2)


def test_a_stored_policy_acts_the_same(shown: Transcript, tmp_path: Path) -> None:
    policy = LinearPolicy(greedy=True)
    Trainer(policy).clone([shown])
    policy.save(tmp_path / "policy.npz")
    again = LinearPolicy.load(tmp_path / "policy.npz")
    assert np.array_equal(again.weights, policy.weights)
    for number in range(len(shown.replies)):
        start = Transcript(shown.pages[: number + 1], shown.replies[:number])
        assert again(start) == policy(start)


def test_features_know_neither_site_nor_instance(shown: Transcript) -> None:
    start = Transcript(shown.pages[:2], shown.replies[:1])
    words = {word for _action, row in candidates(start) for feature in row for word in feature.split()}
    page = start.page
    names = {word for text in page.account.values() for word in text.lower().split()}
    assert words.isdisjoint({page.instance, page.observation["url"], "steam", *names})
    assert {"ME", "SITE"} <= words


@pytest.mark.proof
def test_the_program_writes_its_log_its_result_and_the_policy(tmp_path: Path) -> None:
    ids = ["--ids", "Steam-task-191-OFF", "Steam-task-195", "--baselines", "noop", "--processes", "1"]
    training = ["--epochs", "30", "--minutes", "0.001", "--groups", "1", "--size", "2"]
    main(["--out", str(tmp_path), *ids, *training])
    result = json.loads((tmp_path / "result.json").read_text())
    assert sorted(result["train"] + result["test"]) == ["Steam-task-191-OFF", "Steam-task-195"]
    (run,) = result["runs"]
    assert [point["episodes"] for point in run["points"]] == [0, 2]
    solved = int(result["test"] == [SOLVED])
    assert result["baselines"]["noop"]["all"]["hits"] == solved
    assert result["baselines"]["noop"]["solved"]["of"] == solved
    assert result["baselines"]["noop"]["to_do"]["of"] == 1 - solved
    stages = [json.loads(line)["stage"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert stages == ["demonstrations", "noop", "test", "update", "test"]
    assert LinearPolicy.load(tmp_path / "policy-0.npz").weights.any()
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("instruction", "named", "wanted"),
    [
        ("Turn off the analytics and marketing cookies.", "marketing", False),
        ("See that Marketing, Research and News are switched on.", "marketing", True),
        ("Functional cookies shall be on, targeting cookies off.", "targeting", False),
        ("Functional cookies shall be on, targeting cookies off.", "functional", True),
        ("Open Privacy. The box must be ticked.", "privacy", None),
        ("Leave the box under Ads empty.", "ads", False),
    ],
)
def test_the_wanted_state_is_read_from_the_instruction(
    instruction: str, named: str, wanted: bool | None
) -> None:
    goal = StatedGoal(instruction, Reader())
    assert goal.wanted(goal.words.index(named)) is wanted


@pytest.mark.parametrize(
    ("instruction", "given"),
    [
        ("Add the words 'spoiler' and 'scam' to the list.", ["spoiler", "scam"]),
        ("Turn off the website's 'Men's Fashion' emails.", ["Men's Fashion"]),
        ('Name it "my token" or read_token_8761.', ["my token", "read_token_8761"]),
    ],
)
def test_texts_to_type_are_quotations_and_names_with_digits(instruction: str, given: list[str]) -> None:
    assert StatedGoal(instruction, Reader()).given == given
