"""From a text to its clauses, and which of them state that something happened."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from websp_gym.policies.reports.words import NEGATIONS, spelled, with_leaving, word_set

LABEL = "§"
"""Prefix of a word that is a quoted name, such as the label of a switch."""
_ADDRESS = r"(?:https?://[^\s,;\"')]+|(?<![\w@])(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/[^\s,;\"')]*)?|(?<!\S)/[a-z0-9][^\s,;\"')]*)"
_TOKEN = re.compile(rf"{_ADDRESS}|{LABEL}[^{LABEL}]*{LABEL}|\d[\d.,]*\d|\w+(?:'s\b)?|->|[^\w\s]|\n")
_QUOTED = re.compile(
    r"\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”|«([^»\n]{1,200})»|(?<![\w])'([^'\n]{2,200})'(?!\w)"
)
_NOT = re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should|ca|wo|must|might)n'?t\b")
_WHOLE = {"ca": "can", "wo": "will"}
_SAYING = re.compile(
    r"(?:\b(?:say|says|said|saying|show|shows|showed|shown|answer|answers|answered|report|reports|reported"
    r"|read|reads|claim|claims|claimed|state|states|stated|return|returns|returned|respond|responds|responded|display|displays"
    r"|displayed|message|notice|error|with|get|gets|got|getting|giving|gave|gives|only|is|saw|me|see|banner|page"
    r"|about|that|screen|text|note|heading|title|titled|a|an|the)|[,:(=>\-–—])\s*$"
)
"""What precedes words that a page says, rather than a name."""
_ENDS = frozenset(".!?\n")
_BREAKS = frozenset(",:;()[]–—|/=>") | {"->", "-"}
_JOINING = word_set(
    "but however although though because since so while whereas then until and thus therefore"
)
_SUBORDINATE = word_set(
    "if unless whether that which who whom whose what how why where when whenever before after incase as"
)
_DOUBTING = word_set("if unless whether incase")
_OF_PEOPLE = word_set("who whom whose")
_EXPLAINING = word_set(
    "explains explain explained describes describe described policy policies article guide instructions "
    "instruction rules untrue doubt wonder review reviewer comment author reader seller customer forum story"
)
_WISHING = word_set("might may would should will shall could ought")
_ASKING = word_set(
    "is are was were do does did has have can could would will shall should may might what why how which who when "
    "where"
)
_OFFERING = word_set("the a an any this that your my i we you it there")
_ORDERS = word_set(
    "report tell say inform check make do ensure avoid claim try retry wait click press open go use look ask stop "
    "keep let give contact save send reload refresh remember imagine suppose assume handle fix expect watch warn "
    "notify alert remind"
)
_INTRO = word_set("or please also then just always never and kindly simply first")
_OBJECTS = word_set(
    "any the a an me us it that if when your my our for to user users all every errors not again what whether "
    "them him her this about on no"
)
_PRESENT = word_set("is are fails fail goes does do happens occurs shows gives breaks crashes isn stops")
_GOING_ON = word_set("and but or") | {","}
_FINITE = word_set("is are was were has have had do does did can could will would not never")
_MEANT = word_set("you asked wanted requested instructed desired wished agreed planned told")
_KINDS = word_set("page form site website server request button link setting switch")
_TELLING = word_set(
    "told tell tells telling said say says saying informed warned shown shows show showed see saw seen hear heard "
    "read message notice note sign evidence indication hint word banner"
)
"""Words that, if denied, say that no fault was noticed."""
_OTHERS = word_set("user you he she they someone somebody people customer friend colleague host owner")
_SAID = word_set(
    "complained said told mentioned reported claimed warned wrote noted feared thought say says complain report"
)
_EXPECTED = word_set("expected thought feared assumed believed supposed imagined hoped dreaded")
_OF_SITES = word_set("page site website server message notice banner it form dialog")
_NOTHING = word_set("none 0 no zero nil nothing")
_SAME = word_set("no without neither any nor")


@dataclass(frozen=True)
class Clause:
    """One clause of a text.

    Args:
        words: Its words, in lower case.
        stated: Whether it states what happened, not what is asked, ordered, planned or merely possible.
        sentence: Number of its sentence.
        opens: The word that joins it to the previous clause; empty if none.
    """

    words: tuple[str, ...]
    stated: bool
    sentence: int
    opens: str = ""


@lru_cache(256)
def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a text, in order."""
    found: list[Clause] = []
    for number, (tokens, asks) in enumerate(_sentences(_plain(text))):
        found += _judged(list(_split(tokens)), asks, number)
    return tuple(found)


