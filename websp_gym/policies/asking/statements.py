"""What statements say somebody is about to do, has done, or leaves alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from websp_gym.policies.asking.acts import Act
from websp_gym.policies.asking.lexicon import LIGHT, LITTLE, Verb, is_adverb, words_in
from websp_gym.policies.asking.parse import Part
from websp_gym.policies.asking.permission import has_condition
from websp_gym.policies.asking.sentences import NAME, Sentence
from websp_gym.policies.asking.tails import NO, by_name, is_break, stays
from websp_gym.policies.asking.verbs import BE, Head
from websp_gym.policies.asking.words import Word, is_past

_ME = frozenset(("i", "we", "me", "us", "my", "let"))
_ORDERING = words_in("ordering")
_PLANS = words_in("plans")
_WILL = words_in("will")
_DONE = frozenset(("was", "were", "been", "has", "had"))
_OPENERS = words_in("openers")
_AGO = words_in("ago")
_OTHERS = words_in("others")
_STATES = frozenset(("on", "off"))
_PAST = frozenset(("was", "were", "did", "had", "thank", "thanks", "went", "came"))
_SO_ALREADY = frozenset(("still", "already", "found", "saw", "seen", "noticed"))
"""Words by which a participle says what is so, and not what is to be done: "still connected"."""
_DEEDS = frozenset(("buy", "close_account", "publish"))
_PRESSING = frozenset(("pres", "click", "tap", "hit"))
_FINITE = words_in("being") | {"ends", "means", "affects"}


def intended(words: Sequence[Word]) -> tuple[list[Act], bool]:
    """Return the acts that a statement announces, and whether it says instead that they are done or denied."""
    part = Part(words)
    found: list[Act] = []
    closes = "done" in part.texts[-4 if "".join(part.texts[-1:]).isdigit() else -2 :]
    denied = part.texts[:1] == ["not"] and part.texts[1:] != ["yet"]
    denied = denied and not any(head.verb.kinds for head in part.heads)
    if denied or part.texts[-1:] == ["not"] or part.texts[-2:] == ["not", "to"]:
        return [], True  # "but I would rather not"
    if part.heads and _is_order(part, part.heads[0]):
        return [], False
    leading = {one.at for one, other in pairwise(part.heads) if part.leads_to(one, other)}
    for head in part.heads:
        if (
            not head.verb.kinds
            or head.at in leading
            or any(word is part.words[head.at] for act in found for word in act.said)
        ):
            continue
        match _mood(part, head, part.texts[_start(part, head) : head.at]):
            case "will":
                found += part.acts(part.merged(head))
            case "done" | "denied":
                closes = True
    if not part.heads and _PLANS & set(part.texts) and NAME in part.texts and not _STATES & set(part.texts):
        found = [by_name(words)]
    return found, closes and not found


def _is_order(part: Part, head: Head) -> bool:
    """Whether words tell the user to do something: "ask them whether it may be removed"."""
    before = [text for text in part.texts[: head.at] if text not in _OPENERS and not is_adverb(text)]
    return not before and head.form == "plain" and not head.verb.kinds and head.root not in LIGHT


def _is_about_the_past(part: Part, head: Head) -> bool:
    """Whether a sentence with a noun for an act says what was, or what it would be: "removing it is final"."""
    texts = part.texts
    if _PAST & set(texts):
        return True
    lead = [text for text in texts[: head.at] if text not in _OPENERS]
    if head.form == "noun" and not (_ME | _PLANS | _FINITE) & set(lead) and head.at == part.heads[0].at:
        lead = []
    if not lead and _FINITE & set(texts):
        return True
    return any(
        one in ("i", "we", "you") and is_past(text) and text not in _ORDERING for one, text in pairwise(texts)
    )


def _start(part: Part, head: Head) -> int:
    """Return where the clause of a verb begins; what is named before it belongs to it."""
    passive = head.form == "past"
    for at in reversed(range(head.at)):
        text = part.texts[at]
        if is_break(part.texts, at) and text != "that":
            return at + (text != "before")
        if not passive and text in (",", "but", "so"):
            return at + 1
    return 0


def _is_reason(part: Part, head: Head) -> bool:
    """Whether a verb stands in a clause that only says why or when."""
    for at in reversed(range(head.at)):
        text = part.texts[at]
        if text == ",":
            return False
        if is_break(part.texts, at):
            return text not in ("before", "that", "which", "so", "while", "what")
    return False


def _mood(part: Part, head: Head, lead: Sequence[str]) -> str:
    """Return what a statement says of a verb: it ``will`` be, is ``done``, is ``denied``; or nothing."""
    said = set(lead)
    if (
        _is_reason(part, head)
        or (lead[-2:] == ["you", "to"] and "asked" not in said)
        or "yourself" in part.texts
        or ("by", "you") in pairwise(part.texts)
    ):
        return ""
    if (NO & said and not has_condition(part.texts[head.at :], denied=True)) or stays(lead):
        return "denied"
    if lead[:1] and lead[0] in ("if", "should", "would", "could") and "you" in said:
        return ""  # "should you ever want it removed"
    if head.form in ("noun", "ing") and _is_about_the_past(part, head):
        return ""
    words = [text for text in lead if text not in _OPENERS and not is_adverb(text) and text != ","]
    if head.form == "past":
        if (
            (head.root == "go")
            or (_DONE & said and not _WILL & said)
            or _AGO & set(part.texts)
            or (_SO_ALREADY & said and not (_WILL & said or "to" in said))
            or (words[-1:] and words[-1] in _OTHERS)
        ):
            return "done"
        if words[-1:] == ["have"] and "to" not in words and not _WILL & said:
            return "done"
        if not words or words[-1] in ("i", "we"):
            return "done"
        if words[-1] == "you":
            return ""
        if BE & said and not (_WILL & said or "to" in said or "by" in part.texts[head.end : head.end + 2]):
            return ""
        return "will"
    if "have" in words and not {"to", "would", "will"} & set(words):
        return "done" if is_past(part.texts[head.at]) else ""
    if head.form == "plain" and words[-1:] and words[-1] in _OTHERS:
        return ""
    if "you" in said:
        return "will" if _ORDERING & said or ("me" in said and head.form == "plain") else ""
    if _ME & said or not [text for text in words if text not in LITTLE]:
        return "will"
    if head.form == "plain" and head.at == len(part.words) - 1:
        return "will"
    return "will" if _PLANS & said or head.form in ("noun", "ing") else ""


def quoted_acts(sentence: Sentence) -> list[Act]:
    """Return the acts that quotations of three words or more ask for, such as the user's own order."""
    found: list[Act] = []
    for number in dict.fromkeys(word.quotation for word in sentence.words if word.quotation):
        first = next(at for at, word in enumerate(sentence.words) if word.quotation == number)
        if first and sentence.words[first - 1].stem in _PRESSING:
            continue  # a button and no order
        words = [replace(word, quotation=0) for word in sentence.words if word.quotation == number]
        if len(words) >= 3 and not all(word.name for word in words):
            found += intended(words)[0]
    return found


def pressed(act: Act) -> list[Act]:
    """Return the deeds of which a button speaks: 'press "Start free trial"'."""
    label = [replace(word, quotation=0) for word in act.said if word.quotation]
    deeds = Part(label).asked() if act.root in _PRESSING and label else []
    return [replace(one, verb=Verb(one.verb.kinds & _DEEDS, one.verb.weakly)) for one in deeds if one.things]
