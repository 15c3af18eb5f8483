"""What statements say that somebody is about to do, or has done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from websp_gym.policies.asking.acts import Act, Phrase, listed
from websp_gym.policies.asking.clauses import Clause, tails
from websp_gym.policies.asking.lexicon import HARMLESS, LITTLE, NOUNS, VAGUE, VERB_STEMS
from websp_gym.policies.asking.phrases import INTENDING
from websp_gym.policies.asking.reader import acts_in
from websp_gym.policies.asking.words import SAME_IN_THE_PAST, Word, is_past, is_progressive, stem

OPENERS = frozenset(
    [
        "so",
        "and",
        "then",
        "now",
        "also",
        "ok",
        "well",
        "hi",
        "hello",
        "hey",
        "please",
        "just",
        "first",
        "next",
        "finally",
        "quickly",
        "sorry",
        "therefore",
        "thus",
        "or",
    ]
)
OTHERS = frozenset(
    [
        "there",
        "this",
        "that",
        "you",
        "he",
        "she",
        "they",
        "who",
        "support",
        "it",
        "somebody",
        "someone",
        "nobody",
    ]
)
"""Subjects whose acts are not the agent's."""
_FINITE = frozenset(("would", "will", "can", "could", "is", "was", "may", "might", "has", "does"))
_MOST_BARE = 14
"""Words of a clause without a verb that names one value; a list has more."""
_PERFECT = frozenset(("have", "had", "has"))


def intended(clause: Clause) -> tuple[list[Act], bool]:
    """Return the acts that a statement says somebody is about to do, and whether it reports some as done instead."""
    plain = clause.plain
    for at in range(len(plain)):
        ends = [
            form.end(plain, at) for form in INTENDING if not form.first or at == 0 or plain[at - 1] == ","
        ]
        end = max((each for each in ends if each is not None), default=None)
        if end is not None and "not" not in plain[max(0, at - 1) : end]:
            acts = [act for act in acts_in(clause.words[end:]) if act.verb.kinds]
            if acts and not is_report(clause.words[end:]):
                return acts, False
    words = list(clause.words)
    if _is_about_a_deed(words) or _is_denied(plain):
        return [], False
    if is_report(words) or is_past_tense(words):
        return [], True
    while words and words[0].text in OPENERS | {"i", "we", "me"} and not words[0].name:
        words = words[1:]
    acts = [act for act in acts_in(words) if act.verb.kinds] if words and words[0].text not in OTHERS else []
    acts = acts or _said_late(clause.words) or _by_a_noun(clause.words)
    for part in () if acts else list(tails(clause))[1:]:
        acts = acts or [
            act for act in acts_in(part.words) if act.verb.kinds and part.plain[0] not in OTHERS | {"i", "we"}
        ]
    if all(act.by_name for act in acts):
        acts = [*acts, *_bare(words)]
    return acts, False


def _is_about_a_deed(words: Sequence[Word]) -> bool:
    """Whether words say something of a deed and not that it is to be done: "removing it would be final"."""
    plain = [word.text for word in words if not word.name]
    return bool(words) and is_progressive(words[0].text) and bool(_FINITE & set(plain)) and "," not in plain


def _is_denied(plain: Sequence[str]) -> bool:
    """Whether somebody says what they do not do."""
    said = " ".join(plain).rpartition(" , ")[2]
    return any(
        f"{who} {verb} not" in said
        for who in ("i", "we")
        for verb in ("will", "do", "would", "shall", "am", "did", "have")
    )


def _bare(words: Sequence[Word]) -> list[Act]:
    """Return what words without a verb ask to set: "personalized ads off", "the license to MIT"."""
    if OTHERS & {word.text for word in words[:2]}:
        return []
    parts = [part for part in listed(words, joints=()) if part]
    acts = [act for part in parts for act in acts_in(part, bare=True) if act.verb.turn is not None]
    if len(parts) > 1 and acts:
        return acts
    return acts_in(words, bare=True) if len(words) <= _MOST_BARE else []


def _by_a_noun(words: Sequence[Word]) -> list[Act]:
    """Return the act that a statement names by a noun: "this concerns the deletion of the account"."""
    for at, word in enumerate(words[:-1]):
        if word.text in NOUNS and words[at + 1].text == "of" and not word.name and not word.quotation:
            return [act for act in acts_in(words[at:]) if act.verb.kinds]
    return []


def _said_late(words: Sequence[Word]) -> list[Act]:
    """Return what "I" does in a clause that first names the thing: "the digest, I switch it off"."""
    for at, word in enumerate(words[1:], 1):
        if word.text in ("i", "we") and at + 1 < len(words):
            rest = words[at + 1 :]
            acts = [act for act in acts_in(rest) if act.verb.kinds]
            if acts and rest[0].stem in VERB_STEMS and not is_past_tense(rest) and not is_past(rest[0].text):
                return [_about(acts[0], words[:at]), *acts[1:]]
    return []


def _about(act: Act, before: Sequence[Word]) -> Act:
    """Return an act with the things that were named before it, if it names none itself."""
    if act.things and not all(phrase.refers_back for phrase in act.things):
        return act
    things = [Phrase(tuple(part)) for part in listed(before)]
    return replace(
        act, things=[phrase for phrase in things if phrase.says_something], said=(*act.said, *before)
    )


def is_past_tense(words: Sequence[Word]) -> bool:
    """Whether words begin with a verb in the past, with things after it: "signed out Safari a minute ago"."""
    words = [word for word in words if word.text not in OPENERS | {"i", "we"} or word.name]
    return (
        len(words) > 1
        and not words[0].name
        and is_past(words[0].text)
        and words[0].stem in VERB_STEMS
        and words[0].text not in SAME_IN_THE_PAST
    )


def is_report(words: Sequence[Word]) -> bool:
    """Whether words say that something has been done: "I have removed", "that I removed it", "was removed"."""
    texts = [word.text for word in words if not word.is_mark]
    while texts and texts[0] in (
        "i",
        "we",
        "that",
        "already",
        "just",
        "now",
        "so",
        "and",
        "also",
        "then",
        "support",
        "somebody",
        "someone",
    ):
        texts = texts[1:]
    stems_of = {word.text: word.stem for word in words}
    skipping = ("just", "already", "now", "also", "not", "been", "successfully", "since")
    if texts and texts[0] in _PERFECT | {"was", "were", "did"}:
        rest = [text for text in texts[1:] if text not in skipping]
        return bool(rest) and (
            is_past(rest[0]) or (texts[0] in ("have", "has") and stem(rest[0]) in VERB_STEMS)
        )
    said = [word.text for word in words[:4] if not word.is_mark]
    return (
        bool(texts)
        and texts[0] != (said[0] if said else "")
        and is_past(texts[0])
        and stems_of.get(texts[0]) in VERB_STEMS
    )


def is_vague(words: Sequence[Word]) -> bool:
    rest = [word for word in words if not word.is_mark and word.text not in LITTLE | VAGUE]
    return not [word for word in rest if word.stem not in HARMLESS or word.stem in VERB_STEMS] and not any(
        word.name or word.quotation for word in words
    )
