"""TRL's GRPOTrainer with the actions as tools: SFT, then GRPO, on real pages; and the environments without a trainer."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from contextlib import closing
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset
from transformers import set_seed
from transformers.utils import get_json_schema

from docs.examples import grpo_trl
from websp_gym.actions import ACTIONS, parse_action
from websp_gym.actions.tools import TOOL_NAMES, arguments_of
from websp_gym.errors import SetupError
from websp_gym.rollouts import RemoteEnv, Transcript
from websp_gym.trainers import trl
from websp_gym.trainers.trl import WebspTools, environments, make_dataset, make_reward, to_sft

ON, OFF = "Steam-task-191-ON", "Steam-task-191-OFF"
END = 7
"""Stands for the token that ends a reply."""
score = make_reward(END)


class Doomed(WebspTools):
    """An environment whose process dies after each reset."""

    def reset(self, instance: str, seed: int = 0, **_: Any) -> str:
        others = active_children()
        page = super().reset(instance, seed)
        (process,) = set(active_children()) - set(others)
        process.kill()
        return page


@pytest.fixture(scope="module")
def demonstrations() -> list[Transcript]:
    return grpo_trl.demonstrations(grpo_trl.INSTANCES)


@pytest.fixture(scope="module")
def data(demonstrations: list[Transcript]) -> Dataset:
    return to_sft(demonstrations)


@pytest.fixture(scope="module")
def tools() -> Iterator[WebspTools]:
    with environments(**grpo_trl.OPTIONS) as factory:
        yield factory()


def plain(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def calls(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tool calls of a conversation."""
    return [call["function"] for turn in row["messages"] for call in turn.get("tool_calls") or ()]


def rewarded(environment: WebspTools, last: dict[str, Any], ids: tuple[int, ...] = (1, END)) -> float | None:
    """Return the reward of a rollout that ends with this message, as TRL asks for it."""
    (reward,) = score(
        prompts=[[]], completions=[[last]], completion_ids=[list(ids)], environments=[environment], seed=[0]
    )
    return reward


def test_the_oracles_calls_have_the_full_reward(tools: WebspTools, data: Dataset) -> None:
    turns = data[0]["messages"]
    assert tools.reset(prompt=turns[:1], instance=ON, seed=0) == turns[1]["content"]
    said = [getattr(tools, call["name"])(**call["arguments"]) for call in calls(data[0])]
    assert said == [turn["content"] for turn in turns if turn["role"] == "tool"]
    assert said[-1] == tools.click(3) == "The episode is over."
    assert rewarded(tools, plain("done")) == 1.0


@pytest.mark.parametrize(("instance", "reward"), [(ON, 0.0), (OFF, 1.0), ("AlJazeera-task-179", 1.0)])
def test_a_plain_reply_is_an_answer(tools: WebspTools, instance: str, reward: float) -> None:
    tools.reset(instance)
    assert rewarded(tools, plain("Nothing to do.\nAction: Wait")) == reward
    assert tools.page is not None
    assert tools.page.reason == "answer"


@pytest.mark.parametrize(
    ("last", "ids"),
    [
        (plain("<tool_call> {"), (1, 2)),
        ({**plain(""), "tool_calls": [{"type": "function", "function": {"name": "wait"}}]}, (1, END)),
        ({"role": "tool", "name": "wait", "content": "Page: …"}, (1, END)),
    ],
    ids=["reply", "call", "result"],
)
def test_a_rollout_that_was_cut_has_not_answered(
    tools: WebspTools, last: dict[str, Any], ids: tuple[int, ...]
) -> None:
    tools.reset(OFF)
    assert rewarded(tools, last, ids) == 0.0
    assert tools.page is not None
    assert not tools.page.done


def test_a_wrong_call_is_answered_with_an_error_and_counts(tools: WebspTools) -> None:
    first = tools.reset(ON)
    assert "Left: 10 actions" in first
    wrong: Any = "the first"
    assert "Error: " in tools.click(wrong)
    assert "Left: 8 actions" in tools.click(999)


def test_a_killed_process_costs_a_rollout_nothing_but_a_repetition(data: Dataset) -> None:
    with closing(RemoteEnv(**grpo_trl.OPTIONS)) as env:
        doomed = Doomed(env)
        doomed.reset(ON, 0)
        for call in calls(data[0]):
            getattr(doomed, call["name"])(**call["arguments"])
        assert rewarded(doomed, plain("done")) == 1.0


