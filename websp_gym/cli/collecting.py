"""``websp collect`` and ``websp xray``: convert AgentLab studies into runs, or view them."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Annotated

import typer

from websp_gym.cli.options import AsJson
from websp_gym.cli.output import Console, print_json
from websp_gym.errors import SetupError, missing_extra
from websp_gym.records.runs import find_results


def collect(
    study: Annotated[Path, typer.Argument(metavar="STUDY_DIR", help="Folder of an AgentLab study.")],
    *,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the runs. Default: websp-run in the study.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Convert an AgentLab study into runs for `websp report`; needs the extra `agentlab`.

    Example: `websp collect ~/agentlab_results/2026-01-31_12-00-00_oracle-on-websp`
    """
    _require_agentlab("reading a study")
    from websp_gym.agents import agentlab

    folder = agentlab.collect(study, out)
    results = [result for _, result in find_results([folder]).results]
    agents = sorted({result.agent for result in results})
    if as_json:
        print_json({"folder": str(folder), "agents": agents, "episodes": len(results)})
        return
    console = Console()
    console.print(f"{len(results)} episodes of {', '.join(agents)}", markup=False)
    missing = sum(result.status == "error" for result in results)
    if missing:
        console.print(f"{missing} of them failed or did not finish", style="red")
    console.print(f"tables:  websp report {folder}", style="dim", markup=False, soft_wrap=True)


def xray(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]",
            help="Folder with studies. Default: AGENTLAB_EXP_ROOT, else ~/agentlab_results.",
        ),
    ] = None,
) -> None:
    """Open AgentLab studies in its viewer, AgentXRay, offline; needs the extra `agentlab`.

    Example: `websp xray ~/agentlab_results`
    """
    _require_agentlab("AgentXRay")
    if folder is not None:
        if not folder.is_dir():
            raise SetupError(f"no folder {folder}", path=str(folder))
        # AgentLab reads this variable on import.
        os.environ["AGENTLAB_EXP_ROOT"] = str(folder.resolve())
    # Must come before any import of AgentLab, which would start downloads.
    from websp_gym.agents.agentlab import stay_offline

    stay_offline()
    from agentlab.analyze import agent_xray

    agent_xray.main()


def _require_agentlab(what: str) -> None:
    if importlib.util.find_spec("agentlab") is None:
        raise missing_extra(f"{what} needs AgentLab", "agentlab")
