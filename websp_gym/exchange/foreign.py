"""The episodes of other harnesses: their documented form, and as records of this package."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from websp_gym.actions.grammar import Action, format_action
from websp_gym.env.options import Options
from websp_gym.errors import SetupError
from websp_gym.files import MAX_PICTURE, MAX_RECORD, read_file
from websp_gym.project import VERSION
from websp_gym.records.ending import Ending
from websp_gym.records.recorder import Recorder
from websp_gym.records.trajectory import ActionRecord, Step, Trajectory, View, now
from websp_gym.tasks import DATASET_VERSION
from websp_gym.tasks.instances import Instance, load_instance

_Model = TypeVar("_Model", bound=BaseModel)
EPISODE = "episode.json"
STATE = "state.json"
_PNG = b"\x89PNG\r\n\x1a\n"


class ForeignAction(BaseModel):
    """An action of a foreign episode."""

    model_config = ConfigDict(extra="forbid")

    action: str
    """The action, in any words."""
    url: str = ""
    """Address of the page after it."""
    counted: int = Field(default=1, ge=0)
    """Actions that it counts as: 0 for looking, scrolling and waiting."""
    seconds: float = Field(default=0.0, ge=0)


class ForeignEpisode(BaseModel):
    """``episode.json``: what a foreign harness knows of an episode."""

    model_config = ConfigDict(extra="forbid")

    id: str
    actions: list[ForeignAction | str]
    answer: str = ""
    end_reason: Literal["answer", "infeasible", "action_limit", "time_limit"] = "answer"
    screenshots: list[str] = Field(default_factory=list)
    """PNG files beside it: the first page, and the page after each action."""
    seconds: float = Field(default=0.0, ge=0)
    trial: int = Field(default=1, ge=1)
    seed: int | None = Field(default=None, ge=0)
    """Seed of the episode; by default that which ``websp run`` gives to this trial."""


class ForeignState(BaseModel):
    """``state.json``: four keys of ``trajectory.json``, as the environment wrote them; others may stay."""

    config_hash: str
    s0: dict[str, Any]
    end: dict[str, Any]
    events: list[dict[str, Any]]


def convert(path: Path, parent: Path) -> Path:
    """Write a foreign episode as a record.

    Args:
        path: Its folder, with ``episode.json``, and ``state.json`` if the state of the server is known.
        parent: Folder for the records, as ``record_to`` of ``gym.make``.

    Returns:
        The folder of the record.

    Raises:
        SetupError: It is not valid, there is no such instance, or the record cannot be written.
    """
    told = read_episode(path)
    instance = load_instance(told.id)
    pictures = _pictures(path, told)
    state = _state(path)
    record = Trajectory(
        instance=instance.id,
        config_hash=state.config_hash if state else instance.config_hash,
        instruction=instance.instruction("without_navigation"),
        ground_truth=instance.ground_truth_text(),
        world="sandbox",
        seed=told.trial - 1 if told.seed is None else told.seed,
        options={
            "world": "sandbox",
            "instruction": Options.instruction,
            "reward": "state",
            "max_actions": Options.max_actions,
            "max_seconds": Options.max_seconds,
        },
        versions={"websp-gym": VERSION, "dataset": DATASET_VERSION},
        started=now(),
        s0=state.s0 if state else {},
        end=state.end if state else {},
        events=state.events if state else [],
        initial=View(url=instance.site.start_url, screenshot=_name(0) if pictures else None),
        steps=_steps(told, instance, pictured=bool(pictures)),
    )
    record.close(_ending(told))
    recorder = Recorder(parent / instance.id, record)
    for index, data in enumerate(pictures):
        recorder.screenshot(index, data)
    recorder.save()
    return recorder.folder


def _steps(told: ForeignEpisode, instance: Instance, *, pictured: bool) -> list[Step]:
    """Return the steps, with the answer as the last one; its observation is the one before it."""
    url, steps = instance.site.start_url, list[Step]()
    for number, each in enumerate(told.actions, 1):
        action = ForeignAction(action=each) if isinstance(each, str) else each
        url = action.url or url
        steps.append(
            Step(
                number=number,
                action=action.action,
                act=ActionRecord.read(action.action, None),
                counted=action.counted,
                seconds=action.seconds,
                view=View(url=url, screenshot=_name(number) if pictured else None),
            )
        )
    if _ending(told).reason == "answer":
        text = format_action(Action("ANSWER", text=told.answer))
        last = View(url=url, screenshot=_name(len(steps)) if pictured else None)
        act = ActionRecord(kind="ANSWER", text=text)
        steps.append(Step(number=len(steps) + 1, action=text, act=act, seconds=0.0, view=last))
    return steps


def _ending(told: ForeignEpisode) -> Ending:
    """Return how the episode ended, by the limits that hold for every agent."""
    counted = sum(1 if isinstance(each, str) else each.counted for each in told.actions)
    if counted >= Options.max_actions:
        return Ending("action_limit")
    if told.seconds > Options.max_seconds:
        return Ending("time_limit")
    return Ending(told.end_reason, told.answer)


def _pictures(path: Path, told: ForeignEpisode) -> list[bytes]:
    if told.screenshots and len(told.screenshots) != len(told.actions) + 1:
        raise SetupError(
            f"{path / EPISODE}: {len(told.screenshots)} screenshots for {len(told.actions)} actions: give the first "
            "page and the page after each action, or none",
            path=str(path / EPISODE),
        )
    return [_picture(path, name) for name in told.screenshots]


def _picture(path: Path, name: str) -> bytes:
    if name != Path(name).name:
        raise SetupError(f"{path / EPISODE}: the screenshot {name!r} is not in its folder", path=str(path))
    try:
        data = read_file(path / name, MAX_PICTURE)
    except OSError as error:
        raise SetupError(f"{path / name}: {error.strerror}", path=str(path / name)) from error
    if not data.startswith(_PNG):
        raise SetupError(f"{path / name} is not a PNG file", path=str(path / name))
    return data


def _name(index: int) -> str:
    return f"step_{index:03d}.png"


def read_episode(path: Path) -> ForeignEpisode:
    """Read ``episode.json`` in a folder. Raise ``SetupError`` if it is not valid."""
    return _read(path / EPISODE, ForeignEpisode)


def _state(path: Path) -> ForeignState | None:
    return _read(path / STATE, ForeignState) if (path / STATE).exists() else None


def _read(path: Path, model: type[_Model]) -> _Model:
    try:
        return model.model_validate_json(read_file(path, MAX_RECORD))
    except OSError as error:
        raise SetupError(f"{path}: {error.strerror}", path=str(path)) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SetupError(f"{path}: {where or 'the file'}: {first['msg']}", path=str(path)) from error
