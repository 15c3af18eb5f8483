"""Commands about what there is to play: ``list`` and ``show``, and what this machine lacks: ``doctor``."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from rich.table import Table

from websp_gym.cli.options import AsJson, Headed, out
from websp_gym.records.results import count


def list_instances(
    site: Annotated[str | None, typer.Option(help="Only this site, e.g. Steam.")] = None,
    category: Annotated[str | None, typer.Option(help="Only task categories that contain this text.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the instances.

    In a pipe, a line for each: id, category and instruction, with tabs between.

    Example: `websp list --site Steam --category cookie`
    """
    from websp_gym.tasks.instances import load_instance
    from websp_gym.tasks.selection import select_instances

    rows = [load_instance(name) for name in select_instances(["*"], site=site, category=category)]
    if as_json:
        sys.stdout.write(
            json.dumps([_instance_json(loaded) for loaded in rows], ensure_ascii=False, indent=1) + "\n"
        )
        return
    if not out.is_terminal:
        lines = ((loaded.id, loaded.task.category, loaded.task.instruction) for loaded in rows)
        sys.stdout.writelines("\t".join(" ".join(part.split()) for part in line) + "\n" for line in lines)
        return
    table = Table("instance", "category", "instruction", box=None, header_style="bold", pad_edge=False)
    for loaded in rows:
        table.add_row(f"[bold]{loaded.id}[/]", loaded.task.category, loaded.task.instruction)
    out.print(table)
    out.print(count(len(rows), "instance"), style="dim")


def show(instance_id: Annotated[str, typer.Argument(metavar="ID")], as_json: AsJson = False) -> None:
    """Show everything about one instance.

    Example: `websp show Steam-task-191-ON`
    """
    from rich.markup import escape

    from websp_gym.tasks.instances import load_instance

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


def doctor(headed: Headed = False, as_json: AsJson = False) -> None:
    """Check that this machine can run everything, and say what to do where it cannot.

    Example: `websp doctor`
    """
    from rich.markup import escape

    from websp_gym.cli.doctor import examine

    findings = examine(headed=headed)
    if as_json:
        rows = [{"check": item.name, "ok": item.ok, "detail": item.detail} for item in findings]
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    else:
        for item in findings:
            out.print(
                f"{'[green]✓[/]' if item.ok else '[red]✗[/]'} [bold]{item.name}[/]  {escape(item.detail)}",
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
