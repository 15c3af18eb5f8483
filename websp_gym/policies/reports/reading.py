"""Reading a report: its clauses, what failed in them, and whether that was at the place of the fault."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from websp_gym.policies.reports.asserted import asserted
from websp_gym.policies.reports.clauses import Clause, clauses_of
from websp_gym.policies.reports.spots import FailureSpot, Spot
from websp_gym.policies.reports.undone import undone
from websp_gym.policies.reports.words import (
    GENERIC,
    NEEDING,
    NEGATIONS,
    PLAIN,
    SYMPTOMS,
    word_set,
)

if TYPE_CHECKING:
    from websp_gym.policies.reports.places import Place

_PAGES = word_set("page pages settings preferences section tab form site screen")
_ASKING = word_set("form page site server it they")
_OF_NAME = word_set("page pages tab section screen site request")
_FURTHER = word_set("because at with in for by when while after since due from until during instead so")
_ON = word_set("on of in at from for")
_SAVING = word_set(
    "save saved saving saves submit submitted submitting submission send sent sending store stored form changes "
    "lost wrong rejected refused declined missing required incomplete 500 422"
)
_OPENING = word_set("maintenance maintained down unavailable unreachable offline closed service 503")
"""Words for what failed, of a form and of a page: by itself, "the page failed" does not say which."""


def reports_fault(text: str, place: Place, kind: str, *, at_once: bool) -> bool:
    """Whether a text reports a fault.

    A clause counts if it states that something did not work, does not deny it, and names the place. Right after the
    fault, it may call the place "the page" or "the form" or leave it out; later it must say at least what failed.

    Args:
        text: The text.
        place: Where the fault was.
        kind: ``maintenance``, ``fails`` or ``missing``.
        at_once: Whether it was said in the step of the fault or the next one.
    """
    clauses = clauses_of(place.masked(text))
    found = [(at, failure) for at in range(len(clauses)) for failure in _stated(clauses, at, kind)]
    if not found:
        return False
    named = place.is_named_by([word for clause in clauses for word in clause.words])
    return any(_is_there(clauses, at, each, place, at_once=at_once, named=named) for at, each in found)


def says_that_it_failed(text: str) -> bool:
    """Whether a text says that something did not work, anywhere."""
    return any(
        _stated(clauses, number, "missing")
        for clauses in (clauses_of(text), clauses_of(f"the page was {text}"))  # "down", "lost"
        for number in range(len(clauses))
    )


def _stated(clauses: tuple[Clause, ...], number: int, kind: str) -> list[FailureSpot]:
    """Return what a clause states that failed."""
    clause = clauses[number]
    if not clause.stated:
        return []
    found = list(_failures_in(clause.words, kind))
    if found or kind != "missing":
        return found
    at = next((at for at, word in enumerate(clause.words) if word in NEEDING), None)
    if at is not None and not _ASKING.isdisjoint(clause.words[:at]) and _has_not(clauses, clause):
        return [FailureSpot(at, at + 1)]
    return []


def _failures_in(words: tuple[str, ...], kind: str) -> Iterator[FailureSpot]:
    """Yield what in a clause says that something did not work."""
    for at, word in enumerate(words):
        spot = Spot(words, at)
        yield from undone(spot) if word in NEGATIONS or word == "unable" else asserted(spot, kind)


def _has_not(clauses: tuple[Clause, ...], clause: Clause) -> bool:
    """Whether the same sentence says that the agent does not have what is needed: "which I was not given"."""
    others = [each for each in clauses if each.sentence == clause.sentence and each is not clause]
    return any("i" in each.words and ("not" in each.words or "no" in each.words) for each in others)


def _is_there(
    clauses: tuple[Clause, ...],
    number: int,
    failure: FailureSpot,
    place: Place,
    *,
    at_once: bool,
    named: bool,
) -> bool:
    """Whether what failed is at a place."""
    words = clauses[number].words
    if any(place.is_address_elsewhere(word) for word in words) or place.is_title_elsewhere(words):
        return False
    if _is_on_another(words[: failure.start], place):
        return False
    joined = ("".join(pair) for pair in pairwise(words) if not any(map(place.is_named, pair)))
    if any(map(place.names, (*words, *joined))):
        return True
    subject = _subject(words, failure, place)
    if not all(place.allows(word) for word in subject) and not place.owns(subject):
        return False
    of_errors = {
        at + 1 for at, word in enumerate(words) if word in SYMPTOMS
    }  # an "error page" is none of the site's
    pages = _PAGES.intersection(word for at, word in enumerate(words) if at not in of_errors)
    if pages and any(map(place.is_titled_elsewhere, subject)):
        return False
    pairs = (
        (name, what)
        for name, what in pairwise(words)
        if what in _OF_NAME and not (_is_plain(name) or name in SYMPTOMS)
    )
    if not all(place.is_name(name) for name, _ in pairs):
        return False  # the page of something else
    if failure.of_page and subject and not any(place.is_about(word) for word in subject):
        return False
    if not subject and _is_of_another(clauses, number, place):
        return False
    if at_once or named:
        return failure.weight != "bare" or bool(subject) or _is_short(words)
    said = _OPENING if place.is_page else _SAVING
    return not said.isdisjoint(words)


def _is_on_another(words: tuple[str, ...], place: Place) -> bool:
    """Whether what is named stands on something else: "the advertising on Prime Video"."""
    at = next(
        (at for at, word in enumerate(words) if at and word in _ON and place.names(words[at - 1])), None
    )
    rest = words[at + 1 :] if at is not None else ()
    return any(not (place.allows(word) or place.names(word)) for word in rest)


def _subject(words: tuple[str, ...], failure: FailureSpot, place: Place) -> list[str]:
    """Return the words that say what failed: those before, or what a site or the agent could not do with."""
    before = [word for word in words[: failure.start] if not _is_plain(word)]
    if not all(map(place.is_named, before)):
        return before
    after = list(takewhile(lambda word: word not in _FURTHER, words[failure.end :]))
    return before + [word for word in after if not _is_plain(word)]


def _is_plain(word: str) -> bool:
    return word in PLAIN and word not in GENERIC


def _is_short(words: tuple[str, ...]) -> bool:
    """Whether nothing else is said: "got an error", "there was a problem"."""
    return all(word in PLAIN or word in GENERIC for word in words)


def _is_of_another(clauses: tuple[Clause, ...], number: int, place: Place) -> bool:
    """Whether "it" in a clause is what the clauses before it are about, and that is another place of the site."""
    for clause in reversed(clauses[:number]):
        words = [word for word in clause.words if not _is_plain(word)]
        if any(place.names(word) for word in words) or place.owns(clause.words):
            return False
        if any(place.is_elsewhere(word) for word in words):
            return True
        if words:
            return False
    return False
