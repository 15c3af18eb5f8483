"""Every task of every site proves its own check.

The oracle passes from a replayed S0, doing nothing passes exactly where S0 is the goal, and leaving out any single
state-changing step fails: decided on the server from the requests of the oracle's one episode. So are one task of each
site, and all tasks where the engine changed. One instance of each kind of control and all instances of a site that
changed are proved the long way, as ``make prove`` does with all: each omission and the opposite are episodes in the
browser. ``tests/sample.py`` maps a change to what it may touch.
"""

from __future__ import annotations

import pytest

from tests.sample import kind_of, one_of_each, touched, way_to_sign_in
from websp_gym.authoring import sign_in
from websp_gym.authoring.crawl import crawl
from websp_gym.authoring.files import check_files, read_catalog
from websp_gym.authoring.findings import Finding
from websp_gym.authoring.panel_proofs import prove_panels
from websp_gym.authoring.proofs import prove
from websp_gym.authoring.sign_in import prove_sign_in, shown_to_sign_in
from websp_gym.sandbox.schema.catalog import BUILTIN
from websp_gym.sandbox.schema.site_files import load_site
from websp_gym.tasks.instances import Instance, all_instances, load_instance

pytestmark = pytest.mark.usefixtures("browser_thread")

SITES: dict[str, list[Instance]] = {}
for _instance in all_instances():
    SITES.setdefault(_instance.site.slug, []).append(_instance)
EVERY = [instance for each in SITES.values() for instance in each]
INSTANCES = [instance.id for instance in EVERY]
TOUCHED = touched()
LONG = one_of_each(EVERY, kind_of, cheapest=True) | {
    each.id for each in EVERY if each.site.slug in TOUCHED.slugs
}
QUICK = one_of_each(EVERY, lambda each: each.task.id if TOUCHED.tasks else each.site.slug) - LONG
SMALL = ("coursera", "googleadcenter", "oldreddit", "wattpad")
"""Sites that are always visited: one of each kind of page and panel, and quickly done."""
VISITED = sorted(SITES if TOUCHED.sites else {*SMALL, *TOUCHED.slugs} & SITES.keys())
WITH_LOGIN = {each.id: each for of_site in SITES.values() for each in shown_to_sign_in(of_site)}
SIGNED_IN = one_of_each(WITH_LOGIN.values(), way_to_sign_in, cheapest=True) | {
    name for name, each in WITH_LOGIN.items() if each.site.slug in TOUCHED.slugs
}
PROOFS = {"S0", "oracle", "rest", "no-op", "omission", "side effects", "console", "requests"}


def _wrong(findings: list[Finding]) -> list[str]:
    return [finding.line() for finding in findings if finding.outcome == "failed"]


def _proved(name: str, findings: list[Finding]) -> set[str]:
    """The proof; every step that changes state was left out, unless S0 is the goal."""
    made = [finding.check for finding in findings]
    nothing_to_do = next(finding for finding in findings if finding.check == "no-op").detail == "is worth 1.0"
    changing = sum(step.changes_state for step in load_instance(name).config.ground_truth)
    assert made.count("omission") == (1 if nothing_to_do else changing)
    assert nothing_to_do or changing
    return set(made)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", sorted(QUICK))
def test_an_instance_proves_its_check_in_one_episode(name: str) -> None:
    findings = list(prove(load_instance(name), long=False))
    assert _wrong(findings) == []
    assert _proved(name, findings) >= PROOFS


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", sorted(LONG))
def test_an_instance_of_each_kind_proves_its_check_the_long_way(name: str) -> None:
    findings = list(prove(load_instance(name)))
    assert _wrong(findings) == []
    made = _proved(name, findings)
    assert made >= PROOFS | {"opposite"}
    # What the server decides is what happens in the browser.
    assert "agreement" in made or "is the goal" in next(
        each.detail for each in findings if each.check == "omission"
    )


def test_the_sample_covers_every_site_and_every_kind_of_control() -> None:
    proven = [load_instance(name) for name in {*LONG, *QUICK}]
    assert {each.site.slug for each in proven} == set(SITES)
    # Where S0 is the goal, no step can be left out, and the proof says nothing of the site's controls.
    assert {each.site.slug for each in proven if kind_of(each)} == set(SITES)
    assert {kind_of(load_instance(name)) for name in LONG} == {kind_of(each) for each in EVERY}
    assert {way_to_sign_in(WITH_LOGIN[name]) for name in SIGNED_IN} == {
        way_to_sign_in(each) for each in WITH_LOGIN.values()
    }


@pytest.mark.parametrize("slug", list(SITES))
def test_the_files_of_a_site_fit_together(slug: str) -> None:
    catalog, finding = read_catalog()
    assert catalog is not None, finding.line()
    assert _wrong(list(check_files(slug, catalog, tuple(SITES[slug])))) == []


@pytest.mark.parametrize("slug", VISITED)
def test_a_page_of_each_template_is_quiet_and_no_link_is_dead(slug: str) -> None:
    catalog, finding = read_catalog()
    assert catalog is not None, finding.line()
    site = SITES[slug][0].site
    findings = list(crawl(catalog, slug, start_url=site.start_url, signed_in=site.signed_in, every=False))
    assert _wrong(findings) == []
    assert {"pages", "console", "requests", "names", "links"} <= {finding.check for finding in findings}


# A goal that names sessions must hold for the one that the browser opens when it signs in again.
@pytest.mark.parametrize("name", sorted(SIGNED_IN | {"Grammarly-task-24"}))
def test_the_login_trace_signs_in_and_again_after_the_session_expired(name: str) -> None:
    (finding,) = prove_sign_in(WITH_LOGIN[name])
    assert finding.outcome == "ok", finding.line()


def test_a_trace_that_does_not_sign_in_is_found() -> None:
    instance = next(each for each in WITH_LOGIN.values() if each.site.slug == "steam")
    site = instance.site.model_copy(update={"login_trace": "steam/reject_all_cookies.json"})
    (finding,) = prove_sign_in(instance.model_copy(update={"site": site}))
    assert finding.outcome == "failed", finding.line()


def test_a_site_that_keeps_the_end_of_a_session_to_itself_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "SESSION_ENDED", "What no page says.")
    (finding,) = prove_sign_in(next(each for each in WITH_LOGIN.values() if each.site.slug == "wolfram"))
    assert (finding.outcome, 'does not say "What no page says."' in finding.detail) == ("failed", True)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("slug", [slug for slug in VISITED if load_site(BUILTIN / slug).panels])
def test_a_control_of_each_kind_changes_its_setting_and_nothing_else(slug: str) -> None:
    catalog, finding = read_catalog()
    assert catalog is not None, finding.line()
    findings = list(prove_panels(catalog[slug], signed_in=SITES[slug][0].site.signed_in, every=False))
    assert _wrong(findings) == []
    assert findings
