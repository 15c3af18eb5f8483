"""The event that a page is opened."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from pydantic import field_validator

from websp_gym.policies.events.base import Event, Occurrence
from websp_gym.sandbox.schema.addresses import BELOW, AddressPattern

if TYPE_CHECKING:
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.in_view import InView
    from websp_gym.policies.names import Names
    from websp_gym.policies.outflow import Values
    from websp_gym.sandbox.schema.site import SiteSchema


class Visit(Event):
    """A page was opened: by a click, an address, a redirect, in any tab.

    The server's log shows it, if there is one. A server sees what follows a ``#`` only where the start page asks
    it for the page; elsewhere a pattern with a fragment is judged by the addresses of the tabs at the end of each
    step and before each action.
    """

    needs_log = False
    visit: str

    @field_validator("visit")
    @classmethod
    def _is_a_pattern(cls, value: str) -> str:
        AddressPattern(value)
        return value

    @cached_property
    def pattern(self) -> AddressPattern:
        """The pattern of its addresses."""
        return AddressPattern(self.visit)

    def occurrences(self, facts: Facts) -> Iterator[Occurrence]:
        is_logged = self.pattern.route is None or facts.names.site.is_routed
        if not (is_logged and facts.has_log):
            for number, address in self._addresses(facts):
                yield Occurrence(number, self.visit, f"opened {address}")
            return
        for each in facts.caused:
            if each.kind != "visit":
                continue
            host, path, query, route = (
                each.data.get(key, "") for key in ("host", "path", "query", "fragment")
            )
            if self.pattern.fits(host, path, query, route):
                shown = f"{host}{path}{f'#{route}' if route else ''}"
                yield Occurrence(each.step, self.visit, f"opened {shown}", seq=each.seq)

    def attempts(self, facts: Facts) -> int:
        opened = {each.step for each in self.occurrences(facts)}
        typed = {
            number
            for number, action in facts.actions
            if action.kind == "goto" and self.pattern.matches(action.value)
        }
        return len(({number for number, _ in self._addresses(facts)} | typed) - opened)

    def offered_by(self, view: InView, names: Names, values: Values) -> bool:
        return any(map(self.pattern.matches, view.links))

    def phrase(self, names: Names) -> str:
        return f"open {self.pattern.phrase()}"

    def problems(self, names: Names) -> Iterator[str]:
        found = list(names.problems_of_address(self.pattern))
        yield from found
        if not found and (end := _leads_to(self.pattern, names.site)):
            yield f'"{self.visit}" redirects to another page: name "{end}"'

    def _addresses(self, facts: Facts) -> Iterator[tuple[int, str]]:
        """Yield the addresses that a tab newly had in a step."""
        before = set(facts.record.initial.tabs) if facts.record.initial else set()
        for step in facts.steps:
            now = {*step.view.tabs, step.view.url}
            on_the_way = {action.before for action in facts.of(step).actions}
            for address in sorted((now | on_the_way) - before):
                if self.pattern.matches(address):
                    yield step.number, address
            before = now


def _leads_to(pattern: AddressPattern, site: SiteSchema) -> str:
    """Return where a site sends all who open one address; empty if it shows a page there, or for more addresses."""
    if pattern.address is None or BELOW in pattern.segments:
        return ""
    pages = [page for page in site.pages if pattern.may_be(page.path)]
    pages = [page for page in pages if "{" not in page.path] or pages  # the server takes a plain path first
    here, elsewhere = [], []
    for page in pages:
        hosts = page.hosts or site.hosts[: None if page.path == site.login_page else 1]
        if not any(host == pattern.host or pattern.spans(host) for host in hosts):
            elsewhere.append(hosts[0] + page.path)
        elif page.redirect:
            here.append(urljoin(f"//{hosts[0]}", page.redirect).rpartition("//")[2])
        else:
            return ""
    return next(iter((*here, *elsewhere)), "")
