"""Options of environments, for commands that make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from websp_gym.cli.options import Dataset, Headed, Quorum
from websp_gym.env.options import Options
from websp_gym.errors import SetupError
from websp_gym.observation import ObservationKind
from websp_gym.scoring.outcome import REWARDS
from websp_gym.tasks.instances import InstructionVariant
from websp_gym.world import InitialStateMode, Login

SIZE = "x".join(map(str, Options.viewport))
Instruction = Annotated[
    InstructionVariant, typer.Option(help="Instruction variant: with or without the way to the setting.")
]
MaxActions = Annotated[int, typer.Option(min=1, help="Action limit; scrolls and waits are free.")]
MaxSeconds = Annotated[float, typer.Option(min=1, help="Time limit in seconds.")]
ViewportSize = Annotated[
    str | None, typer.Option(metavar="WxH", help=f"Size of the page in CSS pixels. Default: {SIZE}.")
]


@dataclass(frozen=True, kw_only=True)
class EnvironmentOptions:
    """Options of the environments."""

    dataset: Dataset = None
    instruction: Instruction = Options.instruction
    max_actions: MaxActions = Options.max_actions
    max_seconds: MaxSeconds = Options.max_seconds
    initial_state: Annotated[InitialStateMode, typer.Option(help="How S0 is reached.")] = (
        Options.initial_state
    )
    login: Annotated[Login | None, typer.Option(help="session starts signed in, replay signs in first.")] = (
        None
    )
    observation: Annotated[
        ObservationKind | None, typer.Option(help="Observation keys. Default: those the agent reads.")
    ] = None
    viewport: ViewportSize = None
    headed: Headed = False
    reward: Annotated[
        str | None, typer.Option(help=f"{', '.join(REWARDS)}. Default: state in the sandbox.")
    ] = None
    judge: Annotated[
        list[str] | None,
        typer.Option(help="Models of --reward judge, or `recommended`. Default: the paper's three."),
    ] = None
    quorum: Quorum = None
    policies: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SET", help="Policies: a set such as standard, or a YAML file; may be repeated."
        ),
    ] = None
    user: Annotated[
        str | None, typer.Option(help="Who answers questions: scripted, console or model:MODEL.")
    ] = None
    world: Annotated[
        str | None,
        typer.Option(help="sandbox, or live: the real websites, with your own accounts (WEBSP_LIVE=1)."),
    ] = None
    account: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="Live: the account, or several to deal out (`websp accounts list`). Default: all of the site.",
        ),
    ] = None
    locale: Annotated[str | None, typer.Option(help="Live: language of the browser, e.g. en-US.")] = None
    time_zone: Annotated[str | None, typer.Option(help="Live: its time zone, e.g. Europe/Oslo.")] = None
    user_agent: Annotated[str | None, typer.Option(help="Live: its user agent.")] = None
    proxy: Annotated[str | None, typer.Option(help="Live: a proxy, e.g. socks5://127.0.0.1:1080.")] = None
    restore: Annotated[
        bool,
        typer.Option("--restore", help="Live: put the account back as it was found after each episode."),
    ] = False
    harm_guard: Annotated[
        bool | None,
        typer.Option(
            "--harm-guard/--no-harm-guard",
            help="End an episode before the agent closes the account, buys, publishes or sends. Default: live only.",
        ),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return what ``gym.make`` takes, without what is left to its default."""
        options = {
            **vars(self),
            "viewport": read_viewport(self.viewport) if self.viewport else None,
            "headless": False if self.headed else None,
            "restore": self.restore or None,
            "judge": _judges(self.judge),
        }
        return {name: value for name, value in options.items() if value is not None and name != "headed"}


def _judges(names: Sequence[str] | None) -> list[str] | None:
    """Return the models of a judge; a run records them, because what a name stands for may change."""
    if not names:
        return None
    # Imported here because it takes half a second, which other runs do not need.
    from websp_gym.scoring.judge.judge import expand

    return expand(names)


def read_viewport(text: str) -> list[int]:
    """Parse the size of a viewport, such as ``1280x1024``, into width and height."""
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise SetupError(f'--viewport "{text}": give width and height, e.g. {SIZE}', option="viewport")
    return [int(width), int(height)]
