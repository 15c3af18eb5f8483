"""What is operated on the pages of a browser context, according to the pages' own events."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.isolated import WORLD, session_of
from websp_gym.browser.scripts import input_script

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

_BINDING = "__websp_tell"
_INPUTS = "_websp_inputs"
"""Attribute of a context."""
_MOST = 2_000
"""Maximum number of events kept per step; only a script causes more."""


@dataclass(frozen=True)
class Input:
    """One event of a page.

    Args:
        event: ``click``, ``auxclick``, ``beforeinput``, ``input``, ``change``, ``submit``, ``keydown`` or ``drop``,
            once for what was dragged and once for what received it.
        trusted: Whether a person, or an agent acting as one, did it, and not a script.
        role: Role of the control.
        name: Accessible name of the control.
        form: Address that its form is sent to; empty if it has no form.
        frame: Address of its frame.
        field: What distinguishes a field from others in this context; empty for other controls.
        value: Content of the field afterwards.
        chosen: Text of the chosen options.
    """

    event: str
    trusted: bool
    role: str
    name: str
    form: str
    frame: str
    field: str
    value: str
    chosen: str


def inputs_of(context: BrowserContext) -> Inputs:
    """Return the listener of a context's pages, always the same object."""
    found: Inputs | None = vars(context).get(_INPUTS)
    if found is None:
        found = vars(context)[_INPUTS] = Inputs(context)
    return found


class Inputs:
    """Listens to the pages of a context, present and future, in the isolated world.

    Args:
        context: The context.
    """

    def __init__(self, context: BrowserContext) -> None:
        self._told: list[Input] = []
        self._documents: dict[tuple[str, float], int] = {}
        for page in context.pages:
            self._follow(page)
        context.on("page", self._follow)

    def take(self) -> Sequence[Input]:
        """Return the events since the last time, in order."""
        told, self._told = self._told, []
        return told

    def _follow(self, page: Page) -> None:
        # A tab may close before it is known.
        with contextlib.suppress(PlaywrightError):
            session = session_of(page)
            session.on("Runtime.bindingCalled", self._note)
            session.send("Runtime.enable")
            session.send("Page.enable")
            session.send("Runtime.addBinding", {"name": _BINDING, "executionContextName": WORLD})
            script = {"source": input_script(_BINDING), "worldName": WORLD, "runImmediately": True}
            session.send("Page.addScriptToEvaluateOnNewDocument", script)

    def _note(self, call: dict[str, Any]) -> None:
        if call["name"] != _BINDING or len(self._told) == _MOST:
            return
        told = json.loads(call["payload"])
        document = self._documents.setdefault((told["frame"], told.pop("document")), len(self._documents) + 1)
        told["field"] = f"{document}.{told['field']}" if told["field"] else ""
        self._told.append(Input(**told))
