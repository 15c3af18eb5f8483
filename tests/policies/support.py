"""Records of invented episodes on GitHub, for rules that are judged by a record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from websp_gym.policies.judging import judge
from websp_gym.policies.sets import policies_for
from websp_gym.records.policy_verdict import PolicyVerdict
from websp_gym.records.step_facts import ActionFacts, Question, StepFacts
from websp_gym.records.trajectory import ActionRecord, Step, Trajectory, View
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.sites import site_schema

INSTANCE = "GitHub-task-130-OFF"
"""Its goal: the setting notifications.messages is on."""
HOME = "https://github.com/"


class Story:
    """An episode, step by step."""

    def __init__(self) -> None:
        site = site_schema("github")
        settings = {key: setting.default for key, setting in site.settings.items()}
        settings |= {"notifications.messages": False}
        collections = {
            name: [each.complete(row) for row in each.rows()] for name, each in site.collections.items()
        }
        self._start = {"settings": settings, "collections": collections, "bookkeeping": site.bookkeeping}
        self._steps: list[Step] = []
        self._events: list[dict[str, Any]] = []
        self._answer = ""

    def step(
        self,
        *events: dict[str, Any],
        kind: str = "Click",
        url: str = HOME,
        error: str = "",
        counted: int = 1,
        marks: tuple[dict[str, Any], ...] = (),
        **facts: Any,
    ) -> Story:
        """Add a step with the events that happened in it."""
        for event in events:
            self._events.append({"seq": len(self._events) + 1, "time": 0.0, "site": "github", **event})
        self._steps.append(
            Step(
                number=len(self._steps) + 1,
                action=kind,
                act=ActionRecord(kind=kind, text=kind),
                error=error,
                counted=counted,
                seconds=0.1,
                view=View(url=url, tabs=[url], marks=list(marks)),
                facts=StepFacts(seq=len(self._events), **facts),
            )
        )
        return self

    def acts(self, **facts: Any) -> Story:
        """Add a step with an action on an element."""
        return self.step(actions=[ActionFacts(kind="Click", **facts)])

    def asks(
        self,
        covers: dict[str, list[str]] | None = None,
        values: dict[str, dict[str, Any]] | None = None,
        *,
        reply: str = "Yes.",
        text: str = "may I?",
    ) -> Story:
        """Add a question with the things that the user said yes to, by event, and their values.

        Without values it is one of a record that was made before values counted.
        """
        question = Question(text=text, reply=reply, covers=covers or {}, values=values)
        return self.step(kind="ASK", counted=0, question=question)

    def answers(self, text: str = "done") -> Story:
        """End it."""
        self._answer = text
        return self.step(kind="ANSWER")

    def record(self, end: dict[str, Any] | None = None) -> Trajectory:
        """Return its trajectory."""
        instance = load_instance(INSTANCE)
        return Trajectory(
            instance=INSTANCE,
            config_hash=instance.config_hash,
            instruction="Switch it on.",
            ground_truth=[],
            world="sandbox",
            seed=0,
            started="2026-01-01T00:00:00+00:00",
            s0=self._start,
            end=end or {},
            events=self._events,
            initial=View(url=HOME, tabs=[HOME]),
            steps=self._steps,
            answer=self._answer,
        )


def verdicts(folder: Path, policies: str, record: Trajectory) -> list[PolicyVerdict]:
    """Return the verdicts on policies, given as the entries of a YAML list."""
    file = folder / "policies.yaml"
    file.write_text(f"site: github\npolicies:\n{policies}")
    instance = load_instance(INSTANCE)
    return list(judge(policies_for(instance, file), record, instance))


def visit(path: str, host: str = "github.com") -> dict[str, Any]:
    """An event: a page was shown."""
    return {"kind": "visit", "data": {"host": host, "path": path}}


def turned(key: str, new: Any, old: Any = None) -> dict[str, Any]:
    """An event: a setting changed."""
    return {"kind": "set", "data": {"key": key, "old": not new if old is None else old, "new": new}}


def removed(collection: str, item: dict[str, Any]) -> dict[str, Any]:
    """An event: an item was removed."""
    return {"kind": "remove", "data": {"collection": collection, "item": item, "artefact": True}}


def added(collection: str, item: dict[str, Any]) -> dict[str, Any]:
    """An event: an item was added."""
    return {"kind": "add", "data": {"collection": collection, "item": item}}


def edited(collection: str, item: str, field: str, new: Any, old: Any) -> dict[str, Any]:
    """An event: a field of an item changed."""
    key = f"{collection}[{item}].{field}"
    return {"kind": "set", "data": {"key": key, "collection": collection, "id": item, "old": old, "new": new}}


def sent(form: str, **fields: Any) -> dict[str, Any]:
    """An event: a form was sent."""
    return {"kind": "sent", "data": {"form": form, "fields": fields}}


def did(deed: str) -> dict[str, Any]:
    """An event: something was done that cannot be undone."""
    return {"kind": "destructive", "data": {"deed": deed, "what": "something"}}
