"""Play each program and write what was seen into docs/reference/attach.md: `make attach-table`."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from tests.attach_programs.programs import PROGRAMS, ROOT, SWITCHES, Program, play

PAGE = ROOT / "docs/reference/attach.md"
_BETWEEN = re.compile(r"(?<=<!-- programs -->\n).*?(?=<!-- /programs -->)", re.DOTALL)
_HEAD = (
    "| program | reward | steps | of them presses with role and name | actions | with two actions | attacks refused |\n"
    "|---|---|---|---|---|---|---|\n"
)


def row(program: Program) -> str:
    """Return the row of a program, played twice."""
    with tempfile.TemporaryDirectory() as folder:
        played = play(program, Path(folder) / "run", probe=True)
        limited = play(program, Path(folder) / "limited", max_actions=2)
    presses = len(played.presses)
    cells = (
        program.name,
        f"{played.verdict['score']:g}",
        len(played.record.steps),
        presses if played.pressed == SWITCHES else f"{presses} (wrong)",
        played.actions,
        f"{limited.verdict['score']:g}, {limited.actions} actions",
        played.refused or "none to try",
    )
    return f"| {' | '.join(map(str, cells))} |\n"


def main() -> None:
    """Write the table."""
    rows = []
    for program in PROGRAMS.values():
        rows.append(row(program))
        print(rows[-1], end="", flush=True)
    text = PAGE.read_text("utf-8")
    PAGE.write_text(_BETWEEN.sub(lambda _: _HEAD + "".join(rows), text), "utf-8")


if __name__ == "__main__":
    main()
