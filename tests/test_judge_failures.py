"""Why a run failed: by rules over the state and the trajectory, and by asking a model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.judge_support import NAMES, FunctionModel, ReplyModel, recorded, reply
from websp_gym.calibration.edits import cut
from websp_gym.calibration.failures import failing_elements, failure_kinds
from websp_gym.calibration.truth import truth_of
from websp_gym.errors import ModelError
from websp_gym.instances import load_instance
from websp_gym.judge.failures import KINDS, Analysis, ask_why
from websp_gym.trajectory import Step, Trajectory

TWO = "Steam-task-191-ON"
"""Two switches, each stored at once: steps 4 and 5."""
FORM = "Steam-task-199"
"""Two check boxes and Save: steps 5, 6 and 7 (4 scrolls or leads there)."""


def why(run: Trajectory) -> tuple[tuple[str, ...], tuple[str, ...]]:
    loaded = load_instance(run.instance)
    return failure_kinds(run, loaded), failing_elements(run, loaded)


def stopped(name: str, steps: int, answer: str = "done") -> Trajectory:
    run = cut(recorded(name), steps, answer)
    assert run is not None
    return run


@pytest.mark.parametrize("name", NAMES)
def test_a_run_that_passed_has_no_failure(name: str) -> None:
    assert why(recorded(name)) == ((), ())


def test_never_having_seen_the_control_is_incorrect_navigation() -> None:
    kinds, elements = why(stopped(TWO, 1, "I could not find it."))
    assert kinds == ("incorrect navigation",)
    assert elements == ("Link",)


def test_one_of_two_is_a_partial_completion_and_claiming_both_a_hallucinated_success() -> None:
    assert why(stopped(TWO, 4)) == (("hallucinated success", "partial completion"), ("Toggle",))
    assert why(stopped(TWO, 4, "Sorry, I was unable to finish."))[0] == ("partial completion",)


def test_not_saving_is_the_buttons_failure() -> None:
    run = recorded(FORM)
    save = next(step.number for step in run.steps if step.number == len(run.steps) - 1)
    kinds, elements = why(stopped(FORM, save - 1))
    assert kinds == ("hallucinated success",)
    assert elements == ("Button",)


def test_turning_a_switch_away_from_what_was_asked_is_a_state_misunderstanding() -> None:
    run = stopped(TWO, 5)
    again = run.steps[4].model_copy(update={"number": 6, "view": run.steps[3].view})
    answer = run.steps[-1].model_copy(update={"number": 7, "view": run.steps[3].view})
    run.steps = [*run.steps[:5], again, answer]
    run.end["settings"]["cookies.valve_analytics"] = True
    last = run.events[-1]
    run.events.append(
        {
            **last,
            "seq": last["seq"] + 1,
            "data": {"key": "cookies.valve_analytics", "old": False, "new": True},
        }
    )
    kinds, elements = why(run)
    assert "state misunderstanding" in kinds
    assert elements == ("Toggle",)


def test_what_held_at_first_and_no_longer_does_is_a_state_misunderstanding() -> None:
    run = recorded("Steam-task-191-OFF")
    run.end["settings"]["cookies.valve_analytics"] = True
    assert "state misunderstanding" in why(run)[0]


def test_three_times_the_same_in_front_of_the_same_is_repeated() -> None:
    run = stopped(TWO, 3)
    view = run.steps[2].view
    for times in (2, 3):
        more = [Step(number=0, action="Hover [3]", seconds=0.1, view=view) for _ in range(times)]
        looped = run.model_copy(update={"steps": [*run.steps[:3], *more, run.steps[-1]]})
        assert ("repeated actions" in why(looped)[0]) == (times == 3)


def test_a_run_into_a_limit_claims_nothing() -> None:
    run = stopped(TWO, 4)
    run.end_reason = "action_limit"
    assert why(run)[0] == ("partial completion",)


def test_a_harmful_end_of_a_right_run_is_none_of_the_five() -> None:
    run = recorded(TWO)
    last = run.events[-1]
    run.events.append(
        {**last, "seq": last["seq"] + 1, "kind": "destructive", "data": {"what": "account deleted"}}
    )
    assert truth_of(run, load_instance(TWO)).status == "fail"
    assert why(run) == ((), ())


# --- asking -----------------------------------------------------------------------------------------


def ask(model: Any) -> Analysis | None:
    return ask_why(
        model, instruction="Turn it off.", ground_truth=["TURN OFF 'x' toggle"], elements=["Link", "Toggle"],
        reason="It is still on.",
    )  # fmt: skip


def test_a_model_is_asked_which_kinds_and_elements() -> None:
    answer = json.dumps({"elements": ["Toggle"], "kinds": ["state misunderstanding", "hallucinated success"]})
    model = FunctionModel(lambda messages: answer)
    found = ask(model)
    assert found == Analysis(
        ("state misunderstanding", "hallucinated success"), ("Toggle",), "test:model", 0.01
    )
    text = model.asked[0][1].text
    for part in ("Turn it off.", "TURN OFF 'x' toggle", "Link, Toggle", "It is still on."):
        assert f"\n{part}\n" in text
    assert all(kind in model.asked[0][0].text for kind in KINDS)


@pytest.mark.parametrize(
    "answer",
    [
        "", "Toggle", "{}", '{"elements": ["Toggle"]}', '{"elements": "Toggle", "kinds": ["partial completion"]}',
        '{"elements": ["Button"], "kinds": ["partial completion"]}', '{"elements": [], "kinds": []}',
        '{"elements": [], "kinds": ["bad luck"]}', '{"elements": [["Toggle"]], "kinds": ["partial completion"]}',
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_asked_again_and_then_left_open(answer: str) -> None:
    model = FunctionModel(lambda messages: answer)
    assert ask(model) is None
    assert len(model.asked) == 3


def test_a_model_that_cannot_be_asked_leaves_it_open() -> None:
    assert ask(ReplyModel(ModelError("gone", kind="server", model="m"))) is None
    good = reply('{"elements": [], "kinds": ["partial completion"]}')
    assert ask(ReplyModel(reply("no"), good)) == Analysis(("partial completion",), (), "test:replies", 0.02)
