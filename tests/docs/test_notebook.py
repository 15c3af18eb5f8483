"""docs/examples/first_episode.ipynb runs from top to bottom, without a key, and shows what it shows on the page."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.paths import ROOT

NOTEBOOK = ROOT / "docs/examples/first_episode.ipynb"


def _texts(notebook: Any) -> list[str]:
    """Return what each cell prints; a line may come in several outputs."""
    printed = (
        "".join(str(output["text"]) for output in cell.get("outputs", []) if output.output_type == "stream")
        for cell in notebook.cells
    )
    return [text for text in printed if text]


def _pictures(notebook: Any) -> int:
    return sum(
        "image/jpeg" in output.get("data", {})
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    )


@pytest.mark.proof
def test_the_notebook_runs_and_its_stored_output_is_what_comes(tmp_path: Path) -> None:
    stored = nbformat.read(NOTEBOOK, as_version=4)
    played = copy.deepcopy(stored)
    for cell in played.cells:
        cell.pop("outputs", None)
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(played, timeout=None, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert _texts(played) == _texts(stored)
    assert _pictures(played) == _pictures(stored) == 2
    assert "reward 1.0" in _texts(played)[-1]
    assert (tmp_path / "runs/first").is_dir()


def test_the_notebook_is_small_and_its_links_lead_to_files() -> None:
    assert NOTEBOOK.stat().st_size < 300_000
    text = "\n".join("".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"])
    links = [part.split(")")[0].partition("#")[0] for part in text.split("](")[1:]]
    assert len(links) > 3
    assert [link for link in links if not (NOTEBOOK.parent / link).is_file()] == []
