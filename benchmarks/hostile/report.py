"""The tables and the plot on our own changing pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks.hostile.measure import REPLAY, Result
from benchmarks.hostile.mutate import MUTATIONS, TIMINGS
from benchmarks.tables import Outcome, counted, machine, plot, table
from benchmarks.tools import TOOLS
from websp_gym.replay.locate import RUNGS

PLOT = Path(__file__).resolve().parents[1] / "replay_results.svg"
_SPELLED = {"css": "CSS path", "xpath": "XPath"}
NAMES: dict[str, str] = {
    REPLAY: "websp replay",
    "cascade": "websp cascade, one look",
    **{rung: f"rung: {_SPELLED.get(rung, rung)}" for rung in RUNGS},
    **TOOLS,
}
SIDE_BY_SIDE = (REPLAY, "cascade", *TOOLS)


def blocks(results: Sequence[Result], minutes: float) -> dict[str, str]:
    """Return the parts of the page of results."""
    full = sum(REPLAY in result.outcomes for result in results)
    return {
        "hostile": f"{len(results)} changed pages, {full} of them replayed in full, in {minutes:.0f} minutes: "
        f"{machine('playwright')}.",
        "hostile-summary": _summary(results),
        "hostile-mutations": f"{_by_mutation(results, SIDE_BY_SIDE)}\n\n{_by_mutation(results, RUNGS)}",
    }


def draw(results: Sequence[Result]) -> None:
    """Plot each method's shares of found, raised and wrong, for identifiable targets."""
    outcomes = {name: _of(method, results) for method, name in NAMES.items()}
    plot(outcomes, PLOT, label="% of the identifiable targets on changed pages")


def _of(method: str, results: Iterable[Result], *, identifiable: bool = True) -> list[Outcome]:
    return [
        each.outcomes[method]
        for each in results
        if method in each.outcomes and each.identifiable is identifiable
    ]


def _summary(results: Sequence[Result]) -> str:
    rows = []
    for method, name in NAMES.items():
        can, cannot = _of(method, results), _of(method, results, identifiable=False)
        rows.append((name, len(can), counted(can, share=True), len(cannot), cannot.count("wrong")))
    head = ("method", "identifiable", "found / raised / wrong", "not identifiable", "wrong element there")
    return table(head, rows)


def _by_mutation(results: Sequence[Result], methods: Sequence[str]) -> str:
    def rows() -> Iterator[list[str]]:
        for group in (*MUTATIONS, *TIMINGS, "combination"):
            own = [result for result in results if result.case.group == group]
            can = sum(result.identifiable for result in own)
            yield [group, f"{can} of {len(own)}", *(counted(_of(method, own)) for method in methods)]

    return table(["mutation", "identifiable", *(NAMES[method] for method in methods)], rows())
