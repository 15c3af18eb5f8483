"""``websp pack`` and ``websp verify``: submit a run, and check a submission."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from websp_gym.cli.options import AsJson
from websp_gym.cli.output import FAILED, OK, Console, print_json
from websp_gym.exchange import packing, verifying
from websp_gym.exchange.submission import ALL, Submission, options_in_words
from websp_gym.exchange.verifying import Verified
from websp_gym.records.runs import count


def pack(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    *,
    to: Annotated[Path, typer.Option(metavar="FILE.zip", help="The file.")],
    split: Annotated[
        str,
        typer.Option(
            help="The instances that the run claims to have played: all, a side of a split such as test:site, or a "
            "glob of ids."
        ),
    ] = ALL,
    trials: Annotated[
        int | None,
        typer.Option(
            min=1, help="Episodes per instance. Default: the most that any has; other results are left out."
        ),
    ] = None,
    pictures: Annotated[bool, typer.Option("--pictures/--no-pictures", help="Pack the screenshots.")] = True,
    as_json: AsJson = False,
) -> None:
    """Verify a run and pack it for a leaderboard: results, records, versions, and the SHA-256 of each file.

    Example: `websp pack runs/gpt --to gpt.zip --split test:site --no-pictures`
    """
    submission = packing.pack(folder, to, split=split, trials=trials, pictures=pictures)
    if as_json:
        print_json({"file": str(to), **submission.model_dump(by_alias=True, exclude={"files", "instances"})})
        return
    console = Console()
    console.print(_claim(submission), markup=False, soft_wrap=True)
    console.print(
        f"{to}  {to.stat().st_size / 1e6:.1f} MB, {count(len(submission.files), 'file')}", markup=False
    )


def verify(
    path: Annotated[Path, typer.Argument(metavar="FILE|RUN", help="A submission, or the folder of a run.")],
    *,
    as_json: AsJson = False,
) -> int:
    """Verify a submission or a run: files, completeness, instances, and outcomes computed again from the records.

    Exit code 0 when nothing is wrong, else 1; 2 when it cannot be read or is refused.

    Example: `websp verify gpt.zip`
    """
    done = verifying.verify(path)
    if as_json:
        print_json(done.as_dict())
    else:
        _show(done)
    return 1 if done.problems else 0


def _show(done: Verified) -> None:
    console = Console()
    for problem in done.problems:
        console.print(f"{problem.where}: {problem.what}", style="red", markup=False, soft_wrap=True)
    split = f" of {done.split}" if done.split else ""
    how = f"({done.world}, reward {done.reward}{options_in_words(done.options)})"
    told = f"{count(done.episodes, 'episode')}{split} {how}: {_rate(done.outcomes, done.pass_rate)}"
    wrong = f"{FAILED} {count(len(done.problems), 'problem')}" if done.problems else f"{OK} verified"
    console.print(f"{wrong}; {escape(told)}", soft_wrap=True)


def _claim(submission: Submission) -> str:
    rate = _rate(submission.outcomes, submission.pass_rate)
    episodes = f"{count(len(submission.instances), 'instance')} × {count(submission.trials, 'trial')}"
    how = f"({submission.world}, reward {submission.reward}{options_in_words(submission.options)})"
    return f"{submission.agent} on {submission.split} {how}: {episodes}; {rate}"


def _rate(outcomes: dict[str, int], rate: float | None) -> str:
    counts = ", ".join(f"{number} {status}" for status, number in outcomes.items() if number)
    return counts + ("" if rate is None else f", pass rate {100 * rate:.1f} %")
