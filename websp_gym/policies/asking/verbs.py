"""The verbs of a sentence that say what is done to the things of a site, and nouns in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from websp_gym.policies.asking.lexicon import (
    CLASSES,
    DETERMINERS,
    LIGHT,
    LITTLE,
    NOUNS,
    OTHER,
    PREPOSITIONS,
    VERB_STEMS,
    VERBS,
    Verb,
    is_adverb,
    words_in,
)
from websp_gym.policies.asking.sentences import NAME, STATES, plain
from websp_gym.policies.asking.words import SAME_IN_THE_PAST, Word, is_past, is_progressive, stem

_NOUNISH = words_in("nounish")
"""Verbs that are nouns as well."""
BE = words_in("be")
_BEFORE_GERUND = words_in("before_gerund")
_BEFORE_VERB = words_in("before_verb")
_DOING = words_in("doing")
_BEFORE_NOUN = LITTLE | LIGHT | PREPOSITIONS | VERB_STEMS | CLASSES.keys() | DETERMINERS | {NAME, ","}
_AFTER_NOUN = LITTLE | PREPOSITIONS | BE | {",", "request", NAME}
_GO = ("go", "going", "move", "moving", "carry", "carrying")
_ENDS = frozenset(("stop", "cease", "quit"))
_ALWAYS = words_in("far_particles")
"""Particles that are one wherever they come after their verb."""
_ADJECTIVES = words_in("adjectives")
_FAR = 12
_NEGATED = {True: False, False: True, None: None}


@dataclass(frozen=True)
class Head:
    """A verb, or a noun that stands for one.

    Args:
        at: Its position.
        verb: What it means; empty if it is not about a thing of a site, such as "explain".
        root: Its stem.
        form: ``plain``, ``ing``, ``past`` or ``noun``.
        used: Positions of it and its particle.
    """

    at: int
    verb: Verb
    root: str
    form: str
    used: frozenset[int]

    @property
    def end(self) -> int:
        """The position after it; a particle further on is not counted."""
        at = self.at + 1
        while at in self.used:
            at += 1
        return at


def heads(words: Sequence[Word]) -> list[Head]:
    """Return the verbs of a sentence, in order."""
    found: list[Head] = []
    texts = plain(words)
    for at in range(len(words)):
        if any(at in head.used for head in found):
            continue
        if (head := _head(words, texts, at)) is not None:
            found.append(head)
    return found


def _head(words: Sequence[Word], texts: Sequence[str], at: int) -> Head | None:
    word = words[at]
    starts_name = bool(word.name) and (at == 0 or words[at - 1].name != word.name)
    if word.quotation or word.is_mark or word.text == "not" or (word.name and not starts_name):
        return None
    after = next((each for each in words[at:] if each.name != word.name), None) if starts_name else None
    if after is not None and after.text in ("on", "off", ",") and texts[at - 1 : at] != ["i"]:
        return None  # "show link flair: off"
    before = _before(words, texts, at)
    form = _form(words, texts, at, before)
    if word.name and form != "plain":
        return None
    if word.text in NOUNS and form in ("", "plain") and _is_noun_of_an_act(words, texts, at, before):
        root, particle = NOUNS[word.text]
        return Head(at, VERBS[root, particle], root, "noun", frozenset((at,)))
    if not form or (word.stem not in VERB_STEMS and word.stem not in OTHER):
        return None
    if (
        word.name
        and form == "plain"
        and CLASSES.get(before) not in ("I", "J", "m", "u", "e")
        and before not in ("to", "")
    ):
        return None
    verb, used = _meaning(words, at)
    if verb is None:
        return Head(at, Verb(), word.stem, form, frozenset((at,))) if word.stem in OTHER else None
    if (
        form == "plain"
        and before in ("", ",", "and")
        and _is_state_of_a_noun(texts, at, verb)
        and len(used) == 1
    ):
        return None
    return Head(at, verb, word.stem, form, used)


def _before(words: Sequence[Word], texts: Sequence[str], at: int) -> str:
    """Return the word before one, apart from adverbs; a comma for a mark, nothing at the beginning."""
    place = at - 1
    while place >= 0 and (is_adverb(texts[place]) or texts[place] == "not"):
        joined = place and texts[place - 1] in ("and", "or", "but", "then", ",")
        if words[place].name or (texts[place] == "only" and not joined):
            break
        place -= 1
    return "" if place < 0 else "," if words[place].is_mark and not words[place].name else texts[place]


def _form(words: Sequence[Word], texts: Sequence[str], at: int, before: str) -> str:
    """Return the form of a word as a verb; nothing if it is none there."""
    text = words[at].text
    after = texts[at + 1] if at + 1 < len(texts) else ""
    if text == "be" or (text in ("go", "goes") and after in STATES):
        return ""
    if is_progressive(text):
        joined = after in ("", ",", "and", "or") and before in ("", ",", "and", "or", "of")
        of_it = after == "of" or texts[at + 1 : at + 3] in (["on", "of"], ["off", "of"])
        of = of_it or (before in ("my", "your", "me") and after not in ("", ","))
        return "ing" if of or ((before in _BEFORE_GERUND or not before) and not joined) else ""
    earlier = {"i", "we"} & set(texts[:at]) and before in ("and", "or", "but", "then", ",")
    if is_past(text) and earlier and text not in SAME_IN_THE_PAST:
        return "past"  # "if I removed X and kept Y"
    if text == "left" and before not in ("i", "we"):
        return ""  # "the only one left"
    if is_past(text) and (text not in SAME_IN_THE_PAST or before in BE):
        if before in BE or before in ("i", "we", "you", "have", "has", "had", "gets", "by"):
            return "past"
        ends = not after or after == "," or after in LITTLE | PREPOSITIONS
        if before in DETERMINERS or (not ends and at and texts[at + 1] != "\u00a7"):
            return ""  # "the blocked users"
        return "past" if ends or words[at + 1].name or before == "" else ""
    if before in BE and before != "be":
        return ""
    if before in _BEFORE_VERB or not before or (before == "for" and text not in _NOUNISH):
        ends_in_s = text.endswith("s") and not words[at].stem.endswith("s") and text not in LITTLE
        return "" if ends_in_s else "plain"
    last = at == len(words) - 1 or after == ","
    is_verb = words[at].text not in _NOUNISH and before not in DETERMINERS and not text.endswith("s")
    return "plain" if last and is_verb and before not in PREPOSITIONS else ""


def _is_noun_of_an_act(words: Sequence[Word], texts: Sequence[str], at: int, before: str) -> bool:
    """Whether a noun says what is done: "the removal of the token", "account deletion"."""
    start = next((place for place in range(at, 0, -1) if texts[place - 1] in _BEFORE_NOUN), 0)
    start = next((place for place in range(start, 0, -1) if texts[place - 1] not in DETERMINERS), 0)
    lead = texts[max(start - 2, 0) : start]
    known = not lead or lead[-1] in _BEFORE_NOUN or is_adverb(lead[-1])
    if not known or (lead[-1:] in (["on"], ["about"]) and lead[0] not in _GO):
        return False  # "prepare the deletion", "a note on account deletion"
    done = texts[start - 1 : start] and texts[start - 1] in _DOING and "buy" in VERBS[NOUNS[texts[at]]].kinds
    alone = at + 1 == len(texts) and start < at and (not start or done)  # "complete the purchase"
    if texts[at + 1 : at + 2] == ["of"] or alone:
        return True
    if texts[at].endswith("s"):
        return False  # "your email subscriptions"
    after = texts[at + 1] if at + 1 < len(texts) else ","
    if after not in _AFTER_NOUN and not is_adverb(after):
        return False  # "the account deletion page"
    is_verb = before in _BEFORE_VERB and before not in ("and", "or", ",")
    return words[at].text not in _NOUNISH and words[at].stem not in VERB_STEMS and not is_verb


def _meaning(words: Sequence[Word], at: int) -> tuple[Verb | None, frozenset[int]]:
    """Return what a verb means, with the places of its words."""
    root = words[at].stem
    texts = plain(words)
    if (
        root in _ENDS
        and at + 1 < len(words)
        and is_progressive(texts[at + 1])
        and words[at + 1].stem in VERB_STEMS
    ):
        inner, used = _meaning(words, at + 1)
        if inner is not None:
            kinds = inner.kinds & {"change", "edit"}
            verb = replace(inner, turn=_NEGATED[inner.turn], more=_NEGATED[inner.more], kinds=kinds)
            return verb, used | {at}
    if root == "leav" and {"where", "there", "peace"} & set(texts[at:]):
        return VERBS[root, "where"], frozenset((at,))  # "leave A, B and C where they are", "in peace"
    if root == "leav" and _stays_in_a_state(words, texts, at):
        return VERBS[root, "where"], frozenset((at,))  # "leave A blocked"
    for place in range(at + 1, min(len(words), at + _FAR)):
        if words[place].name or words[place].quotation:
            continue
        if words[place].is_mark or texts[place] in ("to", "because", "so", "if", "then", "since"):
            break
        if texts[place] in ("and", "or") and place > at + 1:
            break
        if (root, texts[place]) in VERBS and (place == at + 1 or _is_particle(words, texts, place, root)):
            return VERBS[root, texts[place]], frozenset((at, place))
    return VERBS.get((root, "")), frozenset((at,))


def _stays_in_a_state(words: Sequence[Word], texts: Sequence[str], start: int) -> bool:
    """Whether what follows a verb ends in the state in which it is: "A blocked", "my profile public"."""
    for at in range(start + 2, len(texts)):
        if words[at].is_mark and not words[at].name:
            return False
        after = texts[at + 1] if at + 1 < len(texts) else ","
        is_state = is_past(texts[at]) or texts[at] in STATES or texts[at] in _ADJECTIVES
        before = DETERMINERS | BE | {"i", "we", "you", "they", "have", "has", "had"}
        if (
            is_state
            and texts[at - 1] not in before
            and (after == "," or after in LITTLE | PREPOSITIONS | {"and", "or"})
        ):
            return True
    return False


def _is_state_of_a_noun(texts: Sequence[str], at: int, verb: Verb) -> bool:
    """Whether a word begins a name and is no verb, as the state of the thing stands last: "link flair off"."""
    clause = " ".join(texts[at:]).replace(" , on", " on").replace(" , off", " off").split(" , ")[0].split()
    turned = any((stem(text), clause[-1]) in VERBS for text in clause)
    stated = clause[-1] in ("on", "off") and len(clause) > 2 and not turned
    return stated and verb.turn is None and "keep" not in verb.kinds and not {"from", "to"} & set(clause)


def _is_particle(words: Sequence[Word], texts: Sequence[str], at: int, root: str) -> bool:
    after = texts[at + 1] if at + 1 < len(texts) else ""
    if (
        texts[at] in _ALWAYS
        or (root in ("ask", "apply", "call") and texts[at] == "for")
        or (root in ("chuck", "throw", "drop", "pop") and texts[at] in ("in", "into", "on", "onto"))
        or (texts[at] in ("off", "out", "down") and root in ("tak", "strik", "kick", "throw", "cut", "cros"))
    ):
        return True
    return not after or words[at + 1].is_mark or (after in LITTLE | PREPOSITIONS and after not in DETERMINERS)
