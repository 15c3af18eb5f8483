"""Records of our GitLab that tasks name: people, projects, commits and issues."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

from websp_gym.datasets.stwab.plays import Row, Step, click, type_into

ME = "alexrivers"
OTHER = "thandim"
"""Somebody of our company who has committed a little to every project."""
_NAMES = {ME: "Alex Rivers", OTHER: "Thandi Mokoena"}
_BEGUN = date(2020, 6, 1)


def email_of(handle: str) -> str:
    """Return the address with which somebody commits."""
    return f"{handle.lower()}@stwab.example"


def spread(first: date, last: date, number: int) -> list[date]:
    """Return days of a period, evenly."""
    return [first + timedelta(days=(last - first).days * at // number) for at in range(number)]


class Projects:
    """The records that a task needs; each is added once."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, Row]] = {}
        self._names = dict(_NAMES)

    @property
    def rows(self) -> dict[str, list[Row]]:
        """The records by module."""
        return {module: list(rows.values()) for module, rows in self._rows.items()}

    def add(self, module: str, ident: str, **fields: Any) -> None:
        """Add a record, unless there is one of that id."""
        self._rows.setdefault(module, {}).setdefault(ident, {"id": ident, **fields})

    def person(self, handle: str, name: str = "", **more: Any) -> str:
        """Add somebody; return the name."""
        if handle not in self._names:
            self._names[handle] = name or handle
            self.add("users", handle, name=name or handle, **{"email": email_of(handle), **more})
        return self._names[handle]

    def project(
        self, ident: str, *, name: str = "", branches: Iterable[str] = (), role: str = "", **more: Any
    ) -> str:
        """Add a project with its branch ``main``; return its id. The person signed in gets a role in it."""
        namespace, _, path = ident.rpartition("/")
        named = {"name": name or path, "path": path, "description": f"The project {name or path}"}
        kept = {"visibility": "Public", "default_branch": "main", "created": f"{_BEGUN}"}
        self.person(namespace)
        self.add("projects", ident, namespace=namespace, owner=namespace, **named | kept | more)
        names = [*dict.fromkeys(["main", *branches])]
        for branch in names:
            protected = branch == "main"
            self.add("branches", f"{ident}:{branch}", project=ident, name=branch, protected=protected)
        self.commit(ident, OTHER, _BEGUN, "Initial commit", branches=names)
        if role:
            self.member(ident, ME, role)
        return ident

    def member(self, project: str, handle: str, role: str) -> None:
        """Give somebody a role in a project."""
        self.add("members", f"{project}:{handle}", project=project, user=handle, role=role)

    def commit(
        self,
        project: str,
        handle: str,
        day: date,
        title: str,
        *,
        branches: Sequence[str] = ("main",),
        **more: Any,
    ) -> None:
        """Add a commit of somebody."""
        made = self._rows.setdefault("commits", {})
        ident = hashlib.sha1(f"{project} {len(made)} {title}".encode(), usedforsecurity=False).hexdigest()
        moment = f"{day} {9 + len(made) // 60 % 9:02}:{len(made) % 60:02}"
        said = {"author": self._names[handle], "email": email_of(handle), "user": handle, **more}
        self.add("commits", ident, project=project, branches=list(branches), date=moment, title=title, **said)

    def commits(self, project: str, handle: str, days: Iterable[date], **more: Any) -> None:
        """Add a commit of somebody for each of some days."""
        for number, day in enumerate(days, start=1):
            self.commit(project, handle, day, f"Part {number} by {self._names[handle]}", **more)

    def total(self, project: str) -> int:
        """Return the number of commits of a project."""
        return sum(row["project"] == project for row in self._rows["commits"].values())

    def stars(self, project: str) -> int:
        """Return the stars of a project."""
        return int(self._rows["projects"][project]["stars"])

    def issue(self, project: str, number: int, title: str, **more: Any) -> None:
        """Add an issue."""
        said = {"author": OTHER, "created": "2023-05-02 10:00", "updated": "2023-05-02 10:00", **more}
        self.add("issues", f"{project}#{number}", project=project, number=number, title=title, **said)

    def search(self, project: str) -> tuple[Step, Step]:
        """Return the steps that find a project."""
        return type_into("Search GitLab", project, "searchbox", leads=True), click("button", "Search GitLab")

    def open(self, project: str) -> tuple[Step, ...]:
        """Return the steps that find a project and open it."""
        row = self._rows["projects"][project]
        return *self.search(project), click("link", f"{self._names[row['namespace']]} / {row['name']}")

    def open_issues(self, project: str) -> tuple[Step, ...]:
        """Return the steps that find a project and open its issues."""
        return *self.search(project), click("link", f"Issues of {self._rows['projects'][project]['name']}")
