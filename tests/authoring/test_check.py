"""``websp check`` on small sites: what is right passes, and what is broken is named."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.check_support import ADS, ADS_ON, MAIL, MAIL_HOLDS, SAVE, SITE, task, write_checked
from tests.command_support import websp_here
from websp_gym.authoring import SearchPaths, SiteReport, check_site
from websp_gym.authoring.crawl import crawl
from websp_gym.authoring.files import check_files, read_catalog
from websp_gym.authoring.findings import Finding
from websp_gym.authoring.proofs import prove
from websp_gym.browser.owner import call
from websp_gym.errors import SetupError
from websp_gym.sandbox.client import VARIABLE, Sandbox
from websp_gym.tasks.goals import Goal
from websp_gym.tasks.instances import load_instance

DEFECTS = """
<script>console.error("out of order"); setTimeout(() => { throw new Error("broken for good"); });</script>
<a href="/nothing-here">Gone</a> <a href="https://www.nowhere-at-all.example/">Far away</a> <a href="#">Stub</a>
<a href="#missing">Part</a> <img src="https://pixel.elsewhere.example/p.png" alt="">
<script src="/_site/lost.js"></script>
<button class="bare"><svg width="20" height="20"></svg></button> <input type="text">
<div style="width: 1500px">Wide</div>
"""
RESTLESS = """<p id="more"></p><script>
setInterval(() => { const late = document.createElement("button"); late.textContent = "Late"; more.append(late);
fetch("/quietly", {method: "POST"}); }, 45);
</script>"""
MOVES = '<script>fetch("/quietly", {method: "POST"}).then((reply) => reply.json());</script>'
ADS_HOLDS = "- {holds: {role: checkbox, name: Ads}, element: Checkbox, state: on}"
PROOFS = (
    task("Proofs-task-1", ADS_ON, SAVE, goal="{ads: true}"),
    task("Proofs-task-2", ADS, MAIL, SAVE),
    task("Proofs-task-3", MAIL_HOLDS, goal="{ads: true}"),
    task("Proofs-task-4", expect="{settings: {mail: false}}"),
    task("Proofs-task-5", ADS.replace("Ads", "Adds"), SAVE),
    task("Proofs-task-6", ADS, SAVE, goal="{ads: false, mail: true}"),
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the test sites, served by a sandbox of their own."""
    folder = tmp_path_factory.mktemp("own")
    write_checked(folder, "Good")
    write_checked(folder, "Pages", more=DEFECTS)
    write_checked(folder, "Moves", task("Moves-task-1", ADS_HOLDS, goal="{ads: true}"), home=MOVES)
    # One click and nothing to leave out: a page that is never at rest is waited for as long as may be.
    write_checked(folder, "Restless", task("Restless-task-1", SAVE, goal="{ads: true}"), home=RESTLESS)
    write_checked(folder, "Proofs", *PROOFS)
    places = SearchPaths.below(folder)
    with places.known(), places.served():
        yield folder


def _said(found: SiteReport | list[Finding], check: str) -> str:
    findings = found.findings if isinstance(found, SiteReport) else found
    wrong = [each for each in findings if each.outcome == "failed" and each.check == check]
    return " | ".join(finding.line() for finding in wrong)


def _walked(slug: str) -> list[Finding]:
    """What is found on the pages of a site."""
    catalog, finding = read_catalog()
    assert catalog is not None, finding.line()
    start = f"https://www.{slug}.example/"
    return call(lambda: list(crawl(catalog, slug, start_url=start, signed_in=())))


