"""Lists in the documents are complete and true."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.paths import ROOT
from tests.report.test_report_tables import played
from websp_gym.replay import load_trace
from websp_gym.scoring.blunt import BEST, blunt_rates
from websp_gym.tasks.ids import instance_ids


def test_every_variable_the_code_reads_is_documented_and_no_other() -> None:
    sources = [path for folder in ("websp_gym", "agents") for path in (ROOT / folder).rglob("*.py")]
    # Names that end in "_" are the beginnings of placeholders in published traces.
    used = {name for path in sources for name in re.findall(r"WEBSP_[A-Z_]*[A-Z]\b", path.read_text("utf-8"))}
    table = (ROOT / "docs/reference/variables.md").read_text("utf-8")
    listed = {
        name
        for row in re.findall(r"^\|([^|]*)\|", table, re.MULTILINE)
        for name in re.findall(r"WEBSP_\w+", row)
    }
    assert "WEBSP_BROWSER" in used
    assert used == listed


def test_the_browsers_allow_list_is_documented() -> None:
    from websp_gym.browser import confinement

    text = (ROOT / "docs/reference/variables.md").read_text("utf-8")
    names = {*confinement._NAMES, *(f"{prefix}*" for prefix in confinement._PREFIXES)}
    assert sorted(name for name in names if f"`{name}`" not in text) == []


def test_the_security_table_names_tests_that_exist() -> None:
    rows = [
        line
        for line in (ROOT / "docs/about/attacks.md").read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    named = {name for row in rows for name in re.findall(r"`(tests/[\w/]+\.py)", row)}
    assert len(named) > 10
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []


def test_the_layers_in_the_architecture_page_match_import_linter() -> None:
    layers = runpy.run_path(str(ROOT / "docs" / "layers.py"))
    assert layers["PAGE"].read_text("utf-8") == layers["page"](), "run `make docs`"


def test_the_table_of_evidence_is_the_one_that_replay_uses() -> None:
    evidence = runpy.run_path(str(ROOT / "docs" / "evidence.py"))
    assert evidence["PAGE"].read_text("utf-8") == evidence["page"](), "run `make docs`"


def test_the_columns_of_the_table_of_episodes_are_those_that_export_writes() -> None:
    columns = runpy.run_path(str(ROOT / "docs" / "columns.py"))
    assert columns["PAGE"].read_text("utf-8") == columns["page"](), "run `make docs`"


def test_the_reference_of_a_site_matches_the_models() -> None:
    reference = runpy.run_path(str(ROOT / "docs" / "site_reference.py"))
    assert reference["PAGE"].read_text("utf-8") == reference["page"](), "run `make docs`"


def test_the_tables_of_wordings_match_the_audit() -> None:
    wordings = runpy.run_path(str(ROOT / "docs" / "wordings.py"))
    assert wordings["PAGE"].read_text("utf-8") == wordings["page"](), "run `make docs`"


def test_the_reference_of_the_commands_is_what_they_say() -> None:
    commands = runpy.run_path(str(ROOT / "docs" / "commands.py"))
    assert commands["PAGE"].read_text("utf-8") == commands["page"](), "run `make docs`"


@pytest.mark.proof
def test_the_program_that_records_a_trace_runs_as_it_stands(tmp_path: Path) -> None:
    (code,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs/reference/traces.md").read_text("utf-8"), re.DOTALL
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "home.software True False\n", "")
    (event,) = load_trace(tmp_path / "traces/steam/software_hidden.json").events
    assert (event.type, event.stateful) == ("change", True)


def test_the_documented_json_keys_match_the_commands_output() -> None:
    text = (ROOT / "docs/reference/runs.md").read_text("utf-8")
    listed = re.findall(r"`(\w+)`", text.split("one line with the keys ")[1].split("\n")[0])
    assert listed == list(json.loads(played("a", "Steam-task-194").summary()))


def test_the_figures_of_the_readme_match_their_sources() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    replayed, restored = re.findall(r"(0\.\d+) s\b", readme)
    measured = (ROOT / "benchmarks/results.md").read_text("utf-8")
    for what, seconds in (("replay of 2 events", replayed), ("snapshot", restored)):
        row = re.search(rf"{what} \(stock: no S0\) \| [0-9.]+ s \| ([0-9.]+) s \|", measured)
        assert row is not None
        assert f"{float(row[1]):.{len(seconds) - 2}f}" == seconds
    rates = blunt_rates(instance_ids())
    assert f"{100 * rates['nothing'].rate:.0f} % by doing nothing" in readme
    assert f"{100 * rates[BEST].rate:.0f} % by the best fixed way" in readme
    assert f"All {len(instance_ids())} instances" in readme


def test_every_link_of_the_documents_leads_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
    links = [
        (page, link) for page in pages for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8"))
    ]
    inside = [(page, link) for page, link in links if not link.startswith(("http", "#"))]
    assert len(inside) > 100
    broken = [(page.name, link) for page, link in inside if not _there(page, link)]
    assert broken == []
    assert not _there(ROOT / "README.md", "docs/reference/runs.md#no-such-heading")


def _there(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = page.parent / name
    if not target.exists() or not anchor:
        return target.exists()
    headings = re.findall("^#+ (.*)$", target.read_text("utf-8"), re.MULTILINE)
    return anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_is_a_page_with_a_moving_picture_and_a_program_makes_the_pictures() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert len(readme.splitlines()) <= 115
    film = ROOT / "docs/images/episode.gif"
    assert f"]({film.relative_to(ROOT)})" in readme
    assert film.stat().st_size < 1_500_000
    with Image.open(film) as moving:
        assert getattr(moving, "n_frames", 1) > 4
    made = set(runpy.run_path(str(ROOT / "docs/pictures.py"))["PICTURES"])
    # The recorder's popup and the page to label on are taken by hand; the curve is drawn by the learner.
    assert {path.stem for path in film.parent.iterdir()} == made | {"popup", "label", "learning-curve"}
