"""``websp dataset``: import, list, check and remove published datasets."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.markup import escape
from rich.table import Table

from websp_gym.cli.options import AsJson, Processes, Sites
from websp_gym.cli.output import Console, plain_table, print_json, progress_bar, wide_console
from websp_gym.records.runs import count
from websp_gym.tasks.datasets import (
    OFFICIAL,
    StoredDataset,
    dataset_names,
    load_dataset,
    reach_by_ours,
    remove_dataset,
    trace_in,
)
from websp_gym.tasks.instances import all_instances, all_work

datasets = typer.Typer(
    name="dataset",
    help="Published datasets beside ours, imported from your own clones of them.\n\n"
    "Example: `websp dataset import webspeval_code`",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
_COLOURS = {
    "raised": "yellow", "refused": "yellow", "wrong": "red", "contradictory": "yellow", "unsolved": "red",
}  # fmt: skip
_MANY = 6
"""From this number on, what was left out for one reason is only counted."""
DatasetName = Annotated[str, typer.Argument(metavar="[NAME]", help="Name of the dataset.")]


@datasets.command("import")
def import_command(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="Your clone of github.com/wi-pi/webspeval_code, or of github.com/segev-shlomov/ST-WebAgentBench.",
        ),
    ],
    *,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an earlier import.")] = False,
    as_json: AsJson = False,
) -> int:
    """Import a published dataset into your data folder, completely or not at all. None of it is part of websp-gym.

    WebSP-Eval becomes `official`: its wordings, ground truth and traces (CC BY-NC 4.0, for non-commercial use); the
    ids, the goals and the verified S0 are ours. Passwords and other secrets in traces are left out or become
    placeholders.

    ST-WebAgentBench becomes `stwab`: its tasks of enterprise applications with its own success checks, and what they
    name added to our company in S0; its policies become the sets `stwab`, `stwab-2` and `stwab-3`.

    Everything that could not be imported is listed with the reason.

    Exit code 0, or 1 when an instance is not as published (marked !).

    Example: `websp dataset import webspeval_code`
    """
    from websp_gym.datasets.importing import import_dataset

    dataset = import_dataset(source, overwrite=overwrite)
    missing = [one for one in dataset.left_out if one.matters]
    if as_json:
        print_json(_facts(dataset))
        return 1 if missing else 0
    console = wide_console()
    _show_left_out(console, dataset)
    console.print(f"[bold]{dataset.name}[/]  {_summary(dataset)}; {dataset.licence}", soft_wrap=True)
    for site, trace in dataset.logins.items():
        console.print(
            f"  login_trace of {site} in accounts.yaml: {trace_in(dataset.name, trace)}",
            soft_wrap=True,
        )
    site = next(iter(dataset.instances), "Steam-").partition("-")[0]
    console.print(
        f"[dim]use it:[/] websp run '{site}-*' --agent oracle --dataset {dataset.name}", soft_wrap=True
    )
    return 1 if missing else 0


@datasets.command("list")
def list_command(*, as_json: AsJson = False) -> None:
    """List the imported datasets: source, date, commit, and what each has for each site.

    Example: `websp dataset list`
    """
    found = [load_dataset(name) for name in dataset_names()]
    if as_json:
        print_json([_facts(dataset) for dataset in found])
        return
    console = wide_console()
    if not found:
        console.print("no imported datasets; `websp dataset import DIR` imports a clone of the published one")
    for dataset in found:
        commit = f", commit {dataset.commit[:12]}" if dataset.commit else ""
        console.print(
            f"[bold]{dataset.name}[/]  from {escape(dataset.source)}{commit}, imported {dataset.imported} by "
            f"websp-gym {dataset.version}; {dataset.licence}",
            soft_wrap=True,
        )
        table = plain_table("site", "instances", "tasks of it", "with traces of S0", "login trace")
        for site, facts in _sites(dataset).items():
            numbers = (str(facts[key]) for key in ("instances", "tasks", "with_traces"))
            table.add_row(site, *numbers, facts["login_trace"])
        console.print(table)
        if dataset.policies:
            console.print(_of_policies(dataset))


@datasets.command()
def check(
    sites: Sites = None,
    *,
    name: Annotated[str, typer.Option("--dataset", help="Name of the dataset.")] = OFFICIAL,
    jobs: Processes = 1,
    use_ours: Annotated[
        bool,
        typer.Option(
            "--use-ours", help="From now on, reach S0 by our own steps where theirs do not reach it."
        ),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Try a dataset on our replicas: replay its traces and compare the state with S0, or let the oracle do its tasks.

    solved: the oracle did the task, and its own checks hold; contradictory: they cannot hold if it is done as
    instructed; unsolved: they do not hold.

    reached: the server has the S0 of the instance; raised: replay stopped with an error; refused: a trace could not
    be imported; wrong: replay ended without an error in another state. No episode starts from anything but S0.

    Exit code 0, or 1 when a replay was wrong or a task unsolved.

    Example: `websp dataset check steam --jobs 2`
    """
    from websp_gym.authoring.dataset_proofs import Outcome, prove_dataset

    console = wide_console()
    with progress_bar(console) as progress:
        task = progress.add_task("instances", total=None)
        proofs = prove_dataset(
            name,
            sites or (),
            processes=jobs,
            on_progress=lambda done, total: progress.update(task, completed=done, total=total),
        )
    code = 1 if any(proof.outcome in ("wrong", "unsolved") for proof in proofs) else 0
    if use_ours:
        reach_by_ours(
            name, {one.instance: one.reason for one in proofs if one.outcome in ("raised", "wrong")}
        )
    if as_json:
        print_json([vars(proof) for proof in proofs])
        return code
    for proof in proofs:
        if proof.outcome in _COLOURS:
            colour = _COLOURS[proof.outcome]
            console.print(
                f"[{colour}]{proof.outcome}[/] [bold]{proof.instance}[/]  {escape(proof.reason)}",
                soft_wrap=True,
            )
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for proof in proofs:
        counts[proof.site][proof.outcome] += proof.tasks
    everything = sum(counts.values(), Counter())
    outcomes = [outcome for outcome in get_args(Outcome) if everything[outcome]]
    table = plain_table("site", *outcomes)
    for site, found in {**counts, "all": everything}.items():
        table.add_row(site, *(str(found[outcome]) for outcome in outcomes))
    console.print(table)
    return code


