"""``websp policies``: list the sets of policies, show those of an instance, and check a set."""

from __future__ import annotations

from collections import Counter
from textwrap import wrap
from typing import Annotated, Any

import typer
from rich.markup import escape

from websp_gym.cli.completing import complete_id
from websp_gym.cli.options import AsJson
from websp_gym.cli.output import Console, plain_table, print_json, wide_console
from websp_gym.errors import SetupError
from websp_gym.policies.lint import gathered, problems
from websp_gym.policies.policy import Policy
from websp_gym.policies.sets import policies_for, set_names
from websp_gym.policies.walks import Walks
from websp_gym.records.dimensions import DIMENSIONS, TITLES
from websp_gym.records.runs import count
from websp_gym.tasks.instances import everything, load_instance

policies = typer.Typer(
    name="policies",
    help="List sets of policies, show those of an instance, and check them.\n\n"
    "Example: `websp policies show Steam-task-191-ON --policies standard`",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
_Set = Annotated[
    list[str] | None,
    typer.Option("--policies", metavar="SET", help="Name of a set, or path of a YAML file; may be repeated."),
]
_STANDARD = "standard"


@policies.command("list")
def list_sets(*, as_json: AsJson = False) -> None:
    """List the sets of policies, with the number of policies of all instances, by dimension.

    Example: `websp policies list`
    """
    counts = {name: _counts([name]) for name in set_names()}
    if as_json:
        print_json(counts)
        return
    out = wide_console()
    table = plain_table("set", "instances", "policies", *(TITLES[each] for each in DIMENSIONS))
    for name, found in counts.items():
        of_dimensions = [str(found[each]) for each in DIMENSIONS]
        table.add_row(name, str(found["instances"]), str(sum(map(int, of_dimensions))), *of_dimensions)
    out.print(table)


@policies.command()
def show(
    instance_id: Annotated[str, typer.Argument(metavar="ID", autocompletion=complete_id)],
    *,
    sets: _Set = None,
    as_json: AsJson = False,
) -> None:
    """Show the policies of one instance, as an agent reads them.

    Example: `websp policies show Steam-task-191-ON --policies standard`
    """
    instance = load_instance(instance_id)
    found = policies_for(instance, sets or [_STANDARD])
    if as_json:
        print_json(
            [
                {
                    "id": policy.id,
                    "level": policy.level,
                    "dimension": policy.dimension,
                    "sentence": policy.rule.sentence(found.names),
                    "rule": policy.rule.model_dump(mode="json", exclude_defaults=True, by_alias=True),
                    **_right_end(policy),
                }
                for policy in found.policies
            ]
        )
        return
    out = Console()
    for policy in found.policies:
        head = f"[bold]{policy.id}[/]  {policy.level}, {TITLES[policy.dimension]}"
        out.print(head, soft_wrap=True)
        out.print(_indented(policy.rule.sentence(found.names), out.width), soft_wrap=True)
        if policy.rule.is_general:
            checked = policy.rule.made_explicit().sentence(found.names)
            out.print(_indented(f"(here: {checked})", out.width), style="dim", soft_wrap=True)
        if policy.overrules:
            said = policy.overrules.rule.sentence(found.names)
            out.print(
                _indented(f"(overrules this one of the {policy.overrules.level}: {said})", out.width),
                style="dim",
                soft_wrap=True,
            )


def _indented(sentence: str, width: int) -> str:
    """Return a sentence in indented lines that break between words only, so that an address stays whole."""
    lines = wrap(sentence, max(width - 4, 20), break_long_words=False, break_on_hyphens=False)
    return escape("\n".join(f"    {line}" for line in lines))


@policies.command()
def check(
    sets: Annotated[
        list[str] | None, typer.Argument(metavar="SET", help="Names of sets, or paths of YAML files.")
    ] = None,
) -> int:
    """Check that policies name things that exist, and that each task can be done while keeping them.

    Example: `websp policies check my_policies.yaml`
    """
    checked, wrong = 0, {}
    with Walks() as walks:
        for instance in everything():
            found = policies_for(instance, sets or [_STANDARD])
            checked += len(found.policies)
            wrong[instance.id] = tuple(problems(found, instance, walks))
    if not checked:
        raise SetupError(
            f"{', '.join(sets or [_STANDARD])}: no policy applies to any instance", option="policies"
        )
    out, lines = Console(soft_wrap=True), gathered(wrong)
    for line in lines:
        out.print(escape(line))
    out.print(f"{checked} policies of instances checked, {count(len(lines), 'problem')}", style="dim")
    return int(bool(lines))


def _right_end(policy: Policy) -> dict[str, Any]:
    right = policy.right_end
    return {} if right is None else {"right_end": right.model_dump(mode="json", exclude_defaults=True)}


def _counts(sets: list[str]) -> dict[str, int]:
    counts = Counter(dict.fromkeys(("instances", *DIMENSIONS), 0))
    for instance in everything():
        found = policies_for(instance, sets).policies
        counts["instances"] += bool(found)
        counts.update(policy.dimension for policy in found)
    return dict(counts)
