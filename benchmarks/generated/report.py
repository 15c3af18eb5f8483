"""Write the section of the results about generated pages."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.generated.measure import CHANGES, METHODS, Change, Method, Outcome, Result, counts

TITLE = "# Generated settings pages"
_NAMES: dict[Method, str] = {
    "websp": "websp replay",
    "devtools": "Chrome DevTools Recorder",
    "codegen": "Playwright codegen",
}
_ORDER: tuple[Outcome, ...] = ("found", "raised", "wrong")


def section(results: Sequence[Result], seconds: float) -> str:
    """Return the section of the results."""
    pages = {result.seed for result in results}
    targets = {(result.seed, result.key): result.alike for result in results}
    alike = sum(targets.values())
    return f"""{TITLE}

{len(pages)} pages made by chance (seeds {min(pages)} to {max(pages)}), {len(targets)} targets, measured in
{seconds / 60:.0f} minutes by `make bench-replay`. Sections, groups of controls and lists with the same actions in
every row, in the manners that authors have (tables, lists, cards, rows whose title is a link or a button, field sets,
panels), in plain HTML (`benchmarks/generated`). Each control is recorded and looked for **once** (no waiting and no
click)

- on the page **unchanged**;
- with other **rows** and fields, some inserted and 40 % of the others away, on an account with other values;
- in another **order**;
- with other rows where the target itself is **gone**: whatever a tool takes then is wrong.

Found / raised / wrong. The weights were tuned on seeds below 1001.

{_table(results, alike=False)}

{alike} more targets are in a group without a title that has its like in another group of the same section. Only their
place tells them apart, so on a changed page nobody can say which is meant:

{_table(results, alike=True)}
"""


def _table(results: Sequence[Result], *, alike: bool) -> str:
    head = " | ".join(_NAMES[method] for method in METHODS)
    lines = [f"| change | {head} |", "|---|" + "---|" * len(METHODS)]
    lines += [f"| {change} | {_cells(results, change, alike=alike)} |" for change in CHANGES]
    return "\n".join(lines)


def _cells(results: Sequence[Result], change: Change, *, alike: bool) -> str:
    cells = []
    for method in METHODS:
        seen = counts(results, change, method, alike=alike)
        cells.append(" / ".join(str(seen[outcome]) for outcome in _ORDER))
    return " | ".join(cells)