def test_a_rollout_that_failed_and_is_not_repeated_is_left_out(data: Dataset) -> None:
    with environments(**grpo_trl.OPTIONS, retries=0) as factory:
        others = active_children()
        lost = factory()
        (process,) = set(active_children()) - set(others)
        kept = factory()
        for environment in (lost, kept):
            environment.reset(ON, 0)
        process.kill()
        assert lost.click(8) == "The episode is over."
        for call in calls(data[0]):
            getattr(kept, call["name"])(**call["arguments"])
        assert score(
            completions=[[plain("done")]] * 2, completion_ids=[[END]] * 2, environments=[lost, kept]
        ) == [None, 1.0]
        # The next episode has a new process.
        lost.reset(OFF)
        lost.answer("nothing to do")
        assert rewarded(lost, plain("")) == 1.0


def test_every_action_is_a_tool() -> None:
    for spec in ACTIONS:
        action = parse_action(spec.example)
        environment = WebspTools(RemoteEnv())
        method = getattr(environment, TOOL_NAMES[spec.kind])
        inspect.signature(method).bind(**arguments_of(action))
        assert get_json_schema(method)["function"]["description"]


def test_only_actions_are_tools() -> None:
    names = {name for name, _ in inspect.getmembers(WebspTools, inspect.isfunction) if name[0] != "_"}
    assert names == {*(TOOL_NAMES[spec.kind] for spec in ACTIONS), "reset"}


def test_a_data_set_has_a_row_for_each_start() -> None:
    rows = make_dataset([(ON, 0), (ON, 1), (OFF, 0)])
    assert [(row["instance"], row["seed"]) for row in rows] == [(ON, 0), (ON, 1), (OFF, 0)]
    assert [turn["role"] for turn in rows[0]["prompt"]] == ["system", "user"]


def test_a_wrong_option_is_explained() -> None:
    with pytest.raises(SetupError, match="no pictures"), environments(pictures=True):
        pass
    with environments(max_actoins=3) as factory, pytest.raises(SetupError, match="max_actions"):
        factory()


def test_demonstrations_and_then_rewards_train_a_model(data: Dataset, tmp_path: Path) -> None:
    set_seed(0)
    tokenizer = grpo_trl.make_tokenizer(data)
    model = grpo_trl.make_model(tokenizer)
    assert grpo_trl.imitate(model, tokenizer, data, str(tmp_path), 80) < 0.2
    with environments(**grpo_trl.OPTIONS) as factory:
        steps = grpo_trl.improve(model, tokenizer, factory, make_dataset([(ON, 0)]), str(tmp_path), 5)
        assert all(step["tools/call_frequency"] >= 1 for step in steps)
        mixed = [step for step in steps if step["reward_std"] > 0]
        assert mixed
        assert all(step["grad_norm"] > 0 for step in mixed)

        made: list[WebspTools] = []

        def doomed_first() -> WebspTools:
            made.append(factory() if made else Doomed(RemoteEnv(**grpo_trl.OPTIONS, retries=0)))
            return made[-1]

        (step,) = grpo_trl.improve(model, tokenizer, doomed_first, make_dataset([(OFF, 0)]), str(tmp_path), 1)
    rewards = [one.page.reward for one in made if one.page]
    assert len(rewards) == 4
    assert rewards[0] is None
    scored = [reward for reward in rewards if reward is not None]
    assert step["reward"] == pytest.approx(sum(scored) / 3)


def test_a_demonstration_reads_as_a_rollout_does(data: Dataset) -> None:
    tokenizer = grpo_trl.make_tokenizer(data)
    row = data[0]
    prompt = make_dataset([(ON, 0)])[0]["prompt"]
    prompt[-1]["content"] += row["messages"][1]["content"]
    shown = tokenizer.apply_chat_template(
        prompt, tools=trl._tools(), add_generation_prompt=True, tokenize=False
    )
    taught = tokenizer.apply_chat_template(row["messages"], tools=json.loads(row["tools"]), tokenize=False)
    assert taught.startswith(shown)
