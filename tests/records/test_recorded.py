"""The library of recorded runs is what the real environment plays today."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.recorded import RECIPES, lasting, play, run_folder, stale

IN_THE_GATE = "half"
"""It acts on the page, leaves a goal open and is explained; the others take longer, or a browser that dies."""


def test_the_records_are_fresh() -> None:
    old = stale()
    assert old == [], f"run make records: what {', '.join(old)} depends on has changed since it was played"


@pytest.mark.parametrize(
    "name", [name if name == IN_THE_GATE else pytest.param(name, marks=pytest.mark.proof) for name in RECIPES]
)
def test_a_run_that_is_played_again_gives_the_same_record(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    play(name, tmp_path / "again")
    assert lasting(tmp_path / "again") == lasting(run_folder(name, tmp_path / "stored"))
