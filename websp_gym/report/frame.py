"""Episodes of runs as flat rows, for CSV, Parquet and pandas."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from websp_gym.agents.registry import model_of
from websp_gym.env.options import Options
from websp_gym.errors import SetupError, missing_extra
from websp_gym.records.runs import Broken, Run, find_results, qualified_name, read_run
from websp_gym.report.pages.document import write_file
from websp_gym.report.tables.rows import EpisodeRow, catalogue, instance_facts
from websp_gym.tasks.splits import WAYS, SplitBy, split_ids

if TYPE_CHECKING:
    import pandas as pd

Format = Literal["csv", "parquet"]
Kind = Literal["text", "integer", "number", "flag"]
_FRAME_TYPES = {"text": "string", "integer": "Int64", "number": "Float64", "flag": "boolean"}
_PARQUET_TYPES = {"text": "string", "integer": "int64", "number": "float64", "flag": "bool_"}


@dataclass(frozen=True)
class _Episode:
    """An episode with all that its row is made of."""

    row: EpisodeRow
    run: Run
    sides: Mapping[SplitBy, Mapping[str, str]]
    """By the way of a split, the side of each instance."""


@dataclass(frozen=True)
class FlatColumn:
    """A column of the table of episodes.

    Args:
        name: Its name.
        kind: The type of its values; each of them may be missing.
        meaning: What it holds, for the documentation.
        value: Returns the value of an episode; an empty text is a missing one.
    """

    name: str
    kind: Kind
    meaning: str
    value: Callable[[_Episode], Any]


def _of_result(name: str, kind: Kind, meaning: str) -> FlatColumn:
    return FlatColumn(name, kind, meaning, lambda one: getattr(one.row.result, name))


def _listed(name: str, meaning: str) -> FlatColumn:
    return FlatColumn(name, "text", meaning, lambda one: "; ".join(getattr(one.row.result, name) or ()))


def _version(column: str, name: str, meaning: str) -> FlatColumn:
    return FlatColumn(column, "text", meaning, lambda one: one.run.versions.get(name, ""))


def _policies(one: _Episode, *, kept: bool) -> int | None:
    policies = one.row.result.policies
    return None if policies is None else sum(policy.kept == kept for policy in policies)


def _side(way: SplitBy) -> FlatColumn:
    meaning = f"`train` or `test`, the side of the instance in the default split by {way}"
    return FlatColumn(f"split_{way}", "text", meaning, lambda one: one.sides[way].get(one.row.result.id, ""))


COLUMNS = (
    FlatColumn("run", "text", "folder of the run, as it was given or found", lambda one: str(one.row.run or "")),
    _of_result("agent", "text", "the agent, as given to `--agent`"),
    FlatColumn("model", "text", "the agent's model, without options", lambda one: model_of(one.row.result.agent)),
    FlatColumn("instance", "text", "id of the instance", lambda one: one.row.result.id),
    FlatColumn("task", "text", "the id without the initial state", lambda one: one.row.task),
    FlatColumn("site", "text", "the website", lambda one: one.row.facts.site),
    FlatColumn("category", "text", "task category", lambda one: one.row.facts.category),
    FlatColumn("state", "text", "initial state, `ON` or `OFF`, of a task with two", lambda one: one.row.facts.state),
    FlatColumn("elements", "text", "UI element types of the solution", lambda one: "; ".join(one.row.facts.elements)),
    *(_side(way) for way in WAYS),
    _of_result("dataset", "text", "imported dataset; missing for ours"),
    FlatColumn(
        "world", "text", "`sandbox` or `live`", lambda one: str(one.run.options.get("world", Options.world))
    ),
    _of_result("instruction", "text", "`without_navigation` or `with_navigation`"),
    _of_result("trial", "integer", "number of the trial, from 1"),
    _of_result("seed", "integer", "seed of the episode"),
    _of_result("status", "text", "`pass`, `fail`, `unscored` or `error`"),
    _of_result("outcome", "text", "the status as reports count it; a limit is a `time-out`"),
    _of_result("reward", "number", "the reward; missing for an episode that was not scored, never 0"),
    _of_result("siblings", "number", "the score if other changes on the page of the goal count"),
    _of_result("strict", "number", "the score if every side effect counts"),
    _of_result("partial", "number", "share of the goal's conditions that hold"),
    _of_result("completed", "flag", "whether a failed episode did the task, and only the reward asks for more"),
    FlatColumn("policies_kept", "integer", "number of policies kept", lambda one: _policies(one, kept=True)),
    FlatColumn("policies_broken", "integer", "number of policies not kept", lambda one: _policies(one, kept=False)),
    _of_result("source", "text", "who decided, such as `state` or `judge`"),
    _of_result("end_reason", "text", "why the episode ended"),
    _of_result("reason", "text", "the verdict in one sentence"),
    _of_result("error", "text", "why the episode could not be played to its end"),
    _listed("failure_kinds", "kinds of failure, of the paper's five"),
    _listed("failure_elements", "UI element types that caused the failure"),
    _listed("side_effects", "changes that no goal asked for"),
    _of_result("steps", "integer", "number of steps"),
    _of_result("actions", "integer", "actions that count against the limit"),
    _of_result("seconds", "number", "seconds from the first observation to the end"),
    _of_result("reset_seconds", "number", "seconds of the reset before that"),
    FlatColumn("retries", "integer", "number of retries after an error", lambda one: one.row.result.again),
    _of_result("calls", "integer", "requests to the agent's model"),
    _of_result("input_tokens", "integer", "tokens that the model read"),
    _of_result("output_tokens", "integer", "tokens that the model wrote"),
    _of_result("cost", "number", "US dollars; missing where a price is unknown"),
    _of_result("trajectory", "text", "folder of the record, relative to that of the run"),
    _of_result("config_hash", "text", "digest of the instance; rows with different ones are not comparable"),
    _of_result("policy_digest", "text", "digest of the policies"),
    _of_result("run_hash", "text", "digest of agent, options and seed of the run"),
    FlatColumn("started", "text", "start of the run in UTC", lambda one: one.run.started),
    FlatColumn(
        "options",
        "text",
        "options given to the run, as JSON",
        lambda one: json.dumps(dict(one.run.options), sort_keys=True, default=qualified_name),
    ),
    _version("dataset_version", "dataset", "version of tasks and sites"),
    _version("websp_gym", "websp-gym", "version of this package"),
    _version("chromium", "chromium", "version of the browser"),
    _version("playwright", "playwright", "version of Playwright"),
    _version("python", "python", "version of Python"),
    _of_result("progress", "number", "like `partial`, without conditions that held in S0 and still hold"),
)  # fmt: skip
"""The columns, in their order; new ones come last."""


@dataclass(frozen=True)
class EpisodeTable:
    """The episodes of runs as columns of equal length.

    Args:
        columns: The values by column, in the order of ``COLUMNS``; ``None`` for a missing one.
        broken: Lines of results that could not be read.
    """

    columns: dict[str, list[Any]]
    broken: tuple[Broken, ...] = ()

    def __len__(self) -> int:
        return len(self.columns["instance"])

    def csv(self) -> str:
        """Return it as CSV; a missing value is an empty cell.

        A text that a spreadsheet would take for a formula has ``'`` before it, and each of its lines ends in ``\\n``.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_cell(value) for value in row] for row in zip(*self.columns.values(), strict=True))
        return text.getvalue()

    def parquet(self) -> bytes:
        """Return it as a Parquet file. Raise ``MissingExtraError`` without the extra ``export``."""
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ModuleNotFoundError as error:
            raise missing_extra("writing Parquet needs pyarrow", "export", otherwise="write CSV") from error
        arrays = {
            column.name: pa.array(self.columns[column.name], getattr(pa, _PARQUET_TYPES[column.kind])())
            for column in COLUMNS
        }
        sink = io.BytesIO()
        pq.write_table(pa.table(arrays), sink)
        return sink.getvalue()

    def write(self, target: Path, kind: Format | None = None) -> None:
        """Write it to a file.

        Args:
            target: The file.
            kind: Its format; by default that of its extension.

        Raises:
            SetupError: Its name ends in no format, it cannot be written, or an extra is missing.
        """
        chosen = kind or target.suffix.removeprefix(".").lower()
        if chosen not in get_args(Format):
            raise SetupError(
                f"{target}: the name must end in one of {', '.join(get_args(Format))}; or use --format",
                path=str(target),
            )
        write_file(target, self.parquet() if chosen == "parquet" else self.csv())


