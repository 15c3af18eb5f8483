"""Benchmark of finding recorded elements on changed pages, compared with other tools.

    python -m benchmarks.replay [--jobs N] [--quick] [--hostile-only | --foreign-only] [--half HALF] [--app NAME]

Writes ``benchmarks/replay_results.md`` and its plots. It measures our own changing pages (``hostile``; seeds from 1
on are for tuning, the results use seeds from 1001 on, for which no weight was ever changed) and third-party
applications (``foreign``; one half was never looked at while weights were changed).
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.foreign import report as foreign
from benchmarks.foreign.app import apps
from benchmarks.hostile import measure as hostile
from benchmarks.hostile import report
from websp_gym.errors import SetupError

RESULTS = Path(__file__).resolve().parent / "replay_results.md"
PLOT = RESULTS.with_suffix(".svg")


def main() -> None:
    """Measure everything and write the tables and the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=6, help="combinations per target (default 6)")
    parser.add_argument(
        "--jobs", type=int, default=2, help="processes, each with its own browser (default 2)"
    )
    parser.add_argument("--quick", action="store_true", help="few combinations and targets, nothing written")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--hostile-only", action="store_true", help="only the pages that are ours")
    only.add_argument("--foreign-only", action="store_true", help="only third-party applications")
    parser.add_argument(
        "--half", choices=["tuned", "held-out"], help="only these applications, nothing written"
    )
    parser.add_argument("--app", action="append", help="only this application, nothing written")
    parser.add_argument("--details", action="store_true", help="print each replay that was not right")
    options = parser.parse_args()
    before, _, after = RESULTS.read_text("utf-8").partition(foreign.TITLE)
    own, others = before, foreign.TITLE + after if after else ""
    if not (options.foreign_only or options.half or options.app):
        began = time.monotonic()
        cases = list(hostile.cases(1 if options.quick else options.seeds))
        results = hostile.run(cases, options.jobs)
        own = report.page(results, hostile.cost(), time.monotonic() - began) + "\n"
        sys.stdout.write(own)
        if not options.quick:
            report.plot(results, PLOT)
    if not options.hostile_only:
        others = _foreign(options)
        sys.stdout.write(others)
    if not (options.quick or options.half or options.app):
        RESULTS.write_text(own.rstrip("\n") + "\n" + (others and f"\n{others}"), "utf-8")


def _foreign(options: argparse.Namespace) -> str:
    """Measure third-party applications; return their section of the results."""
    chosen = [
        app
        for app in apps()
        if app.half in (options.half or app.half) and app.name in (options.app or [app.name])
    ]
    if not chosen:
        raise SystemExit(f"there is no such application; there are {', '.join(app.name for app in apps())}")
    began = time.monotonic()
    try:
        # Browsers keep a process waiting: one more of them than of the hostile pages, whose cost is measured too.
        results = foreign.run(chosen, options.jobs + 1, quick=options.quick)
    except SetupError as error:
        raise SystemExit(str(error)) from error
    if options.details:
        sys.stdout.writelines(f"{line}\n" for line in foreign.failures(results))
    if not (options.quick or options.half or options.app):
        foreign.plot(results, chosen, foreign.PLOT)
    return foreign.section(results, chosen, time.monotonic() - began)


if __name__ == "__main__":
    main()