def _proved(name: str, *, long: bool = False) -> list[Finding]:
    return call(lambda: list(prove(load_instance(name), long=long)))


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.proof)])
def test_a_sound_site_passes_and_leaves_pictures(root: Path, tmp_path: Path, processes: int) -> None:
    told: list[tuple[str, int, int]] = []
    report = check_site(
        "good", screenshots=tmp_path, processes=processes, on_progress=lambda *state: told.append(state)
    )
    assert report.ok, [finding.line() for finding in report.failures]
    looked_at = {finding.check for finding in report.findings}
    assert {"S0", "oracle", "no-op", "omission", "unconfirmed", "opposite", "side effects"} <= looked_at
    assert {"pages", "console", "requests", "answers", "names", "width", "links", "reset time"} <= looked_at
    assert [finding.subject for finding in report.of("omission")] == [
        "Good-task-1 without step 1",
        "Good-task-1 without step 2",
    ]
    assert (told[0], told[-1]) == (("files", 0, 1), ("reset time", 3, 3))
    pictures = {path.name for path in (tmp_path / "good").iterdir()}
    assert {"start.png", "start_full.png", "Good-task-1.png", "contact_sheet.png"} <= pictures


def test_every_defect_of_a_page_is_named(root: Path) -> None:
    report = _walked("pages")
    assert "out of order" in _said(report, "console")
    assert "uncaught" in _said(report, "console")
    assert "broken for good" in _said(report, "console")
    dead = _said(report, "links")
    assert '"Gone" on /more leads to https://www.pages.example/nothing-here, which answers 404' in dead
    assert '"Far away"' in dead
    assert "no site has that host" in dead
    assert "Stub (#)" in dead
    assert "Part (#missing)" in dead
    assert "the sandbox has no site pixel.elsewhere.example" in _said(report, "requests")
    assert "404 for GET https://www.pages.example/_site/lost.js" in _said(report, "answers")
    assert '<button class="bare">' in _said(report, "names")
    assert '<input type="text">' in _said(report, "names")
    assert "/more is 220 pixels wider than its window" in _said(report, "width")
    assert {finding.check for finding in report if finding.outcome == "failed"} == {
        "console",
        "links",
        "requests",
        "answers",
        "names",
        "width",
    }


@pytest.mark.proof
def test_a_setting_that_moves_by_itself_is_named(root: Path) -> None:
    alone, walked = (
        _said(found, "side effects") for found in (_proved("Moves-task-1", long=True), _walked("moves"))
    )
    assert (
        "Moves-task-1 left alone: moves: mail changed from True to False, although nothing was done" in alone
    )
    assert "while pages were only looked at" in walked


@pytest.mark.proof
def test_a_page_that_changes_after_it_was_observed_is_named(root: Path) -> None:
    said = _said(_proved("Restless-task-1"), "rest")
    assert said.startswith("rest: Restless-task-1: Click [")
    assert "]: nothing became [" in said
    assert '] <button> "Late" within 50 ms after the observation' in said
    assert "POST /quietly was sent after the observation" in said


def test_every_task_that_proves_nothing_is_named(root: Path) -> None:
    # The server cannot decide an opposite.
    found = [each for number in range(1, 7) for each in _proved(f"Proofs-task-{number}", long=number == 3)]
    wrong = {(each.check, each.subject): each.detail for each in found if each.outcome == "failed"}
    assert "S0 is already the goal" in wrong["no-op", "Proofs-task-1"]
    assert "passes without TURN OFF 'Mail' checkbox" in wrong["omission", "Proofs-task-2 without step 2"]
    assert "mail changed" in wrong["side effects", "Proofs-task-2"]
    assert "`opposite:`" in wrong["opposite", "Proofs-task-3"]
    assert "mail: expected False, actual True" in wrong["S0", "Proofs-task-4"]
    assert "no checkbox named 'Adds'" in wrong["oracle", "Proofs-task-5"]
    assert not [subject for _, subject in wrong if subject.startswith("Proofs-task-6")]


def test_a_misspelt_field_of_a_changed_item_is_named() -> None:
    instance = load_instance("GitHub-task-126")
    goal = Goal.model_validate({"changed": [{"collection": "repos", "to": {"visiblity": "private"}}]})
    wrong = instance.model_copy(update={"task": instance.task.model_copy(update={"goal": goal})})
    catalog, _ = read_catalog()
    assert catalog is not None
    found = [each for each in check_files("github", catalog, (wrong,)) if each.check == "goal"]
    assert [each.detail for each in found] == [
        'goal.changed: repos has no field "visiblity"; did you mean "visibility"?'
    ]


