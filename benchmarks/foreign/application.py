"""The applications of the benchmark: galleries, which share one implementation, and server-rendered ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page

from benchmarks.foreign.app import App
from benchmarks.foreign.behind import ServerAim, ServerApplication, behind_one_address
from benchmarks.foreign.drift import DRIFTS, Change, drifted
from benchmarks.foreign.gallery import Section, Target, gallery, targets
from benchmarks.foreign.person import PARTS, Gesture
from benchmarks.foreign.server import Server, serve


class GalleryApplication:
    """A component library that shows a description."""

    def __init__(self, app: App, server: Server) -> None:
        self._gallery = gallery(app.description)
        self._parts = {**PARTS, **app.parts}
        self._server = server

    def targets(self) -> Sequence[Target]:
        """Return what a person operates."""
        return targets(self._gallery)

    def offer(self, drift: Change, aim: Any) -> str:
        """Show the pages after a drift."""
        if drift not in DRIFTS:
            raise ValueError(f"no server refuses anything here: {drift}")
        self._server.show(drifted(self._gallery, drift, aim))
        return f"{self._server.home}{aim.page}"

    def effects(self, page: Page, aim: Any) -> dict[str, Any]:
        """Return the reported values of each key.

        Opening a tab or an accordion on the way is not an effect, unless it is the target: it may be open already.
        """
        page.evaluate("() => globalThis.__foreign?.sent()")
        effects: dict[str, Any] = {}
        for key, value in self._server.told:
            if key == aim.key or not key.startswith("view:"):
                effects.setdefault(key, []).append(value)
        return effects

    def gestures(self, aim: Any) -> list[Gesture]:
        """Return what a person does: open the tab or accordion, then operate the control."""
        sections = self._gallery.page(aim.page).sections
        section = next(each for each in sections if each.key == aim.section)
        first_tab = next((each for each in sections if each.looks == "tab"), None)
        steps = []
        if section.looks == "tab" and (section is not first_tab or aim.control is None):
            steps.append(Gesture(self._parts["tab"], text=section.title[0]))
        if section.looks == "accordion":
            steps.append(Gesture(self._parts["accordion"], f"view:{section.key}"))
        return [*steps, *self._operate(aim, section)]

    def _operate(self, aim: Target, section: Section) -> list[Gesture]:
        control, parts = aim.control, self._parts
        if control is None:
            return []
        option = next((each.label[0] for each in control.options if each.key == aim.option), "")
        own = Gesture(parts[control.kind], aim.spot)
        match control.kind:
            case "radio":
                return [Gesture(parts["radio"], aim.spot, option)]
            case "text":
                save = Gesture(parts["save"], f"{section.key}/save")
                return [Gesture(parts["text"], aim.spot, write=control.type), save]
            case "select":
                return [own, Gesture(parts["option"], text=option)]
            case "menu":
                return [own, Gesture(parts["item"], text=option)]
            case "dialog":
                return [own, Gesture(parts["confirm"], text=control.ask[2][0])]
        return [own]


Aim = Target | ServerAim
Application = GalleryApplication | ServerApplication
"""A running application: its targets, the state after a drift, what a person does, and what that has changed."""


@contextmanager
def running(app: App) -> Iterator[Application]:
    """Yield an application that was built."""
    if app.kind == "server":
        with behind_one_address(app) as application:
            yield application
    else:
        with serve(app) as server:
            yield GalleryApplication(app, server)
