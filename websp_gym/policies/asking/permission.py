"""Where in a sentence somebody asks for consent: patterns of the words' roles, not of the words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from websp_gym.policies.asking.lexicon import CLASSES, is_adverb

_VIEW = "[AVWPO]"
"""The user's view: what is fine, agreed to, wished, a permission, an objection."""
_ALWAYS = (
    r"[hqWg][zgJyct]{0,4}P[cCtNxz]",  # I need your consent to
    r"VtI[mub]",  # confirm that I may
    # I wonder whether I may
    r"[qVW][^,w]{0,4}?C(?:In?[mub]|tn?[mub][^,]{0,3}?A|y[mub]?n?[^,]{0,2}?[AVW])",
    r"(?:^|,)(?:(?:[mu]yW?[bt]?A?)?e|[mu]y)[muye]*V[JICtcz]",  # please confirm that
    r"(?:^|,)(?:[md]I(?=[x])|y[PA]cJ)",  # shall I; you ok with me
)
_ASKED = (
    r"mn?I",  # may I
    r"[ud]yhJ",  # would you have me
    r"[dh]n?I",  # do I (have your consent)
    r"bn?In?(?:[AV]|c)",  # am I allowed
    rf"[mudbh]n?yn?[^,wIN]{{0,3}}?{_VIEW}",  # would you mind
    r"(?:^|,)(?:m(?=x)|[mb]A(?=[cCt]))",  # can hide them; is possible that
    r"(?:^|,)tb?A(?=[IcCtJ])",  # it is ok that
    rf"[mudb]n?t(?:cy)?[^,wIyN]{{0,5}}?{_VIEW}",  # is it all right
    r"[mudb]n?z{1,2}[POW]",  # is it your wish
    rf"(?:^|,)[cz]*(?:{_VIEW}(?=[cCIJtyz])|W[JIt])",  # ok to; want me to
    r"(?:^|,)y[mubd]?n?[AVW]",  # you agree that
    r"(?:^|,)(?:w(?:[ud]y[xW]?)?k|wn)",  # how about; why not
    r"I(?:bA|m)(?=.)",  # the day on which I may
)
_CONDITION = re.compile(rf"(?:[CwS]|^[mu]|,[mu])(?:y|t)[mub]?n?[^,w]{{0,3}}?{_VIEW}|c[zJ]*P|[cg]y[AVP]")
"""What makes a statement a request: "if you agree", "with your permission", "should you wish"."""
NAME = "N"


@dataclass(frozen=True)
class Marker:
    """Where asking begins, and what comes after it."""

    start: int
    end: int
    wishes: bool
    """Whether it asks what the user wants, so that only what somebody else does for them is a request."""
    bare: bool
    """Whether it is only a verb such as "can", so that the act follows directly."""
    supposes: bool
    """Whether it ends in "if"."""
    told: bool
    """Whether it says that somebody asks, so that it matters who: "I wonder whether"."""


def markers(plain: Sequence[str], *, asked: bool) -> list[Marker]:
    """Return where asking begins in the words of a sentence.

    Args:
        plain: The words.
        asked: Whether it is a question.
    """
    letters, places = _classes(plain)
    found: list[Marker] = []
    for match in _pattern(asked=asked).finditer(letters):
        start, end = match.start() + (match.group()[0] == ","), match.end()
        if match.group().startswith("I") and found:
            continue  # "may I remove it, as I can add it again"
        if match.group().startswith("I") and "y" in letters[:start].rpartition(",")[2]:
            continue  # "do you think I should remove it"
        if "n" in letters[max(0, start - 3) : start] and letters[start] in "qWhg":
            continue  # "I do not need your consent"
        if letters[start] == "h" and letters[:start].endswith("dI") and plain[places[start]] == "need":
            continue  # "do I need your consent"
        wishes = letters[end - 1] == "W" or (letters[end - 1] == "A" and "y" in letters[start:end])
        found.append(
            Marker(
                places[start],
                places[end - 1] + 1,
                wishes,
                letters[start:end] == "m",
                letters[end - 1] == "C" or letters[end : end + 1] == "C",
                letters[start] in "hqVWg",
            )
        )
    return found


def has_condition(plain: Sequence[str], *, denied: bool = False) -> bool:
    """Whether words have a condition by which a statement asks: "if you agree", "with your permission".

    Args:
        plain: The words.
        denied: Whether the statement says what is not done, as in "I will not do it unless you agree".
    """
    letters, _ = _classes(plain)
    match = _CONDITION.search(letters)
    return match is not None and (denied or not {"unless", "until"} & set(plain))


def _classes(plain: Sequence[str]) -> tuple[str, list[int]]:
    """Return the classes of words, one letter each, without adverbs; and where each stands."""
    found = [(letter, at) for at, word in enumerate(plain) if (letter := _class(word)) != "r"]
    for number, (_, at) in enumerate(found[1:], 1):
        if plain[at] in ("ok", "okay") and found[number - 1][0] == "z":
            found[number] = ("P", at)  # "your ok"
    return "".join(letter for letter, _ in found), [at for _, at in found]


def _class(word: str) -> str:
    return CLASSES.get(word, "r" if is_adverb(word) else "x")


@cache
def _pattern(*, asked: bool) -> re.Pattern[str]:
    return re.compile("|".join([*_ALWAYS, *(_ASKED if asked else ())]))
