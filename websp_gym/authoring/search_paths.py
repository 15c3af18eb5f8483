"""Search paths of the sites, tasks and traces to check: the package's own folders and the user's."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from websp_gym.errors import WorldError
from websp_gym.paths import SITES, VARIABLES
from websp_gym.sandbox.client import Sandbox, SandboxError


@dataclass(frozen=True)
class SearchPaths:
    """Folders to search besides the package's own.

    Args:
        sites: Folders that hold one folder per site.
        task_configs: Folders of task configurations.
        traces: Folders of traces.
    """

    sites: tuple[Path, ...] = ()
    task_configs: tuple[Path, ...] = ()
    traces: tuple[Path, ...] = ()

    @classmethod
    def below(cls, folder: Path) -> SearchPaths:
        """Return the existing folders among ``sites``, ``task_configs`` and ``traces`` in a folder."""
        names = ("sites", "task_configs", "traces")
        return cls(*((folder / name,) if (folder / name).is_dir() else () for name in names))

    @contextlib.contextmanager
    def known(self) -> Iterator[None]:
        """Add these folders to the search paths of this process and of the processes it starts."""
        folders = {SITES: self.sites, **{VARIABLES[name]: getattr(self, name) for name in VARIABLES}}
        with contextlib.ExitStack() as stack:
            for variable, added in folders.items():
                stack.enter_context(_added(variable, added))
            yield

    @contextlib.contextmanager
    def served(self) -> Iterator[None]:
        """Provide a sandbox that serves these folders too, for this process and the processes it starts.

        Raises:
            WorldError: The sandbox does not start, for example because a site is invalid.
        """
        if self == SearchPaths():
            yield
            return
        with self.known():
            try:
                sandbox = Sandbox.start()
            except SandboxError as error:
                raise WorldError(f"the sandbox does not start: {error}") from error
            with contextlib.closing(sandbox), sandbox.as_shared():
                yield


@contextlib.contextmanager
def _added(variable: str, folders: tuple[Path, ...]) -> Iterator[None]:
    if not folders:
        yield
        return
    before = os.environ.get(variable)
    known = before.split(os.pathsep) if before else []
    added = [str(folder.resolve()) for folder in folders]
    os.environ[variable] = os.pathsep.join([*known, *(folder for folder in added if folder not in known)])
    try:
        yield
    finally:
        del os.environ[variable]
        if before is not None:
            os.environ[variable] = before
