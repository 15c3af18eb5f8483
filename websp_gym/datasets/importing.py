"""Importing the published dataset from a clone of it into the user's data folder, whole or not at all."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Any

from websp_gym.datasets import stwab
from websp_gym.datasets.artifact import LICENCE, Artifact, Row, read_artifact
from websp_gym.errors import SetupError, nearest, unwritable
from websp_gym.files import read_file
from websp_gym.project import VERSION
from websp_gym.replay.importers import import_trace
from websp_gym.replay.trace import MAX_BYTES
from websp_gym.replay.trace_files import save_trace
from websp_gym.tasks.datasets import (
    OFFICIAL,
    OURS,
    StoredDataset,
    StoredInstance,
    StoredStep,
    StoredTrace,
    write_dataset,
)
from websp_gym.tasks.ids import known_ids
from websp_gym.tasks.instances import Instance, all_instances
from websp_gym.user_folders import datasets_folder

_NO_LOGIN = (
    "no file is named, as login traces hold passwords and are not published; record yours and name it there, or sign "
    "in with `websp login`"
)

_OTHER_S0 = {
    "Steam-task-197-ON": "the published trace empties the list of words, but the ground truth begins with them",
    "Steam-task-198-OFF": "the published trace leaves the boxes ticked, and the ground truth ticks three of them",
}
"""Instances whose published trace leads to a different state from the one in which the ground truth begins."""


def import_dataset(root: Path, *, name: str = "", overwrite: bool = False) -> StoredDataset:
    """Import a clone of the published artifact, or of ST-WebAgentBench.

    Args:
        root: The folder of the clone. Nothing in it is changed or executed.
        name: Name of the dataset; by default ``official`` or ``stwab``.
        overwrite: Whether to replace a dataset of that name.

    Returns:
        What was written, with all that was left out.

    Raises:
        SetupError: The folder is not such a clone, the dataset already exists, or it cannot be written.
    """
    of_stwab = stwab.is_clone(root)
    name = name or (stwab.NAME if of_stwab else OFFICIAL)
    target = datasets_folder() / name
    if target.exists() and not overwrite:
        raise SetupError(
            f"{target} already exists; use --overwrite to import it again, or `websp dataset remove {quote(name)}`",
            path=str(target),
        )
    artifact = None if of_stwab else read_artifact(root)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=target.parent) as scratch:
            part = Path(scratch) / "new"
            part.mkdir()
            content = _Importer(artifact, part).read() if artifact else stwab.read_clone(root, part)
            dataset = StoredDataset(
                name=name,
                source=str(root.resolve()),
                commit=_commit(root),
                imported=datetime.now(UTC).isoformat(timespec="seconds"),
                version=VERSION,
                **content,
            )
            write_dataset(dataset, part)
            for licence in root.glob("LICENSE*"):
                if licence.is_file():
                    shutil.copyfile(licence, part / licence.name)
            if target.exists():
                target.rename(Path(scratch) / "old")
            part.rename(target)
    except OSError as error:
        raise unwritable(target, error) from error
    return dataset


class _Importer:
    """An import into one folder."""

    def __init__(self, artifact: Artifact, folder: Path) -> None:
        self._artifact = artifact
        self._folder = folder
        self._ours = {instance.id: instance for instance in all_instances()}
        self._traces: dict[str, StoredTrace] = {}
        self._tried: dict[str, str] = {}
        """Why each file that was read cannot be imported; empty where it was."""

    def read(self) -> dict[str, Any]:
        """Return what of the artifact goes into the dataset, and write its traces."""
        instances = self._instances()
        for file in self._artifact.traces:
            if file not in self._tried:
                self._artifact.tell("trace", file, "no instance uses it", matters=False)
        logins = self._logins()
        return {
            "licence": LICENCE,
            "instances": instances,
            "traces": self._traces,
            "logins": logins,
            "left_out": tuple(self._artifact.problems),
        }

    def _instances(self) -> dict[str, StoredInstance]:
        found = {}
        spelled = dict(zip(self._artifact.rows, known_ids(self._artifact.rows), strict=True))
        for key, row in self._artifact.rows.items():
            ours = self._ours.get(spelled[key])
            if ours is None:
                hint = nearest(key, list(self._ours))
                self._artifact.tell("instance", row.place, f'there is no instance "{key}" here{hint}')
            else:
                found[ours.id] = self._instance(key, row, ours)
        # In our order, so that lists of two datasets can be compared.
        return {name: found[name] for name in self._ours if name in found}

    def _instance(self, key: str, row: Row, ours: Instance) -> StoredInstance:
        tell, truth = self._artifact.tell, self._artifact.ground_truth.get(key, ())
        for variant, words in (("with", row.with_navigation), ("without", row.without_navigation)):
            if not words:
                tell("instruction", ours.id, f"no task file has its wording {variant} navigation")
        if not truth:
            tell("ground truth", ours.id, "the published files have none; judges get ours")
        elements = self._artifact.elements.get(key, ())
        if not elements:
            tell("elements", ours.id, "the published files name none; ours count", matters=False)
        return StoredInstance(
            instruction=row.without_navigation,
            instruction_with_navigation=row.with_navigation,
            ground_truth=truth,
            elements=elements,
            replay=self._replay(row, ours),
        )

    def _replay(self, row: Row, ours: Instance) -> tuple[StoredStep, ...]:
        """Return the traces of S0; none if one of them cannot be used, as S0 is then reached by our own steps."""
        if row.replay and ours.id in _OTHER_S0:
            self._artifact.tell("trace", ours.id, f"{OURS}: {_OTHER_S0[ours.id]}", matters=False)
            return ()
        steps = []
        for each in row.replay:
            parts = Path(each.file).parts
            # The folder tells what the trace is for, the file only when it was recorded.
            name = f"{ours.site.slug}/{_file_name(' '.join([*parts[-3:-2], Path(each.file).stem]))}.json"
            why = self._refused(each.file, ours.site.slug, name)
            if why:
                self._artifact.tell("trace", ours.id, f"{OURS}: {each.file}: {why}")
                return ()
            steps.append(StoredStep(trace=name, set=each.set))
        return tuple(steps)

    def _refused(self, file: str, slug: str, name: str) -> str:
        """Import a trace of the clone under a name; return why it cannot be, or an empty text."""
        if file not in self._tried:
            self._tried[file] = self._import(file, slug, name)
        return self._tried[file]

    def _import(self, file: str, slug: str, name: str) -> str:
        path = self._artifact.root / file
        try:
            if not path.resolve().is_relative_to(self._artifact.root.resolve()):
                return "it is not in the clone"
            data = read_file(path, MAX_BYTES)
            imported = import_trace(path, site=slug)[0]
        except OSError as error:
            return error.strerror or str(error)
        except SetupError as error:
            return str(error).removeprefix(f"{path}: ")
        left_out = [
            f"event {number}: {event.what}"
            for number, event in enumerate(imported.trace.events, 1)
            if event.type == "omitted"
        ]
        if left_out:
            return f"replay would stop where something is left out ({', '.join(left_out)})"
        save_trace(imported.trace, self._folder / "traces" / name)
        self._traces[name] = StoredTrace(source=file, digest=hashlib.sha256(data).hexdigest()[:16])
        return ""

    def _logins(self) -> dict[str, str]:
        slugs = {name.partition("-task-")[0].casefold(): each.site.slug for name, each in self._ours.items()}
        found = {}
        for site, file in self._artifact.logins.items():
            slug = slugs.get(site.casefold())
            if slug is None:
                reason = f"there is no such site here{nearest(site.casefold(), list(slugs))}"
                self._artifact.tell("login trace", site, reason, matters=False)
            elif not file:
                self._artifact.tell("login trace", site, _NO_LOGIN, matters=False)
            elif why := self._refused(file, slug, f"login/{slug}.json"):
                self._artifact.tell("login trace", site, f"{file}: {why}")
            else:
                found[slug] = f"login/{slug}.json"
        return found


def _file_name(text: str) -> str:
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))[:120]


def _commit(root: Path) -> str:
    """Return the commit of a git clone; empty where git does not tell."""
    if not (root / ".git").exists():
        return ""
    try:
        said = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "HEAD"],
            capture_output=True, text=True, timeout=10, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()
