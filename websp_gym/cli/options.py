"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from websp_gym.cli.completing import complete_site

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
Headed = Annotated[bool, typer.Option("--headed", help="Show the browser window.")]
Processes = Annotated[int, typer.Option("--jobs", min=1, help="Number of processes.")]
Resume = Annotated[bool, typer.Option("--resume", help="Skip what is already done.")]
Seed = Annotated[int, typer.Option(help="Random seed.")]
SignedOut = Annotated[bool, typer.Option("--signed-out", help="Start signed out.")]

Sites = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SITE]...",
        parser=str.lower,
        help="Slugs of sites. Default: every site with tasks.",
        autocompletion=complete_site,
    ),
]
SiteName = Annotated[
    str | None, typer.Option(help="Only this site, e.g. Steam.", autocompletion=complete_site)
]
Category = Annotated[str | None, typer.Option(help="Only task categories that contain this text.")]
Dataset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="An imported dataset, such as official (`websp dataset import`). Default: ours."
    ),
]

Models = Annotated[
    list[str] | None,
    typer.Option(
        help="Models that vote, repeated or with commas, or `recommended`. Default: the paper's three."
    ),
]
Quorum = Annotated[
    int | None,
    typer.Option(
        min=1, help="Number of models that must agree for a verdict. Default: more than half of them."
    ),
]
Asks = Annotated[int, typer.Option(min=1, help="Attempts per model to get a readable answer.")]
Rules = Annotated[Path | None, typer.Option(help="Text file with rules for the judge that replace ours.")]
Preflight = Annotated[
    bool,
    typer.Option(
        "--preflight/--no-preflight", help="Try each model with one small request before anything else."
    ),
]
MaxCost = Annotated[
    float | None, typer.Option(min=0, help="Stop before spending more than this, in US dollars.")
]

Stream = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="Show the browser in a local page; the default without a display.",
    ),
]
StreamPort = Annotated[
    int | None,
    typer.Option(
        "--port", min=0, max=65535, help="Port of that page; implies --stream. Default: a free one."
    ),
]

TraceName = Annotated[str, typer.Argument(metavar="TRACE", help="A file, or a name below traces/.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace existing files.")]
