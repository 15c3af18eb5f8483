"""Description of an application of the benchmark: the file ``app.yaml`` in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

HERE = Path(__file__).resolve().parent
Version = Literal["recorded", "other"]
RECORDED: Version = "recorded"
OTHER: Version = "other"
"""The version of the drift ``version``."""
Half = Literal["tuned", "held-out"]
Drift = Literal["unchanged", "theme", "version", "language", "rows", "order"]


class App(BaseModel):
    """An application.

    Args:
        name: Name of its folder.
        title: Name for people.
        half: ``tuned``, or ``held-out``: never looked at while the engine is changed.
        kind: ``gallery``: a component library showing a description; ``server``: a server-rendered application.
        versions: Exact versions of the packages, by ``recorded`` and ``other``.
        description: The settings pages of a gallery, a file in ``descriptions``.
        source: The file that is bundled.
        drifts: The drifts that it can be put through, if not all.
        options: Further options for esbuild.
        parts: CSS of what a person operates, by kind of control, where it differs from ``person.PARTS``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    half: Half
    kind: Literal["gallery", "server"] = "gallery"
    versions: dict[Version, dict[str, str]]
    description: str = ""
    source: str = ""
    drifts: tuple[Drift, ...] = ()
    options: tuple[str, ...] = ()
    parts: dict[str, str] = {}

    @property
    def folder(self) -> Path:
        """Its folder."""
        return HERE / "apps" / self.name

    @property
    def about(self) -> str:
        """Its name and versions."""
        main = next(iter(self.versions[RECORDED]))
        return f"{self.title} ({self.versions[RECORDED][main]} → {self.versions[OTHER][main]})"


def apps() -> list[App]:
    """Return all applications, by name."""
    files = sorted((HERE / "apps").glob("*/app.yaml"))
    return [App(name=file.parent.name, **yaml.safe_load(file.read_text("utf-8"))) for file in files]
