"""Where a fault was, and what a report may call that place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from websp_gym.policies.reports.clauses import LABEL, clauses_of
from websp_gym.policies.reports.words import (
    FAILING,
    GENERIC,
    MISSING,
    NEGATIONS,
    OUT_OF_ORDER,
    PLAIN,
    REFUSING,
    SYMPTOMS,
    THINGS,
    stem,
    with_leaving,
    word_set,
)
from websp_gym.sandbox.schema.addresses import AddressPattern
from websp_gym.sandbox.schema.module_pages import served
from websp_gym.tasks.sites import site_schema

if TYPE_CHECKING:
    from websp_gym.sandbox.schema.site import SiteSchema
    from websp_gym.sandbox.schema.site_schema import FormAction

_WORD = re.compile(r"[^\W\d_]{2,}")
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SOUNDING = (
    FAILING
    | OUT_OF_ORDER
    | REFUSING
    | SYMPTOMS
    | MISSING
    | NEGATIONS
    | word_set("maintenance down wrong don doesn can")
)
_NO_WORDS = word_set("www com org net html php htm en us asp index app route")
_ANY_PAGE = word_set("settings setting preferences preference options web form server response")
_EMPTY = word_set("a an the my your our of and to in on for manage view see show open")
"""Words that a report leaves out of names such as "Manage Cookies" and "Your subscriptions"."""
_COMMON = 4
"""A word in the addresses and titles of this many places of a site names none of them."""
_LONG = 7
"""Letters of a segment of an address in which words may stick together, such as ``emailoptout``."""


class Place:
    """The place of a fault on a site.

    Args:
        site: The site.
        request: Pattern of the addresses of the requests that met the fault.
        method: Their method.
        addresses: Addresses that the browser showed when the fault was met.
        called: What else it was called then: the link or the control that opened it, the title of its frame.
    """

    def __init__(
        self,
        site: SiteSchema,
        request: AddressPattern,
        method: str,
        addresses: Iterable[str] = (),
        *,
        called: Iterable[str] = (),
    ) -> None:
        self._site = site
        self._request = AddressPattern(served(request.text))
        self._method = method
        self._addresses = tuple(dict.fromkeys(served(address) for address in addresses if address))
        self._called = tuple(dict.fromkeys(" ".join(name.casefold().split()) for name in called if name))

    def has(self, address: str) -> bool:
        """Whether an address or a path belongs to the place."""
        try:
            parts = urlsplit(self._whole(address))
            hosts = (parts.hostname or "", f"www.{parts.hostname}")
        except ValueError:
            return False
        known = [urlsplit(each) for each in self._addresses if self._is_own(each)]
        return any(self._request.fits(host, parts.path, parts.query) for host in hosts) or any(
            each.hostname in hosts and each.path.rstrip("/") == parts.path.rstrip("/") for each in known
        )

    def _whole(self, address: str) -> str:
        if "://" in address:
            return served(address)
        if address.startswith("#"):
            address = f"/{address}"
        host = self._request.host if address.startswith("/") else ""
        return served(f"https://{host}{address}")

    @property
    def is_page(self) -> bool:
        """Whether it is a page that was opened, rather than something that was sent."""
        return self._method == "GET"

    def is_named(self, word: str) -> bool:
        """Whether a word is the name of the site, or a part of it."""
        return word.isalpha() and self._is_of_site(word)

    def masked(self, text: str) -> str:
        """Return a text in which names of the site's settings and pages that sound like a failure are labels."""
        names = _tempting(self._site.slug)
        return (
            names.sub(lambda found: f" {LABEL}{found[0].replace(chr(34), ' ')}{LABEL} ", text)
            if names
            else text
        )

    def is_called(self, text: str, *, at_once: bool) -> bool:
        """Whether a text that says where something failed means this place.

        Args:
            text: An address, a path, or the name of a page or a setting.
            at_once: Whether the fault has just occurred: then "the page" is enough.
        """
        words = [word for clause in clauses_of(text) for word in clause.words]
        if not words or not all(self.names(word) or self.allows(word) for word in words):
            return any(map(self.names, words)) and not any(map(self.is_elsewhere, words))
        return at_once or self.is_named_by(words)

    def is_named_by(self, words: Sequence[str]) -> bool:
        """Whether words name the place: one of them is rare among other places, or together they are its path."""
        given = {stem(word) for word in words}
        calls = (*self._request.segments[-1:], *self._titles, *self._called)
        wholes = [
            {stem(word) for word in _words(call) if not (self._is_of_site(word) or word in _EMPTY)}
            for call in calls
        ]
        spelled_out = any(whole and whole <= given for whole in wholes)
        return spelled_out or any(map(self.names, words)) or " ".join(words) in self._labels

    def names(self, word: str) -> bool:
        """Whether a word names the place and few others of the site, or is its address."""
        if word[0] == LABEL:
            return word[1:].strip() in self._labels
        if not word.isalnum():
            return word in self._request.segments or ("/" in word and self.has(word))
        return stem(word) in self._strong or self._is_in_segment(stem(word))

    def allows(self, word: str) -> bool:
        """Whether a word may appear in a report of the fault: it does not refer to another place."""
        if word[0] == LABEL:
            return True
        if not word.isalnum():
            return self._is_host(word.rstrip("/")) if "/" not in word.rstrip("/") else self.has(word)
        if len(word) == 1 or word.isdigit() or word in PLAIN or word in GENERIC or word in THINGS:
            return True
        return stem(word) in self._known or self._is_of_site(word) or self._sticks(stem(word), 3)

    def is_about(self, word: str) -> bool:
        """Whether a word is about the page itself, not only about a setting on it."""
        return not word.isalpha() or word in GENERIC or stem(word) in self._own or self._is_of_site(word)

    def is_name(self, word: str) -> bool:
        """Whether a word before "page" or "request" may mean it: it names no other page."""
        if stem(word) in self._own or self._is_of_site(word) or word in _ANY_PAGE:
            return True
        return (
            self.is_about(word) and not self.is_elsewhere(word) and not _counts(self._site.slug)[stem(word)]
        )

    def is_titled_elsewhere(self, word: str) -> bool:
        """Whether a word is in the address or the title of another place, and not in those of this one."""
        return not self.is_about(word) and word not in PLAIN and _counts(self._site.slug)[stem(word)] > 0

    def owns(self, words: Sequence[str]) -> bool:
        """Whether one of some words is in its address or title, and none names another place of the site."""
        own = any(
            stem(word) in self._own and word not in GENERIC and not self._is_of_site(word) for word in words
        )
        return own and not any(map(self.is_elsewhere, words))

    def is_address_elsewhere(self, word: str) -> bool:
        """Whether a word is the address of another page."""
        return not (word.isalnum() or word[0] == LABEL or self.allows(word) or self.names(word))

    def is_elsewhere(self, word: str) -> bool:
        """Whether a word names another place of the site."""
        if not word.isalnum():
            return not self.allows(word)
        return not self.allows(word) and stem(word) in _vocabulary(self._site.slug)

    def is_title_elsewhere(self, words: Sequence[str]) -> bool:
        """Whether words contain the whole title of another page, and not that of this one."""
        if not self.is_page:
            return False
        given = {stem(word) for word in words}
        titles = {
            title: {stem(word) for word in _words(title) if not self._is_of_site(word)}
            for _, title in _titles_of(self._site)
        }
        spelled_out = [title for title, stems in titles.items() if len(stems) > 1 and stems <= given]
        return (
            bool(spelled_out)
            and not set(spelled_out) & {*self._titles}
            and not all(titles[title] <= self._own | _plain_stems() for title in spelled_out)
        )

    @cached_property
    def _strong(self) -> frozenset[str]:
        """Stems of the words in its address and title that few other places of the site have."""
        counts = _counts(self._site.slug)
        rare = frozenset(each for each in self._own if counts[each] < _COMMON)
        return rare - _plain_stems() - frozenset(map(stem, self._site_names))

    @cached_property
    def _known(self) -> frozenset[str]:
        """Stems of all words that belong to it: also of the names of its settings, and of the site."""
        words, collections = list(self._labels), self._site.collections
        for action in self._actions:
            for name in _collections(action):
                words += [name, *(collections[name].fields or {})]
        return self._own | {stem(word) for text in words for word in _words(text)}

    @cached_property
    def _own(self) -> frozenset[str]:
        paths = [
            "/".join(self._request.segments),
            *(urlsplit(each).path for each in self._addresses if self._is_own(each)),
        ]
        texts = (*paths, *self._titles, *self._called)
        found = {stem(word) for text in texts for word in _words(text)}
        for action in self._actions:
            found |= {"signout"} if action.logout else set()
            found |= {stem(word) for name in _collections(action) for word in _words(name)}
        return frozenset(found)

    @cached_property
    def _actions(self) -> list[FormAction]:
        """What the site does on such a request."""
        return [
            action
            for action in self._site.actions
            if action.method == self._method and self._fits(action.path)
        ]

    @cached_property
    def _titles(self) -> tuple[str, ...]:
        return tuple(title for path, title in _titles_of(self._site) if self._is_path(path))

    @cached_property
    def _labels(self) -> frozenset[str]:
        """What its settings, sections and buttons are called, in small letters."""
        site, found = self._site, []
        for panel in site.panels:
            if self._is_path(panel.path) or self._is_path(panel.post or panel.path):
                found += [panel.title, panel.submit, *(section.heading for section in panel.sections)]
                found += [control.label for control in panel.all_controls]
                found += [button.label for section in panel.sections for button in section.buttons]
        for action in self._actions:
            keys = (*action.set, *action.values, action.toggle)
            found += [site.settings[key].label for key in keys if key in site.settings]
        return frozenset((*(" ".join(label.casefold().split()) for label in found if label), *self._called))

    @cached_property
    def _exact(self) -> frozenset[str]:
        """The paths of the site that are the request's as they stand, without a part that is left open."""
        site = self._site
        pages = [path for path, _ in _titles_of(site)]
        paths = [*pages, *(each.path for each in site.actions)]
        return frozenset(path for path in paths if "{" not in path and self._request.may_be(path))

    def _fits(self, path: str) -> bool:
        return self._request.may_be(path) and (path in self._exact or not self._exact)

    def _is_path(self, path: str) -> bool:
        """Whether a path is the request's, or that of a page which the browser showed."""
        return self._fits(path) or any(
            urlsplit(each).path.rstrip("/") == path.rstrip("/")
            for each in self._addresses
            if self._is_own(each)
        )

    def _is_own(self, address: str) -> bool:
        """Whether an address that the browser showed belongs to it: its own, or the page around its frame or form."""
        if self._method == "GET" and any(map(self._request.matches, self._addresses)):
            return self._request.matches(address)
        return urlsplit(address).hostname in self._site.hosts

    def _is_host(self, word: str) -> bool:
        """Whether a word with a dot is a host of the site, or none at all, such as a number."""
        return word in self._site.hosts or f"www.{word}" in self._site.hosts or not word[-1:].isalpha()

    def _is_of_site(self, word: str) -> bool:
        return word in self._site_names

    @cached_property
    def _site_names(self) -> frozenset[str]:
        """What the site is called: its name, the words of it, its initials, and its hosts."""
        name = self._site.name
        parts = _NAME_PART.findall(name)
        initials = "".join(letter for letter in name if letter.isupper())
        hosts = [label for host in self._site.hosts for label in host.split(".")[:-1]]
        return (
            frozenset(each.casefold() for each in (*parts, "".join(parts), initials, *hosts) if len(each) > 2)
            - _NO_WORDS
        )

    def _sticks(self, word: str, least: int) -> bool:
        """Whether a word sticks in a long segment of the address."""
        parts = [each for segment in self._request.segments for each in _WORD.findall(segment)]
        return len(word) >= least and any(word in each and len(each) >= _LONG for each in parts)

    def _is_in_segment(self, word: str) -> bool:
        """Whether a rare word sticks in a segment of the address, or a word of it in this one."""
        if word in _plain_stems() or _counts(self._site.slug)[word] >= _COMMON:
            return False
        return self._sticks(word, 4) or any(each in word and len(each) >= 5 for each in self._strong)


