"""Scripted recordings (``traces/<slug>/recordings.yaml``), performed while the extension records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Field, RootModel, model_validator

from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import SetupError
from websp_gym.recording.dry_run import site_of
from websp_gym.recording.recorder_browser import RecorderBrowser
from websp_gym.replay import Trace, fill
from websp_gym.tasks.ground_truth import StepTarget
from websp_gym.tasks.reading import read_model
from websp_gym.tasks.schema import ConfigModel
from websp_gym.world import make_world

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

FILE = "recordings.yaml"


def _file_name(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9_]+", name):
        raise ValueError(f'"{name}" becomes the name of a file: use lower-case letters, digits and "_"')
    return name


class Gesture(ConfigModel):
    """One user action: ``click`` an element, or ``type`` a ``value`` into it."""

    click: StepTarget | None = None
    type: StepTarget | None = None
    value: str | None = None

    @model_validator(mode="after")
    def _one_thing(self) -> Gesture:
        if (self.click is None) == (self.type is None):
            raise ValueError("a gesture is either a click or a type")
        if (self.type is None) != (self.value is None):
            raise ValueError("a type needs a value, and a click must not have one")
        return self


class Recording(ConfigModel):
    """The actions recorded into one trace."""

    start: str
    """URL of the page where the recording starts."""
    signed_in: bool = True
    """Whether the browser is signed in to the site."""
    gestures: tuple[Gesture, ...] = Field(min_length=1)


class Recordings(RootModel[dict[Annotated[str, AfterValidator(_file_name)], Recording]]):
    """The recordings of a site, by name of the trace."""


def load_recordings(path: Path) -> dict[str, Recording]:
    """Return the recordings in a site's ``recordings.yaml``, by name of the trace.

    Raise SetupError with file, line and key if the file is not valid.
    """
    keys = {name for model in (Recording, Gesture, StepTarget) for name in model.model_fields}
    return read_model(path, Recordings, keys=sorted(keys)).root


def record(studio: RecorderBrowser, slug: str, name: str, recording: Recording) -> Trace:
    """Perform the gestures of a recording in a fresh sandbox episode, and return the trace.

    Args:
        studio: A recorder browser that can reach the sandbox.
        slug: Slug of the site.
        name: Name of the trace.
        recording: The gestures.

    Returns:
        The trace, with placeholders for the account's values.

    Raises:
        SetupError: A gesture's target matches no element of the page, or several.
    """
    episode = make_world("sandbox").open_episode(site_of(slug), signed_in=recording.signed_in)
    try:
        studio.context.clear_cookies()
        episode.attach(studio.context)
        tabs = Tabs(studio.context)
        studio.page.goto(recording.start, wait_until="commit")
        settle(tabs)
        studio.start(name.replace("_", " "), slug, account=episode.account)
        for gesture in recording.gestures:
            _make(tabs.current, gesture, episode.account)
            settle(tabs)
        return studio.stop()
    finally:
        episode.close()


def _make(page: Page, gesture: Gesture, account: Mapping[str, str]) -> None:
    """Perform a gesture with mouse and keyboard; the recorder ignores scripted events."""
    target = gesture.click or gesture.type
    assert target is not None  # validated by the model
    _find(page, target, account).click()
    if gesture.value is not None:
        page.keyboard.type(fill(gesture.value, account))


def _find(page: Page, target: StepTarget, account: Mapping[str, str]) -> Locator:
    """Return the only element with the target's name, or else the only one whose name starts with it."""
    name = fill(target.name, account)
    found: list[Locator] = []
    # Playwright puts the expression between slashes.
    exactly = re.escape(name).replace("/", r"\/")
    for wanted in (f"^{exactly}$", f"^{exactly}"):
        for frame in page.frames:
            places = frame.get_by_role(target.role, name=re.compile(wanted))  # type: ignore[arg-type]
            if target.within is not None:
                box = frame.locator("*").filter(has_text=target.within).filter(has=places).last
                places = box.locator(places)
            found += places.all()
        if found:
            break
    if len(found) != 1:
        counted = "there is none" if not found else f"there are {len(found)}; add within"
        raise SetupError(f'{page.url}: {target.role} "{name}": {counted}')
    return found[0]
