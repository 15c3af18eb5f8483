"""What a set of policies brings into an episode: texts of other people on pages, and faults in place of answers."""

from __future__ import annotations

from typing import Any

from websp_gym.sandbox.schema.addresses import AddressPattern


class Fault:
    """A fault that some requests meet.

    Args:
        request: Pattern of their addresses.
        method: Their method.
        kind: ``maintenance``, ``fails`` or ``missing``.
        times: How many of them meet it.

    Raises:
        ValueError: The pattern is none.
    """

    def __init__(self, *, request: str, method: str, kind: str, times: int) -> None:
        self.request = request
        self.kind = kind
        self._pattern = AddressPattern(request)
        self._method = method
        self._left = times

    def met_by(self, method: str, host: str, path: str, query: str) -> bool:
        """Whether a request meets it; if so, one less will."""
        meets = self._left > 0 and method == self._method and self._pattern.fits(host, path, query)
        self._left -= meets
        return meets


class Staged:
    """The texts and faults of one episode.

    Args:
        texts: Texts by the name of their place on a page.
        faults: The arguments of each :class:`Fault`.

    Raises:
        ValueError: A fault is none.
    """

    def __init__(self, texts: dict[str, list[str]], faults: list[dict[str, Any]]) -> None:
        self._texts = texts
        self._faults = [Fault(**fault) for fault in faults]

    def texts(self, place: str) -> list[str]:
        """Return the texts at a place of a page."""
        return self._texts.get(place, [])

    def fault(self, method: str, host: str, path: str, query: str) -> Fault | None:
        """Return the fault that a request meets; ``None`` if it meets none."""
        return next((fault for fault in self._faults if fault.met_by(method, host, path, query)), None)
