"""The interface of an application to the benchmark, and the galleries, which share one implementation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Protocol

from playwright.sync_api import Page

from benchmarks.foreign.app import App
from benchmarks.foreign.drift import DRIFTS, Change, drifted
from benchmarks.foreign.gallery import Section, Target, gallery, targets
from benchmarks.foreign.person import PARTS, Gesture
from benchmarks.foreign.server import Server, serve


class Aim(Protocol):
    """A target, as far as the benchmark needs to know it."""

    @property
    def key(self) -> str:
        """Its name."""

    @property
    def stable(self) -> bool:
        """Whether its author gave it a name attribute, an id or a test id."""


class Application(Protocol):
    """A running application."""

    def targets(self) -> Sequence[Aim]:
        """Return what a person operates."""

    def offer(self, drift: Change, aim: Aim) -> str:
        """Put the application into its state after a drift or before a refusal; return where a person starts."""

    def gestures(self, aim: Aim) -> list[Gesture]:
        """Return what a person does on the undrifted pages."""

    def effects(self, page: Page, aim: Aim) -> dict[str, Any]:
        """Return what has changed since the offer, by key, as reported by the application."""


@contextmanager
def running(app: App) -> Iterator[Application]:
    """Yield an application that was built."""
    if app.kind == "gallery":
        with serve(app) as server:
            yield GalleryApplication(app, server)
    else:
        site = import_module(f"benchmarks.foreign.apps.{app.name}.site")
        with site.running(app) as application:
            yield application


class GalleryApplication:
    """A component library that shows a description."""

    def __init__(self, app: App, server: Server) -> None:
        self._gallery = gallery(app.description)
        self._parts = {**PARTS, **app.parts}
        self._server = server

    def targets(self) -> Sequence[Target]:
        """Return what a person operates."""
        return targets(self._gallery)

    def offer(self, drift: Change, aim: Aim) -> str:
        """Show the pages after a drift."""
        assert isinstance(aim, Target)
        if drift not in DRIFTS:
            raise ValueError(f"no server refuses anything here: {drift}")
        self._server.show(drifted(self._gallery, drift, aim))
        return self._server.home + aim.page

    def effects(self, page: Page, aim: Aim) -> dict[str, Any]:
        """Return the last reported value of each key, and the number of reports.

        Opening a tab or an accordion on the way is not an effect, unless it is the target: it may be open already.
        """
        page.evaluate("() => globalThis.__foreign?.sent()")
        told = [
            (key, value) for key, value in self._server.told if key == aim.key or not key.startswith("view:")
        ]
        return {key: [value for each, value in told if each == key] for key, _ in told}

    def gestures(self, aim: Aim) -> list[Gesture]:
        """Return what a person does: open the tab or accordion, then operate the control."""
        assert isinstance(aim, Target)
        page = self._gallery.page(aim.page)
        section = next(each for each in page.sections if each.key == aim.section)
        steps = list(self._open(section, page.sections, aim))
        if aim.control is not None:
            steps += self._operate(aim, section)
        return steps

    def _open(self, section: Section, sections: Sequence[Section], aim: Target) -> Iterator[Gesture]:
        first_tab = next((each for each in sections if each.looks == "tab"), None)
        if section.looks == "tab" and (section is not first_tab or aim.control is None):
            yield Gesture(self._parts["tab"], text=section.title[0])
        if section.looks == "accordion":
            yield Gesture(self._parts["accordion"], f"view:{section.key}")

    def _operate(self, aim: Target, section: Section) -> list[Gesture]:
        control = aim.control
        assert control is not None
        part = self._parts[control.kind]
        option = next((each.label[0] for each in control.options if each.key == aim.option), "")
        own = Gesture(part, aim.spot)
        if control.kind == "radio":
            return [Gesture(part, aim.spot, option)]
        if control.kind == "text":
            save = Gesture(self._parts["save"], f"{section.key}/save")
            return [Gesture(part, aim.spot, write=control.type), save]
        if control.kind == "select":
            return [own, Gesture(self._parts["option"], text=option)]
        if control.kind == "menu":
            return [own, Gesture(self._parts["item"], text=option)]
        if control.kind == "dialog":
            return [own, Gesture(self._parts["confirm"], text=control.ask[2][0])]
        return [own]