def _plain(text: str) -> str:
    """Return a text in small letters, with negations as words of their own and quoted names in one piece."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").replace("`", '"')
    text = _QUOTED.sub(lambda quoted: _of_quote(text, quoted), text)
    text = _NOT.sub(lambda found: f"{_WHOLE.get(found[1], found[1])} not", text)
    text = text.replace("cannot", "can not").replace("in case", "incase").replace("thru", "through")
    text = re.sub(r"\bcant\b", "can not", text)
    text = re.sub(r"\b(time[sd]?) ?-?out\b", "timeout", text)
    text = re.sub(r"\bany ?(?:more|longer)\b", "anymore", text)
    return with_leaving(text)


def _of_quote(text: str, quoted: re.Match[str]) -> str:
    """Return what a page said as sentences of their own, and a quoted name as one word."""
    inside = next(group for group in quoted.groups() if group is not None)
    before = text[: quoted.start()].rstrip(" \t")
    if not before or before[-1] in ".!?\n" or _SAYING.search(before[-20:]):
        return f". {inside} . "
    return f" {LABEL}{inside.replace(LABEL, '')}{LABEL} "


def _sentences(text: str) -> Iterator[tuple[list[str], bool]]:
    """Yield the tokens of each sentence, and whether it is a question."""
    tokens: list[str] = []
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in _ENDS:
            if tokens:
                yield tokens, token == "?"
            tokens = []
        elif token[0] == LABEL:
            tokens.append(token.strip(LABEL + " ") and LABEL + token.strip(LABEL + " "))
        elif "." in token or token.startswith("/") or "://" in token:
            tokens.append(token.rstrip(".:!?"))
        elif token[0].isalnum():
            tokens.append(spelled(token.removesuffix("'s")))
        elif token in _BREAKS and not (token == "-" and text[max(0, found.start() - 1)].isalnum()):
            tokens.append(token)
    if tokens:
        yield tokens, False


def _split(tokens: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield clauses, each with the word that joins it to the one before."""
    opens, words = "", list[str]()
    for at, token in enumerate(tokens):
        following = tokens[at + 1 : at + 4]
        if token in _BREAKS:
            if (
                token in (":", "=", ",")
                and following[:1]
                and following[0] in _NOTHING
                and len(words) < 3
                and token != ","
            ):
                continue
            if words:
                yield opens, words
            opens, words = "" if token != "," else ",", []
        elif token in _JOINING or (token in _SUBORDINATE and words):
            if (token == "and" and _goes_on(words, tokens[at + 1 :])) or (
                token == "but" and words[-1:] == ["nothing"]
            ):
                words.append(token)
                continue
            if words:
                yield opens, words
            opens, words = token, []
        elif token in _SUBORDINATE:
            opens = token
        elif token.strip():
            words.append(token)
    if words:
        yield opens, words


def _goes_on(words: list[str], rest: list[str]) -> bool:
    """Whether "and" goes on with what was denied before: "without errors and problems"."""
    end = next((at for at, token in enumerate(rest) if token in _BREAKS or token in _JOINING), len(rest))
    return end <= 3 and any(word in _SAME for word in words)


