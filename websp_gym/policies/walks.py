"""Where the ground truth of an instance does the task, found by following links over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin, urlsplit

from websp_gym.errors import WorldError
from websp_gym.sandbox.client import EpisodeHandle, Sandbox, SandboxError
from websp_gym.tasks.sites import site_schema
from websp_gym.world.http_probe import HttpProbe

if TYPE_CHECKING:
    from websp_gym.tasks.instances import Instance

_NAMES = ("aria-label", "title", "alt", "value", "placeholder")
"""Attributes that can name a control."""


class Walks:
    """Walks over the pages of sites with default accounts. Pages are read once. Use it in a ``with`` block."""

    def __init__(self) -> None:
        self._visits: dict[tuple[str, ...], _Visit] = {}

    def __enter__(self) -> Walks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for visit in self._visits.values():
            visit.close()
        self._visits.clear()

    def finds(self, instance: Instance, address: str) -> bool:
        """Whether there is a page at an address for the account of an instance. Raises WorldError."""
        return self._visit_of(instance).page(address).is_found

    def _visit_of(self, instance: Instance) -> _Visit:
        site = instance.site
        key = (site.slug, *site.signed_in)
        return self._visits.get(key) or self._visits.setdefault(key, _Visit(site.slug, site.signed_in))

    def places(self, instance: Instance) -> Iterator[str]:
        """Yield the address of each page on which the ground truth changes something, except the start page.

        A page is found only if links lead there by their names and it names the control; what scripts create and what
        only this instance has is left out. A click on anything but a link is assumed to stay on the page.

        Raises:
            WorldError: The sandbox failed.
        """
        visit = self._visit_of(instance)
        page = start = visit.page(instance.site.start_url)
        for step in instance.config.ground_truth:
            name = visit.named(step.target.name)
            if step.changes_state:
                if not page.names(name):
                    return
                if page is not start:
                    yield page.url
                if step.action == "submit":
                    return
            elif step.action == "click":
                if address := page.leads_to(name):
                    page = visit.page(address)
                elif step.target.role == "link" or page.sends(name):
                    return


class _Visit:
    """A visitor of a site with an account of its own."""

    def __init__(self, slug: str, signed_in: tuple[str, ...]) -> None:
        try:
            sandbox = Sandbox.shared()
            self._episode: EpisodeHandle = sandbox.open_episode(slug, signed_in=signed_in)
        except SandboxError as error:
            raise WorldError(f"the sandbox failed: {error}") from error
        self._probe = HttpProbe(sandbox, self._episode.id, self._episode.cookies)  # type: ignore[arg-type]
        self._panels = site_schema(slug).panels
        self._pages: dict[str, _Page] = {}

    def named(self, name: str) -> str:
        """Return a name with the placeholders replaced by the account's values."""
        for key, value in self._episode.account.items():
            name = name.replace(f"{{{{account.{key}}}}}", value)
        return name

    def page(self, address: str) -> _Page:
        if address not in self._pages:
            reply = self._probe.request("GET", address)
            found = reply.status == 200
            page = self._pages[address] = _Page(reply.url, reply.text if found else "", is_found=found)
            for panel in self._panels:
                # Many panels are drawn by their script.
                if panel.path == urlsplit(reply.url).path:
                    page.say(
                        *(
                            text
                            for each in panel.all_controls
                            for text in (each.label, *each.choices.values())
                        )
                    )
        return self._pages[address]

    def close(self) -> None:
        self._probe.close()
        self._episode.close()


class _Page(HTMLParser):
    """A page as text: what its links are called, and what else it says."""

    def __init__(self, url: str, html: str, *, is_found: bool) -> None:
        super().__init__()
        self.url = url
        self.is_found = is_found
        self._links: list[tuple[str, list[str], list[str]]] = []
        self._in_link = self._in_form = False
        self._said: set[str] = set()
        self._sending: set[str] = set()
        self.feed(html)

    def names(self, name: str) -> bool:
        """Whether it has a text, or an attribute that can name a control, with this beginning."""
        return any(text.startswith(_plain(name)) for text in self._said)

    def sends(self, name: str) -> bool:
        """Whether a form has this text, so that a control with this name may send it and lead elsewhere."""
        return _plain(name) in self._sending

    def leads_to(self, name: str) -> str:
        """Return the target of its link whose name begins like this; empty if there is none, or more than one."""
        found = {
            urldefrag(urljoin(self.url, href)).url
            for href, texts, labels in self._links
            if any(_plain(text).startswith(_plain(name)) for text in ("".join(texts), *labels))
        }
        return found.pop() if len(found) == 1 else ""

    def say(self, *texts: str) -> None:
        """Note texts that it has."""
        self._said.update(map(_plain, texts))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element is called, and begin a link."""
        has = {name: value or "" for name, value in attrs}
        labels = [has[name] for name in _NAMES if has.get(name)]
        self._in_form |= tag == "form"
        self._say(*labels)
        if tag == "a" and has.get("href", "").startswith(("/", "?", "https://")):
            self._links.append((has["href"], [], labels))
            self._in_link = True

    def handle_endtag(self, tag: str) -> None:
        """End a link or a form."""
        self._in_link &= tag != "a"
        self._in_form &= tag != "form"

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self._say(data)
        if self._in_link:
            self._links[-1][1].append(data)

    def _say(self, *texts: str) -> None:
        self.say(*texts)
        if self._in_form:
            self._sending.update(map(_plain, texts))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
