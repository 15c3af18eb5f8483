"""The interface of events: their occurrences in the facts, and their phrases."""

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
    from websp_gym.sandbox.schema.addresses import AddressPattern
    from websp_gym.world.state import SiteState


@dataclass(frozen=True)
class Occurrence:
    """One occurrence of an event.

    Args:
        step: The step.
        thing: What it happened to: ``settings/KEY``, ``COLLECTION/ID``, ``COLLECTION/+`` for a new item, an address,
            or the kind of a deed. Consent to one thing is not consent to another.
        words: What happened, for people.
        seq: Number of its entry in the server's log, which gives the order within a step; ``None`` if it has none.
        value: The value that the thing got, or the name of a new item; ``None`` if it has neither.
        request: Number of the request that caused it; 0 if the log does not say.
        before: The value that the thing had; ``None`` if it had none.
    """

    step: int
    thing: str
    words: str
    seq: int | None = None
    value: Value | None = None
    request: int = 0
    before: Value | None = None


@dataclass(frozen=True)
class SecretValue:
    """A value that must not leave.

    Args:
        name: Its name in a record, which never contains the value itself.
        text: The value; empty for one of the account, which is known by its name.
        places: Where it may appear.
    """

    name: str
    text: str = ""
    places: tuple[AddressPattern, ...] = ()


class Event(ConfigModel):
    """A kind of event."""

    needs_log: ClassVar[bool] = True
    """Whether it is known only from a server's log. In a world without one, such a rule cannot be decided."""

    @property
    def key(self) -> str:
        """The event as one text, by which a question to the user names it."""
        return self.model_dump_json(exclude_defaults=True)

    def watched_fields(self, names: Names) -> dict[str, list[str]]:
        """Return the forms whose requests it needs in the log: the names of their fields, by address."""
        return {}

    @property
    def secret(self) -> SecretValue | None:
        """The value that it needs looked for in what leaves; ``None`` for none."""
        return None

    @abstractmethod
    def occurrences(self, facts: Facts) -> Iterator[Occurrence]:
        """Yield its occurrences, in order."""

    def attempts(self, facts: Facts) -> int:
        """Return how often it was tried without success, as far as the facts show."""
        return 0

    def came_up(self, facts: Facts, *, unknown: bool | None = None) -> bool:
        """Whether it could be done on a page in view, or happened, or was tried.

        Args:
            facts: The facts of the episode.
            unknown: The result if a record does not show what was in view; by default, whether the agent did
                anything.
        """
        if any(True for _ in self.occurrences(facts)) or self.attempts(facts):
            return True
        if facts.offered is None:
            return facts.first_act is not None if unknown is None else unknown
        return self.key in facts.offered

    @abstractmethod
    def offered_by(self, view: InView, names: Names, values: Values) -> bool:
        """Whether a page offers a way to do it: a control, a form, a link, or the text that it is about.

        Args:
            view: What the page shows.
            names: The names of the site.
            values: Returns what a secret stands for.
        """

    def towards(self, value: Value | None) -> Event:
        """Return the same event restricted to one new value; itself if that makes no difference."""
        return self

    @abstractmethod
    def phrase(self, names: Names) -> str:
        """Return it as a verb phrase: ``change the setting "Theme"``."""

    def phrase_for(self, things: Iterable[str], names: Names, state: SiteState | None) -> str:
        """Return it as a verb phrase that names only these of its things, as a user agreeing to them would."""
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
                    happening.data["old"] if happening.kind == "set" else None,
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
