"""Writing the trajectory of an episode while it runs."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from websp_gym.errors import unwritable
from websp_gym.records.trajectory import FILE, STEPS, Trajectory, View
from websp_gym.redaction import redact
from websp_gym.texts import encodable, map_texts

if TYPE_CHECKING:
    from websp_gym.observation.observe import PageView


class Recorder:
    """A writer that saves a trajectory to disk while the episode runs.

    Args:
        parent: Folder of all episodes of the instance; this episode gets the next free subfolder, ``001``,
            ``002`` and so on.
        trajectory: The trajectory to write.
        secrets: Texts that must never be written; each is replaced by ``•••``. All must be known now, because
            a written step is never changed.
    """

    def __init__(self, parent: Path, trajectory: Trajectory, secrets: Iterable[str] = ()) -> None:
        self.folder = _new_folder(parent)
        self.trajectory = trajectory
        self._secrets = tuple(secrets)
        self._written = 0
        self._size = 0

    def view(self, index: int, page: PageView) -> View:
        """Store the screenshot of observation ``index`` (0 is the initial one) and return its stored form."""
        return View.of(page, self.screenshot(index, page.png) if page.png else None)

    def screenshot(self, index: int, png: bytes) -> str:
        """Store a screenshot and return its file name; ``index`` is 0 for the initial observation."""
        name = f"step_{index:03d}.png"
        with self._writing():
            (self.folder / name).write_bytes(png)
        return name

    def append(self) -> None:
        """Write the steps that are not on disk yet. Steps on disk are neither read nor written again."""
        for step in self.trajectory.steps[self._written :]:
            left_out = {"facts"} if step.facts is None else None
            line = self._encoded(step.model_dump(exclude=left_out)) + b"\n"
            with self._writing(), (self.folder / STEPS).open("ab") as file:
                file.truncate(self._size)  # a part of this line that an earlier attempt wrote to a full disk
                file.write(line)
            self._size += len(line)
            self._written += 1

    def save(self) -> None:
        """Write the missing steps and replace the header; the header on disk is always complete."""
        self.append()
        left_out = {"steps"} | ({"policies"} if self.trajectory.policies is None else set())
        header = self.trajectory.model_dump(by_alias=True, exclude=left_out) | {"steps": self._written}
        part = self.folder / (FILE + ".part")
        with self._writing():
            part.write_bytes(self._encoded(header, indent=1))
            os.replace(part, self.folder / FILE)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise unwritable(self.folder, error, what="the record folder") from error

    def _encoded(self, data: dict[str, Any], indent: int | None = None) -> bytes:
        return json.dumps(map_texts(data, self._clean), ensure_ascii=False, indent=indent).encode()

    def _clean(self, text: str) -> str:
        return encodable(redact(text, self._secrets, mask="•••", parts=False))


def _new_folder(parent: Path) -> Path:
    """Create and return the next free folder; other processes may do the same at the same time."""
    for number in itertools.count(1):
        folder = parent / f"{number:03d}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise unwritable(folder, error, what="the record folder") from error
        return folder
    raise AssertionError("unreachable")
