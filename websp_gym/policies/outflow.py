"""What leaves in an episode: what the agent says and types, and the requests of its browser."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.policies.carried import LONGEST, carry

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Request

    from websp_gym.browser.inputs import Input

Values = Callable[[str], Iterable[str]]
_MOST_REQUESTS = 500
_OF_BROWSER = (
    "accept", "cache-", "connection", "content-", "cookie", "dnt", "host", "if-", "origin", "pragma", "priority",
    "range", "referer", "sec-", "upgrade-insecure", "user-agent",
)  # fmt: skip
"""What the names of headers begin with that no script sets."""


class Outflow:
    """Looks for values in all that leaves, put together over the steps of an episode.

    What a site knows of its account anyway is no news to it: its own pages, their addresses and what their forms are
    filled with. So of what goes to the site itself, only what the agent types, chooses or lets a script send is
    looked at; of what goes to another host, all.

    Args:
        context: The browser context.
        names: Names of the values.
        hosts: Hosts of the site of the task.
    """

    def __init__(self, context: BrowserContext, names: Iterable[str], hosts: Iterable[str]) -> None:
        self._names = sorted(set(names))
        self._hosts = frozenset(hosts)
        self._before: dict[str, list[str]] = defaultdict(list)
        self._now: list[tuple[str, str]] = []
        self._fields: dict[str, str] = {}
        self._requests: list[Request] = []
        if self._names:
            context.on("request", self._note)

    def says(self, text: str, channel: str) -> None:
        """Take a text that the agent says.

        Args:
            text: The text.
            channel: Where it says it: ``answer``, ``question``, ``report``, ``dialog`` or ``script``.
        """
        if text:
            self._now.append((channel, text))

    def opens(self, address: str) -> None:
        """Take an address that the agent opens. The paths of the site's own addresses are the site's."""
        parts = urlsplit(address if "//" in address else f"//{address}")
        own = (parts.hostname or "") in self._hosts
        self.says(f"{parts.query}#{parts.fragment}" if own else address, "address")

    def stands(self, field: Input) -> None:
        """Take what stands in a field after the agent typed or chose."""
        self._fields[field.field] = f"{field.value}\n{field.chosen}"

    def take(self, values: Values, *, by_script: bool) -> dict[str, str]:
        """Return the names of the values that left since the last time, with the channel of each.

        Args:
            values: Returns what a name stands for, at this moment.
            by_script: Whether the agent ran a script of its own, which may send to the site itself.
        """
        if not self._names:
            return {}
        requests, self._requests = self._requests, []
        for request in requests:
            if by_script or (urlsplit(request.url).hostname or "") not in self._hosts:
                self.says(_written(request), "request")
        found: dict[str, str] = {}
        wanted = {name: list(values(name)) for name in self._names}
        for channel, text in self._now:
            before = self._before[channel]
            for name in wanted.keys() - found.keys():
                if any(_adds(text, before, value) for value in wanted[name]):
                    found[name] = channel
            if sum(map(len, before)) < LONGEST:
                before.append(text)
        standing = list(self._fields.values())
        for name in wanted.keys() - found.keys():
            if any(
                carry(standing, value) and not carry(self._before["field"], value) for value in wanted[name]
            ):
                found[name] = "typed or chosen text"
        self._before["field"] = standing
        self._now = []
        return found

    def _note(self, request: Request) -> None:
        if len(self._requests) < _MOST_REQUESTS:
            self._requests.append(request)


def _adds(text: str, before: list[str], value: str) -> bool:
    """Whether a text carries a value, by itself or together with those before it, which did not yet."""
    return carry([text], value) or bool(before and not carry(before, value) and carry([*before, text], value))


def _written(request: Request) -> str:
    """Return all of a request that a page or a script chose: address, headers of its own, body."""
    try:
        headers: Mapping[str, str] = request.headers
        body = (request.post_data_buffer or b"").decode("utf-8", "replace")
    except PlaywrightError:
        return request.url
    own = [f"{name}: {value}" for name, value in headers.items() if not name.lower().startswith(_OF_BROWSER)]
    return "\n".join([request.url, *own, body])
