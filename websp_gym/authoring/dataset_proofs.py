"""Prove the traces of an imported dataset: replay each on its replica, and compare the server's state with S0."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from websp_gym.datasets.stored import load_dataset
from websp_gym.env.registration import make_env
from websp_gym.errors import InitialStateError, SetupError, WebspError, nearest
from websp_gym.runner.processes import Batch, map_unordered
from websp_gym.tasks.instances import Instance, all_instances
from websp_gym.world import make_world

Outcome = Literal["reached", "raised", "refused", "wrong"]
"""``reached``: the server has the S0 of the instance. ``raised``: replay stopped with an error. ``refused``: a trace
could not be imported. ``wrong``: replay ended without an error, and the server has another state."""
_TIMEOUT = 120.0


@dataclass(frozen=True)
class S0Proof:
    """How the published traces of an instance fare on our replica."""

    instance: str
    site: str
    outcome: Outcome
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class _Job:
    dataset: str
    instance: str
    site: str


def prove_dataset(
    name: str,
    sites: Sequence[str] = (),
    *,
    processes: int = 1,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[S0Proof]:
    """Reach S0 of every instance by the traces of a dataset, and verify it on the server.

    Args:
        name: Name of an imported dataset.
        sites: Slugs of sites; none for all.
        processes: Number of processes.
        on_progress: Called with the number of instances that are done, and of all.

    Returns:
        One proof for each instance that has published traces, in the order of the instances.

    Raises:
        SetupError: There is no such dataset or site.
        WorldError: The sandbox does not start.
    """
    stored = load_dataset(name)
    refused = {
        one.subject: one.reason
        for one in stored.left_out
        if one.kind == "trace" and one.subject in stored.instances
    }
    chosen = [each for each in _of_sites(sites) if each.id in stored.instances]
    jobs = [_Job(name, each.id, each.site.slug) for each in chosen if stored.instances[each.id].replay]
    proofs = {
        each.id: S0Proof(each.id, each.site.slug, "refused", refused[each.id])
        for each in chosen
        if each.id in refused
    }
    total = len(jobs) + len(proofs)

    def told(proof: S0Proof) -> None:
        proofs[proof.instance] = proof
        on_progress(len(proofs), total)

    if jobs:
        # Start the sandbox here, so that all processes share it.
        make_world("sandbox").browser_args()
        map_unordered(Batch(_prove, jobs, on_crash=_lost, on_result=told), processes)
    return [proofs[each.id] for each in chosen if each.id in proofs]


def _of_sites(sites: Sequence[str]) -> list[Instance]:
    known = list(all_instances())
    slugs = {each.site.slug for each in known}
    for site in sites:
        if site not in slugs:
            raise SetupError(f'no site "{site}"{nearest(site, sorted(slugs))}', site=site)
    return [each for each in known if not sites or each.site.slug in sites]


def _prove(job: _Job) -> S0Proof:
    began = time.monotonic()
    outcome, reason = _reach(job)
    return S0Proof(job.instance, job.site, outcome, reason, round(time.monotonic() - began, 2))


def _reach(job: _Job) -> tuple[Outcome, str]:
    env = make_env(
        job.instance, dataset=job.dataset, observation="text", reward="state", reset_timeout=_TIMEOUT
    )
    try:
        env.reset()
    except InitialStateError as error:
        return "wrong", str(error)
    except WebspError as error:
        return "raised", str(error)
    finally:
        env.close()
    return "reached", ""


def _lost(job: _Job) -> S0Proof:
    return S0Proof(job.instance, job.site, "raised", "the process that replayed it died twice")
