"""What a page offers in the moment: its text, the forms it could send and the links it could open."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.isolated import worlds_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.observation.marks import Marks

_LOOK = """function () {
  const { raw, kit } = this;
  const base = kit.getter(Node.prototype, 'baseURI')(document);
  const inFull = (address) => URL.canParse(address, base) ? kit.cut(new URL(address, base).href, 2000) : '';
  const forms = [], links = [];
  for (const el of document.querySelectorAll('form, [formaction], a[href], area[href]')) {
    const tag = raw.tagOf(el);
    const list = tag === 'a' || tag === 'area' ? links : forms;
    if (list.length >= 1000) continue;
    if (list === links) list.push(inFull(raw.attr(el, 'href')));
    else if (tag !== 'form') list.push(inFull(raw.attr(el, 'formaction')));
    else if (/^post$/i.test(raw.attr(el, 'method') || '')) list.push(inFull(raw.attr(el, 'action') || location.href));
  }
  return { text: document.body ? kit.cut(document.body.innerText, 200000) : '', forms, links };
}"""


@dataclass(frozen=True)
class InView:
    """What the frames of a page offer.

    Args:
        texts: The text of each frame.
        forms: Addresses that forms are sent to by POST.
        links: Addresses of links.
        marks: Role and name of each marked element.
        values: What stands in fields that are marked.
    """

    texts: tuple[str, ...] = ()
    forms: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    marks: frozenset[tuple[str, str]] = frozenset()
    values: tuple[str, ...] = ()

    def sends(self, paths: Sequence[re.Pattern[str]]) -> bool:
        """Whether a form is sent to one of these paths; where nobody declares them, any page may do it."""
        sent = [urlsplit(form).path for form in self.forms]
        return not paths or any(path.match(each) for path in paths for each in sent)

    def says(self, text: str) -> bool:
        """Whether a frame or a mark has this text; case and spaces make no difference."""
        wanted = " ".join(text.casefold().split())
        return bool(wanted) and any(wanted in " ".join(each.casefold().split()) for each in self._said())

    def _said(self) -> Iterator[str]:
        yield from self.texts
        yield from (name for _, name in self.marks)


def look_at(page: Page, marks: Marks | None = None) -> InView:
    """Return what a page offers; nothing of a frame that is being replaced or cannot be read."""
    texts: list[str] = []
    forms: set[str] = set()
    links: set[str] = set()
    with contextlib.suppress(PlaywrightError):
        worlds = worlds_of(page)
        for frame in (worlds.main, *worlds.children()):
            with contextlib.suppress(PlaywrightError):
                found = frame.run(_LOOK)
                texts.append(str(found["text"]))
                forms.update(map(str, found["forms"]))
                links.update(map(str, found["links"]))
    seen = marks.marks if marks is not None else ()
    named = frozenset((mark.role, mark.name) for mark in seen)
    values = tuple(mark.value for mark in seen if mark.value)
    return InView(tuple(texts), frozenset(forms), frozenset(links), named, values)
