"""Pack a run as a submission: results, records, and a manifest with the SHA-256 of each file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from zipfile import ZipFile

from websp_gym.errors import SetupError, unwritable
from websp_gym.exchange.archive import add
from websp_gym.exchange.consistency import check_run
from websp_gym.exchange.submission import ALL, FILE, Submission, instances_of
from websp_gym.exchange.verifying import planned_keys
from websp_gym.files import MAX_PICTURE, open_new, read_file
from websp_gym.records.results import Result
from websp_gym.records.runs import AGENT_LOG, RESULTS, RUN, Run, read_results, read_run
from websp_gym.records.trajectory import FILE as TRAJECTORY
from websp_gym.records.trajectory import STEPS
from websp_gym.scoring.judge.judgements import JUDGEMENTS

_RECORD = (TRAJECTORY, STEPS, JUDGEMENTS, AGENT_LOG)
_SHOWN = 5
"""Number of problems in a message; the rest is only counted."""


def pack(
    folder: Path, target: Path, *, split: str = ALL, trials: int | None = None, pictures: bool = True
) -> Submission:
    """Verify a run and pack it as a zip file. The same run gives the same file.

    Args:
        folder: Folder of the run.
        target: The file; an existing one is replaced.
        split: The claimed instances: ``all``, a side such as ``test:site``, or a glob of ids.
        trials: Episodes of each; by default as many as any of them has. Results of others are left out.
        pictures: Whether the screenshots are packed.

    Returns:
        The manifest.

    Raises:
        SetupError: The folder is not a run, an episode is missing or not what its record gives, or the file cannot be
            written.
    """
    run = read_run(folder)
    if run is None:
        raise SetupError(f"{folder} has no {RUN}; `websp run --out DIR` writes one", path=str(folder))
    ids = instances_of(split)
    keys = planned_keys(folder, ids, trials)
    wanted = set(keys)
    results = [each for each in read_results(folder) if (each.id, each.trial) in wanted]
    _check(folder, split, [f"{each.where}: {each.what}" for each in check_run(folder, keys, others=True)])
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with open_new(part) as file, ZipFile(file, "w") as archive:
            files = {
                name: add(archive, name, data)
                for name, data in _files(folder, run, results, pictures=pictures)
            }
            submission = Submission.of(
                run, results, split=split, trials=max(key[1] for key in keys), files=files
            )
            add(archive, FILE, submission.text().encode())
        os.replace(part, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise unwritable(target, error) from error
    return submission


def _check(folder: Path, split: str, problems: Sequence[str]) -> None:
    if problems:
        more = f"\n… and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        shown = "\n".join(problems[:_SHOWN])
        raise SetupError(f"{folder} is not a complete run of {split}:\n{shown}{more}", path=str(folder))


def _files(
    folder: Path, run: Run, results: Sequence[Result], *, pictures: bool
) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file of a submission but the manifest."""
    yield RUN, read_file(folder / RUN, MAX_PICTURE)
    yield RESULTS, "".join(result.line() + "\n" for result in results).encode(errors="replace")
    for result in results:
        records = dict.fromkeys((*(one.trajectory for one in result.tries), result.trajectory))
        for record in (name for name in records if name and (folder / name).is_dir()):
            for path in record_files(folder / record):
                if pictures or path.suffix != ".png":
                    yield f"{record}/{path.name}", read_file(path, MAX_PICTURE)


def record_files(folder: Path) -> list[Path]:
    """Return the files of a record that its readers know; programs of others may have left more."""
    return sorted(path for path in folder.iterdir() if path.name in _RECORD or path.suffix == ".png")
