"""What a clause says was wrong: "failed", "is down", "got an error", "something is missing"."""

from __future__ import annotations

from collections.abc import Iterator

from websp_gym.policies.reports.spots import BE, FailureSpot, Spot
from websp_gym.policies.reports.undone import BETWEEN, PAGE_LIKE
from websp_gym.policies.reports.words import (
    CODES,
    FAILING,
    LOST,
    MISSING,
    NEGATIONS,
    OF_AGENTS,
    OF_PAGES,
    OUT_OF_ORDER,
    PEOPLE,
    PLAIN,
    REFUSING,
    SYMPTOMS,
    word_set,
)

_HAD = word_set(
    "was were is got get gets getting received had has have hit met encountered saw faced into with returned "
    "returns showed shows show shown gave gives giving threw throws produced produces displayed displays reported "
    "reports answered said says be having resulting resulted led leads raised raises ended ran"
)
_CAME = word_set("came comes come appeared appears occurred occurs happened popped shown displayed returned")
_MAINTAINED = word_set("under for doing in undergoing during of having by has a to due into the with")
_SERVICE = word_set(
    "on at in for since work works message notice screen page mode note window text banner there now"
)
_OF_CODE = word_set(
    "response page code status internal service bad from at when on and in the unprocessable for was came "
    "appeared"
)
_OUT_OF_USE = (("of", "service"), ("of", "order"), ("of", "action"), ("of", "use"))
_MENDED = word_set("maintained worked repaired serviced fixed")
_MENDING = word_set("maintaining servicing repairing fixing")
_COUNTED = word_set("the a an some any one two three four five several many")
_TRIES = word_set("attempt attempts try tries save request submission load")
_MOVING = word_set(
    "scroll scrolls scrolled scrolling narrow narrowed narrowing cut cuts step drop i we go going slow slowed way "
    "further arrow press pressed up calm move moved taken"
)
_DOWN = word_set("for due right currently now again today at and temporarily it so")
_BUILT = word_set("reports report alerts alert mails mail notifications handling settings emails logs log")
_GOVERNING = word_set(
    "about for avoid prevent fix handle report check against despite expected expect feared fear"
)
_BEGUN = word_set("with at on in when while opening saving")
_BASES = word_set("refuse reject decline deny complain bounce")
_BROKEN = ("crash", "br", "hung", "fr", "stall", "stuck")
_SPEAKING = word_set("say report tell inform note mention")
_COMING_BACK = (("come", "back"), ("try", "again"))
_TELLING = word_set("told tells asked asks says said")
_WANTING = word_set("have had sorry must need regret want wish like has")
_LEAVING = word_set("left leave stay stays remain remains keep kept i we")
_NO_VERB = word_set("be a an the some")
_REQUIRED = word_set("something thing things field fields value values required information data some what")
_FOR_NOW = word_set("temporarily currently momentarily")
_MENDING_TIMES = word_set(
    "maintenance now repair repairs moment works service servicing update updates construction"
)
_RIGHT_NOW = word_set("right temporarily currently due today because")
_SITES = word_set("page site website section server form")
_NONE = word_set("none 0 no zero nil free nothing")


def asserted(spot: Spot, kind: str) -> Iterator[FailureSpot]:
    """Yield what says at a word that something was wrong, unless it is denied."""
    for failure in (*_of_verbs(spot), *_of_sites(spot), *_of_forms(spot, kind)):
        if not _is_denied(spot):
            yield failure


def _is_denied(spot: Spot) -> bool:
    """Whether a negation stands before a word, or "none" after it."""
    before = spot.before[-6:]
    if {"far", "from"} <= set(before) or spot.following in _NONE:
        return True
    for place, word in enumerate(before):
        if word not in NEGATIONS and word not in ("0", "any"):
            continue
        rest = before[place + 1 :]
        if word in ("nothing", "no", "not") and not {"but", "only", "except"}.isdisjoint(rest):
            continue
        own = next((one for one in rest if one not in BETWEEN), "")
        if word != "not" or spot.word in SYMPTOMS or own not in (OF_PAGES | OF_AGENTS):
            return True  # else the negation has a verb of its own: "could not save, failed"
    return "anymore" in spot.words and spot.word != "down"