def _judged(parts: list[tuple[str, list[str]]], asks: bool, number: int) -> list[Clause]:
    """Return clauses with what they state. What a clause is subordinate to decides about it too."""
    found: list[Clause] = []
    if any(opens == "as" and words[0] in _MEANT for opens, words in parts):
        return [Clause(tuple(words), False, number, opens) for opens, words in parts]  # "…, as you wanted"
    # "A push is refused if it shows your address" tells of no push; "it fails if I save" does.
    conditional = any(opens == "if" and "i" not in words[:2] for opens, words in parts)
    main, before = True, list[str]()
    for at, (opens, words) in enumerate(parts):
        if opens in _GOING_ON and words[0] in _FINITE:
            words = _subject_of(before) + words
        before = words
        stated = (
            not (_only_possible(words) or _is_expected(words))
            and opens not in _DOUBTING
            and opens not in _OF_PEOPLE
        )
        if opens not in _SUBORDINATE:
            joined = parts[at + 1][0] if at + 1 < len(parts) else ""
            stated = stated and not (_orders(words, joined) or _inverted(words) or _is_general(words))
            stated = stated and not (conditional and not _PRESENT.isdisjoint(words))
            main = stated and _EXPLAINING.isdisjoint(words) and not {"not", "true"} <= set(words)
        else:
            under = found[-1].stated if found and found[-1].opens in _DOUBTING else True
            stated = stated and main and under and words[0] != "to"
            if opens == "that" and found and _is_no_news(list(found[-1].words)):
                stated = False
        if opens in ("when", "whenever") and not _PRESENT.isdisjoint(words):
            stated = False  # what is so whenever it is so
        if asks and (at == len(parts) - 1 or words[0] in _ASKING or opens in _ASKING):
            stated = False
        found.append(Clause(tuple(words), stated, number, opens))
        if words[0] in _SAID and not _OTHERS.isdisjoint(words[1:4]):  # "..., says a friend"
            found = [replace(each, stated=False) for each in found]
    return found


def _is_no_news(words: list[str]) -> bool:
    """Whether what follows "that" is only denied, expected, or said by others: "nobody told me that ..."."""
    if not NEGATIONS.isdisjoint(words) and not _TELLING.isdisjoint(words):
        return True
    if "heard" in words or ("told" in words and "by" in words and _OF_SITES.isdisjoint(words)):
        return True
    said = [
        word for word in words if word not in ("once", "also", "already", "had", "have", "has", "earlier")
    ]
    return _is_expected(words) or any(one in _OTHERS and what in _SAID for one, what in pairwise(said))


def _is_expected(words: list[str]) -> bool:
    """Whether a clause says what the agent expected: "I thought the page was down"."""
    at = next((at for at, word in enumerate(words[:4]) if word in ("i", "we")), None)
    return at is not None and not _EXPECTED.isdisjoint(words[at + 1 : at + 4])


def _subject_of(words: list[str]) -> list[str]:
    """Return what a clause is about: "the token" of "the token is new"; so is "and cannot …" after it."""
    if words[:1] == ["i"] or words[:1] == ["we"]:
        return words[:1]
    end = next((at for at, word in enumerate(words) if word in _FINITE), None)
    return words[:end] if end is not None else []


def _only_possible(words: list[str]) -> bool:
    """Whether a clause says what may be or will be. What "could not" or "will not" be done was not done."""
    for at, word in enumerate(words):
        if word in _WISHING:
            after = words[at + 1 : at + 2]
            if after == ["not"] and word in ("could", "would", "will") and words[at + 2 : at + 3] != ["have"]:
                continue
            return True
    return False


def _inverted(words: list[str]) -> bool:
    """Whether a clause begins like "had the page been down" or "should it fail"."""
    if words[0] == "had" and "been" not in words:
        return False
    return len(words) > 2 and words[0] in ("had", "should", "were") and words[1] in _OFFERING


def _is_general(words: list[str]) -> bool:
    """Whether a clause is about any of its kind: "a form without a name is rejected"."""
    return (
        words[0] in ("a", "an") and words[1:2] != [] and words[1] in _KINDS and not _PRESENT.isdisjoint(words)
    )


def _orders(words: list[str], joined: str) -> bool:
    """Whether a clause tells somebody to do something; ``joined`` opens the clause after it."""
    at = next((at for at, word in enumerate(words) if word not in _INTRO), len(words))
    if at == len(words) or words[at] not in _ORDERS:
        return False
    return words[at + 1] in _OBJECTS if at + 1 < len(words) else joined in _SUBORDINATE
