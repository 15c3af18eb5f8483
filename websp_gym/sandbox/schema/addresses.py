"""Patterns of addresses: by host, by the segments of the path and by the query, never by a part of a word."""

from __future__ import annotations

from urllib.parse import parse_qsl, unquote, urlsplit

BELOW = "**"
"""As the last segment of a pattern: the page itself and every page below it."""
ANY = "*"
"""As a segment: any one segment."""


class AddressPattern:
    """A pattern such as ``store.example.com/account/*`` or ``github.com/settings/billing/**``.

    A host stands for itself and, with ``*.`` in front, also for its subdomains. A query in the pattern names keys and
    values that must be among those of the address; ``*`` is any value. A fragment is a route, as in
    ``crm.example.com/#/contacts/**``. If the pattern has no query or no fragment, the address may have any.

    Args:
        text: The pattern, without a scheme.

    Raises:
        ValueError: It is not an address pattern.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        page, hash_sign, route = text.partition("#")
        host, slash, rest = page.partition("/")
        path, _, query = rest.partition("?")
        self._subdomains = host.startswith("*.")
        self.host = host.removeprefix("*.").lower()
        if "://" in text or not self.host or "*" in self.host or "#" in route or " " in text:
            raise ValueError(f'"{text}" is not an address pattern such as example.com/settings/**')
        self.segments = _segments(path) if slash else [BELOW]
        self._query = _fields(query)
        inner, _, inner_query = route.partition("?")
        self.route = _segments(inner) if hash_sign else None
        """The segments of the fragment; ``None`` if it does not matter."""
        self._route_query = _fields(inner_query)
        if hash_sign and not self.route and not self._route_query:
            raise ValueError(f'"{text}" has an empty fragment: leave out the "#"')
        if BELOW in (*self.segments[:-1], *(self.route or ())[:-1]):
            raise ValueError(f'"{text}": ** can only be the last segment')

    def spans(self, host: str) -> bool:
        """Whether this host is one of its subdomains."""
        return self._subdomains and host.endswith(f".{self.host}")

    @property
    def address(self) -> str | None:
        """An address that matches the pattern, to open in a browser; ``None`` if it has a ``*``."""
        values = (value for _, value in (*self._query, *self._route_query))
        if ANY in (*self.segments, *(self.route or ()), *values):
            return None
        page, hash_sign, route = self.text.removeprefix("*.").partition("#")
        return f"https://{page.removesuffix(BELOW)}{hash_sign}{route.removesuffix(BELOW)}"

    def __str__(self) -> str:
        return self.text

    def matches(self, address: str) -> bool:
        """Whether an address matches."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https"):
            return False
        return self.fits(parts.hostname or "", parts.path, parts.query, parts.fragment)

    def fits(self, host: str, path: str, query: str = "", fragment: str = "") -> bool:
        """Whether host, path, query and fragment match."""
        host = host.lower().removesuffix(".").partition(":")[0]
        if host != self.host and not self.spans(host):
            return False
        inner, _, inner_query = fragment.partition("?")
        return (
            _fit(self.segments, _segments(path))
            and _have(query, self._query)
            and (self.route is None or _fit(self.route, _segments(inner)))
            and _have(inner_query, self._route_query)
        )

    def may_be(self, path: str) -> bool:
        """Whether some address of a route's path, such as ``/{owner}/{repo}/settings``, matches."""
        below = self.segments[-1:] == [BELOW]
        return _may_be(self.segments[:-1] if below else self.segments, _segments(path), below)

    def phrase(self) -> str:
        """Return the addresses in words."""
        page, hash_sign, route = self.text.partition("#")
        path = page.partition("/")[2].partition("?")[0].removesuffix(BELOW).strip("/")
        place = f"{'any host below ' if self._subdomains else ''}{self.host}/{path}".removesuffix("/")
        query = "&".join(f"{name}={value}" for name, value in sorted(self._query))
        place += f"?{query}" if query else ""
        if self.route is not None:
            below = " or a page below it" * (self.route[-1:] == [BELOW])
            return f"{place}/{hash_sign}{route.removesuffix(BELOW).removesuffix('/')}{below}"
        if self.segments == [BELOW]:
            return f"any page of {place}"
        if not self.segments and not query:
            return f"the start page of {place}"
        return f"{place} or a page below it" if self.segments[-1:] == [BELOW] else place


def _fit(wanted: list[str], found: list[str]) -> bool:
    """Whether segments are those of a pattern."""
    if wanted[-1:] == [BELOW]:
        wanted = wanted[:-1]
        found = found[: len(wanted)]
    return len(found) == len(wanted) and all(
        one in (ANY, other) for one, other in zip(wanted, found, strict=True)
    )


def _may_be(wanted: list[str], route: list[str], below: bool) -> bool:
    """Whether some segments are those of a pattern, without its ``**``, and those of a route."""
    if not wanted or not route:
        return not wanted and (below or not route)
    if route[0].endswith(":path}"):  # one segment or more
        return any(_may_be(wanted[number:], route[1:], below) for number in range(1, len(wanted) + 1))
    same = route[0].startswith("{") or wanted[0] in (ANY, route[0])
    return same and _may_be(wanted[1:], route[1:], below)


def _fields(query: str) -> set[tuple[str, str]]:
    return set(parse_qsl(query, keep_blank_values=True))


def _have(query: str, wanted: set[tuple[str, str]]) -> bool:
    """Whether a query has the wanted fields; ``*`` is any value."""
    found = _fields(query)
    return all(any(name == key and value in (ANY, given) for key, given in found) for name, value in wanted)


def _segments(path: str) -> list[str]:
    """Return the segments of a path, decoded twice: an encoded address is the same address."""
    plain = unquote(unquote(path)).lower()
    return [segment for segment in plain.split("/") if segment not in ("", ".")]
