"""``websp replay``: replay a trace in the sandbox, or on a live website."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from websp_gym.browser.confinement import require_display
from websp_gym.cli.live import live_account, new_password
from websp_gym.cli.options import AsJson, Headed, SignedOut, TraceName
from websp_gym.cli.output import Console, plain_table, print_json
from websp_gym.errors import ReplayError, SetupError
from websp_gym.live.permission import require_live
from websp_gym.recording.dry_run import StateChange, dry_run
from websp_gym.recording.live import replay_live
from websp_gym.replay import EventReport, Trace, load_trace
from websp_gym.replay.evidence import Candidate
from websp_gym.replay.expectations import Set
from websp_gym.replay.library import find_trace

_ON_OFF = {True: "on", False: "off", None: ""}
_MOST_EXPLAINED = 6


def replay(
    name: TraceName,
    *,
    set: Annotated[Set, typer.Option(help="Final state of switches and check boxes.")] = "recorded",
    explain: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Show the evidence for and against each candidate of event N."),
    ] = None,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="At the end, reload the pages and read back what was set."),
    ] = False,
    site_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Replay on this live website, and verify. Needs WEBSP_LIVE=1."),
    ] = None,
    account: Annotated[
        str | None,
        typer.Option(
            help="Replay on the live website as this account (`websp accounts`), signed in, and verify."
        ),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="N=TEXT",
            help="What to type at event N, where the recording left out an input.",
        ),
    ] = None,
    headed: Headed = False,
    signed_out: SignedOut = False,
    picture: Annotated[
        Path | None, typer.Option(help="Write a screenshot of the last page to this PNG file.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Replay a trace; show how each element was found and what changed on the server.

    It runs on a fresh account of the sandbox. With --account it runs on the live website, signed in as that account.
    With --site-url alone it runs on any website, in a browser without cookies: the trace must sign in itself, with
    WEBSP_ACCOUNT_EMAIL, WEBSP_ACCOUNT_USERNAME and WEBSP_ACCOUNT_PASSWORD.
    Where an input was left out because it is secret, replay stops unless it is given: with --input, or a new password
    with WEBSP_ACCOUNT_NEW_PASSWORD. Exit code 0, or 1 when an event failed.

    Example: `websp replay steam/mature_content --set off`
    """
    trace = load_trace(find_trace(name))
    if explain is not None and explain > len(trace.events):
        raise SetupError(
            f"there is no event {explain}; {trace.name} has {len(trace.events)}", option="explain"
        )
    if site_url is not None or account is not None:
        require_live("--site-url" if account is None else "--account")
    if headed:
        require_display("--headed")
    given = _inputs(inputs or [])
    outcome = _Outcome(trace, set, explain)
    try:
        if site_url is None and account is None:
            done = dry_run(
                trace,
                set=set,
                signed_in=not signed_out,
                headless=not headed,
                verify=verify,
                inputs=given,
                account=new_password(),
                picture=picture,
                on_event=outcome.events.append,
                on_candidates=outcome.note_candidates,
            )
            outcome.changes = done.changes
            outcome.seconds, outcome.verified, outcome.unverified = (
                done.seconds,
                done.verified,
                done.unverified,
            )
        else:
            live = replay_live(
                trace,
                site_url,
                set=set,
                account=account or live_account(),
                inputs=given,
                headless=not headed,
                picture=picture,
                on_event=outcome.events.append,
                on_candidates=outcome.note_candidates,
            )
            outcome.seconds, outcome.verified, outcome.unverified = (
                live.seconds,
                live.verified,
                live.unverified,
            )
    except ReplayError as error:
        outcome.failure = error
    if as_json:
        print_json(outcome.as_dict())
    else:
        outcome.show(Console())
    return 1 if outcome.failure else 0


def _inputs(options: list[str]) -> dict[int, str]:
    given = {}
    for option in options:
        number, sign, text = option.partition("=")
        if not (sign and number.isdecimal()):
            raise SetupError(
                "--input is the number of an event and what to type there, as in --input 3=TEXT",
                option="input",
            )
        given[int(number)] = text
    return given


