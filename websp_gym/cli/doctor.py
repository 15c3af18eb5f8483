"""``websp doctor``: check this machine."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer
from rich.markup import escape

from websp_gym.cli.options import AsJson, Headed
from websp_gym.cli.output import FAILED, OK, Console, print_json
from websp_gym.errors import SetupError, WebspError


@dataclass(frozen=True)
class Diagnosis:
    """The result of one check."""

    name: str
    ok: bool
    detail: str


def doctor(
    *,
    headed: Headed = False,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL", help="Also send one small request to this model, with options as for --agent."
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check that this machine can run everything; print what to do where it cannot.

    Example: `websp doctor --model 'anthropic:claude-opus-5.5?thinking=high'`
    """
    findings = [*examine(headed=headed), *map(try_model, model or ())]
    if as_json:
        print_json([{"check": item.name, "ok": item.ok, "detail": item.detail} for item in findings])
    else:
        console = Console()
        for item in findings:
            sign = OK if item.ok else FAILED
            console.print(f"{sign} [bold]{item.name}[/]  {escape(item.detail)}", soft_wrap=True)
    return 0 if all(item.ok for item in findings) else 1


def examine(*, headed: bool = False) -> list[Diagnosis]:
    """Try everything an episode needs; the detail of a failed finding says what to do."""
    return [
        _try("python", _python),
        _try("task configurations", _configs),
        _try("sandbox", _sandbox),
        _try("browser", _browser),
        *([_try("window", _window)] if headed else []),
        _try("episode", _episode),
    ]


def try_model(spec: str) -> Diagnosis:
    """Send one small request to a model."""
    return _try(spec, partial(_model, spec))


def _try(name: str, function: Callable[[], str]) -> Diagnosis:
    try:
        return Diagnosis(name, True, function())
    except WebspError as error:
        return Diagnosis(name, False, str(error))


def _python() -> str:
    from websp_gym.browsergym import absence

    without = absence("observation='browsergym'")
    return platform.python_version() + (f"; {without}" if without else "")


def _configs() -> str:
    from websp_gym.replay.library import trace_path
    from websp_gym.tasks.initial_steps import ReplayStep
    from websp_gym.tasks.instances import all_instances

    count = 0
    for instance in all_instances():
        count += 1
        for step in instance.config.initial_state:
            if isinstance(step, ReplayStep):
                trace_path(step.replay)
    return f"{count} instances with all their traces"


def _browser() -> str:
    from websp_gym.browser.confinement import unconfined_because

    version = _started(headless=True)
    why = unconfined_because()
    confinement = "in Chromium's own sandbox" if why is None else f"without Chromium's own sandbox: {why}"
    return f"Chromium {version}, {confinement}"


def _window() -> str:
    return f"Chromium {_started(headless=False)} opened a window"


def _started(*, headless: bool) -> str:
    """Start a browser that reaches only the sandbox, as an episode does, and return its version."""
    from websp_gym.browser.launch import BrowserOptions, shared_browser
    from websp_gym.browser.owner import call
    from websp_gym.world import make_world

    options = BrowserOptions(headless, make_world("sandbox").browser_args())
    return call(lambda: shared_browser(options).version)


def _sandbox() -> str:
    from websp_gym.world import make_world

    began = time.monotonic()
    make_world("sandbox").browser_args()
    return f"ready after {time.monotonic() - began:.1f} s"


def _episode() -> str:
    from websp_gym.records.runs import Run
    from websp_gym.runner.batch import run_one
    from websp_gym.runner.jobs import Job
    from websp_gym.tasks.ids import instance_ids

    result = run_one(Job(instance_ids()[0], Run(agent="oracle")))
    if result.status != "pass":
        raise SetupError(f"the oracle did not pass {result.id}: {result.error or result.reason}")
    return f"oracle passed {result.id} in {result.seconds:.1f} s"


def _model(spec: str) -> str:
    from websp_gym.models.probe import ask_probes
    from websp_gym.records.runs import Run
    from websp_gym.runner.preflight import probes_of

    probes = probes_of(Run(agent=spec))
    if not probes:
        raise SetupError(f'"{spec}" is an agent without a model', agent=spec)
    probed = ask_probes(probes)
    if not probed:
        return "a script, which is not asked"
    (each,) = probed
    cost = "unknown price" if each.reply.cost is None else f"${each.reply.cost:.4f}"
    return f"answered in {each.reply.seconds:.1f} s, {cost}"
