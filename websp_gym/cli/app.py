"""The commands. Each one only reads arguments, calls the library and shows what came back."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from websp_gym.errors import SetupError

app = typer.Typer(
    name="websp",
    help="Web agents on website security and privacy tasks: run, watch and check them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]


class InitialState(StrEnum):
    """How S0 is reached."""

    REPLAY = "replay"
    SNAPSHOT = "snapshot"


@app.command("list")
def list_instances(
    site: Annotated[str | None, typer.Option(help="Only this site, e.g. Steam.")] = None,
    category: Annotated[str | None, typer.Option(help="Only task categories that contain this text.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the instances.

    Example: `websp list --site Steam --category cookie`
    """
    from websp_gym.instances import all_instances

    rows = [
        loaded
        for loaded in all_instances()
        if (site is None or loaded.site.site.casefold() == site.casefold())
        and (category is None or category.casefold() in loaded.task.category.casefold())
    ]
    if not rows:
        raise SetupError("no instance matches; `websp list` shows all")
    if as_json:
        sys.stdout.write(
            json.dumps([_instance_json(loaded) for loaded in rows], ensure_ascii=False, indent=1) + "\n"
        )
        return
    table = Table("instance", "category", "instruction", box=None, header_style="bold", pad_edge=False)
    for loaded in rows:
        table.add_row(f"[bold]{loaded.id}[/]", loaded.task.category, loaded.task.instruction)
    out.print(table)
    out.print(f"{len(rows)} instances", style="dim")


@app.command()
def show(instance_id: Annotated[str, typer.Argument(metavar="ID")], as_json: AsJson = False) -> None:
    """Show everything about one instance.

    Example: `websp show Steam-task-191-ON`
    """
    from rich.markup import escape

    from websp_gym.instances import load_instance

    loaded = load_instance(instance_id)
    if as_json:
        sys.stdout.write(json.dumps(_instance_json(loaded), ensure_ascii=False, indent=1) + "\n")
        return
    goal = loaded.task.goal.model_dump(exclude_defaults=True)
    out.print(f"[bold]{loaded.id}[/]  {loaded.site.site} · {loaded.task.category}\n")
    out.print(escape(loaded.task.instruction))
    out.print(f"[dim]with navigation:[/] {escape(loaded.task.instruction_with_navigation)}\n")
    out.print(f"[bold]start[/] {loaded.site.start_url}")
    out.print("[bold]S0[/]")
    for step in loaded.instance.initial_state:
        out.print(f"  {escape(json.dumps(step.model_dump()))}")
    out.print("[bold]goal[/]")
    for kind, wanted in goal.items():
        for line in wanted.items() if isinstance(wanted, dict) else enumerate(wanted, 1):
            out.print(f"  {kind} {line[0]}: {escape(json.dumps(line[1]))}")
    out.print("[bold]ground truth[/]")
    for number, text in enumerate(loaded.instance.ground_truth_text(), 1):
        out.print(f"  {number}. {escape(text)}")


@app.command()
def run(
    tasks: Annotated[
        list[str], typer.Option("--tasks", help="Instances to run, by glob; may be given repeatedly.")
    ],
    agent: Annotated[str, typer.Option(help="oracle, noop or random.")] = "oracle",
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Folder for results and trajectories.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Leave out what --out already has.")] = False,
    initial_state: Annotated[InitialState, typer.Option(help="How S0 is reached.")] = InitialState.REPLAY,
    seed: Annotated[int, typer.Option(help="Seed of every episode.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Run an agent on instances.

    Exit code 0 when every episode ran, whatever its reward; 1 when one ended in an infrastructure error.

    Example: `websp run --agent oracle --tasks 'Steam-*' --jobs 2 --out runs/oracle`
    """
    from websp_gym.cli.running import run_command

    options: dict[str, Any] = {"initial_state": initial_state.value}
    code = run_command(
        tasks,
        agent,
        processes=jobs,
        folder=out_dir,
        resume=resume,
        seed=seed,
        options=options,
        as_json=as_json,
    )
    raise typer.Exit(code)


@app.command()
def demo(
    instance_id: Annotated[str, typer.Argument(metavar="[ID]")] = "Steam-task-191-ON",
    out_dir: Annotated[Path, typer.Option("--out", help="Folder for the trajectory.")] = Path("runs/demo"),
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser window.")] = False,
    agent: Annotated[str, typer.Option(help="oracle, noop or random.")] = "oracle",
) -> None:
    """Watch one instance run: sandbox, replay to S0, agent, verdict, and a page that shows it all.

    Example: `websp demo Steam-task-198-ON`
    """
    from websp_gym.cli.demo import run_demo

    raise typer.Exit(run_demo(instance_id, out_dir, agent=agent, headed=headed))


@app.command()
def serve(
    site: Annotated[str | None, typer.Argument(help="Site to open, e.g. steam; the index otherwise.")] = None,
    signed_out: Annotated[bool, typer.Option("--signed-out", help="Begin signed out.")] = False,
    headless: Annotated[bool, typer.Option("--no-browser", help="Only print how to reach it.")] = False,
) -> None:
    """Browse the sandbox by hand, under the real host names.

    Example: `websp serve steam`
    """
    from websp_gym.cli.serving import serve_command

    serve_command(site, signed_in=not signed_out, browser=not headless)


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Check that this machine can run everything, and say what to do where it cannot.

    Example: `websp doctor`
    """
    from websp_gym.cli.doctor import examine

    findings = examine()
    if as_json:
        rows = [{"check": item.name, "ok": item.ok, "detail": item.detail} for item in findings]
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    else:
        for item in findings:
            out.print(
                f"{'[green]✓[/]' if item.ok else '[red]✗[/]'} [bold]{item.name}[/]  {item.detail}",
                soft_wrap=True,
            )
    raise typer.Exit(0 if all(item.ok for item in findings) else 1)


def _instance_json(loaded: Any) -> dict[str, Any]:
    return {
        "id": loaded.id,
        "site": loaded.site.site,
        "website_category": loaded.site.website_category,
        "category": loaded.task.category,
        "state": loaded.instance.state,
        "instruction": loaded.task.instruction,
        "instruction_with_navigation": loaded.task.instruction_with_navigation,
        "start_url": loaded.site.start_url,
        "element_types": list(loaded.instance.element_types),
        "ground_truth": loaded.instance.ground_truth_text(),
        "config_hash": loaded.config_hash,
    }
