"""What a page currently offers: its text, the forms it can send and the links it can open."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.isolated import worlds_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.observation.marks import Marks

_LOOK = """function () {
  const { raw, kit } = this;
  const base = kit.getter(Node.prototype, 'baseURI')(document), data = kit.getter(CharacterData.prototype, 'data');
  const inFull = (address) => URL.canParse(address, base) ? kit.cut(new URL(address, base).href, 2000) : '';
  const isShown = (el, opaque) => raw.shown(el, { visibilityProperty: true, opacityProperty: opaque });
  const isPost = (form) => /^post$/i.test(raw.attr(form, 'method') || '');
  const forms = [], links = [], frames = [], labels = new Set();
  const add = (list, address) => { if (list.length < 1000) list.push(inFull(address)); };
  const enter = (el, around) => {
    // A control may be drawn by something else and be transparent itself.
    const tag = raw.tagOf(el), shown = isShown(el, /^(a|area)$/.test(tag));
    const form = tag !== 'form' ? around : isPost(el) ? { controls: 0, seen: shown } : null;
    if (/^(a|area)$/.test(tag) && shown && raw.has(el, 'href')) add(links, raw.attr(el, 'href'));
    if (tag === 'iframe' && raw.has(el, 'title') && frames.length < 20) {
      frames.push([inFull(raw.attr(el, 'src') || ''), kit.cut(raw.attr(el, 'title'), 300)]);
    }
    if (shown && raw.has(el, 'formaction')) add(forms, raw.attr(el, 'formaction'));
    if (form && /^(button|input|select|textarea)$/.test(tag)) {
      // Before its first control, a form is in view if it is itself: scripts may draw what sends it.
      form.seen = form.controls++ ? form.seen || shown : shown;
    }
    kit.eachChild(el, (child) => {
      if (raw.nodeType(child) === 1) enter(child, form);
      if (raw.nodeType(child) !== 3 || labels.size >= 5000) return;
      const text = kit.collapse(data(child));
      if (text && text.length < 300 && !labels.has(text) && isShown(el, true)) labels.add(text);
    });
    if (tag === 'form' && form && form.seen) add(forms, raw.attr(el, 'action') || location.href);
  };
  const body = raw.body();
  if (body) enter(body, null);
  return { text: body ? kit.cut(body.innerText, 200000) : '', labels: [...labels], forms, links, frames,
    address: kit.cut(location.href, 2000) };
}"""


@dataclass(frozen=True)
class InView:
    """What the frames of a page offer.

    Args:
        texts: The text of each frame.
        forms: Addresses that forms are sent to by POST; of those with a control that is shown.
        links: Addresses of links that are shown.
        labels: Whole texts that are shown, as they are in the page.
        marks: Role and name of each marked element.
        values: Contents of the marked fields.
        titles: Addresses of the frames in it, each with its title.
        addresses: Address of each frame, that of the page first.
    """

    texts: tuple[str, ...] = ()
    forms: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    marks: frozenset[tuple[str, str]] = frozenset()
    values: tuple[str, ...] = ()
    labels: frozenset[str] = frozenset()
    titles: tuple[tuple[str, str], ...] = ()
    addresses: tuple[str, ...] = ()

    def sends(self, paths: Sequence[re.Pattern[str]]) -> bool:
        """Whether a form is sent to one of these paths; if they are not declared, any page may do it."""
        sent = [urlsplit(form).path for form in self.forms]
        return not paths or any(path.match(each) for path in paths for each in sent)

    def says(self, label: str) -> bool:
        """Whether a whole text or a mark has this name; case, spaces and a final colon make no difference."""
        return bool(label) and _plain(label) in self._called

    @cached_property
    def _called(self) -> frozenset[str]:
        return frozenset(map(_plain, (*self.labels, *(name for _, name in self.marks))))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" :*")


def look_at(page: Page, marks: Marks | None = None) -> InView:
    """Return what a page offers; nothing of a frame that is being replaced or cannot be read."""
    texts: list[str] = []
    forms: set[str] = set()
    links: set[str] = set()
    labels: set[str] = set()
    titles: list[tuple[str, str]] = []
    addresses: list[str] = []
    with contextlib.suppress(PlaywrightError):
        worlds = worlds_of(page)
        for frame in (worlds.main, *worlds.children()):
            with contextlib.suppress(PlaywrightError):
                found = frame.run(_LOOK)
                addresses.append(str(found["address"]))
                texts.append(str(found["text"]))
                forms.update(map(str, found["forms"]))
                links.update(map(str, found["links"]))
                labels.update(map(str, found["labels"]))
                titles += [(str(address), str(title)) for address, title in found["frames"] if address]
    seen = marks.marks if marks is not None else ()
    return InView(
        tuple(texts),
        frozenset(forms),
        frozenset(links),
        frozenset((mark.role, mark.name) for mark in seen),
        tuple(mark.value for mark in seen if mark.value),
        frozenset(labels),
        tuple(titles),
        tuple(addresses),
    )
