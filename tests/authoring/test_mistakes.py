"""Cleaning up after oneself, played in the sandbox: what may be removed again, what may not, and what is left."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sample import left_to_prove, long_proof
from websp_gym.authoring.mistakes import TYPED, MistakenAgent, mistakes, wrong_steps
from websp_gym.authoring.player import play_instance
from websp_gym.tasks.goals import Unchanged
from websp_gym.tasks.ground_truth import GroundTruthStep, Mistake
from websp_gym.tasks.instances import Instance, load_instance

DOCKER, HUB, STEAM, PINS, TWITCH = (
    "Docker-task-2", "HuggingFace-task-120", "Steam-task-197-OFF", "Pinterest-task-69", "Twitch-task-226",
)  # fmt: skip


def _steps(*steps: dict[str, Any]) -> list[GroundTruthStep]:
    return [GroundTruthStep.model_validate({"element": None, **step}) for step in steps]


def _found(instance: Instance) -> dict[str, tuple[str, str]]:
    return {
        finding.subject.removeprefix(f"{instance.id} "): (finding.outcome, finding.detail)
        for finding in mistakes(instance, False)
    }


def _with_undo(instance: Instance, *undo: GroundTruthStep) -> Instance:
    mistake = {"tokens": Mistake(undo=undo)}
    return instance.model_copy(update={"site": instance.site.model_copy(update={"mistakes": mistake})})


@pytest.mark.parametrize("name", [DOCKER, left_to_prove(STEAM)])
def test_a_wrong_one_that_was_removed_is_forgiven_and_one_that_was_left_is_not(name: str) -> None:
    found = _found(load_instance(name))
    assert {subject: outcome for subject, (outcome, _) in found.items()} == {
        "with a wrong one removed": "ok",
        "with a wrong one left": "ok",
    }
    assert TYPED in found["with a wrong one left"][1]


@pytest.mark.proof
def test_the_proof_finds_a_goal_that_pays_for_a_wrong_one_left_and_an_undo_that_undoes_nothing() -> None:
    docker = load_instance(DOCKER)
    lax = docker.model_copy(update={"task": docker.task.model_copy(update={"unchanged": Unchanged()})})
    assert _found(lax)["with a wrong one left"] == ("failed", "it is worth 1.0")
    (back, *_) = docker.site.mistakes["tokens"].undo
    outcome, detail = _found(_with_undo(docker, back))["with a wrong one removed"]
    assert outcome == "failed"
    assert "no other of tokens" in detail


def test_items_that_pages_cannot_remove_are_declared_or_warned_about() -> None:
    docker = load_instance(DOCKER)
    assert _found(_with_undo(docker)) == {DOCKER: ("ok", "the pages have no way to remove an item of tokens")}
    silent = docker.model_copy(update={"site": docker.site.model_copy(update={"mistakes": {}})})
    outcome, detail = _found(silent)[DOCKER]
    assert (outcome, "add them under `mistakes:`" in detail) == ("warning", True)
    assert next(mistakes(docker, True)).detail == "nothing is made"
    assert _found(load_instance("Airbnb-task-111"))["Airbnb-task-111"] == ("ok", "nothing is made")


def test_the_wrong_one_has_another_text_and_another_value_where_the_text_is_free() -> None:
    free, named = (wrong_steps(load_instance(name)) for name in (DOCKER, "Docker-task-3"))
    assert [step.value for step in free if step.action in ("type", "select")] == [TYPED, "30 days"]
    assert [step.value for step in named if step.action in ("type", "select")] == [
        TYPED,
        "90 days",
        "Read & Write",
    ]


def test_deleting_a_token_the_user_had_is_destructive_and_making_it_again_does_not_mend_it() -> None:
    instance = load_instance(HUB)
    way = list(instance.config.ground_truth[:3])
    delete = _steps(
        {"click": {"role": "button", "name": "Actions for laptop"}},
        {"click": {"role": "button", "name": "Delete"}},
        {"submit": {"role": "button", "name": "Delete"}},
    )
    verdict = play_instance(instance, MistakenAgent([[*way, *delete], instance.config.ground_truth])).verdict
    assert verdict.score == 0.0
    assert "nothing destructive: expected [], found ['huggingface: remove']" in verdict.reason


@pytest.mark.parametrize(
    "typed",
    long_proof(
        ["bad, wrong, terrible", "no, bad, wrong, terrible", "terrible; wrong; bad"], ["terrible; wrong; bad"]
    ),
)
def test_a_field_of_words_may_be_retyped(typed: str) -> None:
    steps = list(load_instance(PINS).config.ground_truth)
    steps[-2] = steps[-2].model_copy(update={"value": typed})
    verdict = play_instance(load_instance(PINS), MistakenAgent([steps])).verdict
    assert (verdict.score, verdict.siblings, verdict.strict) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("typed", [left_to_prove("bad, wrong"), "bad, wrong, terrible, ugly"])
def test_a_word_too_few_or_too_many_fails(typed: str) -> None:
    steps = list(load_instance(PINS).config.ground_truth)
    steps[-2] = steps[-2].model_copy(update={"value": typed})
    assert play_instance(load_instance(PINS), MistakenAgent([steps])).verdict.score == 0.0


def test_of_two_blocked_people_only_the_named_one_may_go() -> None:
    instance = load_instance(TWITCH)
    right = list(instance.config.ground_truth)
    other = right[-1].model_copy(
        update={"target": right[-1].target.model_copy(update={"within": "devil_person"})}
    )
    both = play_instance(instance, MistakenAgent([[*right[:-1], other, right[-1]]])).verdict
    assert both.score == 0.0
    assert "no other of blocked" in both.reason
