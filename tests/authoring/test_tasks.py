"""A task proves its own check: one of each kind of control, and a few of what a change touches.

The oracle passes from a replayed S0, doing nothing passes exactly where S0 is the goal, and leaving out any single
state-changing step fails: decided on the server from the requests of the oracle's one episode. ``make prove`` proves every
instance the long way, where each omission and the opposite are episodes in the browser (as ``test_check.py`` does with a small
site), and every page, panel and sign-in of every site.
"""

from __future__ import annotations

from itertools import chain, zip_longest

import pytest

from tests.sample import cost, in_gate, kind_of, long_proof, one_of_each, one_of_each_control, touched
from websp_gym.authoring import sign_in
from websp_gym.authoring.crawl import crawl
from websp_gym.authoring.files import check_files, read_catalog
from websp_gym.authoring.findings import Finding
from websp_gym.authoring.panel_proofs import prove_panels
from websp_gym.authoring.proofs import prove
from websp_gym.authoring.sign_in import prove_sign_in, shown_to_sign_in
from websp_gym.sandbox.schema.catalog import BUILTIN
from websp_gym.sandbox.schema.site_files import load_site
from websp_gym.tasks.instances import Instance, all_instances, all_work, load_instance

pytestmark = pytest.mark.usefixtures("browser_thread")

SITES: dict[str, list[Instance]] = {}
for _instance in (*all_instances(), *all_work()):
    SITES.setdefault(_instance.site.slug, []).append(_instance)
EVERY = [instance for each in SITES.values() for instance in each]
WITH_LOGIN = {each.id: each for of_site in SITES.values() for each in shown_to_sign_in(of_site)}
TOUCHED = touched()
SLUGS = sorted(TOUCHED.slugs & SITES.keys())
# Turn about, so that each touched site is among the first.
OF_SITES = list(chain(*zip_longest(*(one_of_each_control(SITES[slug]) for slug in SLUGS))))
ONE_OF_EACH_SITE = one_of_each((each for each in EVERY if kind_of(each)), lambda each: each.site.slug)
SATISFIED = "Airbnb-task-106-OFF"
"""An instance whose S0 is the goal."""
LONG = in_gate([], [each for each in OF_SITES if each], most=2)
QUICK = in_gate(
    [*(each for each in one_of_each_control(EVERY) if each not in LONG), SATISFIED],
    [each for each in (*OF_SITES, *ONE_OF_EACH_SITE * TOUCHED.tasks) if each and each not in LONG],
    most=6,
)
SMALL = ["wattpad", "coursera", "googleadcenter", "oldreddit"]
VISITED = in_gate([], [*SLUGS, *SMALL * TOUCHED.sites], most=3)
"""Sites of which one of each kind of page and panel is visited, as ``test_crawl.py`` and ``test_site_gallery.py`` always do
with sites made for it."""
WITH_PANELS = [slug for slug in dict.fromkeys((*SMALL, *VISITED)) if load_site(BUILTIN / slug).panels]
SIGNED_IN = in_gate(
    # A goal that names sessions must hold for the one that the browser opens when it signs in again.
    ["Grammarly-task-24"],
    [each.id for each in sorted(WITH_LOGIN.values(), key=cost) if each.site.slug in SLUGS],
    most=1,
)
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


@pytest.mark.parametrize("name", QUICK)
def test_an_instance_proves_its_check_in_one_episode(name: str) -> None:
    findings = list(prove(load_instance(name), long=False))
    assert _wrong(findings) == []
    assert _proved(name, findings) >= PROOFS


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", long_proof(dict.fromkeys(("Docker-task-4", *LONG)), LONG))
def test_an_instance_proves_its_check_the_long_way(name: str) -> None:
    findings = list(prove(load_instance(name)))
    assert _wrong(findings) == []
    made = _proved(name, findings)
    assert made >= PROOFS | {"opposite"}
    # What the server decides is what happens in the browser.
    assert "agreement" in made or "is the goal" in next(
        each.detail for each in findings if each.check == "omission"
    )


def test_every_action_on_every_role_is_proved() -> None:
    proved = [load_instance(name) for name in (*LONG, *QUICK)]
    assert set().union(*map(kind_of, proved)) == set().union(*map(kind_of, EVERY))


def test_the_files_of_every_site_fit_together() -> None:
    catalog, finding = read_catalog()
    assert catalog is not None, finding.line()
    assert _wrong([each for slug in SITES for each in check_files(slug, catalog, tuple(SITES[slug]))]) == []


@pytest.mark.parametrize("slug", long_proof(dict.fromkeys((*SMALL, *VISITED)), VISITED))
def test_a_page_of_each_template_is_quiet_and_no_link_is_dead(slug: str) -> None:
    catalog, finding = read_catalog()
    assert catalog is not None, finding.line()
    site = SITES[slug][0].site
    findings = list(crawl(catalog, slug, start_url=site.start_url, signed_in=site.signed_in, every=False))
    assert _wrong(findings) == []
    assert {"pages", "console", "requests", "names", "links"} <= {finding.check for finding in findings}


@pytest.mark.parametrize("name", SIGNED_IN)
def test_the_login_trace_signs_in_and_again_after_the_session_expired(name: str) -> None:
    (finding,) = prove_sign_in(WITH_LOGIN[name])
    assert finding.outcome == "ok", finding.line()


# Whether a proof that must fail does so is slow to find out.
@pytest.mark.proof
def test_a_trace_that_does_not_sign_in_is_found() -> None:
    instance = next(each for each in WITH_LOGIN.values() if each.site.slug == "steam")
    site = instance.site.model_copy(update={"login_trace": "steam/reject_all_cookies.json"})
    (finding,) = prove_sign_in(instance.model_copy(update={"site": site}))
    assert finding.outcome == "failed", finding.line()


@pytest.mark.proof
def test_a_site_that_keeps_the_end_of_a_session_to_itself_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "SESSION_ENDED", "What no page says.")
    (finding,) = prove_sign_in(next(each for each in WITH_LOGIN.values() if each.site.slug == "wolfram"))
    assert (finding.outcome, 'does not say "What no page says."' in finding.detail) == ("failed", True)


@pytest.mark.parametrize("slug", long_proof(WITH_PANELS, [slug for slug in WITH_PANELS if slug in VISITED]))
def test_a_control_of_each_kind_changes_its_setting_and_nothing_else(slug: str) -> None:
    catalog, finding = read_catalog()
    assert catalog is not None, finding.line()
    findings = list(prove_panels(catalog[slug], signed_in=SITES[slug][0].site.signed_in, every=False))
    assert _wrong(findings) == []
    assert findings
