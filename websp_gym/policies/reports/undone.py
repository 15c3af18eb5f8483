"""What a clause says was not done: "was not saved", "cannot open", "no token was created"."""

from __future__ import annotations

from collections.abc import Iterator

from websp_gym.policies.reports.spots import BE, FailureSpot, Spot, Weight
from websp_gym.policies.reports.words import (
    FIRST_PERSON,
    GENERIC,
    LEFT_UNDONE,
    OF_AGENTS,
    OF_PAGES,
    PEOPLE,
    PLAIN,
    SERVED,
    SYMPTOMS,
    word_set,
)

BETWEEN = word_set(
    "be been being able to get got getting let me us properly fully actually really even yet have manage managed "
    "seem seems seemed want wanted it its quite just correctly completely currently at all in a any could"
)
"""Words that may come between a negation and its verb."""
_PLACING = word_set("the into past onto there that this my your through")
_MODALS = word_set("can could will would able unable")
_MANAGING = word_set("manage managed let get got")
_OF_OTHERS = word_set("nobody nothing none neither nor without zero free nil")
_NO_NOUN = word_set("work working load loading open opening save saving saved go respond response")
"""Verbs that "no" negates in some people's English: "page no work"."""
_PRESENT = word_set("is are do does will")
_EFFECTS = tuple(sorted(word_set("show display appear send sent store storing keep kept record sav process")))
"""Verbs that settings also use: "your city is not shown" is the intended effect, unless a page is not shown."""
PAGE_LIKE = word_set(
    "tab section list page pages site website form settings preferences options screen server system link button "
    "menu dialog change changes request submission edit update content"
)
_VISITED = word_set("find found see seen view viewed read use used shown displayed")
_FOR_NOW = word_set("moment currently temporarily right")
_STATES = tuple(
    sorted(
        word_set(
            "enabl disabl activat deactivat select choose chose set switch turn toggle check opt sign log read"
        )
    )
)
_PAST = word_set("was were did has have had been")
_SAVED = ("sav", "stor", "kept")
_OPENED = ("load", "open", "show", "display", "appear")
_MORE = word_set("else other more further additional")
_COME_TO_BE = word_set(
    "saved stored kept loaded accepted submitted recorded registered applied processed created generated "
    "requested updated exists exist"
)
_SHOWN = word_set("shown displayed sent")
_DONE = word_set("was were been has could got")


def undone(spot: Spot) -> Iterator[FailureSpot]:
    """Yield what was not done at a negation."""
    if spot.word in ("no", "nothing", "none"):
        yield from _none_done(spot)
    if spot.word in _OF_OTHERS:
        return
    end = next((at for at in range(spot.at + 1, len(spot.words)) if spot.words[at] not in BETWEEN), None)
    if end is None:
        return
    verb, gap = Spot(spot.words, end), spot.words[spot.at + 1 : end]
    by_agent = spot.has_before(FIRST_PERSON, 2)
    if verb.word in _PLACING and not {"get", "got", "getting"}.isdisjoint(gap):
        yield FailureSpot(spot.at, end)  # "cannot get to the page"
    elif verb.word == "done" and "yet" in spot.words and not by_agent:
        yield FailureSpot(spot.at, end + 1)
    elif spot.word == "no" and verb.word not in _NO_NOUN:
        return
    elif verb.word in SERVED and spot.word != "unable":
        if not verb.is_kept_from and (verb.word, verb.following) != ("up", "to"):
            yield FailureSpot(spot.at, end + 1, of_page=True)
    elif not _is_wanted(spot, verb):
        modal = spot.word == "unable" or not _MODALS.isdisjoint((spot.last, *gap))
        manages = verb.word.startswith(("manage", "succe", "let")) or not _MANAGING.isdisjoint(gap)
        yield from _not_done(spot, verb, able=modal or manages, modal=modal, by_agent=by_agent)


def _not_done(spot: Spot, verb: Spot, *, able: bool, modal: bool, by_agent: bool) -> Iterator[FailureSpot]:
    """Yield that a verb was not done. What the agent did not do was its choice, unless it was not able to."""
    if verb.word not in (OF_PAGES | OF_AGENTS) or (by_agent and not able):
        return
    if verb.word.startswith(_STATES) and not able and spot.last not in _PAST:
        return  # "not enabled" is how a setting is
    if modal and verb.has_after(("again",), 2):
        return  # "cannot be shown again"
    if verb.word in LEFT_UNDONE and not able and spot.last in BE:
        return  # "was not changed" is what an agent may have left as it was
    weight: Weight = "exact" if verb.word.startswith(_SAVED) else "plain"
    yield FailureSpot(spot.at, verb.at + 1, weight, of_page=verb.word.startswith(_OPENED))


def _is_wanted(spot: Spot, verb: Spot) -> bool:
    """Whether it is what a setting is for, or what others cannot do, or an error that is not there."""
    people = PEOPLE - {"you"} if "sent" in spot.before else PEOPLE
    if verb.is_kept_from or not people.isdisjoint(spot.before) or verb.has_after(SYMPTOMS, 3):
        return True
    page = not PAGE_LIKE.isdisjoint(spot.before)
    if spot.last == "can" and verb.last == "be" and verb.word in _VISITED:
        return not page and _FOR_NOW.isdisjoint(spot.words)
    if spot.last == "can" and verb.last != "be" and len(spot.before) > 1:
        return not page and (FIRST_PERSON | {"it"}).isdisjoint(spot.before)
    if spot.last not in _PRESENT or not verb.word.startswith(_EFFECTS) or spot.at < 2:
        return False
    thing = next((word for word in verb.after[:3] if word not in PLAIN), "")
    return not page or bool(thing and thing not in GENERIC)


def _none_done(spot: Spot) -> Iterator[FailureSpot]:
    """Yield "nothing was saved", "no token was created", "stored nothing", "had no effect"."""
    if spot.following in ("effect", "luck", "success"):
        yield spot.failure(on=1)
        return
    if (
        spot.has_after(_MORE, 2)
        or spot.has_after(SYMPTOMS | {"maintenance"}, 3)
        or "will" in spot.words
        or "anymore" in spot.words
    ):
        return
    if spot.last in OF_PAGES and spot.last.startswith(_SAVED):
        yield spot.failure(back=1, weight="exact")
    for place, word in enumerate(spot.after[:6]):
        before = spot.after[place - 1] if place else ""
        if before in _DONE or word in ("exists", "exist"):
            if word in _COME_TO_BE or (word in _SHOWN and spot.word == "nothing"):
                yield spot.failure(on=place + 1)
                return
            if word not in BE:
                return
