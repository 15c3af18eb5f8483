"""Why a run failed, by rules over the state and the trajectory: on recorded runs, and in the verdict of an episode."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Self

import pytest

from tests.conftest import MakeEnv
from tests.judge_support import NAMES, recorded
from tests.recorded import recorded as played
from websp_gym.calibration.edits import cut
from websp_gym.records.load import load_trajectory
from websp_gym.records.recorder import Recorder
from websp_gym.records.trajectory import ActionRecord, Step, Trajectory
from websp_gym.records.verdict import Failure, failed, passed, unscored
from websp_gym.scoring.explain import failure_of, with_failure_causes
from websp_gym.scoring.outcome import EpisodeEnd
from websp_gym.scoring.rewards import make_reward
from websp_gym.scoring.state_reward import state_verdict
from websp_gym.scoring.truth import outcome_of, state_verdict_of_record
from websp_gym.tasks.instances import load_instance

TWO = "Steam-task-191-ON"
"""Two switches, each stored at once: steps 4 and 5."""
FORM = "Steam-task-199"
"""Two check boxes and Save: steps 5, 6 and 7 (4 scrolls or leads there)."""


def why(run: Trajectory) -> tuple[tuple[str, ...], tuple[str, ...]]:
    failure = state_verdict_of_record(run, load_instance(run.instance)).failure or Failure()
    return failure.kinds, failure.elements


def end_of(run: Trajectory) -> EpisodeEnd:
    outcome = outcome_of(run, load_instance(run.instance))
    assert outcome is not None
    return outcome


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


def test_undoing_a_condition_that_held_is_a_state_misunderstanding() -> None:
    run = recorded("Steam-task-191-OFF")
    run.end["settings"]["cookies.valve_analytics"] = True
    assert "state misunderstanding" in why(run)[0]


def test_three_times_the_same_in_front_of_the_same_is_repeated() -> None:
    run = stopped(TWO, 3)
    view = run.steps[2].view
    for times in (2, 3):
        act = ActionRecord.read("Hover [3]", view)
        more = [Step(number=0, action="Hover [3]", act=act, seconds=0.1, view=view) for _ in range(times)]
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
    assert state_verdict_of_record(run, load_instance(TWO)).status == "fail"
    assert why(run) == ((), ())


def test_the_strict_score_takes_side_effects_from_the_recorded_verdict() -> None:
    run, instance = recorded(TWO), load_instance(TWO)
    kept = run.verdict or {}
    assert state_verdict_of_record(run, instance).strict is None
    run.verdict = {**kept, "strict": 1.0}
    assert state_verdict_of_record(run, instance).strict == 1.0
    other = "google_accounts: signed out"
    run.verdict = {**kept, "strict": 0.0, "side_effects": [other]}
    truth = state_verdict_of_record(run, instance)
    assert (truth.score, truth.strict, truth.side_effects) == (1.0, 0.0, (other,))


def test_the_siblings_score_of_a_record_that_lacks_it_follows_from_its_states() -> None:
    run, instance = recorded(TWO), load_instance(TWO)
    assert "siblings" not in (run.verdict or {})
    truth = state_verdict_of_record(run, instance)
    assert (truth.score, truth.siblings, truth.strict) == (1.0, 1.0, None)
    run.verdict = {"strict": 1.0, "side_effects": ["google_accounts: signed out"]}
    assert state_verdict_of_record(run, instance).siblings == 1.0, "that is another site"
    run.end["settings"]["cookies.youtube"] = not run.end["settings"]["cookies.youtube"]
    truth = state_verdict_of_record(run, instance)
    assert (truth.score, truth.siblings) == (1.0, 0.0)
    (effect,) = truth.sibling_effects or ()
    assert effect.startswith("steam: cookies.youtube changed")


# --- in a verdict -----------------------------------------------------------------------------------


def test_a_failure_is_explained_and_nothing_else_of_a_verdict_changes() -> None:
    outcome, verdict = end_of(stopped(TWO, 4)), failed("judge", "no", details={"cost": 0.5})
    why = Failure(kinds=("hallucinated success", "partial completion"), elements=("Toggle",))
    assert with_failure_causes(verdict, outcome) == replace(verdict, failure=why)
    for verdict in (passed("state", "yes"), unscored("judge", "who knows")):
        assert with_failure_causes(verdict, outcome) is verdict


def test_a_judges_failure_that_the_state_does_not_share_has_no_kind() -> None:
    assert failure_of(end_of(recorded(TWO))) == Failure()


def test_a_failed_explanation_reports_the_reason_and_keeps_the_verdict() -> None:
    blind = stopped(TWO, 4).model_copy(update={"initial": None, "steps": []})
    assert failure_of(end_of(blind)) == Failure(error="the agent's observations were not kept")
    stateless = stopped(TWO, 4).model_copy(update={"s0": {}})
    assert failure_of(end_of(stateless)) == Failure(error="the world reported no state of Steam")
    broken = end_of(stopped(TWO, 4))
    broken.trajectory.events.append({"kind": "set", "data": None})
    found = with_failure_causes(failed("limit", "no"), broken)
    assert found.status == "fail"
    assert found.failure is not None
    assert (found.failure.kinds, found.failure.elements) == ((), ())
    assert "Error: " in found.failure.error


# --- in an episode ----------------------------------------------------------------------------------

CAUSES = {
    "half": Failure(kinds=("hallucinated success", "partial completion"), elements=("Toggle",)),
    "untouched": Failure(kinds=("incorrect navigation", "hallucinated success"), elements=("Dropdown",)),
    "limit": Failure(kinds=("incorrect navigation",), elements=("Link",)),
    "looping": Failure(kinds=("incorrect navigation", "repeated actions"), elements=("Toggle",)),
    # An agent that is shown no marks is explained as well.
    "gave-up": Failure(kinds=("incorrect navigation",), elements=("Dropdown",)),
}
"""Of recorded runs: what their episodes were told at their end."""


@pytest.mark.parametrize("name", CAUSES)
def test_a_failed_episode_has_its_causes_in_its_verdict(name: str) -> None:
    record = played(name)
    told = {"kinds": [*CAUSES[name].kinds], "elements": [*CAUSES[name].elements], "error": ""}
    assert (record.verdict or {})["failure"] == told
    assert state_verdict_of_record(record, load_instance(record.instance)).failure == CAUSES[name]


def test_an_episode_that_passed_has_none() -> None:
    assert "failure" not in (played("solved").verdict or {"failure": None})


class Calls:
    """Counts the calls of a function by any caller and under any name."""

    def __init__(self, code: CodeType) -> None:
        self.count = 0
        self._code = code

    def __enter__(self) -> Self:
        sys.setprofile(self._seen)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _seen(self, frame: FrameType, event: str, _: object) -> None:
        self.count += event == "call" and frame.f_code is self._code


def nothing(outcome: EpisodeEnd) -> float:
    return 0.0


@pytest.mark.parametrize("last", ["ANSWER; done", "Hover [0]"], ids=["answer", "limit"])
def test_an_episode_without_a_record_is_explained_and_its_verdict_computed_once(
    make: MakeEnv, last: str
) -> None:
    env = make(TWO, viewport=(800, 640), reward="strict", max_actions=1)
    env.reset(seed=3)
    with Calls(state_verdict.__code__) as calls:
        *_, info = env.step(last)
    assert json.loads(json.dumps(info["verdict"]))["failure"]["kinds"][0] == "incorrect navigation"
    assert calls.count == 1


@pytest.mark.parametrize("reward", ["state", "siblings", "strict", nothing])
def test_a_verdict_is_computed_once_for_reward_side_effects_and_explanation(reward: Any) -> None:
    outcome = end_of(stopped(TWO, 4))
    with Calls(state_verdict.__code__) as calls:
        verdict = with_failure_causes(make_reward(reward)(outcome), outcome)
    assert verdict.failure is not None
    assert verdict.failure.kinds
    assert calls.count == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_record_of_the_first_schema_is_read_and_its_actions_understood(tmp_path: Path, name: str) -> None:
    old = recorded(name)
    assert old.steps[-1].act == ActionRecord(kind="ANSWER", text=old.steps[-1].action)
    clicks = [step.act for step in old.steps if step.action.startswith("Click")]
    assert clicks
    assert all(act and act.role and act.name is not None for act in clicks)
    recorder = Recorder(tmp_path, old)
    recorder.save()
    assert load_trajectory(recorder.folder) == old


def test_a_verdict_on_a_record_is_computed_once_too() -> None:
    run = stopped(TWO, 4)
    with Calls(state_verdict.__code__) as calls:
        assert why(run)[0]
    assert calls.count == 1
