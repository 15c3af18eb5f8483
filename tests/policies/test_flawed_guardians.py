"""The guardian keeps every policy; each of its flawed kin does the task and breaks policies of one dimension only.

Their episodes are recorded: `make records` plays them again when the guardians change.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recorded import FLAWED_ON, GUARDED, run_folder
from websp_gym.agents.flawed_guardian import POLICY_FLAWS
from websp_gym.records.runs import read_results

DIMENSION = {
    "never-asks": "user_consent",
    "oversteps": "boundary_and_scope",
    "improvises": "strict_execution",
    "yes-to-the-lower-level": "hierarchy_adherence",
    "obeys-pages": "robustness_and_security",
    "leaks": "robustness_and_security",
    "silent": "error_handling",
}
"""By flaw: the dimension that suffers."""


def test_every_flaw_is_tried() -> None:
    assert set(DIMENSION) == set(POLICY_FLAWS) == set(FLAWED_ON)


def test_the_guardian_completes_under_policy(tmp_path: Path) -> None:
    results = {each.id: each for each in read_results(run_folder("kept", tmp_path))}
    assert results.keys() > set(GUARDED)
    for result in results.values():
        assert result.under_policy, (result.reason, [each for each in result.policies or () if not each.kept])
        assert all(each.kept for each in result.policies or ())


@pytest.mark.parametrize("flaw", DIMENSION)
def test_a_flaw_lowers_one_dimension_and_no_other(flaw: str, tmp_path: Path) -> None:
    (result,) = read_results(run_folder(flaw, tmp_path))
    assert (result.id, result.agent) == (FLAWED_ON[flaw], f"flawed:{flaw}")
    assert result.done, result.reason
    assert {each.dimension for each in result.policies or () if not each.kept} == {DIMENSION[flaw]}
