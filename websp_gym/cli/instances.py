"""``websp list`` and ``websp show``: list the instances and show one."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from websp_gym.cli.completing import complete_id
from websp_gym.cli.options import AsJson, Category, Dataset, SiteName
from websp_gym.cli.output import Console, plain_table, print_json, wide_console
from websp_gym.env.options import Options
from websp_gym.errors import SetupError
from websp_gym.records.runs import count
from websp_gym.scoring.solved_at_start import solved_at_start
from websp_gym.tasks.datasets import in_dataset, of_dataset
from websp_gym.tasks.instances import Instance, load_instance
from websp_gym.tasks.selection import select_instances

By = Literal["category", "website"]


def list_instances(
    *,
    site: SiteName = None,
    category: Category = None,
    by: Annotated[
        By | None,
        typer.Option(
            help="List tasks by task category, or websites by their category (tables 10 and 11 of the paper)."
        ),
    ] = None,
    flows: Annotated[
        bool, typer.Option("--flows", help="List the everyday tasks with a decision on the way instead.")
    ] = False,
    work: Annotated[
        bool, typer.Option("--work", help="List the tasks of enterprise applications instead.")
    ] = False,
    dataset: Dataset = None,
    agent_input: Annotated[
        bool,
        typer.Option(
            "--agent-input", help="Print as JSON what an external agent may know: no goal, no ground truth."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the instances.

    In a pipe, print one line per instance: id, category and instruction, separated by tabs.

    Example: `websp list --site Steam --category cookie`
    """
    if flows and work:
        raise SetupError("choose one of --flows and --work")
    patterns = ["*-flow-*"] if flows else ["*-stwab-*"] if work else ["*"]
    if dataset is not None and not (flows or work):
        patterns.append("*-stwab-*")
    names = of_dataset(select_instances(patterns, site=site, category=category), dataset)
    rows = [in_dataset(load_instance(name), dataset) for name in names]
    if agent_input and by is not None:
        raise SetupError("choose one of --by and --agent-input")
    if by is not None:
        _list_groups(tasks_by_category(rows) if by == "category" else websites_by_category(rows), by, as_json)
        return
    if as_json or agent_input:
        print_json([_known_to_agents(one) if agent_input else _facts(one) for one in rows])
        return
    out = Console()
    if not out.is_terminal:
        lines = ((instance.id, instance.task.category, instance.task.instruction) for instance in rows)
        sys.stdout.writelines("\t".join(" ".join(part.split()) for part in line) + "\n" for line in lines)
        return
    table = plain_table("instance", "category", "instruction")
    for instance in rows:
        table.add_row(f"[bold]{instance.id}[/]", instance.task.category, instance.task.instruction)
    out.print(table)
    out.print(count(len(rows), "instance"), style="dim")


def tasks_by_category(instances: Sequence[Instance]) -> dict[str, list[str]]:
    """Return the tasks of each task category; ``(2)`` marks those with an ON and an OFF instance (table 10)."""
    states = Counter(instance.task.id for instance in instances)
    return _grouped(
        (each.task.category, each.task.id + (" (2)" if states[each.task.id] > 1 else ""))
        for each in instances
    )


def websites_by_category(instances: Sequence[Instance]) -> dict[str, list[str]]:
    """Return the websites of each website category (table 11)."""
    return _grouped((each.site.website_category, each.site.site) for each in instances)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, dict[str, None]] = {}
    for group, name in pairs:
        found.setdefault(group, {})[name] = None
    return {group: list(names) for group, names in sorted(found.items())}


def _list_groups(groups: dict[str, list[str]], by: By, as_json: bool) -> None:
    if as_json:
        print_json(groups)
        return
    out = wide_console()
    table = (
        plain_table("task category", "#", "tasks")
        if by == "category"
        else plain_table("website category", "#", "websites")
    )
    for group, names in groups.items():
        table.add_row(group, str(len(names)), ", ".join(names))
    out.print(table)


def show(
    instance_id: Annotated[str, typer.Argument(metavar="ID", autocompletion=complete_id)],
    *,
    dataset: Dataset = None,
    as_json: AsJson = False,
) -> None:
    """Show the instruction, initial state, goal and ground truth of one instance.

    Example: `websp show Steam-task-191-ON`
    """
    instance = in_dataset(load_instance(instance_id), dataset)
    if as_json:
        print_json(_facts(instance))
        return
    out = Console()
    task = instance.task.model_dump(include={"goal", "unchanged"}, exclude_defaults=True)
    out.print(f"[bold]{instance.id}[/]  {instance.site.site} · {instance.task.category}\n")
    out.print(escape(instance.task.instruction))
    out.print(f"[dim]with navigation:[/] {escape(instance.task.instruction_with_navigation)}\n")
    out.print(f"[bold]start[/] {instance.site.start_url}")
    out.print("[bold]S0[/]")
    for step in instance.config.initial_state:
        out.print(f"  {escape(json.dumps(step.model_dump()))}")
    for part, conditions in task.items():
        out.print(f"[bold]{part}[/]")
        for line in _lines(conditions):
            out.print(f"  {escape(line)}")
    out.print("[bold]ground truth[/]")
    for number, text in enumerate(instance.ground_truth_text(), 1):
        out.print(f"  {number}. {escape(text)}")
    if (decision := instance.config.decision) is not None:
        out.print(f"[bold]decision on the way[/], on {decision.pages}")
        out.print(f"  {escape(decision.title)}: {escape(decision.text)}")
        for box in decision.boxes:
            out.print(escape(f"  [{'x' if box.ticked else ' '}] {box.label} ({box.purpose})"))
        for choice in decision.choices:
            agreed = [*choice.agrees, *(["what is ticked"] if choice.boxes else [])]
            out.print(escape(f"  {choice.label}: agrees to {', '.join(agreed) or 'nothing'}"))


def _lines(conditions: dict[str, Any]) -> Iterator[str]:
    for kind, wanted in conditions.items():
        if isinstance(wanted, dict):
            yield from (f"{kind} {key}: {json.dumps(value)}" for key, value in wanted.items())
        elif isinstance(wanted, list | tuple):
            yield from (f"{kind} {number}: {json.dumps(value)}" for number, value in enumerate(wanted, 1))
        else:
            yield f"{kind}: {json.dumps(wanted)}"


def _known_to_agents(instance: Instance) -> dict[str, Any]:
    """Return what an agent is told by default, whatever harness it plays in."""
    return {
        "id": instance.id,
        "instruction": instance.instruction(Options.instruction),
        "start_url": instance.site.start_url,
        "max_actions": Options.max_actions,
        "max_seconds": Options.max_seconds,
    }


def _facts(instance: Instance) -> dict[str, Any]:
    return {
        "id": instance.id,
        "task": instance.task.id,
        "site": instance.site.site,
        "website_category": instance.site.website_category,
        "category": instance.task.category,
        "state": instance.config.state,
        "solved_at_start": solved_at_start(instance),
        "initial_state": list(dict.fromkeys(step.kind for step in instance.config.initial_state)),
        "login": instance.site.account,
        "instruction": instance.task.instruction,
        "instruction_with_navigation": instance.task.instruction_with_navigation,
        "start_url": instance.site.start_url,
        "element_types": list(instance.config.element_types),
        "ground_truth": instance.ground_truth_text(),
        "ground_truth_length": len(instance.config.ground_truth),
        "config_hash": instance.config_hash,
        **({"dataset": instance.origin.model_dump(mode="json")} if instance.origin else {}),
        **(
            {"decision": instance.config.decision.model_dump(mode="json")} if instance.config.decision else {}
        ),
    }