def read_episodes(folders: Iterable[Path]) -> EpisodeTable:
    """Return the episodes of all runs in or below some folders, in the order of the folders.

    Raises:
        SetupError: A folder is missing, or no folder has results.
    """
    found = find_results(folders)
    known, runs = catalogue(), {folder: read_run(folder) or Run(agent="") for folder, _ in found.results}
    sides = {way: _sides(way) for way in WAYS}
    episodes = [
        _Episode(
            EpisodeRow(result, result.agent, instance_facts(result.id, known), folder), runs[folder], sides
        )
        for folder, result in found.results
    ]
    columns = {column.name: [_stored(column.value(one)) for one in episodes] for column in COLUMNS}
    return EpisodeTable(columns, tuple(found.broken))


def runs_frame(*folders: Path | str) -> pd.DataFrame:
    """Return the episodes of all runs in or below some folders as a data frame; needs the extra ``export``.

    Args:
        *folders: The folders.

    Returns:
        One row per episode with the columns of ``websp export``. The types are nullable ones: a missing value,
        such as the reward of an episode that was not scored, is ``pandas.NA``, which means leave out.

    Raises:
        MissingExtraError: pandas is not installed.
        SetupError: A folder is missing, or no folder has results.
    """
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise missing_extra("a data frame needs pandas", "export") from error
    columns = read_episodes(Path(folder) for folder in folders).columns
    return pd.DataFrame(
        {each.name: pd.array(columns[each.name], dtype=_FRAME_TYPES[each.kind]) for each in COLUMNS}
    )


def markdown() -> str:
    """Return the columns as a Markdown table."""
    rows = [f"| `{column.name}` | {column.kind} | {column.meaning} |" for column in COLUMNS]
    return "\n".join(["| column | type | |", "|---|---|---|", *rows])


def _sides(way: SplitBy) -> dict[str, str]:
    train, test = split_ids(way)
    return {**dict.fromkeys(train, "train"), **dict.fromkeys(test, "test")}


def _stored(value: Any) -> Any:
    return None if value == "" else value


_FORMULA = tuple("=+-@\t\r\n")
"""What a formula begins with, or the space that a spreadsheet takes away before one."""


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        mark = "'" * value.startswith(_FORMULA)
        # Readers take a bare \r for the end of the row, and the writer does not quote it.
        return mark + value.replace("\r\n", "\n").replace("\r", "\n")
    return str(value).lower() if isinstance(value, bool) else value
