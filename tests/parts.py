"""Run the long programs of tests part by part and keep a table of them: `make night` and `make prove`.

    python -m tests.parts night                  # make night
    python -m tests.parts night trl attach       # make night PARTS='trl attach'
    python -m tests.parts prove --site steam     # make prove SITE=steam
    python -m tests.parts night --touched        # print which parts the changed files call for, and run nothing

A part that fails does not end the run. A part that passed at the commit that is checked out is not run again, so a run
that was stopped goes on where it was; --again runs it all the same. Output goes to build/night/PART.log. The table of
the night is kept in docs/about/night.md, where the parts that did not run keep their rows.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.paths import DOCS, ROOT
from tests.sample import base_of, changed_files, parts_touched_by

FOLDER = ROOT / "build"
PAGE = DOCS / "about" / "night.md"
TRAINERS = ("trl", "openenv", "verifiers", "skyrl", "nemo", "ray", "sb3", "cube")
Program = Mapping[str, Sequence[str]]
"""A command by the name of its part, in the order in which they run."""
NIGHT: Program = {
    "check": ("make", "check"),
    "suite": ("make", "test"),
    "prove": ("make", "prove"),
    "pythons": ("make", "test-pythons"),
    "agentlab": ("make", "test-agentlab"),
    "attach": ("make", "test-attach"),
    "live": ("make", "test-live"),
    **{name: ("make", f"test-rl-{name}") for name in TRAINERS},
    "bench": ("make", "bench", "ARGS=--quick"),
}
_CORES = os.cpu_count() or 2
_PROVE = (sys.executable, "-m", "websp_gym", "prove", "--jobs", str(_CORES))
_PYTEST = (sys.executable, "-m", "pytest", "-n", str(_CORES + 2), "--dist", "worksteal", "--durations", "20")
PROVE: Program = {
    "tasks": _PROVE,
    "policies": (*_PROVE, "--policies", "standard"),
    "flows": (*_PROVE, "--flows"),
    "proofs": (*_PYTEST, "-m", "proof"),
}
_FROM_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "PARTS", "ARGS", "SITE")
"""How make hands its variables on: those of `make night` are not those of the `make` of a part."""
_SUMMARY = re.compile(r"^=* ?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s.*$", re.MULTILINE)
_NOTHING_CHOSEN = 5
"""What pytest exits with where there is nothing to run: not every site has proofs of its own."""
_SHOWN = 30
"""Lines of a failed part's output that are shown."""
_HEAD = "| part | result | passed | failed | skipped | minutes | commit | date |\n|---|---|--:|--:|--:|--:|---|---|"
_TEXT = """# The last night

What `make night` runs beyond the gate ([CONTRIBUTING](../../CONTRIBUTING.md)), with the commit and the day of each part's last run.
A commit with a `+` had changes that were not committed.

"""


@dataclass(frozen=True)
class Ran:
    """How a part ended.

    Args:
        part: Its name.
        good: Whether it passed.
        minutes: How long it took.
        counts: Tests by outcome, as pytest calls them; empty for a part without tests.
        commit: What was checked out, with a ``+`` if there were changes beside.
        date: The day, in UTC.
    """

    part: str
    good: bool
    minutes: float
    counts: Mapping[str, int] = field(default_factory=dict)
    commit: str = ""
    date: str = ""

    def row(self) -> str:
        """Return its row of the table."""
        count = Counter(self.counts)
        failed = count["failed"] + count["error"] + count["errors"]
        numbers = (count["passed"], failed, count["skipped"]) if self.counts else ("–",) * 3
        cells = (self.part, "ok" if self.good else "FAILED", *numbers, f"{self.minutes:.1f}", self.commit)
        return f"| {' | '.join(map(str, cells))} | {self.date} |"

    def stands(self, commit: str) -> bool:
        """Whether it need not run again: it passed, and nothing has changed since."""
        return self.good and self.commit == commit and not commit.endswith("+")


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
    return "\n".join([_HEAD, *(each.row() for each in ran)]) + "\n"


def checked_out(folder: Path) -> str:
    """Return the commit that is checked out, shortened, with a ``+`` if a file differs from it; "" without git.

    The page of the night does not count: it changes with each part.
    """

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        page = f":(exclude){PAGE.relative_to(ROOT)}"
        return git("rev-parse", "--short", "HEAD") + "+" * bool(git("status", "--porcelain", "--", ".", page))
    except (OSError, subprocess.CalledProcessError):
        return ""