def _of_verbs(spot: Spot) -> Iterator[FailureSpot]:
    word = spot.word
    if word in FAILING and not (spot.is_ones_own or spot.last == "to" or _is_attribute(spot)):
        yield spot.failure(of_page=word.startswith(_BROKEN))
    elif (
        word in REFUSING
        and (word not in _BASES or spot.last in BE)
        and not (spot.is_ones_own or (word.startswith("complain") and spot.has_before(PEOPLE | {"user"}, 3)))
        and spot.after[1:2] not in (("i",), ("me",))
    ):
        yield spot.failure(weight="exact", of_page=True)
    elif word == "turned" and spot.following == "down" and spot.last != "i":
        yield spot.failure(on=1, weight="exact", of_page=True)
    elif word in LOST and not spot.is_ones_own and not (PAGE_LIKE | {"it", "they"}).isdisjoint(spot.words):
        if spot.last in (*BE, "got") or spot.following in ("my", "the", "your"):
            yield spot.failure()
    elif word == "wrong" and spot.last in ("went", "go", "goes", "going", "gone", "is", "was"):
        yield spot.failure(back=1, weight="exact")
    elif word == "unchanged" and not spot.has_before(_LEAVING, 6):
        yield spot.failure(weight="bare")
    elif word == "later" and spot.before[-2:] in _COMING_BACK and not _TELLING.isdisjoint(spot.before):
        yield spot.failure()


def _of_sites(spot: Spot) -> Iterator[FailureSpot]:
    word = spot.word
    if word in OUT_OF_ORDER and not spot.is_kept_from:
        yield spot.failure(of_page=True)
    elif word in SYMPTOMS and _is_met(spot) and not _is_spoken_of(spot):
        yield spot.failure(weight="bare")
    elif word in CODES and (spot.following in SYMPTOMS | _OF_CODE or not spot.following.isalpha()):
        yield spot.failure(weight="exact")
    elif word == "maintenance":
        if spot.last in _MAINTAINED or not spot.after or spot.following in _SERVICE:
            yield spot.failure(weight="exact")
    elif (word in _MENDED and spot.last == "being") or (word in _MENDING and spot.last in BE):
        yield spot.failure(back=1, weight="exact")
    elif word in ("repair", "construction") and spot.last == "under":
        yield spot.failure(back=1, weight="exact", of_page=True)
    elif word == "down" and _is_down(spot):
        yield spot.failure(weight="exact", of_page=True)
    elif word == "out" and spot.after[:2] in _OUT_OF_USE:
        yield spot.failure(on=2, weight="exact", of_page=True)
    elif word == "closed" and (spot.last in _FOR_NOW or _is_closed_for_now(spot)):
        yield spot.failure(of_page=True)


def _of_forms(spot: Spot, kind: str) -> Iterator[FailureSpot]:
    """Yield what says that something was missing in a form; by itself only where that is the fault."""
    if spot.word in MISSING and (kind == "missing" or not _REQUIRED.isdisjoint(spot.words)):
        yield spot.failure(of_page=True)
    elif spot.word in ("left", "forgot") and kind == "missing" and not _REQUIRED.isdisjoint(spot.after):
        yield spot.failure()


def _is_attribute(spot: Spot) -> bool:
    """Whether it only says which one: "three failed sign-ins"."""
    counted = spot.last in _COUNTED or spot.last.isdigit()
    return counted and spot.following not in PLAIN | _TRIES and spot.following != ""


def _is_down(spot: Spot) -> bool:
    """Whether "down" is no direction: "is down", "went down", but not "scrolled down", "down the page"."""
    if spot.last in BE:
        return spot.following != "to"
    if spot.last in _MOVING or "i" in spot.before:
        return False
    return spot.following in _DOWN if spot.after else bool(spot.before)


def _is_closed_for_now(spot: Spot) -> bool:
    """Whether "closed" says that a page is not there now: "is closed for maintenance", "the site is closed"."""
    if spot.last not in BE or spot.following == "by":
        return False
    if spot.following == "for":
        return not _MENDING_TIMES.isdisjoint(spot.after[1:4])
    return spot.following in _RIGHT_NOW or (not spot.after and not _SITES.isdisjoint(spot.before[-3:]))


def _is_met(spot: Spot) -> bool:
    """Whether there was an error: "got an error", "an error came up", "save error"."""
    if not spot.before and spot.following in _BEGUN:
        return True
    return spot.has_before(_HAD, 4) or spot.has_after(_CAME, 4) or len(spot.words) <= 4


def _is_spoken_of(spot: Spot) -> bool:
    """Whether an error is only the subject of something: "check for errors", "error reports", "to fix errors"."""
    if spot.last.startswith("open") or any(word.isdigit() for word in spot.before[-2:]):
        return True  # "12 open issues"
    if spot.following in _BUILT and spot.last not in _HAD:
        return True
    near = spot.words[max(0, spot.at - 3) : spot.at]
    if "to" in near[:-1] and (verb := near[near.index("to") + 1]) not in _NO_VERB:
        wanting = spot.words[spot.at - len(near) + near.index("to") - 1]
        return not (verb in _SPEAKING and wanting in _WANTING)
    return spot.words[0] == "of" or spot.has_before(_GOVERNING, 2)
