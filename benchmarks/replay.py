"""Benchmark of finding recorded elements on changed pages, compared with other tools.

    python -m benchmarks.replay [--jobs N] [--quick] [--only PART] [--half HALF] [--app NAME]

Fills in ``benchmarks/replay_results.md`` and draws its plots. It measures our own changing pages (``hostile``), with
seeds from 1001 on, while weights are tuned on those below; and third-party applications (``foreign``), of which one
half was never looked at while weights were changed.
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
from benchmarks.hostile import measure as hostile
from benchmarks.hostile import report
from benchmarks.tables import fill
from websp_gym.errors import SetupError

RESULTS = Path(__file__).with_name("replay_results.md")
CHANGES = [*DRIFTS, *REFUSALS]


def main() -> None:
    """Measure everything and write the tables and the plots."""
    options = _options()
    is_partial = bool(options.half or options.app or options.change or options.alone)
    is_written = not (options.quick or is_partial)
    for measure in (_hostile, _foreign):
        if (not is_partial or measure is _foreign) and options.only in (None, measure.__name__[1:]):
            blocks = measure(options, is_written=is_written)
            sys.stdout.writelines(f"{block}\n\n" for block in blocks.values())
            if is_written:
                fill(RESULTS, blocks)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("--seeds", type=int, default=6, help="combinations per target (default 6)")
    add("--jobs", type=int, default=2, help="processes, each with its own browser (default 2)")
    add("--quick", action="store_true", help="few combinations and targets, nothing written")
    add("--only", choices=["hostile", "foreign"], help="only this part; the other stays as it is")
    add("--half", choices=foreign.HALVES, help="only these applications, nothing written")
    add("--app", action="append", help="only this application, nothing written")
    add(
        "--change", action="append", help="only after this drift or refusal, nothing written", choices=CHANGES
    )
    add("--alone", action="store_true", help="applications without the other tools, nothing written")
    add("--details", action="store_true", help="print each replay that was not right")
    return parser.parse_args()


def _hostile(options: argparse.Namespace, *, is_written: bool) -> dict[str, str]:
    """Measure our own changing pages; return their parts of the results."""
    began = time.monotonic()
    results = hostile.run(list(hostile.cases(1 if options.quick else options.seeds)), options.jobs)
    if is_written:
        report.draw(results)
    return report.blocks(results, (time.monotonic() - began) / 60)


def _foreign(options: argparse.Namespace, *, is_written: bool) -> dict[str, str]:
    """Measure third-party applications; return their parts of the results."""
    chosen = [
        app
        for app in apps()
        if app.half in (options.half or app.half) and app.name in (options.app or [app.name])
    ]
    if not chosen:
        raise SystemExit(f"there is no such application; there are {', '.join(app.name for app in apps())}")
    began = time.monotonic()
    try:
        # Browsers keep a process waiting: one more of them than of the hostile pages.
        results = foreign.run(
            chosen,
            options.jobs + 1,
            quick=options.quick,
            changes=options.change or CHANGES,
            methods=("websp",) if options.alone else tuple(METHODS),
        )
    except SetupError as error:
        raise SystemExit(str(error)) from error
    if options.details:
        sys.stdout.writelines(f"{line}\n" for line in foreign.failures(results))
    if is_written:
        foreign.draw(results, chosen)
    return foreign.blocks(results, chosen, (time.monotonic() - began) / 60)


if __name__ == "__main__":
    main()
