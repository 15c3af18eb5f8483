"""``websp collect``: an AgentLab study as runs of ours."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path

from rich.console import Console

from websp_gym.errors import SetupError, missing_extra


def xray_command(folder: Path | None) -> None:
    """Runs AgentXRay until Ctrl-C.

    Args:
        folder: Folder of studies; None for AgentLab's own.

    Raises:
        SetupError: AgentLab is not installed, or there is no such folder.
    """
    _require_agentlab("AgentXRay")
    if folder is not None:
        if not folder.is_dir():
            raise SetupError(f"no folder {folder}", path=str(folder))
        # AgentLab reads it when it is imported.
        os.environ["AGENTLAB_EXP_ROOT"] = str(folder.resolve())
    # Before anything of AgentLab's: it finds then what it would download.
    from websp_gym.agents.agentlab import stay_offline

    stay_offline()
    from agentlab.analyze import agent_xray

    agent_xray.main()


def _require_agentlab(what: str) -> None:
    if importlib.util.find_spec("agentlab") is None:
        raise missing_extra(f"{what} needs AgentLab", "agentlab")


def collect_command(study: Path, *, out: Path | None, as_json: bool) -> None:
    """Collects a study and says where the runs are.

    Args:
        study: The study's folder.
        out: Where the runs go; None for ``websp-run`` in the study.
        as_json: Print JSON and nothing else.

    Raises:
        SetupError: AgentLab is not installed, the folder is no study of ours, or the other one cannot be written.
    """
    _require_agentlab("reading a study")
    from websp_gym.agents.agentlab import collect
    from websp_gym.records.results import find_results

    folder = collect(study, out)
    results = [result for _, result in find_results([folder]).results]
    agents = sorted({result.agent for result in results})
    if as_json:
        facts = {"folder": str(folder), "agents": agents, "episodes": len(results)}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        return
    console = Console(highlight=False)
    console.print(f"{len(results)} episodes of {', '.join(agents)}", markup=False)
    missing = sum(result.status == "error" for result in results)
    if missing:
        console.print(f"{missing} of them failed or did not come to an end", style="red")
    console.print(f"tables:  websp report {folder}", style="dim", markup=False, soft_wrap=True)