class _Outcome:
    """The outcome of a replay, for display."""

    def __init__(self, trace: Trace, set_: Set, explain: int | None) -> None:
        self.trace = trace
        self.set = set_
        self.explain = explain
        self.events: list[EventReport] = []
        self.candidates: list[Candidate] = []
        self.changes: tuple[StateChange, ...] | None = None
        self.verified: int | None = None
        self.unverified: tuple[str, ...] = ()
        self.seconds = 0.0
        self.failure: ReplayError | None = None

    @property
    def note_candidates(self) -> Callable[[int, list[Candidate]], None] | None:
        """Called with the candidates of each event; None explains nothing."""
        return None if self.explain is None else self._note

    def _note(self, number: int, candidates: list[Candidate]) -> None:
        if number == self.explain:
            self.candidates = candidates

    def as_dict(self) -> dict[str, Any]:
        changes = None if self.changes is None else [change.__dict__ for change in self.changes]
        told = {
            "trace": self.trace.name,
            "ok": self.failure is None,
            "error": str(self.failure) if self.failure else None,
            "events": [event.as_dict() for event in self.events],
            "changes": changes,
            "verified": self.verified,
            "unverified": list(self.unverified),
        }
        if self.explain is not None:
            told["candidates"] = [candidate.as_dict() for candidate in self.candidates]
        return told

    def show(self, console: Console) -> None:
        console.print(self._table())
        if self.explain is not None:
            self._show_candidates(console, self.explain)
        if self.failure is not None:
            console.print(f"[bold red]failed[/] {escape(str(self.failure))}", soft_wrap=True)
            return
        console.print(
            f"[bold green]replayed[/] {len(self.events)} event(s) in {self.seconds:.2f} s with --set {self.set}; "
            f"{self._how_sure()}",
            soft_wrap=True,
        )
        for one in self.unverified:
            console.print(f"[yellow]not read back[/] {escape(one)}", soft_wrap=True)
        if self.changes is not None:
            _show_changes(console, self.changes)

    def _how_sure(self) -> str:
        """Return what is known of the states that were set, and no more."""
        if self.verified is None:
            return "no page was reloaded to read it back (--verify)"
        if not self.verified + len(self.unverified):
            return "it set nothing that a page could keep"
        loaded = "from reloaded pages"
        if not self.unverified:
            return f"every state ({self.verified}) was read back {loaded}"
        return f"{self.verified} of {self.verified + len(self.unverified)} states were read back {loaded}"

    def _table(self) -> Table:
        table = plain_table("#", "event", "found by", "score", "state", "done", "ms")
        for event in self.events:
            table.add_row(
                str(event.number),
                escape(event.description),
                event.rung or "",
                f"{event.score:.2f}" if event.score is not None else "",
                state_change(event.before, event.after),
                event.action,
                f"{event.seconds * 1000:.0f}",
            )
        if self.failure is not None and len(self.events) < len(self.trace.events):
            failed = self.trace.events[len(self.events)]
            table.add_row(
                str(len(self.events) + 1), escape(failed.describe()), "", "", "", "[red]failed[/]", ""
            )
        return table

    def _show_candidates(self, console: Console, number: int) -> None:
        event = self.trace.events[number - 1]
        console.print(f"[bold]event {number}[/] {escape(event.describe())}")
        if not self.candidates:
            console.print(
                "[dim]no candidate: it was not reached, has no target, or nothing on the page is similar[/]"
            )
        for candidate in self.candidates[:_MOST_EXPLAINED]:
            verdict = "[green]taken[/]" if candidate.taken else "[dim]not taken[/]"
            if not candidate.eligible:
                verdict = "[dim]not taken: neither its name nor any mark matches the recording[/]"
            console.print(f"{candidate.evidence:+.2f} {escape(candidate.element)} {verdict}")
            console.print(f"  [dim]{escape(candidate.path)}[/]", soft_wrap=True)
            for finding in sorted(candidate.findings, key=lambda one: -one.worth):
                colour = "green" if finding.worth > 0 else "red" if finding.worth < 0 else "dim"
                console.print(
                    f"    [{colour}]{finding.worth:+.2f}[/] {escape(finding.label)}: {finding.finding}"
                )
        if len(self.candidates) > _MOST_EXPLAINED:
            console.print(f"[dim]and {len(self.candidates) - _MOST_EXPLAINED} more[/]")


def _show_changes(console: Console, changes: tuple[StateChange, ...]) -> None:
    if not changes:
        console.print("[dim]nothing changed on the server[/]")
        return
    table = plain_table("changed on the server", "before", "after")
    for change in changes:
        table.add_row(escape(change.key), _value(change.before), _value(change.after))
    console.print(table)


def state_change(before: bool | None, after: bool | None) -> str:
    """Return a change such as ``off → on``; the state itself if it did not change."""
    if before is None and after is None:
        return ""
    return _ON_OFF[after] if before is after else f"{_ON_OFF[before]} → {_ON_OFF[after]}"


def _value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return escape(text if len(text) <= 60 else text[:57] + "…")
