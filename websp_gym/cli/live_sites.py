"""``websp live``: check whether live websites still match their traces, and put accounts back."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from websp_gym.browser.confinement import require_display
from websp_gym.cli.completing import complete_site
from websp_gym.cli.options import AsJson, Headed
from websp_gym.cli.output import FAILED, OK, Console, plain_table, print_json
from websp_gym.errors import SetupError, nearest
from websp_gym.live.accounts import load_accounts
from websp_gym.live.check import LiveFinding, check_account, give_up, planned, put_back
from websp_gym.live.permission import require_live
from websp_gym.live.sealed import kept_at

live = typer.Typer(
    name="live",
    help="The live websites, with your own accounts (`websp accounts`). Needs WEBSP_LIVE=1.\n\n"
    "Example: `WEBSP_LIVE=1 websp live check steam`",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)


@live.command()
def check(
    sites: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SITE|ACCOUNT]...",
            autocompletion=complete_site,
            help="Sites or accounts. Default: all accounts.",
        ),
    ] = None,
    *,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="For each trace that stopped, say how to investigate."),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only print what would be done, with the API calls; send nothing."),
    ] = False,
    headed: Headed = False,
    as_json: AsJson = False,
) -> int:
    """Check what works on a live website today, and what the site has changed.

    Signs each account in, sets S0 of each instance of its site, reads it back from reloaded pages, and puts the
    account back as it was found. Exit code 0 when all works, 1 when something does not.

    Example: `WEBSP_LIVE=1 websp live check steam --explain`
    """
    require_live("websp live check")
    if headed:
        require_display("--headed")
    console = Console(stderr=as_json)
    if dry_run:
        for name in _accounts(sites or []):
            for instance, step in planned(name):
                console.print(f"{escape(name)}  {escape(instance)}  {escape(step)}", soft_wrap=True)
        return 0
    findings = []
    for name in _accounts(sites or []):
        for finding in check_account(name, headless=not headed):
            findings.append(finding)
            mark = OK if finding.ok else FAILED
            console.print(
                f"{mark} {escape(name)}  {finding.part} {escape(finding.instance)}  "
                f"[dim]{finding.seconds:.1f} s[/]",
                soft_wrap=True,
            )
            if not finding.ok:
                console.print(f"  {escape(finding.why)}", soft_wrap=True)
                if explain:
                    console.print(f"  [dim]{escape(_way_out(finding))}[/]", soft_wrap=True)
    if as_json:
        print_json([finding.as_dict() for finding in findings])
    else:
        console.print(_table(findings))
    return int(not all(finding.ok for finding in findings))


@live.command()
def restore(
    account: Annotated[str, typer.Argument(help="Name of the account.")],
    *,
    forget: Annotated[
        bool,
        typer.Option(
            "--forget", help="Give up what cannot be put back: it is listed, and nothing tries it again."
        ),
    ] = False,
    headed: Headed = False,
) -> int:
    """Put an account back as it was before an episode that was killed.

    An episode with --restore does so itself, also after Ctrl-C. Exit code 0, or 1 when something is not as it was.

    Example: `WEBSP_LIVE=1 websp live restore steam-1`
    """
    console = Console()
    if forget:
        left = give_up(account)
        for each in left:
            console.print(f"[yellow]stays as it is[/] {escape(each)}", soft_wrap=True)
        said = f"forgot how to put back {account}" if left else f"nothing to put back for {account}"
        console.print(said, markup=False, soft_wrap=True)
        return 0
    require_live("websp live restore")
    if headed:
        require_display("--headed")
    problems = put_back(account, headless=not headed)
    if problems is None:
        console.print(f"nothing to put back for {escape(account)}")
        return 0
    for problem in problems:
        console.print(f"[yellow]not as it was found[/] {escape(problem)}", soft_wrap=True)
    if not problems:
        console.print(f"[bold green]put back[/] {escape(account)}")
    elif kept_at("found", account) is not None:
        console.print(
            f"[dim]it is tried again before the next episode; to give up: websp live restore {escape(account)} "
            "--forget[/]",
            soft_wrap=True,
        )
    return int(bool(problems))


def _accounts(chosen: list[str]) -> list[str]:
    known = load_accounts()
    if not known:
        raise SetupError("no accounts yet; add one with `websp accounts add SITE`", option="account")
    names = []
    for each in chosen:
        found = [name for name, account in known.items() if each in (name, account.site)]
        if not found:
            words = [*known, *(account.site for account in known.values())]
            raise SetupError(
                f'there is no account "{each}", and none on a site of that name{nearest(each, words)}',
                option="account",
            )
        names += found
    return list(dict.fromkeys(names)) or list(known)


def _table(findings: list[LiveFinding]) -> object:
    table = plain_table("account", "sign-in", "S0", "put back", "seconds")
    for name in dict.fromkeys(finding.account for finding in findings):
        own = [finding for finding in findings if finding.account == name]
        marks = {
            part: [finding.ok for finding in own if finding.part == part] for part in ("sign-in", "put back")
        }
        shown = {part: "–" if not oks else OK if all(oks) else FAILED for part, oks in marks.items()}
        states = [finding.ok for finding in own if finding.part == "S0"]
        seconds = sum(finding.seconds for finding in own)
        table.add_row(
            escape(name),
            shown["sign-in"],
            f"{sum(states)} of {len(states)}",
            shown["put back"],
            f"{seconds:.0f}",
        )
    return table


def _way_out(finding: LiveFinding) -> str:
    if finding.part == "sign-in":
        return f"sign in by hand: websp login {finding.account} --by-hand"
    if finding.part == "put back":
        again = f"websp live restore {finding.account}"
        return f"see what it names on the site; to try again: {again}; to give up: {again} --forget"
    event = f" --explain {finding.event}" if finding.event else ""
    return (
        f"look into it: websp show {finding.instance} names its traces; "
        f"websp replay TRACE --account {finding.account}{event}; "
        f"record it again: websp record URL --account {finding.account} --again TRACE --from {finding.event or 1}"
    )
