"""S0 on live websites, with the sandbox as "the internet": is it reached, and is what was read back true?

    python -m benchmarks.live [SITE…] [--restore] [--json FILE]

Each instance with an initial state is reset in the live world: signed in by the login trace, S0 set by traces, by the
official clients of the APIs, by sign-ins from further browsers and by visits, and read back from the pages. Then the
server is asked for the truth, which the live world could not. With --restore the account starts with the opposite of
S0, and is put back after the episode.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import socket
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import requests
import urllib3
from cryptography.fernet import Fernet

from benchmarks.internet import TOKEN, Internet
from websp_gym.env import WebspEnv
from websp_gym.errors import WebspError
from websp_gym.sandbox.client import Sandbox
from websp_gym.tasks.initial_steps import ApiStep
from websp_gym.tasks.instances import Instance, all_instances
from websp_gym.world.initial_state import differences_of
from websp_gym.world.state import SESSIONS

OUTCOMES = ("reached", "raised", "wrong")
"""Reached: accepted, and true. Raised: no agent starts. Wrong: accepted, and the server's state is another."""
BACK = ("back", "said", "silent")
OF_A_SIGN_IN = (SESSIONS,)
"""The list of sessions differs from that of the sandbox's world: the live one signs in as a person does."""


@dataclass(frozen=True)
class Reset:
    """One reset in the live world."""

    instance: str
    site: str
    outcome: str
    seconds: float
    why: str = ""
    put_back: str = ""
    """With --restore, after the episode: back (as it was found), said (not, and a warning says so) or silent."""


def reset_live(instance: Instance, internet: Internet, *, restore: bool) -> Reset:
    """Reset an instance in the live world, and ask the server afterwards."""
    calls = [step.api for step in instance.config.initial_state if isinstance(step, ApiStep)]
    account = internet.visit(instance.id, tokens={call.token: f"env:{TOKEN}" for call in calls})
    if calls:
        os.environ[TOKEN] = internet.token(instance.site.slug, calls[0].token)
    found = _opposite(instance, internet) if restore else None
    began, why = time.monotonic(), ""
    options: dict[str, Any] = {"world": "live", "account": account, "observation": "text", "reward": _unpaid}
    options["restore"] = restore
    with closing(WebspEnv(instance, **options)) as env:
        try:
            env.reset(seed=0)
        except WebspError as error:
            why = f"{type(error).__name__}: {error}"
        seconds = time.monotonic() - began
        wrong = dict(differences_of(instance, internet.truth(), internet.defaults()))
    # What no step sets is as the account was found, which --restore makes other than a new account.
    untouched = {key for key, have in (found or {}).items() if key in wrong and wrong[key][1] == have}
    wrong = {key: pair for key, pair in wrong.items() if key not in (*OF_A_SIGN_IN, *untouched)}
    outcome = "raised" if why else "wrong" if wrong else "reached"
    reset = Reset(instance.id, instance.site.slug, outcome, round(seconds, 2), why or str(wrong or ""))
    if found is None:
        return reset
    now = internet.truth().sites[instance.site.slug].settings
    lost = [f"{key}: {now[key]!r}, found as {have!r}" for key, have in found.items() if now[key] != have]
    back = "back" if not lost else "said" if _warnings else "silent"
    return replace(reset, put_back=back, why=" | ".join(filter(None, (reset.why, *lost, *_warnings))))


def _opposite(instance: Instance, internet: Internet) -> dict[str, Any]:
    """Give the account the opposite of what S0 sets; return its settings."""
    assert internet.visitor is not None
    site = instance.site.slug
    wanted = instance.config.expect.settings
    internet.visitor.patch(site, settings={key: not on for key, on in wanted.items() if isinstance(on, bool)})
    _warnings.clear()
    return dict(internet.truth().sites[site].settings)


class _Warnings(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        _warnings.append(record.getMessage())


_warnings: list[str] = []


def table(resets: list[Reset]) -> str:
    """Return the outcomes per site, as a Markdown table."""
    by_site = defaultdict(list)
    for one in resets:
        by_site[one.site].append(one)
    back = BACK if any(one.put_back for one in resets) else ()
    columns = ["site", "instances", *OUTCOMES, "seconds (median)", *back]
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for site, own in [*sorted(by_site.items()), ("all", resets)]:
        count, after = Counter(one.outcome for one in own), Counter(one.put_back for one in own)
        cells = [site, len(own), *(count[outcome] for outcome in OUTCOMES)]
        cells += [f"{median(one.seconds for one in own):.1f}", *(after[each] for each in back)]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


@contextmanager
def as_the_internet() -> Iterator[Internet]:
    """Serve the sandbox to this process, as a name server and a certificate of one's own would do."""
    with tempfile.TemporaryDirectory() as home:
        variables = {
            "WEBSP_LIVE": "1",
            "WEBSP_ACCOUNTS": f"{home}/accounts.yaml",
            "WEBSP_STATE_KEY": Fernet.generate_key().decode(),
            "XDG_STATE_HOME": f"{home}/state",
        }
        with (
            patch.dict(os.environ, variables),
            closing(Sandbox.start(browse=True)) as sandbox,
            _apis_of(sandbox),
        ):
            internet = Internet(sandbox)
            try:
                yield internet
            finally:
                internet.leave()


@contextmanager
def _apis_of(sandbox: Sandbox) -> Iterator[None]:
    """Lead the official clients to the sandbox."""
    hosts = ("api.github.com", "huggingface.co")
    look_up, send = socket.getaddrinfo, requests.Session.send

    def found(host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        if host in hosts:
            host, port = "127.0.0.1", sandbox.address.https_port
        return look_up(host, port, *rest, **more)

    def sent(self: requests.Session, request: Any, **options: Any) -> requests.Response:
        return send(self, request, **options | {"verify": False})

    urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    with patch("socket.getaddrinfo", found), patch.object(requests.Session, "send", sent):
        yield


def _unpaid(_end: object) -> float:
    return 0.0


def main() -> None:
    """Reset all instances, or those of some sites, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sites", nargs="*", help="slugs of sites; default: all")
    parser.add_argument("--restore", action="store_true", help="put each account back, and see whether it is")
    parser.add_argument("--json", type=Path, help="file for the outcome of each reset")
    given = parser.parse_args()
    chosen = [
        instance
        for instance in all_instances()
        if instance.config.initial_state and (not given.sites or instance.site.slug in given.sites)
    ]
    resets = []
    logging.getLogger("websp_gym.live.world").addHandler(_Warnings())
    with as_the_internet() as internet:
        for instance in chosen:
            resets.append(reset_live(instance, internet, restore=given.restore))
            one = resets[-1]
            sys.stdout.write(
                f"{one.instance:28} {one.outcome:8} {one.put_back:6} {one.seconds:6.1f} s  {one.why}\n"
            )
            sys.stdout.flush()
    sys.stdout.write(f"\n{table(resets)}\n")
    if given.json:
        given.json.write_text(json.dumps([asdict(one) for one in resets], indent=1) + "\n")


if __name__ == "__main__":
    main()