@datasets.command()
def remove(name: DatasetName = OFFICIAL) -> None:
    """Remove an imported dataset.

    Example: `websp dataset remove`
    """
    Console().print(f"removed {escape(str(remove_dataset(name)))}", soft_wrap=True)


def _facts(dataset: StoredDataset) -> dict[str, Any]:
    told = dataset.model_dump(
        mode="json", include={"name", "source", "commit", "imported", "licence", "version"}
    )
    logins = {site: trace_in(dataset.name, trace) for site, trace in dataset.logins.items()}
    left_out = [one.model_dump(mode="json") for one in dataset.left_out]
    return {**told, "sites": _sites(dataset), "login_traces": logins, "left_out": left_out}


def _sites(dataset: StoredDataset) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for instance in (*all_instances(), *all_work()):
        told = dataset.instances.get(instance.id)
        if told is None:
            continue
        login = dataset.logins.get(instance.site.slug)
        facts = found.setdefault(
            instance.site.slug,
            {
                "instances": 0,
                "tasks": 0,
                "with_traces": 0,
                "login_trace": trace_in(dataset.name, login) if login else "",
            },
        )
        facts["instances"] += 1
        facts["tasks"] += len(told.play.tasks) if told.play else 0
        facts["with_traces"] += bool(told.replay)
    return found


def _show_left_out(console: Console, dataset: StoredDataset) -> None:
    if not dataset.left_out:
        return
    table = plain_table("", "left out", "of", "because")
    reasons: dict[tuple[bool, str, str], list[str]] = {}
    for one in dataset.left_out:
        reasons.setdefault((not one.matters, one.kind, one.reason), []).append(one.subject)
    for (minor, kind, reason), subjects in sorted(reasons.items(), key=lambda each: each[0][0]):
        sign = "[dim]-[/]" if minor else "[bold red]![/]"
        many = f"{subjects[0]} and {len(subjects) - 1} more"
        for subject in subjects if len(subjects) < _MANY else [many]:
            table.add_row(sign, kind, escape(subject), escape(reason))
    console.print(table)


def _summary(dataset: StoredDataset) -> str:
    """Return what a dataset has, in one line."""
    found = [count(len(dataset.instances), "instance")]
    if dataset.traces:
        replayed = sum(bool(each.replay) for each in dataset.instances.values())
        found.append(f"{replayed} with published traces of S0 ({count(len(dataset.traces), 'trace')})")
    if tasks := sum(len(each.play.tasks) for each in dataset.instances.values() if each.play):
        found.append(f"{count(tasks, 'task')} of it")
    if dataset.policies:
        outcomes = sum(map(Counter, dataset.policies.values()), Counter[str]())
        ours = outcomes["as meant"] + outcomes["by effect"]
        found.append(f"{ours} of its {outcomes.total()} policies translated")
    return ", ".join(found)


def _of_policies(dataset: StoredDataset) -> Table:
    """Return the table of what became of its policies, by evaluator."""
    outcomes = list(dict.fromkeys(each for found in dataset.policies.values() for each in found))
    table = plain_table("evaluator of policies", "policies", *outcomes)
    for evaluator, found in dataset.policies.items():
        numbers = (str(found.get(each, 0)) for each in outcomes)
        table.add_row(evaluator, str(sum(found.values())), *numbers)
    return table
