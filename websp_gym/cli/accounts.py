"""``websp accounts``: the user's own accounts on live websites."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.markup import escape

from websp_gym.cli.completing import complete_site
from websp_gym.cli.options import AsJson
from websp_gym.cli.output import Console, plain_table, print_json
from websp_gym.errors import SetupError, nearest
from websp_gym.live.accounts import (
    Account,
    SignInKind,
    accounts_file,
    check_name,
    load_accounts,
    save_accounts,
)
from websp_gym.live.sign_ins import forget_sign_in, sign_in_kept_at
from websp_gym.live.vault import KEYRING, forget_secret, in_keyring, store_secret
from websp_gym.tasks.instances import all_instances

accounts = typer.Typer(
    name="accounts",
    help="Your own accounts on live websites, for `--world live`. Use accounts that were made for this.\n\n"
    "Example: `websp accounts add steam`",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
_SECRETS = ("password", "new_password", "totp")
_DAY = 86_400


@accounts.command()
def add(
    site: Annotated[
        str,
        typer.Argument(
            autocompletion=complete_site,
            help="Slug of the site, e.g. steam; any slug for a site without tasks.",
        ),
    ],
    *,
    name: Annotated[str | None, typer.Option(help="Name of the account. Default: SITE-1, SITE-2, …")] = None,
    email: Annotated[str | None, typer.Option(help="Its e-mail address. Default: asked for.")] = None,
    username: Annotated[str | None, typer.Option(help="Its user name. Default: asked for.")] = None,
    shown_name: Annotated[str | None, typer.Option(help="Its display name. Default: asked for.")] = None,
    sign_in: Annotated[SignInKind, typer.Option(help="How it signs in.")] = "password",
    through: Annotated[
        str | None, typer.Option(metavar="ACCOUNT", help="The account it signs in with (Google).")
    ] = None,
    password: Annotated[
        str | None,
        typer.Option(
            metavar="env:NAME", help="Where its password is. Default: `keyring`, which asks for it."
        ),
    ] = None,
    totp: Annotated[
        str | None,
        typer.Option(
            metavar="env:NAME", help="Where the key of its one-time codes is; `keyring` asks for it."
        ),
    ] = None,
    token: Annotated[
        list[str] | None,
        typer.Option(metavar="ID=env:NAME", help="An access token for its API; may be repeated."),
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Address of the site, if it differs from that in its tasks.")
    ] = None,
    login_trace: Annotated[
        str | None, typer.Option(metavar="TRACE", help="Trace that signs in. Default: that of the site.")
    ] = None,
    profile: Annotated[
        bool,
        typer.Option(
            "--profile",
            help="Keep the whole browser profile, for a site that must recognize the browser.",
        ),
    ] = False,
) -> None:
    """Add an account. Its secrets go into the keyring of the operating system, or stay in environment variables.

    Example: `websp accounts add steam --email me@example.com --password env:STEAM_PASSWORD`
    """
    known = load_accounts()
    label = check_name(name or _free_name(site, known))
    if label in known:
        raise SetupError(
            f"account {label} already exists; to remove it: `websp accounts remove {label}`", option="name"
        )
    slugs = list(dict.fromkeys(instance.site.slug for instance in all_instances()))
    console = Console()
    if site not in slugs:
        console.print(f"[yellow]no task is on {escape(site)}[/]{escape(nearest(site, slugs))}")
    password = password or (KEYRING if sign_in == "password" else None)
    tokens = _tokens(token or [])
    if KEYRING in (password, totp, *tokens.values()):
        in_keyring(label, "password")  # an error before any question where there is no keyring
    account = _account(
        {
            "site": site,
            "url": url,
            "email": _asked("E-mail address", email),
            "username": _asked("User name", username),
            "name": _asked("Name on its pages", shown_name),
            "sign_in": sign_in,
            "through": through,
            "login_trace": login_trace,
            "password": password,
            "totp": totp,
            "tokens": tokens,
            "profile": profile,
        }
    )
    for field in _SECRETS:
        if getattr(account, field) == KEYRING:
            store_secret(label, field, typer.prompt(f"{field} (not shown)", hide_input=True))
    for key, reference in account.tokens.items():
        if reference == KEYRING:
            store_secret(label, f"token {key}", typer.prompt(f"token {key} (not shown)", hide_input=True))
    path = save_accounts({**known, label: account})
    console.print(f"[bold green]added[/] {label} to {path}", soft_wrap=True)
    console.print(f"[dim]Next: WEBSP_LIVE=1 websp login {label}[/]")


@accounts.command("list")
def list_accounts(*, as_json: AsJson = False) -> None:
    """List the accounts, and when the sign-in of each was kept. Shows no secrets.

    Example: `websp accounts list`
    """
    found = load_accounts()
    if as_json:
        print_json(
            {
                name: {
                    **account.model_dump(mode="json", exclude_defaults=True),
                    "kept_at": sign_in_kept_at(name),
                }
                for name, account in found.items()
            }
        )
        return
    console = Console()
    if not found:
        console.print("no accounts yet; add one with `websp accounts add SITE`")
        return
    table = plain_table("account", "site", "user", "sign-in", "password", "kept sign-in")
    for name, account in found.items():
        user = account.email or account.username
        table.add_row(
            name, account.site, user, account.sign_in, account.password or "", _since(sign_in_kept_at(name))
        )
    console.print(table)
    console.print(f"[dim]{accounts_file()}[/]", soft_wrap=True)


@accounts.command()
def remove(
    name: Annotated[str, typer.Argument(metavar="ACCOUNT", help="Name of the account.")],
) -> None:
    """Remove an account with its secrets and its kept sign-in. Nothing changes on the website.

    Example: `websp accounts remove steam-1`
    """
    known = load_accounts()
    if name not in known:
        raise SetupError(f'there is no account "{name}"{nearest(name, list(known))}', option="account")
    account = known.pop(name)
    for field in _SECRETS:
        if getattr(account, field) == KEYRING:
            forget_secret(name, field)
    for key, reference in account.tokens.items():
        if reference == KEYRING:
            forget_secret(name, f"token {key}")
    forget_sign_in(name)
    save_accounts(known)
    Console().print(f"[bold green]removed[/] {name}")


def _account(fields: dict[str, object]) -> Account:
    from pydantic import ValidationError

    given = {key: value for key, value in fields.items() if value is not None}
    try:
        return Account.model_validate(given)
    except ValidationError as error:
        # Not the input: it may be a secret.
        lines = [
            f"--{'-'.join(map(str, each['loc']))}: {each['msg'].removeprefix('Value error, ')}"
            for each in error.errors(include_input=False)
        ]
        raise SetupError("\n".join(lines).replace("_", "-"), option="account") from None


def _tokens(given: list[str]) -> dict[str, str]:
    found = {}
    for option in given:
        key, sign, reference = option.partition("=")
        if not (key and sign):
            raise SetupError(
                "--token is the id of a token and where it is, as in --token setup=env:GITHUB_TOKEN",
                option="token",
            )
        found[key] = reference
    return found


def _asked(what: str, given: str | None) -> str:
    return given if given is not None else str(typer.prompt(what, default="", show_default=False))


def _free_name(site: str, known: dict[str, Account]) -> str:
    return next(name for number in range(1, len(known) + 2) if (name := f"{site}-{number}") not in known)


def _since(moment: float | None) -> str:
    if moment is None:
        return "none"
    days = int((time.time() - moment) // _DAY)
    return "today" if days < 1 else f"{days} day{'s' if days > 1 else ''} ago"
