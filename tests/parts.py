"""Run the tests of every environment and print one table: what `make test-all` does.

    python -m tests.all                  # make test-all
    python -m tests.all suite trl        # make test-all PARTS='suite trl'
    python -m tests.all --touched        # only what the changed files may have broken beyond the suite, as CI does

A part that fails does not end the run. Output goes to build/test-all/PART.log, the table to build/test-all/table.md.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.paths import ROOT
from tests.sample import base_of, changed_files, parts_touched_by

FOLDER = ROOT / "build/test-all"
PARTS: Mapping[str, Sequence[str]] = {
    "suite": ("test",),
    "docs": ("docs-site",),
    "pythons": ("test-pythons",),
    "agentlab": ("test-agentlab",),
    "attach": ("test-attach",),
    "live": ("test-live",),
    **{name: (f"test-rl-{name}",) for name in ("trl", "openenv", "verifiers", "skyrl", "ray", "sb3")},
    "bench": ("bench", "ARGS=--quick"),
    "prove": ("prove",),
}
"""What make is asked for by each part, in the order in which they run."""
_SUMMARY = re.compile(r"^=* ?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s.*$", re.MULTILINE)
_SHOWN = 30
"""Lines of a failed part's output that are shown."""


@dataclass(frozen=True)
class Ran:
    """How a part ended.

    Args:
        part: Its name.
        good: Whether it passed.
        minutes: How long it took.
        counts: Tests by outcome, as pytest calls them; empty for a part without tests.
    """

    part: str
    good: bool
    minutes: float
    counts: Counter[str] = field(default_factory=Counter)

    def row(self) -> str:
        """Return its row of the table."""
        failed = self.counts["failed"] + self.counts["error"] + self.counts["errors"]
        numbers = (self.counts["passed"], failed, self.counts["skipped"]) if self.counts else ("–",) * 3
        cells = (self.part, "ok" if self.good else "FAILED", *numbers, f"{self.minutes:.1f}")
        return f"| {' | '.join(map(str, cells))} |"


def counted(output: str) -> Counter[str]:
    """Return the tests of all of pytest's summaries in an output, by outcome."""
    counts: Counter[str] = Counter()
    for summary in _SUMMARY.findall(output):
        for part in summary.split(", "):
            number, outcome = part.split(" ")
            counts[outcome] += int(number)
    return counts


def table(ran: Sequence[Ran]) -> str:
    """Return the table of parts, as Markdown."""
    head = "| part | result | passed | failed | skipped | minutes |\n|---|---|--:|--:|--:|--:|"
    return "\n".join([head, *(each.row() for each in ran)]) + "\n"


def run(part: str, command: Sequence[str], folder: Path) -> Ran:
    """Run one part, keep its output, and show the end of it if it failed."""
    log = folder / f"{part}.log"
    print(f"{part}: {' '.join(command)} > {log}", flush=True)
    began = time.monotonic()
    with log.open("w") as output:
        done = subprocess.run(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, check=False)
    minutes = (time.monotonic() - began) / 60
    text = log.read_text("utf-8", errors="replace")
    if done.returncode:
        print(*text.splitlines()[-_SHOWN:], sep="\n", flush=True)
    return Ran(part, done.returncode == 0, minutes, counted(text))


def run_all(parts: Mapping[str, Sequence[str]], folder: Path) -> int:
    """Run commands by the names of their parts, and keep the table from the first one on; return 1 if one failed."""
    folder.mkdir(parents=True, exist_ok=True)
    ran: list[Ran] = []
    for part, command in parts.items():
        ran.append(run(part, command, folder))
        (folder / "table.md").write_text(table(ran), "utf-8")
    print(table(ran), end="")
    return 0 if all(each.good for each in ran) else 1


def main() -> int:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help=f"which parts: {', '.join(PARTS)} (default: all)")
    parser.add_argument(
        "--touched", action="store_true", help="parts beyond the suite that the changes touch"
    )
    options = parser.parse_args()
    if unknown := sorted(set(options.parts) - set(PARTS)):
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    wanted = set(options.parts)
    if options.touched:
        wanted |= parts_touched_by(changed_files(ROOT, base_of(ROOT)))
        if not wanted:
            print("No part beyond the suite is touched.")
            return 0
    chosen = {part: ("make", *asked) for part, asked in PARTS.items() if part in wanted or not wanted}
    return run_all(chosen, FOLDER)


if __name__ == "__main__":
    sys.exit(main())
