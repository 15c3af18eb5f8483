"""Every task of every site proves its own check.

The oracle passes from a replayed S0, doing nothing passes exactly where S0 is the goal, leaving out any single
state-changing step fails, doing the opposite fails, and what is not confirmed is not saved.
"""

from __future__ import annotations

import pytest

from tests.conftest import MakeEnv
from websp_gym.agents.oracle import OracleAgent
from websp_gym.authoring.crawl import crawl
from websp_gym.authoring.files import check_files, read_catalog
from websp_gym.authoring.findings import Finding
from websp_gym.authoring.proofs import prove
from websp_gym.runner.batch import run_episode
from websp_gym.tasks.instances import LoadedInstance, all_instances, load_instance

SITES: dict[str, list[LoadedInstance]] = {}
for _loaded in all_instances():
    SITES.setdefault(_loaded.site.slug, []).append(_loaded)
INSTANCES = [loaded.id for each in SITES.values() for loaded in each]


def _wrong(findings: list[Finding]) -> list[str]:
    return [finding.line() for finding in findings if finding.outcome == "failed"]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", INSTANCES)
def test_an_instance_proves_its_check(name: str) -> None:
    loaded = load_instance(name)
    findings = list(prove(loaded))
    assert _wrong(findings) == []

    changing = [step for step in loaded.instance.ground_truth if step.changes_state]
    made = [finding.check for finding in findings]
    assert {"S0", "oracle", "no-op", "opposite", "side effects", "console", "requests"} <= set(made)
    nothing_to_do = next(finding for finding in findings if finding.check == "no-op").detail == "is worth 1.0"
    assert made.count("omission") == (1 if nothing_to_do else len(changing))
    assert nothing_to_do or changing


@pytest.mark.parametrize("slug", list(SITES))
def test_the_oracle_solves_one_instance_of_each_site_in_the_environment(make: MakeEnv, slug: str) -> None:
    env = make(SITES[slug][-1].id, initial_state="replay")
    result = run_episode(env, OracleAgent())
    assert (result.status, result.reward) == ("pass", 1.0), result.reason


@pytest.mark.parametrize("slug", list(SITES))
def test_the_files_of_a_site_fit_together(slug: str) -> None:
    catalog, finding = read_catalog()
    assert catalog is not None, finding.line()
    assert _wrong(list(check_files(slug, catalog, tuple(SITES[slug])))) == []


@pytest.mark.parametrize("slug", list(SITES))
def test_every_page_of_a_site_is_quiet_and_no_link_is_dead(slug: str) -> None:
    catalog, finding = read_catalog()
    assert catalog is not None, finding.line()
    site = SITES[slug][0].site
    findings = list(crawl(catalog, slug, start_url=site.start_url, signed_in=site.signed_in))
    assert _wrong(findings) == []
    assert {"pages", "console", "requests", "names", "links"} <= {finding.check for finding in findings}
