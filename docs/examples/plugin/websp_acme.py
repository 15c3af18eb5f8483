"""A package that adds a world, an agent, a reward and a command: pip install ./docs/examples/plugin"""

from typing import Any

from websp_gym.scoring.outcome import EpisodeEnd
from websp_gym.world import WorldKind
from websp_gym.world.sandbox import SandboxWorld


class DarkWorld(SandboxWorld):  # gym.make(ID, world="dark"): the sandbox, for somebody who prefers dark pages
    name = "dark"

    def context_options(self) -> dict[str, Any]:
        return {"color_scheme": "dark"}


DARK = WorldKind(make=lambda site: DarkWorld(), is_ours=True)


class HastyAgent:  # websp run --agent hasty:fine: answers at once, with what stands after the colon
    observation, turns = "text", ()

    def __init__(self, spec: str) -> None:
        self.name = spec

    def begin(self, briefing: object) -> None: ...

    def act(self, observation: object) -> str:
        return f"ANSWER; {self.name.partition(':')[2]}"


def frugal(end: EpisodeEnd) -> float:  # gym.make(ID, reward="frugal"): done, and in ten steps
    return float(end.truth.status == "pass" and len(end.trajectory.steps) <= 10)


def hello(name: str = "world") -> None:
    """Greet somebody: websp hello --name Ada"""
    print(f"Hello, {name}!")
