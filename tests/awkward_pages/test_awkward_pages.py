"""The table of awkward pages: its rows are the pages there are, and our column is what the environment does now."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.awkward_pages.cases import CASES, PAGES, Act
from tests.awkward_pages.ours import Ours, ours
from tests.awkward_pages.programs import BrowserUse, PlaywrightMcp
from tests.awkward_pages.stock import Stock
from tests.awkward_pages.system import Cell, System, play
from tests.awkward_pages.table import PAGE, failed_controls, shown
from tests.sample import long_proof

SMOKE = ("plain-button", "plain-field", "record-swapped", "switch-late")
BY_NAME = {case.name: case for case in CASES}
LATE = {"file-chooser": {"done", "done, not told"}}
"""Where the environment tells at times in the step after."""


def rows() -> list[list[str]]:
    """The cells of the table, its head first."""
    between = PAGE.read_text("utf-8").split("<!-- pages -->")[1].split("<!-- /pages -->")[0]
    lines = [line for line in between.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "---" not in line]


@pytest.fixture(scope="module")
def playing() -> Iterator[Ours]:
    with ours() as system:
        yield system


def test_the_rows_are_the_pages_there_are() -> None:
    pages = {page.stem for page in PAGES.glob("*.html") if not page.stem.endswith(".part")}
    assert pages == BY_NAME.keys()
    assert [row[0] for row in rows()[1:-2]] == [case.kind for case in CASES]


def results(cell: str) -> list[str]:
    """The results that a cell of the table names."""
    return [each.rstrip("×0123456789").strip() for each in cell.split("; ")]


def test_the_sums_are_those_of_the_columns() -> None:
    head, *cells, as_seen, told = rows()
    assert len(head) == 5
    for column in range(1, len(head)):
        pages = [results(row[column]) for row in cells]
        seen = sum(all(each.startswith(("done", "error")) for each in page) for page in pages)
        truly = sum(
            all(each in ("done", "error") or each.endswith(", told") for each in page) for page in pages
        )
        assert (as_seen[column], told[column]) == (f"{seen} of {len(CASES)}", f"{truly} of {len(CASES)}")


def test_results_that_vary_stand_with_their_numbers_and_a_failed_control_is_told() -> None:
    done, untold = Cell("done", told=True), Cell("other", told=False)
    assert shown([done, done]) == "done"
    assert results(shown([done, untold, done])) == ["done", "other, not told"]
    right = [[done, done] for _ in CASES]
    assert failed_controls([("a", right)]) == []
    assert failed_controls([("a", right), ("b", [[done, untold], *right[1:]])]) == ["b, plain-button"]


@pytest.mark.parametrize("name", long_proof(BY_NAME, SMOKE))
def test_our_column_is_what_the_environment_does_now(playing: Ours, name: str) -> None:
    head, *cells = rows()
    (ours_at,) = (at for at, system in enumerate(head) if system.startswith("websp-gym"))
    (written,) = (row[ours_at] for row in cells if row[0] == BY_NAME[name].kind)
    cell = play(playing, BY_NAME[name], "")
    assert str(cell) in {*results(written), *LATE.get(name, ())}, f"{cell.answer}; run `make compare-pages`"


LISTS = {
    Ours: '[0] <button> "Log out" in Graz\n[1] <button> "Log out" in Porto\n[2] <textbox> "Town"',
    Stock: "StaticText 'Graz'\n[8] button 'Log out'\nStaticText 'Porto'\n[1] button 'Log out'\n[2] textbox 'Town'",
    PlaywrightMcp: '- text: Graz\n- button "Log out" [ref=e8]\n- text: Porto\n- button "Log out" [ref=1]\n- textbox "Town" [ref=2]',
    BrowserUse: "Graz\n[8]<button />\n\tLog out\nPorto\n[1]<button />\n\tLog out\n[7]<label />\n\tTown\n\t[2]<input />",
}


@pytest.mark.parametrize("kind", LISTS)
def test_an_element_is_found_by_its_name_and_what_stands_before_it(kind: type[System]) -> None:
    system: System = object.__new__(kind)
    assert system.find(LISTS[kind], Act("click", "Log out", near="Porto")) == "1"
    assert system.find(LISTS[kind], Act("type", "Town", "Turku")) == "2"
    assert system.find(LISTS[kind], Act("click", "Log in")) is None
    assert system.find(LISTS[kind], Act("click", "Log out", near="Turku")) is None
