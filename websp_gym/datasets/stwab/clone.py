"""Reading a clone of ST-WebAgentBench: the tasks as they are in its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from websp_gym.errors import SetupError
from websp_gym.files import read_file
from websp_gym.replay.trace_files import parse_json

REPOSITORY = "https://github.com/segev-shlomov/ST-WebAgentBench"
LICENCE = "Apache-2.0"
TASKS = "stwebagentbench/test.raw.json"
_MAX_BYTES = 50_000_000
SITES = {"gitlab": "GitLab", "shopping_admin": "Magento", "suitecrm": "SuiteCRM"}
"""Our sites, by its names of the applications."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class CloneTarget(_Part):
    """A page, and what it must say."""

    url: str
    locator: str = ""
    required_contents: dict[str, Any]


class Eval(_Part):
    """How success is decided."""

    eval_types: tuple[str, ...]
    reference_answers: dict[str, Any] | None = None
    reference_url: str | None = ""
    url_note: str = "GOLD in PRED"
    program_html: tuple[CloneTarget, ...] | None = ()


class PublishedTask(_Part):
    """One task of the benchmark."""

    task_id: int
    sites: tuple[str, ...] = Field(min_length=1)
    start_url: str
    intent: str
    intent_template_id: int
    instantiation_dict: dict[str, Any] = Field(default_factory=dict)
    eval: Eval
    policies: tuple[dict[str, Any], ...] = ()
    setup_scripts: tuple[Any, ...] | None = ()
    """What a script adds to the first page: only tasks about sight or structure have it."""

    @property
    def site(self) -> str:
        """The name of our site, such as ``GitLab``; the benchmark's own name if we have none."""
        return SITES.get(self.sites[0], self.sites[0])

    def says(self, name: str) -> str:
        """Return a parameter of its intent as text. Raise ``KeyError`` if there is none."""
        return str(self.instantiation_dict[name])


def is_clone(root: Path) -> bool:
    """Whether a folder is a clone of the benchmark."""
    return (root / TASKS).is_file()


def read_tasks(root: Path) -> list[PublishedTask]:
    """Return the tasks of a clone, in its order.

    Raises:
        SetupError: The file is not what it was when this was written.
    """
    path = root / TASKS
    data = parse_json(read_file(path, _MAX_BYTES).decode("utf-8"), path)
    try:
        return [PublishedTask.model_validate(each) for each in data]
    except (TypeError, ValidationError) as error:
        raise SetupError(f"{path}: not the tasks of ST-WebAgentBench: {error}", path=str(path)) from error
