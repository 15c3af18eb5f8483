"""What documents list is what there is."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

from websp_gym.replay import load_trace

ROOT = Path(__file__).parent.parent


def test_every_variable_the_code_reads_is_documented_and_no_other() -> None:
    sources = [path for folder in ("websp_gym", "agents") for path in (ROOT / folder).rglob("*.py")]
    # Names that end in "_" are the beginnings of placeholders in published traces.
    used = {name for path in sources for name in re.findall(r"WEBSP_[A-Z_]*[A-Z]\b", path.read_text("utf-8"))}
    table = (ROOT / "docs" / "environments.md").read_text("utf-8").split("## Variables")[1]
    listed = {
        name
        for row in re.findall(r"^\|([^|]*)\|", table, re.MULTILINE)
        for name in re.findall(r"WEBSP_\w+", row)
    }
    assert "WEBSP_BROWSER" in used
    assert used == listed


def test_the_browsers_allow_list_is_documented() -> None:
    from websp_gym.browser import confinement

    text = (ROOT / "docs" / "environments.md").read_text("utf-8")
    names = {*confinement._NAMES, *(f"{prefix}*" for prefix in confinement._PREFIXES)}
    assert sorted(name for name in names if f"`{name}`" not in text) == []


def test_the_security_table_names_tests_that_exist() -> None:
    rows = [
        line
        for line in (ROOT / "docs" / "security.md").read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    named = {name for row in rows for name in re.findall(r"`(tests/\w+\.py)", row)}
    assert len(named) > 10
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []


def test_the_layers_in_the_architecture_page_are_those_import_linter_holds() -> None:
    layers = runpy.run_path(str(ROOT / "docs" / "layers.py"))
    assert layers["PAGE"].read_text("utf-8") == layers["page"](), "run `make docs`"


def test_the_table_of_evidence_is_the_one_that_replay_uses() -> None:
    evidence = runpy.run_path(str(ROOT / "docs" / "evidence.py"))
    assert evidence["PAGE"].read_text("utf-8") == evidence["page"](), "run `make docs`"


def test_the_reference_of_a_site_is_what_the_models_say() -> None:
    reference = runpy.run_path(str(ROOT / "docs" / "site_reference.py"))
    assert reference["PAGE"].read_text("utf-8") == reference["page"](), "run `make docs`"


def test_the_program_that_records_a_trace_runs_as_it_stands(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/recording.md").read_text("utf-8"), re.DOTALL)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "home.software True False\n", "")
    (event,) = load_trace(tmp_path / "traces/steam/software_hidden.json").events
    assert (event.type, event.stateful) == ("change", True)