def test_mistakes_in_the_files_are_named_without_a_browser(tmp_path: Path) -> None:
    text = task("Files-task-1", "- {type: {role: checkbox, name: Ads}, element: Checkbox, value: x}", SAVE)
    text = text.replace("{ads: false}", "{adds: false, mail: maybe}")
    text = text.replace(
        "Turn ads off (Files-task-1).", "Turn Ads off on the first page, and save (Files-task-1)."
    )
    prepare = "{prepare: {collections: {sessions: [{current: true}]}}}"
    text = text.replace("initial_state: []", f"initial_state: [{{replay: files/lost.json}}, {prepare}]")
    write_checked(tmp_path, "Files", text)
    recordings = tmp_path / "traces" / "files" / "recordings.yaml"
    recordings.parent.mkdir(parents=True)
    recordings.write_text("found: {start: x, gestures: [{click: {role: button, name: Save}}]}")
    (tmp_path / "sites" / "files" / "templates" / "odd.html").write_text("{% if %}")
    (tmp_path / "sites" / "files" / "templates" / "lost.html").write_text(
        "{% extends 'odd.html' %}\n{% if 1 %}{{ not_found() }}{% endif %}{% block a %}{{ 1 }}{% endblock %}"
    )
    report = check_site("files", places=SearchPaths.below(tmp_path), online=False)
    assert 'unknown setting "adds"; did you mean "ads"?' in _said(report, "goal")
    assert "mail: 'maybe' is not true or false" in _said(report, "goal")
    assert "both wordings are the same" in _said(report, "instructions")
    assert "files/lost.json; record it with `websp record`" in _said(report, "S0 files")
    assert "leave out current; signing in creates this browser's own session" in _said(report, "S0 files")
    assert "found has no trace yet; run `make traces SITE=files`" in _said(report, "recordings")
    assert "type does not fit a checkbox; it fits combobox" in _said(report, "ground truth")
    assert "odd.html:1:" in _said(report, "templates")
    assert "lost.html:2: a template that extends another one evaluates this only" in _said(
        report, "templates"
    )


def test_a_site_that_cannot_be_read_is_a_finding_with_its_reason(tmp_path: Path) -> None:
    write_checked(tmp_path, "Torn", site=SITE.replace("more.html", "mere.html"))
    report = check_site("torn", places=SearchPaths.below(tmp_path))
    assert 'template "mere.html" is not in' in _said(report, "site")
    assert 'did you mean "more.html"?' in _said(report, "site")


def test_own_folders_are_known_only_while_they_are_checked(tmp_path: Path) -> None:
    before = {name: os.environ.get(name) for name in ("WEBSP_SANDBOX_SITES", "WEBSP_TASK_CONFIGS", VARIABLE)}
    shared = Sandbox._shared
    write_checked(tmp_path, "Brief")
    places = SearchPaths.below(tmp_path)
    with places.served():
        assert Sandbox.shared() is not shared
        assert "brief" in {site["slug"] for site in Sandbox.shared().sites()}
    assert Sandbox._shared is shared
    assert {name: os.environ.get(name) for name in before} == before
    with pytest.raises(SetupError, match='no site "brief"'):
        check_site("brief", online=False)


def test_the_command_exits_with_0_1_or_2(tmp_path: Path) -> None:
    write_checked(tmp_path, "Fine")
    write_checked(tmp_path, "Wrong", task("Wrong-task-1", goal="{adds: false}"))
    arguments = ("--offline", "--places", str(tmp_path))
    fine = websp_here("check", "fine", *arguments)
    assert (fine.returncode, "fine passes" in fine.stdout) == (0, True), fine.stdout + fine.stderr
    wrong = websp_here("check", "fine", "wrong", *arguments, "--json")
    reports = json.loads(wrong.stdout)
    assert (wrong.returncode, [report["ok"] for report in reports]) == (1, [True, False])
    assert {"check", "subject", "outcome", "detail"} == set(reports[1]["findings"][0])
    unknown = websp_here("check", "fin", *arguments)
    assert (unknown.returncode, 'did you mean "fine"?' in unknown.stderr) == (2, True)
    assert "websp check steam" in websp_here("check", "--help").stdout
