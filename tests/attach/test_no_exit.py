"""No script, message or flood turns a losing episode into one without a verdict. ``WEBSP_PLAYS=400 make prove`` tries more."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.attach_support import COOKIES, STEAM, SWITCHES, Client, CommandError, ThreadAgent, finish, switch
from tests.sample import left_to_prove
from websp_gym.attach.door import Door
from websp_gym.records.load import load_trajectory
from websp_gym.records.results import Result
from websp_gym.records.runs import Run
from websp_gym.runner.batch import play_job
from websp_gym.runner.jobs import Job

PREFERENCES = "https://store.steampowered.com/account/preferences/"
SCRIPTS = {
    "long visits": "for (let i = 0; i < 400; i++) fetch('/about/?' + '\\\\'.repeat(15000)).catch(() => {})",
    "many visits": "for (let i = 0; i < 2000; i++) fetch('/about/?' + i).catch(() => {})",
    "long lists": f"""fetch('{PREFERENCES}').then(answer => answer.text()).then(text => {{
        const page = new DOMParser().parseFromString(text, 'text/html');
        for (const form of [...page.forms].filter(each => each.elements.word))
            for (let n = 0; n < 30; n++)
                fetch(form.getAttribute('action'), {{method: 'POST', body: new URLSearchParams({{
                    word: Array.from({{length: 100}}, (_, i) => `w${{n}}x${{i}}`).join(',')}})}}).catch(() => {{}});
    }})""",
    "endless heads": f"""for (let i = 0; i < 12; i++)
        (async () => {{ for (;;) await fetch('{PREFERENCES}', {{method: 'HEAD'}}).catch(() => {{}}) }})()""",
    "failing requests": """for (let i = 0; i < 8; i++)
        (function again() { fetch('http://127.0.0.1:9/').then(again, again) })()""",
    "refused hosts": """for (let i = 0; i < 8; i++)
        (function again() { fetch('https://nowhere.example/').then(again, again) })()""",
    "empty addresses": """for (let i = 0; i < 8; i++)
        (function again() { fetch('data:,').then(again, again) })()""",
    "other hosts": "for (let i = 0; i < 500; i++) new Image().src = 'https://x' + i + '.example/' + 'y'.repeat(9000)",
    "console": "setInterval(() => { for (let i = 0; i < 2000; i++) console.log('x'.repeat(200)) }, 0)",
    "frames": "setInterval(() => document.body.append(document.createElement('iframe')), 5)",
    "alerts": "setInterval(() => alert('x'), 1)",
    "a busy page": "setTimeout(() => { for (;;); }, 50)",
    "a large page": "document.body.innerHTML = '<button>x</button>'.repeat(20000)",
    "windows": "setInterval(() => open('about:blank'), 50)",
    "reloads": "setInterval(() => location.reload(), 30)",
    "a spoiled page": "Object.prototype.toJSON = () => { throw 1 }; Array.prototype.map = null; JSON.stringify = null",
}
"""What a program may run in the page of a losing episode."""


def start(client: Client, script: str) -> None:
    """Run a script and wait for nothing."""
    client.start(
        "Runtime.evaluate", session=client.session, expression=f"void ({{}}, (() => {{ {script} }})())"
    )


def late_press(client: Client, door: Door, chance: random.Random) -> None:
    """Let the switches be pressed around the end."""
    for name in SWITCHES:
        press = f"{switch(name)}?.click()"
        start(client, f"setTimeout(() => {press}, {chance.choice((200, 500, 1500))})")


def large_messages(client: Client, door: Door, chance: random.Random) -> None:
    """Send messages up to the greatest size, and one that is larger, in a connection of its own."""
    for size in (3_000_000, 3_900_000, 40_000_000):
        with suppress(ConnectionClosed, OSError), connect(door.cdp_url, max_size=None) as socket:
            socket.send('{"id": 1, "method": "x", "params": {"x": [' + "[]," * (size // 3) + "1]}}")
            socket.recv(timeout=150)


def crowd(client: Client, door: Door, chance: random.Random) -> None:
    """Open many connections and read none of them."""
    for _ in range(40):
        with suppress(ConnectionClosed, OSError):
            socket = connect(door.cdp_url, max_size=None)
            socket.send('{"id": 1, "method": "Target.getTargets"}')


def closed(client: Client, door: Door, chance: random.Random) -> None:
    """Close the tab."""
    client.tell("Page.close")


DEEDS: dict[str, Callable[[Client, Door, random.Random], None]] = {
    "late presses": late_press,
    "large messages": large_messages,
    "a crowd": crowd,
    "a closed tab": closed,
    **{
        name: lambda client, door, chance, script=script: start(client, script)  # type: ignore[misc]
        for name, script in SCRIPTS.items()
    },
}
SMOKE = ("late presses", "long lists, endless heads", "long visits", "large messages", "console, other hosts")
PLAYS = int(os.environ.get("WEBSP_PLAYS", "60"))


def combinations() -> list[str]:
    """Some deeds of a losing agent, one after another; the same for each run."""
    chance = random.Random(0)
    found = [*DEEDS]
    while len(found) < PLAYS:
        # Presses that come before the end count, so they are asked for directly before it.
        deeds = sorted(chance.sample([*DEEDS], chance.choice((2, 3))), key="late presses".__eq__)
        found.append(", ".join(deeds))
    return [*SMOKE, *(each for each in found if each not in SMOKE)]


def played(deeds: str, folder: Path) -> Result:
    """Play an episode of an agent that does this."""
    chance = random.Random(deeds)

    def program(door: Door) -> str:
        with closing(Client(door.cdp_url)) as client, suppress(CommandError, ConnectionClosed, TimeoutError):
            client.open(COOKIES)
            for name in deeds.split(", "):
                DEEDS[name](client, door, chance)
                if name != "late presses":
                    for _ in range(chance.choice((0, 2, 10))):  # so that what goes on has gone on for a while
                        client.tell("Page.captureScreenshot")
            finish(door, "done")
        return "done"

    options = {"observation": "text", "initial_state": "snapshot", "step_timeout": 10}
    job = Job(STEAM, Run(agent="cdp:test", options=options), retries=1, folder=folder)
    return play_job(job, partial(ThreadAgent, program))


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "deeds", [each if each in SMOKE else left_to_prove((each,)) for each in combinations()]
)
def test_a_losing_agent_gets_its_verdict_whatever_it_does(deeds: str, tmp_path: Path) -> None:
    """And one whose presses came before the page was at rest after its last step does not win without a step of them."""
    result = played(deeds, tmp_path)
    if "late presses" in deeds and result.status == "pass":
        steps = load_trajectory(tmp_path / result.trajectory).steps
        assert [each.action for each in steps if each.action.startswith("script: ")]
        return
    assert (result.status, result.reward) == ("fail", 0.0), (result.reason, result.error, result.tries)
