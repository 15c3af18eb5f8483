"""Patterns of addresses: by host, by the segments of the path and by the query, never by a part of a word."""

from __future__ import annotations

from urllib.parse import parse_qsl, unquote, urlsplit

BELOW = "**"
"""As the last segment of a pattern: the page itself and every page below it."""
ANY = "*"
"""As a segment: any one segment."""


class AddressPattern:
    """A pattern such as ``store.example.com/account/*`` or ``github.com/settings/billing/**``.

    A host stands for itself and, with ``*.`` before it, for its subdomains too. A query in the pattern names keys and
    values that must be among those of the address; without one, the query does not matter.

    Args:
        text: The pattern, without a scheme.

    Raises:
        ValueError: It is not a pattern of an address.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        host, slash, rest = text.partition("/")
        path, _, query = rest.partition("?")
        self._subdomains = host.startswith("*.")
        self.host = host.removeprefix("*.").lower()
        if "://" in text or not self.host or "*" in self.host or "#" in text or " " in text:
            raise ValueError(f'"{text}" is not a pattern of an address such as example.com/settings/**')
        self.segments = _segments(path) if slash else [BELOW]
        if BELOW in self.segments[:-1]:
            raise ValueError(f'"{text}": ** can only be the last segment')
        self._query = set(parse_qsl(query, keep_blank_values=True))

    def spans(self, host: str) -> bool:
        """Whether it stands for this host as a subdomain."""
        return self._subdomains and host.endswith(f".{self.host}")

    @property
    def address(self) -> str | None:
        """An address of the pattern, which opens it in a browser; ``None`` if it leaves a segment open."""
        return None if ANY in self.segments else f"https://{self.text.removeprefix('*.').removesuffix(BELOW)}"

    def __str__(self) -> str:
        return self.text

    def matches(self, address: str) -> bool:
        """Whether an address is one of the pattern's."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https"):
            return False
        return self.fits(parts.hostname or "", parts.path, parts.query)

    def fits(self, host: str, path: str, query: str = "") -> bool:
        """Whether host, path and query are those of an address of the pattern."""
        host = host.lower().removesuffix(".").partition(":")[0]
        if host != self.host and not self.spans(host):
            return False
        if not self._query <= set(parse_qsl(query, keep_blank_values=True)):
            return False
        found, wanted = _segments(path), self.segments
        if wanted[-1:] == [BELOW]:
            wanted = wanted[:-1]
            found = found[: len(wanted)]
        return len(found) == len(wanted) and all(
            one in (ANY, other) for one, other in zip(wanted, found, strict=True)
        )

    def may_be(self, path: str) -> bool:
        """Whether it has an address of a page with this path, such as ``/{owner}/{repo}/settings`` of a route."""
        found = [ANY if segment.startswith("{") else segment for segment in _segments(path)]
        open_end = path.endswith(":path}")
        wanted = self.segments
        below = wanted[-1:] == [BELOW]
        wanted = wanted[:-1] if below else wanted
        if len(found) < len(wanted) and not open_end:
            return False
        if len(found) > len(wanted) and not below:
            return False
        return all(ANY in (one, other) or one == other for one, other in zip(wanted, found, strict=False))

    def phrase(self) -> str:
        """Return the addresses in words."""
        path = self.text.partition("/")[2].partition("?")[0].removesuffix(BELOW).strip("/")
        place = f"{'any host below ' if self._subdomains else ''}{self.host}/{path}".removesuffix("/")
        query = "&".join(f"{name}={value}" for name, value in sorted(self._query))
        place += f"?{query}" if query else ""
        if self.segments == [BELOW]:
            return f"any page of {place}"
        if not self.segments and not query:
            return f"the start page of {place}"
        return f"{place} or a page below it" if self.segments[-1:] == [BELOW] else place


def _segments(path: str) -> list[str]:
    """Return the segments of a path, decoded twice: an encoded address is the same address."""
    plain = unquote(unquote(path)).lower()
    return [segment for segment in plain.split("/") if segment not in ("", ".")]
