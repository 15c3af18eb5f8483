"""Omissions decided on the server: they agree with the browser or are undecided."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.check_support import ADS, MAIL, SAVE, task, write_checked
from websp_gym.agents.oracle import OracleAgent
from websp_gym.authoring import SearchPaths
from websp_gym.authoring.counterfactual import Counterfactual, OracleRecording, UnplayedError
from websp_gym.authoring.player import play_instance
from websp_gym.authoring.proofs import prove
from websp_gym.tasks.instances import load_instance

GATED = """<form method="post" action="/save"><label><input type="checkbox" name="ads" checked
onchange="this.form.mail.disabled = this.checked"> First</label><label><input type="checkbox" name="mail" checked
disabled> Second</label><button>Keep</button></form>"""
GATE = "- {turn: {role: checkbox, name: First}, element: Checkbox, state: off}"
BEHIND = "- {turn: {role: checkbox, name: Second}, element: Checkbox, state: off}"
KEEP = "- {submit: {role: button, name: Keep}, element: Button}"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Test sites, served by a sandbox of their own."""
    folder = tmp_path_factory.mktemp("own")
    write_checked(folder, "Native", task("Native-task-1", ADS, MAIL, SAVE, goal="{ads: false, mail: false}"))
    write_checked(folder, "Idle", task("Idle-task-1", ADS, MAIL, SAVE))
    gated = task("Gated-task-1", GATE, BEHIND, KEEP, goal="{ads: false, mail: false}")
    write_checked(folder, "Gated", gated, home=GATED)
    places = SearchPaths.below(folder)
    with places.known(), places.served():
        yield


def _decided(name: str) -> dict[int, float | str | None]:
    """By step, the score of the episode without it, or why the server cannot decide."""
    instance, agent = load_instance(name), OracleAgent()
    recording = OracleRecording(instance, agent)
    right = play_instance(instance, agent, witness=recording)
    assert right.verdict.score == 1.0, right.verdict.reason
    found: dict[int, float | str | None] = {}
    with Counterfactual(recording, right.end) as world:
        for number, step in enumerate(instance.config.ground_truth):
            if step.changes_state:
                try:
                    found[number] = world.without(number)[0].score
                except UnplayedError as error:
                    found[number] = str(error)
    return found


def test_native_boxes_that_a_save_sends_are_put_back_one_by_one(own: None) -> None:
    assert _decided("Native-task-1") == {0: 0.0, 1: 0.0, 2: 0.0}


@pytest.mark.proof
def test_a_step_the_goal_does_not_ask_for_is_found_out_and_seen_in_the_browser(own: None) -> None:
    assert _decided("Idle-task-1") == {0: 0.0, 1: 1.0, 2: 0.0}
    wrong = {
        each.check: each
        for each in prove(load_instance("Idle-task-1"), long=False)
        if each.outcome == "failed"
    }
    assert wrong["omission"].subject == "Idle-task-1 without step 2"
    assert "passes without TURN OFF 'Mail' checkbox" in wrong["omission"].detail


def test_a_control_that_others_depend_on_is_left_to_the_browser(own: None) -> None:
    assert _decided("Gated-task-1") == {0: "it changes what else can be operated", 1: 0.0, 2: 0.0}
    findings = list(prove(load_instance("Gated-task-1"), long=False))
    details = [each.detail for each in findings if each.check == "omission"]
    assert [("in the browser" in detail, "on the server" in detail) for detail in details] == [
        (True, False),
        (False, True),
        (False, True),
    ]
