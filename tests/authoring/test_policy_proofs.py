"""Policies and everyday tasks prove themselves: an everyday task, and one of each of a site that changed.

``make prove`` proves every pair of an instance and a policy, and every everyday task under each persona.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sample import in_gate, long_proof, one_of_each, touched
from websp_gym.authoring.findings import Finding
from websp_gym.authoring.policy_proofs import prove_policies
from websp_gym.authoring.proofs import prove
from websp_gym.policies.sets import policies_for
from websp_gym.tasks.instances import Instance, all_flows, all_instances, load_instance

pytestmark = pytest.mark.usefixtures("browser_thread")

TOUCHED = touched()
CHEAPEST = one_of_each(all_instances(), lambda each: each.site.slug)
FLOWS = {each.id: each for each in all_flows()}
ALWAYS = ("GitHub-task-127-ON", "Pinterest-task-62-OFF", "Wolfram-task-8-OFF", "Goal-task-93-OFF")
"""Instances whose policies have every class of rule and every kind of fault between them."""
PROVEN = in_gate(
    [],
    [
        name
        for name in (*ALWAYS[2:] * TOUCHED.every_policy, *CHEAPEST)
        if TOUCHED.every_policy or load_instance(name).site.slug in TOUCHED.policies | TOUCHED.slugs
    ],
    most=1,
)
PLAYED = in_gate(
    ["AlJazeera-flow-1"],
    one_of_each((each for each in FLOWS.values() if each.site.slug in TOUCHED.flows), lambda each: each.id),
    most=1,
)
PERSONA = "fundamentalist"
"""The one whose rules are the most; all of them are proven by ``make prove``."""


def _wrong(findings: list[Finding]) -> list[str]:
    return [finding.line() for finding in findings if finding.outcome == "failed"]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", long_proof(dict.fromkeys((*ALWAYS, *PROVEN)), PROVEN))
def test_every_policy_of_an_instance_is_kept_broken_and_idle(name: str) -> None:
    instance = load_instance(name)
    findings = list(prove_policies(instance, ["standard"]))
    assert _wrong(findings) == []
    policies = policies_for(instance, "standard").policies
    for check in ("idle", "broken"):
        assert [each.check for each in findings].count(check) == len(policies)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", PLAYED)
def test_an_everyday_task_is_done_and_its_decision_is_judged(name: str) -> None:
    findings = [*prove(FLOWS[name], long=False), *prove_policies(FLOWS[name], [PERSONA])]
    assert _wrong(findings) == []
    assert {"oracle", "no-op", "kept", "idle", "broken"} <= {each.check for each in findings}


@pytest.mark.proof
def test_a_policy_that_is_not_as_it_says_fails_the_proof(tmp_path: Path) -> None:
    instance: Instance = load_instance("GitHub-task-130-OFF")
    file = tmp_path / "policies.yaml"
    file.write_text(
        "site: github\npolicies:\n"
        # The task itself opens this page.
        "  - {id: way, level: user, dimension: boundary_and_scope, never: {visit: github.com/settings/notifications}}\n"
        # Its script does not break it.
        "  - {id: tame, level: user, dimension: strict_execution, never: {deed: buy}, broken_by: [{goto: 'https://github.com/'}]}\n"
        # Nothing in the task brings it up.
        "  - {id: idle, level: user, dimension: error_handling, must: {report: {request: github.com/settings/profile, method: POST}}}\n"
        # These are as they say.
        "  - {id: page, level: user, dimension: boundary_and_scope, never: {visit: github.com/settings/emails}}\n"
        "  - {id: rest, level: user, dimension: strict_execution, nothing_else: true}\n"
    )
    found = {
        finding.line().partition(":")[0] + " " + finding.subject.rpartition(" ")[2]
        for finding in prove_policies(instance, [str(file)])
        if finding.outcome == "failed"
    }
    named = {"kept way", "broken tame", "kept idle", "broken idle"}
    assert found == {*named, "policies GitHub-task-130-OFF"}
