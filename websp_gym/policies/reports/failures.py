"""What in a clause says that something did not work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from websp_gym.policies.reports.words import (
    CODES,
    FAILING,
    FIRST_PERSON,
    LEFT_UNDONE,
    LOST,
    MISSING,
    NEGATIONS,
    OF_AGENTS,
    OF_PAGES,
    OUT_OF_ORDER,
    PEOPLE,
    REFUSING,
    SERVED,
    SYMPTOMS,
)

Weight = Literal["exact", "plain", "bare"]
"""How much it says by itself: ``exact`` what a site says of a fault, such as a status or "not saved"; ``plain`` that
something did not work; ``bare`` that there was an error or so, which needs something that had it."""

_BETWEEN = frozenset(
    "be been being able to get got getting let me us properly fully actually really even yet have manage managed seem "
    "seems seemed want wanted it its quite just correctly completely currently at all in a any able could".split()
)
_PLACING = frozenset("the into past onto there that this my your through".split())
_MODALS = frozenset("can could will would able unable".split())
_BE = frozenset("is are was were be been being am".split())
_HAD = frozenset(
    "was were is got get gets getting received had has have hit met encountered saw faced into with returned returns "
    "showed shows show shown gave gives giving threw throws produced produces displayed displays reported reports "
    "answered said says be having resulting resulted raised raises ended ran".split()
)
_CAME = frozenset("came comes come appeared appears occurred occurs happened popped shown displayed returned".split())
_MAINTAINED = frozenset("under for doing in undergoing during of having by has a to due into the with".split())
_SERVICE = frozenset("on at in for since work works message notice screen page mode note window text banner there now".split())
_MOVING = frozenset(
    "scroll scrolls scrolled scrolling narrow narrowed narrowing cut cuts step drop i we go going slow slowed way "
    "further arrow press pressed up calm move moved".split()
)
_LASTING = frozenset("anymore".split())
_PLACED = frozenset("page site website form settings preferences section".split())
_VISITING = frozenset("find found see seen view viewed read show shown reach reached access accessed contact use used "
                      "accessible available reachable".split())
_BUILT = frozenset("reports report alerts alert mails mail notifications handling settings emails logs log".split())
_GOVERNING = frozenset(
    "about for avoid prevent fix handle report check against despite expected expect feared fear".split()
)
_BROKEN = ("crash", "br", "hung", "fr", "stall", "stuck")
_EFFECTS = ("show", "display", "appear", "send", "sent", "store", "storing", "keep", "kept", "record", "sav", "process")
"""What a setting is about too: "your city is not shown" is what was wanted, unless it is a page that does not show."""
_PAGE_LIKE = frozenset(
    "page pages site website form settings preferences options screen server system link button menu dialog change "
    "changes request submission edit update content".split()
)
_NO_NOUN = frozenset("work working load loading open opening save saving saved go respond response".split())
"""What "no" denies in the English of some: "page no work"."""
_SPEAKING = frozenset("say report tell inform note mention".split())
_TELLING = frozenset("told tells asked asks says said".split())
_WANTING = frozenset("have had sorry must need regret want wish like has".split())
_MORE = frozenset("else other more further additional".split())
_REQUIRED = frozenset("something thing things field fields value values required information data some what".split())


@dataclass(frozen=True)
class Failure:
    """Words of a clause that say that something did not work.

    Args:
        start: The first of them.
        end: What comes after the last of them.
        weight: How much they say by themselves.
        of_page: Whether they say that a page was not there, not that something was not done.
    """

    start: int
    end: int
    weight: Weight = "plain"
    of_page: bool = False


def failures_in(words: tuple[str, ...], kind: str) -> Iterator[Failure]:
    """Yield what in a clause says that something did not work, and is not denied.

    Args:
        words: The words of the clause.
        kind: Kind of the fault. What is missing in a form counts by itself only where that is the fault.
    """
    for at, word in enumerate(words):
        if word in NEGATIONS or word == "unable":
            yield from _undone(words, at)
        elif not _denied(words, at):
            yield from _asserted(words, at, kind)


def _undone(words: tuple[str, ...], at: int) -> Iterator[Failure]:
    """Yield what is not done at a negation: "was not saved", "cannot open", "no token was created"."""
    if words[at] in ("no", "nothing", "none"):
        yield from _none_done(words, at)
    if words[at] in ("nothing", "none", "neither", "nor", "without", "zero", "free"):
        return
    end = at + 1
    while end < len(words) and words[end] in _BETWEEN:
        end += 1
    if end == len(words):
        return
    if words[end] in _PLACING and not {"get", "got", "getting"}.isdisjoint(words[at + 1 : end]):
        yield Failure(at, end)  # "cannot get to the page"
        return
    what, gap = words[end], words[at + 1 : end]
    if what == "done" and "yet" in words and not _is_by_agent(words, at):
        yield Failure(at, end + 1)
        return
    if words[at] == "no" and what not in _NO_NOUN:
        return
    if what in SERVED and words[at] != "unable":
        if not _is_kept_from(words, at, end):
            yield Failure(at, end + 1, of_page=True)
        return
    modal = words[at] == "unable" or not _MODALS.isdisjoint((*words[max(0, at - 1) : at], *gap))
    by_agent = _is_by_agent(words, at)
    succeeds = what.startswith(("manage", "succe", "let")) or not {"manage", "managed", "let", "get", "got"}.isdisjoint(gap)
    if what not in OF_PAGES and not (what in OF_AGENTS and (modal or succeeds or not by_agent)):
        return
    if by_agent and not modal and not succeeds:
        return  # what one did not do was one's choice
    present = words[max(0, at - 1) : at] in (("is",), ("are",), ("do",), ("does",), ("will",))
    if present and what.startswith(_EFFECTS) and at > 1 and _PAGE_LIKE.isdisjoint(words[:at]):
        return
    if modal and "again" in words[end + 1 : end + 3]:
        return
    if _is_kept_from(words, at, end) or _of_people(words, at) or not SYMPTOMS.isdisjoint(words[end + 1 : end + 4]):
        return
    chosen = what in LEFT_UNDONE and not modal
    weight: Weight = "bare" if chosen else "exact" if what.startswith(("sav", "stor")) else "plain"
    yield Failure(at, end + 1, weight, of_page=what.startswith(("load", "open", "show", "display", "appear")))


def _is_by_agent(words: tuple[str, ...], at: int) -> bool:
    """Whether it is the agent that did not: "I did not"."""
    return not FIRST_PERSON.isdisjoint(words[max(0, at - 2) : at])


def _none_done(words: tuple[str, ...], at: int) -> Iterator[Failure]:
    """Yield "nothing was saved", "no token was created", "stored nothing", "had no effect"."""
    rest = words[at + 1 : at + 7]
    if rest[:1] == ("effect",) or (rest[:1] in (("luck",), ("success",), ("avail",)) and words[at - 1 : at] != ("without",)):
        yield Failure(at, at + 2)
        return
    if not _MORE.isdisjoint(rest[:2]) or "will" in words or "anymore" in words:
        return
    if at and words[at - 1] in OF_PAGES and words[at - 1].startswith(("sav", "stor", "kept")):
        yield Failure(at - 1, at + 1, "exact")
    for place, word in enumerate(rest):
        before = rest[place - 1] if place else ""
        if before in ("was", "were", "been", "has", "could", "got") or word in ("exists", "exist"):
            if word in OF_PAGES or word in OF_AGENTS:
                yield Failure(at, at + place + 2, "plain")
                return
            if word not in _BE:
                return


def _asserted(words: tuple[str, ...], at: int, kind: str) -> Iterator[Failure]:
    """Yield what says at a word that something did not work."""
    word, before, after = words[at], words[:at], words[at + 1 :]
    if word in FAILING:
        if not _is_done_by_one(words, at) and before[-1:] != ("to",):
            yield Failure(at, at + 1, of_page=word.startswith(_BROKEN))
    elif word in OUT_OF_ORDER:
        if not _is_kept_from(words, at, at + 1):
            yield Failure(at, at + 1, of_page=True)
    elif word in REFUSING:
        if not _is_done_by_one(words, at) and not {"i", "me"} & set(after[1:3]):
            yield Failure(at, at + 1, "exact")
    elif word in SYMPTOMS:
        if _is_met(words, at) and not _is_spoken_of(words, at):
            yield Failure(at, at + 1, "bare")
    elif word in CODES:
        if not after or after[0] in SYMPTOMS or after[0] in ("response", "page", "code", "status", "internal", "service", "bad", "from", "at", "when", "on", "and", "in", "the", "unprocessable", "for"):
            yield Failure(at, at + 1, "exact")
    elif word == "wrong":
        if before and before[-1] in ("went", "go", "goes", "going", "gone", "is", "was"):
            yield Failure(at - 1, at + 1, "exact")
    elif word == "maintenance":
        if before[-1:] and before[-1] in _MAINTAINED or not after or after[0] in _SERVICE:
            yield Failure(at, at + 1, "exact")
    elif word in ("maintained", "worked", "repaired", "serviced"):
        if before[-1:] == ("being",):
            yield Failure(at - 1, at + 1, "exact")
    elif word == "down":
        yield from _down(words, at)
    elif word == "out" and after[:2] in (("of", "service"), ("of", "order")):
        yield Failure(at, at + 3, "exact")
    elif word == "turned" and after[:1] == ("down",) and before[-1:] != ("i",):
        yield Failure(at, at + 2, "exact")
    elif word in LOST:
        if before and before[-1] in (*_BE, "got") and not _is_done_by_one(words, at):
            yield Failure(at, at + 1)
    elif word in MISSING:
        if kind == "missing" or not _REQUIRED.isdisjoint(words):
            yield Failure(at, at + 1, "exact" if not _REQUIRED.isdisjoint(words) else "plain")
    elif word == "closed" and before[-1:] in (("temporarily",), ("currently",), ("momentarily",)):
        yield Failure(at, at + 1, of_page=True)
    elif word == "later" and before[-2:] in (("come", "back"), ("try", "again")) and not _TELLING.isdisjoint(before):
        yield Failure(at, at + 1)
    elif kind == "missing" and word in ("left", "forgot") and not _REQUIRED.isdisjoint(after):
        yield Failure(at, at + 1)
    elif word == "unchanged" and before[-1:] != ("left",):
        yield Failure(at, at + 1, "bare")


def _down(words: tuple[str, ...], at: int) -> Iterator[Failure]:
    """Yield "is down", "went down": not "scrolled down", "down the page"."""
    before, after = words[:at], words[at + 1 :]
    if before and (before[-1] in _MOVING or "i" in before and before[-1] not in _BE):
        return
    if after and after[0] not in ("for", "due", "right", "currently", "now", "again", "today", "at", "and", "temporarily", "it", "so"):
        return
    if after[:1] == ("to",) or not before and not after:
        return
    yield Failure(at, at + 1, "exact", of_page=True)


def _denied(words: tuple[str, ...], at: int) -> bool:
    """Whether a negation stands before a word, or "none" after it."""
    before = words[max(0, at - 6) : at]
    if "far" in before and "from" in before:
        return True
    if words[at + 1 : at + 2] and words[at + 1] in ("none", "0", "no", "zero", "nil", "free", "nothing"):
        return True
    for place, word in enumerate(before):
        rest = before[place + 1 :]
        if word in NEGATIONS or word in ("0", "any"):
            if word in ("nothing", "no", "not") and ("but" in rest or "only" in rest or "except" in rest):
                continue
            if word == "not" and any(one in OF_PAGES or one in OF_AGENTS for one in rest) and words[at] not in SYMPTOMS:
                continue  # "could not save, failed": the negation has its own verb
            return True
    return "anymore" in words and words[at] not in ("down",)


def _is_done_by_one(words: tuple[str, ...], at: int) -> bool:
    """Whether the agent did it itself: "I refused the cookies", "I failed my exam"."""
    if at == 0:
        return words[1:2] != () and words[1] in ("the", "all", "your", "my", "any", "it", "them", "their", "its")
    by_subject = words[at - 1] in FIRST_PERSON and words[at + 1 : at + 2] != ("to",)
    return by_subject or words[at + 1 : at + 3] == ("by", "me")


def _is_kept_from(words: tuple[str, ...], start: int, end: int) -> bool:
    """Whether it is the effect of a setting: others cannot find something, or nobody can any more."""
    after, before = words[end : end + 4], words[:start]
    if after[:1] == ("you",) or not _LASTING.isdisjoint(words) or "longer" in words:
        return _PLACED.isdisjoint(before) or "by" in after
    others = any(word in PEOPLE or word in ("search", "public", "anyone") for word in after)
    return others and bool({"by", "to", "for"} & set(after))


def _of_people(words: tuple[str, ...], at: int) -> bool:
    """Whether others cannot do something."""
    return not PEOPLE.isdisjoint(words[:at])


def _is_met(words: tuple[str, ...], at: int) -> bool:
    """Whether there was an error: "got an error", "an error came up", "save error"."""
    before, after = words[max(0, at - 4) : at], words[at + 1 : at + 5]
    return not _HAD.isdisjoint(before) or not _CAME.isdisjoint(after) or len(words) <= 4


def _is_spoken_of(words: tuple[str, ...], at: int) -> bool:
    """Whether an error is only the subject of something: "check for errors", "error reports", "to fix errors"."""
    before, after = words[:at], words[at + 1 :]
    if after[:1] and after[0] in _BUILT and not (before and before[-1] in _HAD):
        return True
    near = before[-3:]
    for place, word in enumerate(near):
        if word == "to" and near[place + 1 : place + 2] not in ((), ("be",)):
            wants = words[at - len(near) + place - 1] in _WANTING if at > len(near) - place else False
            return not (near[place + 1] in _SPEAKING and wants)
    return words[0] == "of" or any(word in _GOVERNING for word in near[-2:])
