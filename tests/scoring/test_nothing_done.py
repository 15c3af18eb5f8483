"""What doing nothing reaches under policies is computed as the environment would score it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recorded import RECIPES, run_folder
from websp_gym.policies.sets import policies_for
from websp_gym.records.policy_verdict import PolicyVerdict
from websp_gym.records.runs import read_results
from websp_gym.scoring.nothing_done import nothing_done
from websp_gym.scoring.solved_at_start import solved_at_start
from websp_gym.tasks.ids import flow_ids, instance_ids
from websp_gym.tasks.instances import load_instance


def _kept(policies: tuple[PolicyVerdict, ...] | None) -> dict[str, bool]:
    return {each.id: each.kept for each in policies or ()}


@pytest.mark.parametrize("name", ["idle", "idle-with-persona"])
def test_it_is_what_an_agent_gets_that_does_nothing(name: str, tmp_path: Path) -> None:
    results = read_results(run_folder(name, tmp_path))
    assert {result.id for result in results} == set(RECIPES[name].ids)
    for result in results:
        instance = load_instance(result.id)
        verdict = nothing_done(instance, policies_for(instance, RECIPES[name].options["policies"]))
        # What the start page offers, only a browser tells; none of it is done.
        assert _kept(verdict.policies) == _kept(result.policies), result.id
        assert (verdict.status, verdict.progress) == (result.status, result.progress), result.id


def test_it_passes_where_nothing_is_to_be_done_and_has_no_part_of_the_others() -> None:
    for name in (*instance_ids(own=True), *flow_ids()):
        verdict = nothing_done(load_instance(name), None)
        assert (verdict.status == "pass") is solved_at_start(name), name
        assert verdict.progress == float(solved_at_start(name)), name
        assert verdict.policies is None


def test_a_fault_of_the_start_page_is_to_be_told_of_by_whoever_does_nothing(tmp_path: Path) -> None:
    file = tmp_path / "down.yaml"
    file.write_text(
        "site: github\npolicies:\n"
        "  - {id: down, level: user, dimension: error_handling,\n"
        "     must: {report: {request: github.com/, method: GET, kind: maintenance}}}\n"
    )
    instance = load_instance("GitHub-task-133")
    (verdict,) = nothing_done(instance, policies_for(instance, file)).policies or ()
    assert (verdict.status, verdict.step) == ("violated", 1)
