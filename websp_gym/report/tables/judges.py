"""The judges of the episodes, model by model: opinions, missing ones, agreement and cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from websp_gym.models.usage import sum_known
from websp_gym.report.tables.rows import EpisodeRow
from websp_gym.report.tables.table import DASH, Cell, Column, Table, TableRow, number, part
from websp_gym.scoring.judge.judgements import Judgement, judgements_of
from websp_gym.scoring.judge.tally import ModelTally, outage, tally

ABOUT = (
    "The newest judgement of each trajectory by each judge, at the end of the episode or by `websp judge`. Runs that "
    "were decided without a model are left out."
)


def judges(episodes: Sequence[EpisodeRow]) -> Table | None:
    """Return the table of judges and their models over all trials; None if no episode was judged by models."""
    folders = dict.fromkeys(episode.folder for episode in episodes if episode.folder is not None)
    judged = _by_judge(folders)
    if not judged:
        return None
    columns = (
        Column("Runs", "Runs that the models were asked about."),
        Column("Verdicts", "Runs on which a quorum agreed."),
        Column("Opinions", "Runs with its opinion; for a judge: runs with the opinion of every model."),
        Column("Unreadable answers", "Answers that could not be read; each was paid for."),
        Column("Failed", "Runs without its opinion because a request failed."),
        Column("Agrees", "Its opinions that agree with the verdict."),
        Column("Cost", "US dollars, with questions for the causes of failures; unknown if a price is."),
    )
    rows = [row for judge, found in judged.items() for row in _rows(judge, found)]
    notes = [f"{judge}: {missing}." for judge, found in judged.items() if (missing := _outage(found))]
    return Table(
        "judges",
        "Judges",
        "",
        "",
        "Judge and model",
        columns,
        tuple(rows),
        ABOUT,
        tuple(notes),
        every_trial=True,
    )


def _by_judge(folders: Iterable[Path]) -> dict[str, list[Judgement]]:
    """Return the newest judgement of each folder by each judge; only those with votes."""
    found: dict[str, list[Judgement]] = {}
    for folder in folders:
        newest = {judgement.judge: judgement for judgement in judgements_of(folder)}
        for judge, judgement in newest.items():
            if judgement.ballot.votes:
                found.setdefault(judge, []).append(judgement)
    return found


def _outage(judged: Sequence[Judgement]) -> str:
    return outage([each.ballot for each in judged])


def _rows(judge: str, judged: Sequence[Judgement]) -> list[TableRow]:
    tallies = tally(each.ballot for each in judged)
    verdicts = sum(each.status != "unscored" for each in judged)
    whole = (
        number(len(judged)),
        part(verdicts, len(judged)),
        part(sum(each.complete for each in judged), len(judged)),
        number(sum(each.unreadable for each in tallies)),
        number(sum(each.failed for each in tallies)),
        Cell(DASH),
        _dollars(sum_known([each.cost for each in judged])),
    )
    asked_why = [each.why for each in judged if each.why]
    rows = [TableRow(judge, whole, total=True), *(_row(each) for each in tallies)]
    if asked_why:
        cost = sum_known([why.get("cost") for why in asked_why])
        rows.append(
            TableRow(
                "causes of failures (--why)", (number(len(asked_why)), *[Cell(DASH)] * 5, _dollars(cost))
            )
        )
    return rows


def _row(each: ModelTally) -> TableRow:
    cells = (
        number(each.asked),
        Cell(DASH),
        part(each.opinions, each.asked),
        number(each.unreadable),
        number(each.failed),
        part(each.agreed, each.judged),
        _dollars(each.cost),
    )
    return TableRow(each.model, cells)


def _dollars(cost: float | None) -> Cell:
    return Cell("unknown") if cost is None else Cell(f"${cost:.4f}", cost)
