"""The local server of `websp label page`: one page per trajectory, and a file of labels that is written at once."""

from __future__ import annotations

import random
import secrets
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from websp_gym.calibration.labels import LABELS, Label, read_label_file, write_label_file
from websp_gym.errors import SetupError
from websp_gym.records.load import read_header
from websp_gym.records.trajectory import FILE
from websp_gym.report.pages.label_view import OverviewRow, overview_html
from websp_gym.report.pages.trajectory_view import LabelBar, trajectory_html

_HEADERS = {"Cache-Control": "no-store", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer"}
_LONGEST = 1000
"""Characters of a note."""


class Labelling:
    """The labels of one person, on disk after each change.

    Args:
        folders: Folders of the trajectories.
        path: The file of labels. Those already in it are kept, and the others are still to be given.
        seed: Seed of the order of the pages.

    Raises:
        SetupError: The file cannot be read, or a trajectory is missing.
    """

    def __init__(self, folders: Sequence[Path], path: Path, *, seed: str) -> None:
        known = {label.folder.resolve(): label for label in read_label_file(path)} if path.exists() else {}
        wanted = {folder.resolve(): folder for folder in folders}
        missing = [folder for folder in folders if not (folder / FILE).is_file()]
        if missing:
            raise SetupError(f"no {FILE} in {missing[0]}", path=str(missing[0]))
        self.path = path
        self.kept = [label for key, label in known.items() if key not in wanted]
        """Labels of other trajectories in the file."""
        self.labels = [known.get(key, Label("", folder, None)) for key, folder in wanted.items()]
        self.order = random.Random(seed).sample(range(len(self.labels)), len(self.labels))
        self._lock = threading.Lock()

    def at(self, place: int) -> Label:
        """Return the label of a page, from 0."""
        return self.labels[self.order[place]]

    @property
    def done(self) -> int:
        """Number of trajectories with a label."""
        return sum(label.passed is not None for label in self.labels)

    def next_open(self, after: int) -> int | None:
        """Return the next page without a label, from the beginning again after the last; None if all have one."""
        count = len(self.order)
        places = [(after + step) % count for step in range(1, count + 1)]
        return next((place for place in places if self.at(place).passed is None), None)

    def give(self, place: int, word: str, note: str) -> None:
        """Give a page a label (``keep`` for the one it has, empty for none) and a note, and write the file.

        Raises:
            SetupError: The file cannot be written.
        """
        with self._lock:
            label = self.at(place)
            passed = label.passed if word == "keep" else LABELS.get(word)
            before = self.labels[self.order[place]]
            self.labels[self.order[place]] = replace(label, passed=passed, note=note[:_LONGEST])
            try:
                write_label_file(
                    self.path, [*self.kept, *(one for one in self.labels if one.passed is not None)]
                )
            except SetupError:
                self.labels[self.order[place]] = before
                raise


class LabelApp:
    """The server's pages. Addresses begin with a random word, so that no other page or user can send labels.

    Args:
        labelling: The labels.
    """

    def __init__(self, labelling: Labelling) -> None:
        self.labelling = labelling
        self.root = f"/{secrets.token_urlsafe(16)}"

    @cached_property
    def app(self) -> Starlette:
        """The application."""
        return Starlette(
            routes=[
                Route(f"{self.root}/", self._overview),
                Route(f"{self.root}/next", self._next),
                Route(f"{self.root}/{{number:int}}", self._page, methods=["GET"]),
                Route(f"{self.root}/{{number:int}}", self._give, methods=["POST"]),
            ]
        )

    def _overview(self, request: Request) -> Response:
        rows = [
            OverviewRow(
                self._address(place),
                str(read_header(label.folder).get("instance") or "not readable"),
                label.word,
                label.note,
            )
            for place in range(len(self.labelling.order))
            for label in [self.labelling.at(place)]
        ]
        following = self.labelling.next_open(-1)
        page = overview_html(
            rows,
            path=str(self.labelling.path),
            following="" if following is None else self._address(following),
        )
        return HTMLResponse(page, headers=_HEADERS)

    def _next(self, request: Request) -> Response:
        return self._go(self.labelling.next_open(-1))

    def _page(self, request: Request) -> Response:
        place = self._place(request)
        label, count = self.labelling.at(place), len(self.labelling.order)
        bar = LabelBar(
            number=place + 1,
            of=count,
            done=self.labelling.done,
            label=label.word,
            note=label.note,
            action=self._address(place),
            previous=self._address((place - 1) % count),
            next=self._address((place + 1) % count),
            overview=f"{self.root}/",
        )
        try:
            return HTMLResponse(trajectory_html(label.folder, label=bar), headers=_HEADERS)
        except SetupError as error:
            raise HTTPException(500, str(error)) from error

    async def _give(self, request: Request) -> Response:
        place = self._place(request)
        form = await request.form()
        word, note = (str(form.get(name, "")) for name in ("label", "note"))
        if word not in ("", "keep", "CORRECT", "INCORRECT"):
            raise HTTPException(400, "no such label")
        try:
            self.labelling.give(place, word, note)
        except SetupError as error:
            raise HTTPException(500, str(error)) from error
        if word in ("", "keep"):
            return self._go(place)
        return self._go(self.labelling.next_open(place))

    def _go(self, place: int | None) -> Response:
        return RedirectResponse(f"{self.root}/" if place is None else self._address(place), 303, _HEADERS)

    def _place(self, request: Request) -> int:
        number = int(request.path_params["number"])
        if not 1 <= number <= len(self.labelling.order):
            raise HTTPException(404, "no such trajectory")
        return number - 1

    def _address(self, place: int) -> str:
        return f"{self.root}/{place + 1}"
