"""The first small request to each model of a command."""

from __future__ import annotations

from collections.abc import Iterable

from websp_gym.cli.output import Console
from websp_gym.models.probe import Probe, Probed, ask_probes


def try_models(probes: Iterable[Probe]) -> list[Probed]:
    """Ask each model once, print how long it took and what it cost, and return the answers.

    Raises:
        SetupError: A model gave no answer.
    """
    probed = ask_probes(probes)
    console = Console(stderr=True)
    for each in probed:
        cost = "at an unknown price" if each.reply.cost is None else f"for ${each.reply.cost:.4f}"
        text = f"{each.model} answers: a first small request took {each.reply.seconds:.1f} s, {cost}"
        console.print(text, style="dim", markup=False, soft_wrap=True)
    return probed
