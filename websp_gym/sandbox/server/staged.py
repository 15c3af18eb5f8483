"""What a set of policies adds to an episode: texts on pages, faults instead of responses, and forms to watch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from websp_gym.sandbox.schema.addresses import AddressPattern


class StagedFault:
    """A fault that some requests meet.

    Args:
        request: Pattern of their addresses.
        method: Their method.
        kind: ``maintenance``, ``fails`` or ``missing``.
        times: How many of them meet it.

    Raises:
        ValueError: The pattern is invalid.
    """

    def __init__(self, *, request: str, method: str, kind: str, times: int) -> None:
        self.request = request
        self.kind = kind
        self._pattern = AddressPattern(request)
        self._method = method
        self._left = times

    def met_by(self, method: str, host: str, path: str, query: str, fragment: str) -> bool:
        """Whether a request meets it; if so, count it."""
        meets = (
            self._left > 0
            and method == self._method
            # The start page itself is not the page that it loads by a fragment.
            and bool(fragment) == (self._pattern.route is not None)
            and self._pattern.fits(host, path, query, fragment)
        )
        self._left -= meets
        return meets


class Staged:
    """The texts, faults and watched forms of one episode.

    Args:
        texts: Texts by the name of their place on a page.
        faults: The arguments of each :class:`Fault`.
        decision: The data of a :class:`~websp_gym.tasks.decisions.Decision`; None for none.
        forms: Names of fields by the pattern of the addresses that a form is sent to.

    Raises:
        ValueError: A fault, the decision or a form is invalid.
    """

    def __init__(
        self,
        texts: dict[str, list[str]],
        faults: list[dict[str, Any]],
        decision: dict[str, Any] | None,
        forms: dict[str, list[str]],
    ) -> None:
        self._texts = texts
        self._decision = decision
        self._asking = AddressPattern(decision["pages"]) if decision else None
        self._faults = [StagedFault(**fault) for fault in faults]
        self._forms = [(AddressPattern(form), names) for form, names in forms.items()]

    def texts(self, place: str) -> list[str]:
        """Return the texts at a place of a page."""
        return self._texts.get(place, [])

    @property
    def places(self) -> Iterable[str]:
        """The places with texts."""
        return self._texts

    def forms(self, host: str, path: str, query: str) -> Iterator[tuple[str, list[str]]]:
        """Yield the watched forms that are sent to an address: the pattern and the names of its fields, as given."""
        for pattern, names in self._forms:
            if pattern.fits(host, path, query):
                yield pattern.text, names

    def due(self, host: str, path: str) -> dict[str, Any] | None:
        """Return the decision that pages ask for; None if there is none, or it is decided."""
        return self._decision if self._asking and self._asking.fits(host, path) else None

    def decide(self, label: str, ticked: list[str]) -> tuple[list[str], list[str]]:
        """Decide, and return the purposes agreed to and those refused.

        Args:
            label: The label of the choice.
            ticked: The labels of the boxes that are ticked.

        Raises:
            ValueError: There is no such decision, choice or box.
        """
        decision = self._decision
        if decision is None:
            raise ValueError("there is nothing to decide")
        boxes = {box["label"]: box["purpose"] for box in decision["boxes"]}
        choice = next((each for each in decision["choices"] if each["label"] == label), None)
        if choice is None or not set(ticked) <= set(boxes):
            raise ValueError("no such choice")
        agreed = [*choice["agrees"], *(boxes[each] for each in ticked if choice["boxes"])]
        self._decision = self._asking = None
        return list(dict.fromkeys(agreed)), [each for each in offered(decision) if each not in agreed]

    def fault(
        self, method: str, host: str, path: str, query: str = "", fragment: str = ""
    ) -> StagedFault | None:
        """Return the fault that a request meets; ``None`` if it meets none."""
        return next((each for each in self._faults if each.met_by(method, host, path, query, fragment)), None)


def offered(decision: dict[str, Any]) -> list[str]:
    """Return the purposes for which a decision asks consent."""
    of_choices = [purpose for choice in decision["choices"] for purpose in choice["agrees"]]
    return list(dict.fromkeys([*of_choices, *(box["purpose"] for box in decision["boxes"])]))
