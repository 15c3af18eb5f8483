"""``websp login``: sign in to a live website, by its login trace or by hand, and keep the sign-in."""

from __future__ import annotations

import contextlib
import select
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from playwright.sync_api import Error as PlaywrightError
from rich.markup import escape

from websp_gym.browser.confinement import require_display
from websp_gym.browser.launch import close_profile
from websp_gym.cli.options import Headed, Stream, StreamPort
from websp_gym.cli.output import FAILED, OK, Console, plain_table
from websp_gym.cli.streaming import print_address, stream_port
from websp_gym.errors import SetupError, WebspError, WorldError, nearest
from websp_gym.live.account_browser import account_browser
from websp_gym.live.accounts import Account, load_accounts
from websp_gym.live.permission import require_live
from websp_gym.live.sealed import require_key
from websp_gym.live.sign_in import LiveSignIn
from websp_gym.live.sign_ins import keep_sign_in
from websp_gym.window import streamed

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs
    from websp_gym.live.account import AccountInUse

_LOOK_MS = 200.0


def login(
    who: Annotated[
        str | None, typer.Argument(metavar="ACCOUNT|SITE", help="An account, or the only one of a site.")
    ] = None,
    *,
    by_hand: Annotated[
        bool, typer.Option("--by-hand", help="Open a window or a local page, in which you sign in yourself.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only say which accounts are still signed in.")
    ] = False,
    headed: Headed = False,
    stream: Stream = False,
    port: StreamPort = None,
) -> int:
    """Sign an account in to its website, and keep the sign-in, encrypted, for `--world live`.

    The login trace of the site types name, password and one-time code. If the site shows a captcha or asks something
    else, use --by-hand: a window opens, you sign in, and press Enter here. Without a display, or with --stream, a
    local page shows the window. Exit code 0, or 1 where --check finds an account that is not signed in.

    Example: `WEBSP_LIVE=1 websp login steam-1 --by-hand`
    """
    require_live("websp login")
    known = load_accounts()
    chosen = _chosen(who, known)
    console = Console()
    if check:
        return _check(chosen, console)
    if who is None:
        raise SetupError(
            f"which account? {', '.join(known) or 'add one: `websp accounts add SITE`'}", option="account"
        )
    require_key()
    for name, account in chosen.items():
        asks = by_hand or stream or port is not None or account.sign_in == "by_hand"
        streamed_to = stream_port(stream, port) if asks else None
        if headed and not asks:
            require_display("--headed")
        headless = streamed_to is not None or not (asks or headed)
        with account_browser(name, headless=headless) as (sign_in, episode, tabs):
            if asks:
                _by_hand(tabs, episode, sign_in, console, streamed_to)
            elif sign_in.is_signed_in(tabs):
                console.print(f"[dim]{escape(name)} is signed in already[/]")
            else:
                sign_in.sign_in(tabs)
            if sign_in.is_asked(tabs):
                raise sign_in.refused(tabs, "after signing in, the site still asks for it")
            state = dict(tabs.context.storage_state())
            keep_sign_in(name, state, close_profile(tabs.context) if account.profile else None)
        console.print(f"[bold green]signed in[/] {escape(name)}; kept for `--world live`")
    return 0


def _by_hand(
    tabs: Tabs, episode: AccountInUse, sign_in: LiveSignIn, console: Console, port: int | None
) -> None:
    """Let the person sign in: in the browser's own window, or in one that is streamed to a port."""
    sign_in.is_signed_in(tabs)  # opens the page on which one signs in
    who = episode.account["email"] or episode.account_name
    task = f"Sign in to {tabs.current.url} as {who}"
    yours = "A second factor and captchas are up to you."
    if port is None:
        console.print(f"{task} in the window that opened.", markup=False, soft_wrap=True)
        console.print(f"{yours} Press Enter here when you are signed in.")
        # The person answers what the page asks in its window.
        with tabs.dialogs.left_to(lambda dialog: None):
            _until_enter(tabs)
        return
    says = f"{yours} Press Done when you are signed in."
    with streamed(tabs, title=task, says=says, buttons=("Done", "Cancel"), port=port) as window:
        console.print(f"{task}.", markup=False, soft_wrap=True)
        print_address(window, console)
        console.print(f"{yours} Press Done there, or Enter here, when you are signed in.")
        try:
            pressed = window.wait(_Terminal().has_line)
        except WorldError as error:
            raise SetupError(f"{error}; nothing was kept. Start `websp login` again") from error
    if pressed == "Cancel":
        raise SetupError("you cancelled the sign-in; nothing was kept")


def _until_enter(tabs: Tabs) -> None:
    """Wait for Enter while the browser goes on: its dialogs and new tabs are handled in this thread."""
    terminal = _Terminal()
    while not terminal.has_line() and not terminal.ended:
        if not tabs.alive:
            raise SetupError(
                "the window was closed before you confirmed that you are signed in; nothing was kept"
            )
        with contextlib.suppress(PlaywrightError):
            tabs.context.wait_for_event("page", timeout=_LOOK_MS)


class _Terminal:
    """The terminal, asked without waiting whether Enter was pressed."""

    ended = False
    """Whether there is nobody to press it."""

    def has_line(self) -> bool:
        """Whether a line was entered since the last time."""
        try:
            if self.ended or not select.select([sys.stdin], [], [], 0)[0]:
                return False
            self.ended = not sys.stdin.readline()
        except (OSError, ValueError):  # closed, or not a file
            self.ended = True
        return not self.ended


def _check(chosen: dict[str, Account], console: Console) -> int:
    table = plain_table("account", "site", "signed in", "")
    missing = 0
    for name, account in chosen.items():
        mark, why = OK, ""
        try:
            with account_browser(name, headless=True) as (sign_in, _, tabs):
                if not sign_in.is_signed_in(tabs):
                    mark, why = FAILED, f"websp login {name}"
        except WebspError as error:
            mark, why = FAILED, str(error)
        missing += mark is FAILED
        table.add_row(name, account.site, mark, escape(why))
    console.print(table)
    return int(missing > 0)


def _chosen(who: str | None, known: dict[str, Account]) -> dict[str, Account]:
    if who is None:
        return known
    if who in known:
        return {who: known[who]}
    of_site = {name: account for name, account in known.items() if account.site == who}
    if len(of_site) == 1:
        return of_site
    if of_site:
        raise SetupError(f"{who} has several accounts: {', '.join(of_site)}", option="account")
    raise SetupError(
        f'there is no account "{who}"{nearest(who, list(known))}; add one with `websp accounts add {who}`',
        option="account",
    )