def _collections(action: FormAction) -> set[str]:
    """Return the collections that an action of a site changes."""
    return {
        *(each.collection for each in action.adds),
        *(each.collection for each in action.removes),
        *(each.collection for each in action.updates),
    }


def _words(text: str) -> Iterator[str]:
    """Yield the words of a title, a label or a path."""
    plain = with_leaving(unquote(text).casefold())
    for word in _WORD.findall(plain):
        if word not in _NO_WORDS:
            yield word


def _titles_of(site: SiteSchema) -> Iterator[tuple[str, str]]:
    yield from ((served(page.path), page.title) for page in site.pages)
    yield from ((panel.path, panel.title) for panel in site.panels)


@cache
def _plain_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in (*PLAIN, *GENERIC)) - {"creat", "delet"}


@cache
def _counts(slug: str) -> Counter[str]:
    """Return in how many places of a site the address or the title has a word, by its stem."""
    site = site_schema(slug)
    places = dict.fromkeys((action.path for action in site.actions), "") | dict(_titles_of(site))
    return Counter(
        each
        for path, title in places.items()
        for each in {stem(word) for word in (*_words(path), *_words(title))}
    )


@cache
def _tempting(slug: str) -> re.Pattern[str] | None:
    """Return what finds the names on a site that sound like a failure, such as "Failed sign-in alerts"."""
    site = site_schema(slug)
    names = {title for _, title in _titles_of(site)} | {each.label for each in site.settings.values()}
    found = [name for name in names if len(name.split()) > 1 and not _SOUNDING.isdisjoint(_words(name))]
    return (
        re.compile("|".join(map(re.escape, sorted(found, key=len, reverse=True))), re.IGNORECASE)
        if found
        else None
    )


@cache
def _vocabulary(slug: str) -> frozenset[str]:
    """Return the stems of all words by which a site calls its places and settings."""
    site = site_schema(slug)
    labels = [setting.label for setting in site.settings.values()]
    return frozenset(_counts(slug)) | {stem(word) for label in labels for word in _words(label)}