def run(part: str, command: Sequence[str], folder: Path, commit: str = "") -> Ran:
    """Run one part, keep its output and how it ended, and show the end of the output if it failed."""
    log = folder / f"{part}.log"
    print(f"{part}: {' '.join(command)} > {log}", flush=True)
    env = {name: value for name, value in os.environ.items() if name not in _FROM_MAKE}
    began = time.monotonic()
    with log.open("w") as output:
        done = subprocess.run(
            command, cwd=ROOT, env=env, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    minutes = (time.monotonic() - began) / 60
    text = log.read_text("utf-8", errors="replace")
    good = done.returncode == 0 or (done.returncode == _NOTHING_CHOSEN and "-k" in command)
    if not good:
        print(*text.splitlines()[-_SHOWN:], sep="\n", flush=True)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    ran = Ran(part, good, round(minutes, 1), dict(counted(text)), commit, today)
    (folder / f"{part}.json").write_text(json.dumps(asdict(ran)), "utf-8")
    return ran


def last(part: str, folder: Path) -> Ran | None:
    """Return how a part ended when it last ran here."""
    file = folder / f"{part}.json"
    return Ran(**json.loads(file.read_text("utf-8"))) if file.is_file() else None


def run_all(
    parts: Program, folder: Path, *, commit: str = "", again: bool = True, page: Path | None = None
) -> int:
    """Run commands by the names of their parts, show a table of them, and return 1 if one failed.

    Args:
        parts: What to run.
        folder: Where the output of each part is kept, and how it ended.
        commit: What is checked out.
        again: Whether to run what passed at this commit before.
        page: The page to keep the table in; it is written after each part.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ran: list[Ran] = []
    for part, command in parts.items():
        before = last(part, folder)
        if before is not None and before.stands(commit) and not again:
            print(f"{part}: passed at {commit} on {before.date}; --again runs it again", flush=True)
            ran.append(before)
            continue
        ran.append(run(part, command, folder, commit))
        if page is not None:
            keep(ran, page)
    print(table(ran), end="")
    return 0 if all(each.good for each in ran) else 1


def keep(ran: Sequence[Ran], page: Path) -> None:
    """Write the rows of parts that have run into a page, and leave the rows of the others as they are."""
    rows = {each.part: each.row() for each in ran}
    if page.is_file():
        kept = re.findall(r"^\| (\w+) \| (?:ok|FAILED) .*$", page.read_text("utf-8"), re.MULTILINE)
        for line in page.read_text("utf-8").splitlines():
            name = line.removeprefix("| ").partition(" ")[0]
            if name in kept:
                rows.setdefault(name, line)
    order = [*NIGHT, *rows]
    lines = sorted(rows.items(), key=lambda pair: order.index(pair[0]))
    page.write_text("\n".join([f"{_TEXT}{_HEAD}", *(line for _, line in lines)]) + "\n", "utf-8")


def only(site: str, command: Sequence[str]) -> list[str]:
    """Return the arguments by which a part of a proof takes one site alone."""
    return ["-k", site] if "pytest" in command else [site]


def remind() -> None:
    """Print which parts of the night test what has changed."""
    if touched := parts_touched_by(changed_files(ROOT, base_of(ROOT))):
        print(f"Beyond this gate, the change touches: make night PARTS='{' '.join(sorted(touched))}'")
    else:
        print("Beyond this gate, the change touches no part of make night.")


def main() -> int:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.parts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    programs = {"night": NIGHT, "prove": PROVE}
    parser.add_argument("program", choices=programs, help="what to run")
    parser.add_argument("parts", nargs="*", help="its parts to run (default: all of them)")
    parser.add_argument("--site", help="prove one website only, by its slug")
    parser.add_argument("--again", action="store_true", help="run what passed at this commit as well")
    parser.add_argument("--touched", action="store_true", help="print the parts that the changes touch")
    options = parser.parse_args()
    program: Program = programs[options.program]
    if unknown := sorted(set(options.parts) - set(program)):
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(program)}")
    if options.site and options.program != "prove":
        parser.error("--site goes with prove")
    if options.touched:
        remind()
        return 0
    chosen = {
        part: [*command, *(only(options.site, command) if options.site else ())]
        for part, command in program.items()
        if part in options.parts or not options.parts
    }
    return run_all(
        chosen,
        FOLDER / "-".join(filter(None, (options.program, options.site))),
        commit=checked_out(ROOT),
        again=options.again,
        page=PAGE if options.program == "night" else None,
    )


if __name__ == "__main__":
    sys.exit(main())
