"""Several trials of the same instances: pass@k and pass^k (table 8), estimated as in the paper's appendix D."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb

from websp_gym.rates import Figure
from websp_gym.report.tables.intervals import mean
from websp_gym.report.tables.paper import Paper, label
from websp_gym.report.tables.rows import WORDS, EpisodeRow
from websp_gym.report.tables.table import DASH, Cell, Column, Table, TableRow, figure

ABOUT = (
    "pass@k: the probability that at least one of k trials solves an instance; pass^k: that all k do. Means over the "
    "instances scored in every trial, with 95 % bootstrap intervals over instances."
)

PUBLISHED = (
    "Published rows: a subset chosen by failure, all failures of trial 1 and two successes per website, so pass@1 is "
    "not a success rate."
)


def pass_at(n: int, c: int, k: int) -> float:
    """Return the unbiased estimate that at least one of `k` trials succeeds: 1 - C(n-c, k) / C(n, k).

    Args:
        n: Number of trials.
        c: Number of successful trials.
        k: At most `n`.

    Returns:
        The estimate (Chen et al. 2021; the paper's equation 1).

    Raises:
        ValueError: `k` is not between 1 and `n`, or `c` not between 0 and `n`.
    """
    _check(n, c, k)
    return 1 - comb(n - c, k) / comb(n, k)


def pass_hat(n: int, c: int, k: int) -> float:
    """Return the unbiased estimate that all of `k` trials succeed: C(c, k) / C(n, k).

    Args:
        n: Number of trials.
        c: Number of successful trials.
        k: At most `n`.

    Returns:
        The estimate (Yao et al. 2024; the paper's equation 1).

    Raises:
        ValueError: `k` is not between 1 and `n`, or `c` not between 0 and `n`.
    """
    _check(n, c, k)
    return comb(c, k) / comb(n, k)


def robustness(
    episodes: Sequence[EpisodeRow], agents: Sequence[str], instruction: str, paper: Paper | None
) -> Table | None:
    """Return table 8; None if no agent has two scored trials of an instance.

    Args:
        episodes: All trials with this instruction variant.
        agents: The agents, in the order to show.
        instruction: The instruction variant.
        paper: The published figures to show beside; None for none.
    """
    counts = {agent: _counts([e for e in episodes if e.agent == agent]) for agent in agents}
    trials = {agent: max((n for n, _ in found.values()), default=0) for agent, found in counts.items()}
    most = max(trials.values(), default=0)
    if most < 2:
        return None
    block = paper.trials if paper and instruction == "without_navigation" else None
    shown = [agent for agent in agents if trials[agent] > 1]
    rows = [_row(agent, counts[agent], trials[agent], most) for agent in shown]
    notes = [_chosen([e for e in episodes if e.agent == agent], trials[agent], agent) for agent in shown]
    if block:
        rows += [_published(model, row.of, row.at, row.hat, most) for model, row in block.rows.items()]
        notes.append(PUBLISHED)
    columns = (
        Column("Trials", "Trials of each instance."),
        Column("Instances", "Instances scored in every trial; the denominator."),
        Column("Left out", "Instances with fewer scored trials."),
        *(Column(f"pass@{k}", f"At least one of {k} trials succeeds.") for k in range(1, most + 1)),
        *(Column(f"pass^{k}", f"All of {k} trials succeed.") for k in range(2, most + 1)),
    )
    title = f"Robustness over trials, {WORDS.get(instruction, instruction)}"
    paper_table = "8" if instruction == "without_navigation" else ""
    told = tuple(filter(None, notes))
    return Table(
        "trials",
        title,
        paper_table,
        instruction,
        "Agent",
        columns,
        tuple(rows),
        ABOUT,
        told,
        every_trial=True,
    )


def _chosen(own: Sequence[EpisodeRow], trials: int, agent: str) -> str:
    """Return a note if the instances with all trials are those that failed, and some others; else empty."""
    full = {name for name, (n, _) in _counts(own).items() if n == trials}
    first = {episode.result.id: episode for episode in own if episode.result.trial == 1 and episode.scored}
    kept = [episode.solved for name, episode in first.items() if name in full]
    left = [episode.solved for name, episode in first.items() if name not in full]
    if not left or not all(left) or all(kept):
        return ""
    return (
        f"{agent}: chosen by failure. The {len(kept)} instances with {trials} trials have all {kept.count(False)} "
        f"failures of trial 1, and the {len(left)} left out were solved in it: pass@1 here is not a success rate."
    )


def _counts(own: Sequence[EpisodeRow]) -> dict[str, tuple[int, int]]:
    """Return the scored trials and successes of each instance."""
    found: dict[str, list[bool]] = {}
    for episode in own:
        outcomes = found.setdefault(episode.result.id, [])
        if episode.scored:
            outcomes.append(episode.solved)
    return {name: (len(outcomes), sum(outcomes)) for name, outcomes in found.items()}


def _row(agent: str, counts: Mapping[str, tuple[int, int]], trials: int, most: int) -> TableRow:
    full = [c for n, c in counts.values() if n == trials]

    def estimate(of: str, k: int) -> Figure:
        if k > trials:
            return Figure(None, None, None)
        formula = pass_at if of == "@" else pass_hat
        return mean([formula(trials, c, k) for c in full])

    cells = (
        Cell(str(trials), trials),
        Cell(str(len(full)), len(full)),
        Cell(str(len(counts) - len(full)), len(counts) - len(full)),
        *(figure(estimate("@", k), shade=True) for k in range(1, most + 1)),
        *(figure(estimate("^", k), shade=True) for k in range(2, most + 1)),
    )
    return TableRow(agent, cells)


def _published(model: str, of: int, at: Sequence[float], hat: Sequence[float], most: int) -> TableRow:
    def shown(values: Sequence[float], k: int) -> Cell:
        return Cell(f"{values[k - 1]:.2f}", values[k - 1], values[k - 1]) if k <= len(values) else Cell(DASH)

    cells = (
        Cell(str(len(at)), len(at)),
        Cell(str(of), of),
        Cell(DASH),
        *(shown(at, k) for k in range(1, most + 1)),
        *(shown(hat, k) for k in range(2, most + 1)),
    )
    return TableRow(label(model), cells, reference=True)


def _check(n: int, c: int, k: int) -> None:
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"needs 0 <= c <= n and 1 <= k <= n, not n = {n}, c = {c}, k = {k}")
