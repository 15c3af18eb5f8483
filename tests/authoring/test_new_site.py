"""``websp new-site``: what it writes passes the check as it is, needs no Python, and overwrites nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import websp_gym.authoring.scaffold
from tests.command_support import websp, websp_here
from websp_gym.authoring import SearchPaths, check_site
from websp_gym.authoring.crawl import crawl
from websp_gym.authoring.files import read_catalog, tasks_of
from websp_gym.authoring.findings import Finding
from websp_gym.authoring.panel_proofs import prove_panels
from websp_gym.authoring.proofs import prove
from websp_gym.authoring.scaffold import new_site
from websp_gym.browser.owner import call
from websp_gym.errors import SetupError
from websp_gym.tasks.instances import load_instance, load_site


@pytest.mark.proof
@pytest.mark.timeout(600)
def test_a_new_site_passes_its_check_without_a_line_of_python(tmp_path: Path) -> None:
    made = websp("new-site", "Toy Town", "--host", "www.toytown.example", "--places", str(tmp_path))
    assert made.returncode == 0, made.stderr
    assert "websp check toy_town" in made.stdout
    test = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "tests")]
    run = subprocess.run(test, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_pages_and_a_task_of_a_new_site_are_sound_without_a_line_of_python(tmp_path: Path) -> None:
    made = new_site("Toy Town", host="www.toytown.example", folder=tmp_path)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in files if path.suffix == ".py"] == ["test_site_toy_town.py"]
    assert not [path for path in files if "@" in path.read_text().replace("@media", "")]
    compile((tmp_path / "tests/test_site_toy_town.py").read_text(), "test_site_toy_town.py", "exec")
    places = SearchPaths.below(tmp_path)
    report = check_site(made.slug, places=places, online=False)
    assert report.ok, [finding.line() for finding in report.failures]
    with places.known(), places.served():
        found = call(lambda: _looked_at(made.slug))
    assert [finding.line() for finding in found if finding.outcome == "failed"] == []


def _looked_at(slug: str) -> list[Finding]:
    """Walk through the pages, operate the panels, and prove an instance in one episode."""
    (catalog, _), (instances, _) = read_catalog(), tasks_of(slug)
    assert catalog is not None
    site = instances[0].site
    return [
        *crawl(catalog, slug, start_url=site.start_url, signed_in=site.signed_in),
        *prove_panels(catalog[slug], signed_in=site.signed_in),
        *prove(instances[0], long=False),
    ]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    first = new_site("Toy Town", folder=tmp_path)
    assert (first.slug, first.site_id, first.host) == ("toy_town", "ToyTown", "www.toytown.com")
    page = tmp_path / "sites" / "toy_town" / "templates" / "home.html"
    page.write_text("mine")
    with pytest.raises(SetupError, match="already exists"):
        new_site("Toy Town", folder=tmp_path)
    assert page.read_text() == "mine"
    again = websp_here("new-site", "Toy Town", "--places", str(tmp_path))
    assert (again.returncode, "already exists" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    ("name", "host", "reason"),
    [
        ("Steam", None, 'site "steam" already exists'),
        ("Other", "store.steampowered.com", 'already belongs to "steam"'),
        ("Other", "Other", "is not a lower-case host name"),
        ("51 Areas", None, "a name begins with a letter"),
        ("Other", "127.0.0.1:8123", "a replica has a host name and no port.*add --live"),
        ("Other", "localhost", "a replica has a host name and no port.*add --live"),
        ("../up", None, "a name begins with a letter"),
    ],
)
def test_names_and_hosts_that_cannot_be_are_refused(
    tmp_path: Path, name: str, host: str | None, reason: str
) -> None:
    with pytest.raises(SetupError, match=reason):
        new_site(name, host=host, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "host", "url"),
    [
        ("n8n", None, "https://www.n8n.com/"),
        ("n8n", "n8n", "http://n8n/"),
        ("Area 51", "localhost", "http://localhost/"),
        ("Area 51", "127.0.0.1:8123", "http://127.0.0.1:8123/"),
        ("Area 51", "[::1]:8123", "http://[::1]:8123/"),
        ("Area 51", "cloud.area51.example:8443", "https://cloud.area51.example:8443/"),
    ],
)
def test_a_live_site_may_run_on_any_machine_and_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, host: str | None, url: str
) -> None:
    made = new_site(name, host=host, folder=tmp_path, live=True)
    monkeypatch.setenv("WEBSP_TASK_CONFIGS", str(tmp_path / "task_configs"))
    (tasks,) = made.files
    own = load_site(tasks)
    assert [each.id for each in own] == [f"{made.site_id}-task-1-ON", f"{made.site_id}-task-1-OFF"]
    assert own[0].site.start_url == url
    assert own[0].config.state == "ON"
    assert load_instance(own[0].id.lower()).id == own[0].id


def test_a_live_host_is_no_address(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="without https:// and without a path"):
        new_site("n8n", host="http://localhost:5678/", folder=tmp_path, live=True)


def test_in_a_checkout_the_files_go_where_the_others_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websp_gym.authoring.scaffold, "_checkout", lambda: tmp_path)
    made = new_site("Toy")
    assert [str(path.relative_to(tmp_path)) for path in made.files if path.suffix in (".yaml", ".py")] == [
        "websp_gym/sandbox/sites/toy/site.yaml",
        "websp_gym/sandbox/sites/toy/data/stories.yaml",
        "task_configs/toy.yaml",
        "tests/test_site_toy.py",
    ]
    assert "SearchPaths" not in made.files[-1].read_text()


def test_a_live_site_has_tasks_and_no_replica(tmp_path: Path) -> None:
    made = websp_here(
        "new-site", "Toy Town", "--host", "www.toytown.example", "--places", str(tmp_path), "--live"
    )
    assert made.returncode == 0, made.stderr
    assert "websp accounts add toy_town" in made.stdout
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.yaml")] == [
        "task_configs/toy_town.yaml"
    ]
    known = {"WEBSP_TASK_CONFIGS": str(tmp_path / "task_configs")}
    listed = websp_here("list", "--site", "ToyTown", variables=known)
    assert listed.stdout.split()[::3][:1] == ["ToyTown-task-1-ON"], listed.stdout
    assert len(listed.stdout.splitlines()) == 2
