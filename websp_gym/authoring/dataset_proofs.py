"""Prove an imported dataset on our replicas.

Its traces are replayed, and the server's state is compared with S0. Tasks of another benchmark are done by the
oracle, and decided by their own checks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from websp_gym.env.registration import make_env
from websp_gym.errors import InitialStateError, SetupError, WebspError, nearest
from websp_gym.records.results import Result
from websp_gym.records.runs import Run
from websp_gym.runner.batch import run_batch
from websp_gym.runner.jobs import plan_run
from websp_gym.runner.processes import Batch, map_unordered
from websp_gym.tasks.datasets import StoredPlay, load_dataset
from websp_gym.tasks.instances import Instance, all_instances, all_work
from websp_gym.world import make_world

Outcome = Literal["reached", "raised", "refused", "wrong", "solved", "contradictory", "unsolved"]
"""``reached``: the server has the S0 of the instance. ``raised``: replay stopped with an error. ``refused``: a trace
could not be imported. ``wrong``: replay ended without an error, and the server has another state.

Of a task of another benchmark: ``solved``: the oracle did it, and its checks hold. ``contradictory``: its checks
cannot hold if it is done as instructed. ``unsolved``: they do not hold although they could."""
_TIMEOUT = 120.0


@dataclass(frozen=True)
class S0Proof:
    """How the published traces of an instance fare on our replica."""

    instance: str
    site: str
    outcome: Outcome
    reason: str = ""
    seconds: float = 0.0
    tasks: int = 1
    """Number of tasks of the dataset that are played as this instance."""


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
    """Reach S0 of every instance by the traces of a dataset, or do its tasks, and verify what came of it.

    Args:
        name: Name of an imported dataset.
        sites: Slugs of sites; none for all.
        processes: Number of processes.
        on_progress: Called with the number of instances that are done, and of all.

    Returns:
        One proof for each instance that has published traces or is a task of another benchmark, in the order of the
        instances.

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
    plays = {each.id: stored.instances[each.id].play for each in chosen}
    played = [each for each in chosen if plays[each.id] is not None]
    total = len(jobs) + len(proofs) + len(played)

    def told(proof: S0Proof) -> None:
        proofs[proof.instance] = proof
        on_progress(len(proofs), total)

    if jobs:
        # Start the sandbox here, so that all processes share it.
        make_world("sandbox").browser_args()
        map_unordered(Batch(_prove, jobs, on_crash=_lost, on_result=told), processes)
    if played:
        run = Run(agent="oracle", options={"dataset": name, "observation": "text", "reward": "state"})
        slugs = {each.id: each.site.slug for each in played}
        run_batch(
            plan_run(run, slugs),
            processes=processes,
            on_result=lambda result: told(_played(result, slugs[result.id], plays[result.id])),
        )
    return [proofs[each.id] for each in chosen if each.id in proofs]


def _played(result: Result, slug: str, play: StoredPlay | None) -> S0Proof:
    """Return what came of a task that the oracle did."""
    assert play is not None
    outcome: Outcome = "solved" if result.status == "pass" else "unsolved"
    if outcome == "unsolved" and result.status == "fail" and play.unsolved:
        outcome = "contradictory"
    reason = "" if outcome == "solved" else play.unsolved or result.error or result.reason
    return S0Proof(result.id, slug, outcome, reason, round(result.seconds, 2), len(play.tasks))


def _of_sites(sites: Sequence[str]) -> list[Instance]:
    known = [*all_instances(), *all_work()]
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
