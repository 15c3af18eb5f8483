"""The steps that lead to an initial state S0: replay a trace, prepare, sign in elsewhere, call an API, visit."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from websp_gym.tasks.schema import ConfigModel, Value, YamlOnOff


def _below(value: str) -> str:
    """Reject a trace path that leads out of the folder of traces."""
    parts = value.replace("\\", "/").split("/")
    if not value or "" in parts or ".." in parts or ":" in parts[0]:
        raise ValueError(
            f'"{value}" leads out of the traces folder: give a path below it, such as site/name.json'
        )
    return value


TracePath = Annotated[str, AfterValidator(_below)]


class BaseStep(ConfigModel):
    """A step that leads to S0. Its kind is its key, such as ``replay``."""

    @property
    def kind(self) -> str:
        """Its key: ``replay``, ``prepare``, ``sign_in``, ``api`` or ``visit``."""
        return _kind(self)


class ReplayStep(BaseStep):
    """An initial-state step that replays a recorded trace."""

    replay: TracePath
    """Path of the trace below ``traces/``."""
    set: YamlOnOff | Literal["recorded"] = "recorded"
    """Final state of two-state controls; ``recorded`` leaves them as in the recording."""


class Prepare(ConfigModel):
    """Server state that the paper's authors prepared by hand or by API before the run."""

    settings: dict[str, Value] = Field(default_factory=dict)
    collections: dict[str, list[dict[str, Value]]] = Field(default_factory=dict)


class PrepareStep(BaseStep):
    """An initial-state step that sets server state through the world's control API."""

    prepare: Prepare


class SignInStep(BaseStep):
    """An initial-state step in which other browsers sign in to the site, each through its login."""

    sign_in: tuple[dict[str, Value], ...] = Field(min_length=1)
    """One entry per browser: its ``device``, ``place``, and other fields of the site's ``sessions``."""


class ApiCall(ConfigModel):
    """A request to a site's API, as its official client would send it."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    url: str
    """The address; ``{{account.username}}`` and the like are filled in, here and in ``body``."""
    token: str
    """Id of the account's token that authorises it."""
    body: Any = None
    """JSON data; a text is sent as it is."""
    missing: bool = False
    """Whether a 404 is fine, as when deleting something that may not exist."""


class ApiStep(BaseStep):
    """An initial-state step that calls the site's API."""

    api: ApiCall


class VisitStep(BaseStep):
    """An initial-state step that visits pages, for what websites derive from a browsing history."""

    visit: tuple[str, ...] = Field(min_length=1)


STEPS: dict[str, type[BaseStep]] = {
    "replay": ReplayStep,
    "prepare": PrepareStep,
    "sign_in": SignInStep,
    "api": ApiStep,
    "visit": VisitStep,
}


def _kind(step: Any) -> str:
    """Return which kind of step is meant, so that a validation error is about that kind only."""
    return next(
        (name for name in STEPS if (name in step if isinstance(step, dict) else hasattr(step, name))),
        "replay",
    )


InitialStep = Annotated[
    Annotated[ReplayStep, Tag("replay")]
    | Annotated[PrepareStep, Tag("prepare")]
    | Annotated[SignInStep, Tag("sign_in")]
    | Annotated[ApiStep, Tag("api")]
    | Annotated[VisitStep, Tag("visit")],
    Discriminator(_kind),
]
