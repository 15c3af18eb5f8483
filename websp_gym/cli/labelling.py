"""``websp label``: draw trajectories, label them by hand without seeing verdicts, and compare labels."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from websp_gym.calibration.labels import Agreement, Label, read_label_file, write_label_file
from websp_gym.calibration.labels import compare as compare_labels
from websp_gym.calibration.sampling import STATE, candidates, draw
from websp_gym.cli.label_app import LabelApp, Labelling
from websp_gym.cli.options import AsJson, Overwrite, Seed
from websp_gym.cli.output import Console, plain_table, print_json, wide_console
from websp_gym.errors import SetupError
from websp_gym.rates import Figure
from websp_gym.scoring.judge.batch import find_runs
from websp_gym.window.server import listening

label = typer.Typer(
    name="label",
    help="Label trajectories by hand, to measure a judge: draw a sample, label it blind, compare labels.\n\n"
    "Example: `websp label page labels/sample.csv --out labels/first.csv`",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)


@label.command()
def sample(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="Folders with runs, at any depth.")],
    *,
    out: Annotated[Path, typer.Option(help="CSV for the sample.")],
    size: Annotated[int, typer.Option(min=1, help="Number of trajectories.")] = 200,
    balance: Annotated[
        bool, typer.Option("--balance", help="As many judged CORRECT as INCORRECT by an early judge.")
    ] = False,
    early: Annotated[
        str,
        typer.Option(
            metavar="JUDGE",
            help=f"The early judge: part of its models, or `{STATE}`. Default: the newest judgement.",
        ),
    ] = "",
    seed: Seed = 0,
    overwrite: Overwrite = False,
) -> None:
    """Draw trajectories to label, spread over agents, instruction variants and websites.

    The file has no verdicts. Trajectories ended by a limit are not drawn: no judge is asked about them.

    Example: `websp label sample runs --size 200 --balance --out labels/sample.csv`
    """
    if out.exists() and not overwrite:
        raise SetupError(f"{out} exists; add --overwrite to replace it", path=str(out))
    drawn = draw(candidates(folders, early=early), size, balance=balance, seed=seed)
    write_label_file(out, [Label("", folder, None) for folder in drawn])
    console = Console()
    console.print(f"sample: {out}  {len(drawn)} trajectories", markup=False, soft_wrap=True)
    console.print(f"next:   websp label page {out} --out {out.with_name('first.csv')}", style="dim", markup=False,
                  soft_wrap=True)  # fmt: skip


@label.command()
def page(
    source: Annotated[
        Path,
        typer.Argument(metavar="SAMPLE|DIR", help="CSV or JSONL of trajectories, or a folder with runs."),
    ],
    *,
    out: Annotated[Path, typer.Option(help="CSV for your labels; those already in it are kept.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port. Default: a free one.")] = 0,
) -> None:
    """Label trajectories in the browser, until Ctrl-C; each label is in the file at once.

    The page shows what a judge sees and hides agent, verdict, state and judges. Each file has its own order.

    Example: `websp label page labels/sample.csv --out labels/first.csv`
    """
    folders = (
        [each.folder for each in read_label_file(source, labelled=False)]
        if source.is_file()
        else find_runs(source)
    )
    labelling = Labelling(folders, out, seed=out.name)
    site = LabelApp(labelling)
    with listening(port) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}{site.root}/next"
        console = Console()
        console.print(f"label at {address}", markup=False, soft_wrap=True)
        said = f"{labelling.done} of {len(folders)} labelled; labels go to {out}. Press Ctrl-C to stop."
        console.print(said, style="dim", markup=False, soft_wrap=True)
        _serve(site, listener)
    console.print(f"{labelling.done} of {len(folders)} labelled", markup=False)


@label.command()
def compare(
    first: Annotated[Path, typer.Argument(help="Labels of one person, as CSV or JSONL.")],
    second: Annotated[Path, typer.Argument(help="Labels of another, or the vetted ones.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Compare two people's labels: Cohen's kappa with its interval, and where they disagree.

    Example: `websp label compare labels/first.csv labels/vetted.csv`
    """
    found = compare_labels(read_label_file(first), read_label_file(second))
    if as_json:
        print_json(_facts(found))
    else:
        _show(found, wide_console())


def _serve(site: LabelApp, listener: socket.socket) -> None:
    import uvicorn

    config = uvicorn.Config(site.app, log_level="warning", timeout_graceful_shutdown=1)
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])


def _facts(found: Agreement) -> dict[str, object]:
    counts = found.counts
    return {
        "labels": counts.scored,
        "both_correct": counts.true_accepts,
        "both_incorrect": counts.true_rejects,
        "only_first_correct": counts.false_accepts,
        "only_second_correct": counts.false_rejects,
        "agreement": found.agreement.__dict__,
        "kappa": found.kappa.__dict__,
        "only_in_first": found.only_first,
        "only_in_second": found.only_second,
        "warning": found.warning or None,
        "disagreements": [
            {
                "trajectory": str(one.folder),
                "first": one.word,
                "second": other.word,
                "notes": [one.note, other.note],
            }
            for one, other in found.disagreements
        ],
    }


def _show(found: Agreement, console: Console) -> None:
    counts = found.counts
    table = plain_table("", "second CORRECT", "second INCORRECT")
    table.add_row("first CORRECT", str(counts.true_accepts), str(counts.false_accepts))
    table.add_row("first INCORRECT", str(counts.false_rejects), str(counts.true_rejects))
    console.print(table)
    console.print(f"agreement     {_with_interval(found.agreement)}")
    console.print(f"Cohen's kappa {_with_interval(found.kappa)}")
    if found.warning:
        console.print(found.warning, style="bold yellow")
    for number, which in ((found.only_first, "first"), (found.only_second, "second")):
        if number:
            console.print(f"{number} only in the {which} file: not compared", style="yellow")
    if found.disagreements:
        _show_disagreements(found.disagreements, console)


def _show_disagreements(pairs: Sequence[tuple[Label, Label]], console: Console) -> None:
    table = plain_table("they disagree on", "first", "second", "notes")
    for one, other in pairs:
        notes = "; ".join(filter(None, (one.note, other.note)))
        table.add_row(escape(str(one.folder)), one.word, other.word, escape(notes))
    console.print(table)


def _with_interval(figure: Figure) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return "– (undefined: both give only one label)"
    return f"{figure.value:.3f} ({figure.low:.3f} to {figure.high:.3f})"
