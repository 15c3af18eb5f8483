"""Benchmark of finding recorded elements on changed pages, compared with other tools.

    python -m benchmarks.replay [--jobs N] [--quick] [--only PART] [--half HALF] [--app NAME]

Writes ``benchmarks/replay_results.md`` and its plots, or the section of one part. It measures our own changing pages
(``hostile``) and pages made by chance (``generated``), of both seeds from 1001 on, while weights are tuned on those
below; and third-party applications (``foreign``), of which one half was never looked at while weights were changed.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.foreign import report as foreign
from benchmarks.foreign.app import apps
from benchmarks.foreign.drift import DRIFTS, REFUSALS
from benchmarks.foreign.measure import METHODS
from benchmarks.generated import measure as pages
from benchmarks.generated import report as generated
from benchmarks.hostile import measure as hostile
from benchmarks.hostile import report
from websp_gym.errors import SetupError

RESULTS = Path(__file__).resolve().parent / "replay_results.md"
PLOT = RESULTS.with_suffix(".svg")
PARTS = ["hostile", "generated", "foreign"]
"""The parts of the benchmark, in the order of the results."""
CHANGES = [*DRIFTS, *REFUSALS]
GENERATED = 24
"""Number of generated pages."""


def main() -> None:
    """Measure everything and write the tables and the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=6, help="combinations per target (default 6)")
    parser.add_argument(
        "--jobs", type=int, default=2, help="processes, each with its own browser (default 2)"
    )
    parser.add_argument("--quick", action="store_true", help="few combinations and targets, nothing written")
    parser.add_argument("--only", choices=PARTS, help="only this part; the others stay as they are")
    parser.add_argument(
        "--half", choices=["tuned", "held-out"], help="only these applications, nothing written"
    )
    parser.add_argument("--app", action="append", help="only this application, nothing written")
    parser.add_argument(
        "--change", action="append", help="only after this drift or refusal, nothing written", choices=CHANGES
    )
    parser.add_argument(
        "--alone",
        action="store_true",
        help="third-party applications without the other tools, nothing written",
    )
    parser.add_argument("--details", action="store_true", help="print each replay that was not right")
    options = parser.parse_args()
    is_partial = bool(options.half or options.app or options.change or options.alone)
    parts = ["foreign"] if is_partial else [options.only] if options.only else PARTS
    sections = dict(zip(PARTS, _sections(), strict=True))
    for part in parts:
        sections[part] = {"hostile": _hostile, "generated": _generated, "foreign": _foreign}[part](options)
        sys.stdout.write(sections[part])
        if not (options.quick or is_partial):
            RESULTS.write_text("\n".join(f"{text.rstrip()}\n" for text in sections.values() if text), "utf-8")


def _sections() -> list[str]:
    """Return the sections of the results that were written last; empty where there is none."""
    own, _, foreign_part = RESULTS.read_text("utf-8").partition(foreign.TITLE)
    own, _, generated_part = own.partition(generated.TITLE)
    return [
        own,
        generated_part and generated.TITLE + generated_part,
        foreign_part and foreign.TITLE + foreign_part,
    ]


def _hostile(options: argparse.Namespace) -> str:
    """Measure our own changing pages; return their section of the results."""
    began = time.monotonic()
    results = hostile.run(list(hostile.cases(1 if options.quick else options.seeds)), options.jobs)
    if not options.quick:
        report.plot(results, PLOT)
    return report.page(results, hostile.cost(), time.monotonic() - began)


def _generated(options: argparse.Namespace) -> str:
    """Measure generated pages; return their section of the results."""
    began = time.monotonic()
    count = 4 if options.quick else GENERATED
    results = pages.run(range(pages.HELD_OUT, pages.HELD_OUT + count), options.jobs)
    return generated.section(results, time.monotonic() - began)


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
        results = foreign.run(
            chosen,
            options.jobs + 1,
            quick=options.quick,
            changes=options.change or CHANGES,
            methods=("websp",) if options.alone else METHODS,
        )
    except SetupError as error:
        raise SystemExit(str(error)) from error
    if options.details:
        sys.stdout.writelines(f"{line}\n" for line in foreign.failures(results))
    if not (options.quick or options.half or options.app or options.change or options.alone):
        foreign.plot(results, chosen, foreign.PLOT)
    return foreign.section(results, chosen, time.monotonic() - began)


if __name__ == "__main__":
    main()
