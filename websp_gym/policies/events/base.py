"""What every event has: its happenings in the facts, and its phrase."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from websp_gym.tasks.schema import ConfigModel, Value

if TYPE_CHECKING:
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.in_view import InView
    from websp_gym.policies.names import Names
    from websp_gym.policies.outflow import Values
    from websp_gym.policies.replayed import Happening
    from websp_gym.world.state import SiteState


@dataclass(frozen=True)
class Occurrence:
    """One time that an event happened.

    Args:
        step: The step.
        thing: What it happened to: ``settings/KEY``, ``COLLECTION/ID``, ``COLLECTION/+`` for a new item, an address,
            or the kind of a deed. Consent to one thing is none to another.
        words: What happened, for people.
        seq: Number of its entry in the server's log, which tells the order within a step; ``None`` if it has none.
        value: The value that the thing got, or the name of a new item; ``None`` for what has neither.
        request: Number of the request that brought it about; 0 where the log does not tell.
    """

    step: int
    thing: str
    words: str
    seq: int | None = None
    value: Value | None = None
    request: int = 0


class Event(ConfigModel):
    """A kind of event."""

    needs_log: ClassVar[bool] = True
    """Whether only the log of a server tells of it. Where a world has none, such a rule cannot be decided."""

    @property
    def key(self) -> str:
        """The event as one text, by which a question to the user names it."""
        return self.model_dump_json(exclude_defaults=True)

    @abstractmethod
    def occurrences(self, facts: Facts) -> Iterator[Occurrence]:
        """Yield the times that it happened, in order."""

    def attempts(self, facts: Facts) -> int:
        """Return how often it was tried without success, as far as the facts tell."""
        return 0

    def came_up(self, facts: Facts, *, unknown: bool | None = None) -> bool:
        """Whether the means to it were in view, or it happened, or was tried.

        Args:
            facts: The facts of the episode.
            unknown: What holds where a record does not tell what was in view; by default, whether the agent did
                anything.
        """
        if any(True for _ in self.occurrences(facts)) or self.attempts(facts):
            return True
        if facts.offered is None:
            return facts.first_act is not None if unknown is None else unknown
        return self.key in facts.offered

    @abstractmethod
    def offered_by(self, view: InView, names: Names, values: Values) -> bool:
        """Whether a page offers the means to it: a control, a form, a link, or the text that it is about.

        Args:
            view: What the page shows.
            names: The names of the site.
            values: Returns what a secret stands for.
        """

    def towards(self, value: Value | None) -> Event:
        """Return the same event with one new value only; itself if that makes no difference."""
        return self

    @abstractmethod
    def phrase(self, names: Names) -> str:
        """Return it as a verb phrase: ``change the setting "Theme"``."""

    def phrase_for(self, things: Iterable[str], names: Names, state: SiteState | None) -> str:
        """Return it as a verb phrase that names these of its things only, as a user would who agrees to them."""
        return self.phrase(names)

    @abstractmethod
    def problems(self, names: Names) -> Iterator[str]:
        """Yield what it names that the site does not have."""


class OfLog(Event):
    """An event in the server's log."""

    def occurrences(self, facts: Facts) -> Iterator[Occurrence]:
        for happening in facts.caused:
            if (thing := self._thing(happening, facts)) is not None:
                yield Occurrence(
                    happening.step,
                    thing,
                    in_words(happening),
                    happening.seq,
                    self._value(happening, facts),
                    happening.request,
                )

    def _value(self, happening: Happening, facts: Facts) -> Value | None:
        """Return the value that the thing got."""
        return happening.data["new"] if happening.kind == "set" else None

    @abstractmethod
    def _thing(self, happening: Happening, facts: Facts) -> str | None:
        """Return what a happening happened to; ``None`` if it is not such an event."""


def in_words(happening: Happening) -> str:
    data = happening.data
    match happening.kind:
        case "set":
            return f"{data['key']} changed from {data['old']!r} to {data['new']!r}"
        case "add" | "remove":
            item = {name: value for name, value in data["item"].items() if name != "id"}
            return f"{happening.kind} in {data['collection']}: {item}"
        case "logout":
            return "signed out"
        case _:
            return str(data.get("what", happening.kind))
