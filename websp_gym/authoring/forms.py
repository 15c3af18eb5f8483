"""Fill in every form of a site's pages, over HTTP, to check that the site answers whatever is typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urljoin, urlsplit

from websp_gym.authoring.findings import Finding, judged
from websp_gym.errors import WorldError
from websp_gym.sandbox.client import EpisodeHandle, Sandbox, SandboxError
from websp_gym.sandbox.schema.module_pages import served
from websp_gym.texts import texts_in
from websp_gym.world.http_probe import HttpProbe

if TYPE_CHECKING:
    from websp_gym.sandbox.schema.catalog import Catalog
    from websp_gym.sandbox.schema.site import SiteSchema

_COMMON = ("a", "e", "the", "2")
"""Words that are in nearly every entry of a site's data."""
_ODD = (
    "é\u202e🤖\u2028\\'\"<b>&amp;",
    "x" * 9_000,
    "[" * 2_000 + "{" * 2_000,
    "---\ntags: &a [*a, *a]\nlanguage: [[[[\n---\n{{ 7 * 7 }} {0} %s %",
)
"""Texts that are long, nested, or mean something to a parser."""
_TYPED = ("text", "search", "email", "password", "url", "tel", "number", "date", "")
"""Types of fields in which people type."""


@dataclass
class PageForm:
    """A form of a page.

    Args:
        method: ``GET`` or ``POST``.
        url: Where it is sent.
        fields: The values of its fields, by name.
        typed: The names of the fields in which people type.
    """

    method: str
    url: str
    fields: dict[str, str] = field(default_factory=dict)
    typed: list[str] = field(default_factory=list)

    @property
    def key(self) -> tuple[Any, ...]:
        """What is the same for the same form on other pages."""
        return self.method, self.url, *sorted(self.fields)


def fill_forms(catalog: Catalog, slug: str, *, signed_in: tuple[str, ...]) -> Iterator[Finding]:
    """Send every form of every page of a site with words of the site's own data, and with odd texts.

    Args:
        catalog: All sites.
        slug: The site.
        signed_in: Sites that the account is signed in to.

    Yields:
        One finding. A request that is answered with a fault of the site (500 and above), or not at all, is a problem.

    Raises:
        WorldError: The sandbox failed.
    """
    site = catalog[slug]
    words, sent = words_of(site), 0
    wrong: list[str] = []
    with _Visit(slug, signed_in) as reader:
        found = {form.key: form for form in reader.forms(site)}
        for form in found.values():
            if not form.typed or urlsplit(form.url).hostname not in site.hosts:
                continue
            for text in (*words, *_ODD) if form.method == "GET" else (words[-1], *_ODD):
                sent += 1
                if form.method == "GET":
                    wrong += reader.send(form, text)
                    continue
                # Another account each time: what was sent before may have closed the last one.
                with _Visit(slug, signed_in) as writer:
                    wrong += writer.send(form, text)
        wrong += reader.faults()
    yield judged(
        "forms", slug, wrong, f"{len(found)} forms, sent {sent} times with words of the site and odd texts"
    )


def words_of(site: SiteSchema) -> tuple[str, ...]:
    """Return words that are in most of a site's data, and one of each kind of entry, item, setting and page."""
    shapes: dict[Any, Any] = {}
    for name, rows in site.data.items():
        for row in rows:
            shapes.setdefault((name, frozenset(row)), row)
    texts = [" ".join(texts_in(row)) for row in shapes.values()]
    texts += [" ".join(texts_in(spec.rows()[:1])) for spec in site.collections.values()]
    texts += [setting.label for setting in site.settings.values()][:3]
    texts += [page.title for page in site.pages][:3]
    longest = (max(text.split(), key=len) for text in texts if text.split())
    return tuple(dict.fromkeys([*_COMMON, *longest]))


class _Visit:
    """A visitor with an account of its own."""

    def __init__(self, slug: str, signed_in: tuple[str, ...]) -> None:
        try:
            sandbox = Sandbox.shared()
            self._episode: EpisodeHandle = sandbox.open_episode(slug, signed_in=signed_in)
        except SandboxError as error:
            raise WorldError(f"the sandbox failed: {error}") from error
        self.probe = HttpProbe(sandbox, self._episode.id, self._episode.cookies)  # type: ignore[arg-type]

    def __enter__(self) -> _Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.probe.close()
        self._episode.close()

    def send(self, form: PageForm, text: str) -> Iterator[str]:
        """Send a form with a text in all its fields; yield what went wrong."""
        fields = form.fields | dict.fromkeys(form.typed, text)
        if form.method == "GET":
            reply = self.probe.request(
                "GET", f"{form.url.partition('?')[0]}?{urlencode(fields, errors='replace')}"
            )
        else:
            reply = self.probe.request("POST", form.url, form=fields)
        if reply.status >= 500 or reply.status == 0:
            yield f"{form.method} {form.url} with {text[:40]!r} answers {reply.status or 'nothing'}"
            yield from self.faults()

    def faults(self) -> list[str]:
        """Return what broke on the server since the account was made."""
        events = self._episode.state()["events"]
        return [f"{each['data']['error'][:200]}" for each in events if each["kind"] == "error"]

    def forms(self, site: SiteSchema) -> Iterator[PageForm]:
        """Yield the forms of every page of a site; of pages about one thing each, those of the first thing."""
        rows = [{}, *(row for spec in site.collections.values() for row in spec.rows())]
        rows += [row for each in site.data.values() for row in each]
        for page in site.pages:
            names = set(re.findall(r"{(\w+)", page.path))
            row = next((each for each in rows if names <= set(each)), None)
            if not page.template or row is None:
                continue
            path = re.sub(r"{\w+[^}]*}", "{}", served(page.path)).format(
                *(quote(str(row[name]), safe="") for name in re.findall(r"{(\w+)", page.path))
            )
            reply = self.probe.request("GET", f"https://{(page.hosts or site.hosts)[0]}{path}")
            yield from forms_of(reply.url, reply.text)


def forms_of(url: str, html: str) -> list[PageForm]:
    """Return the forms of a page.

    Args:
        url: Address of the page.
        html: Its text.
    """
    parser = _Forms(url)
    parser.feed(html)
    return parser.found


class _Forms(HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__()
        self.found: list[PageForm] = []
        self._url = url
        self._open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a form, or add a field to the open one."""
        has = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(
                PageForm(has.get("method", "get").upper(), urljoin(self._url, has.get("action", "")))
            )
        self._open |= tag == "form"
        if self._open and has.get("name") and tag in ("input", "textarea", "select", "button"):
            self._add(self.found[-1], tag, has)

    def handle_endtag(self, tag: str) -> None:
        """End a form."""
        self._open &= tag != "form"

    def _add(self, form: PageForm, tag: str, has: Mapping[str, str]) -> None:
        kind = has.get("type", "").lower()
        if tag == "textarea" or (tag == "input" and kind in _TYPED):
            form.typed.append(has["name"])
        if tag != "button" and (kind not in ("checkbox", "radio") or "checked" in has):
            form.fields[has["name"]] = has.get("value", "on" if kind == "checkbox" else "")
