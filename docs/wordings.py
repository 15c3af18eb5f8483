"""Write how our wordings and websites relate to what is published into docs/about/instances.md (`make docs`)."""

import csv
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE / "about" / "instances.md"
DATA = HERE.parent / "tests" / "data"
_COLUMNS = {
    "quotes": "quotes something",
    "labels": "names a control, by its label on the page, in quotes or not",
    "way": "names a stop on the way to the control, the last one its page",
    "final": "tells to save, submit or confirm",
    "negation": "negates: *not*, *nobody*, *without*, *prevent* …",
    "scope": "limits: *only*, *all*, *other* …",
}
_VARIANTS = ("without", "with")
_WHOSE = ("published", "our")


def page() -> str:
    """Return docs/about/instances.md with the tables as they should be."""
    audit = _rows("wording_audit.csv")
    blocks = {
        "wordings": f"{_counts(audit)}\n{_notes(audit)}\n{_limits(audit)}",
        "lists": _reasons(_rows("published_plays.csv")),
    }
    text = PAGE.read_text("utf-8")
    for name, block in blocks.items():
        head, start, rest = text.partition(f"<!-- {name} -->\n")
        _, end, tail = rest.partition(f"<!-- /{name} -->")
        text = head + start + block + end + tail
    return text


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((DATA / name).read_text("utf-8").splitlines()))


def _counts(rows: list[dict[str, str]]) -> str:
    lines = [
        "| the wording | without navigation: published | ours | with navigation: published | ours |",
        "|---|---|---|---|---|",
    ]
    each = [(variant, whose) for variant in _VARIANTS for whose in _WHOSE]
    for column, what in _COLUMNS.items():
        told = [
            sum(bool(row[f"{whose}_{column}"]) for row in rows if row["navigation"] == variant)
            for variant, whose in each
        ]
        lines.append(f"| {what} | {' | '.join(map(str, told))} |")
    words = [
        [int(row[f"{whose}_words"]) for row in rows if row["navigation"] == variant]
        for variant, whose in each
    ]
    lines.append(f"| words, on average | {' | '.join(f'{sum(of) / len(of):.1f}' for of in words)} |")
    return "\n".join(lines) + "\n"


def _notes(rows: list[dict[str, str]]) -> str:
    told: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        if row["note"]:
            told.setdefault(row["note"], {}).setdefault(row["task"], []).append(row["navigation"])
    lines = ["| the wordings differ in | because |", "|---|---|"]
    for note, tasks in told.items():
        where = ", ".join(_named(task, variants) for task, variants in tasks.items())
        lines.append(f"| {where} | {note} |")
    return "\n".join(lines) + "\n"


def _named(task: str, variants: list[str]) -> str:
    name = task.replace("-task-", "-")
    return name if len(variants) == len(_VARIANTS) else f"{name} ({variants[0]} navigation)"


def _limits(rows: list[dict[str, str]]) -> str:
    limited = {row["task"] for row in rows if {"only", "other"} & set(row["our_scope"].split(" | "))}
    return f"*Only*, *just*, *except* or *other* stands in the wordings of {len(limited)} tasks, some in a label.\n"


def _reasons(plays: list[dict[str, str]]) -> str:
    told: dict[str, list[str]] = {}
    for play in plays:
        if play["reason"]:
            told.setdefault(play["reason"], []).append(play["instance"].replace("-task-", "-"))
    literal = len(plays) - sum(map(len, told.values()))
    lines = [
        f"{literal} of {len(plays)} lists are found step by step and paid. The others are not, because",
        "",
        "| reason | lists | instances |",
        "|---|---|---|",
    ]
    for reason, instances in sorted(told.items(), key=lambda each: -len(each[1])):
        lines.append(f"| {reason} | {len(instances)} | {', '.join(instances)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
