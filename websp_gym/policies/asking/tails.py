"""What comes after a verb: its things, exceptions and value; and words without a verb."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from websp_gym.policies.asking.acts import Act, Phrase, listed
from websp_gym.policies.asking.lexicon import (
    DETERMINERS,
    EXCEPT,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    VALUED,
    Verb,
    words_in,
)
from websp_gym.policies.asking.sentences import plain
from websp_gym.policies.asking.values import SEEN
from websp_gym.policies.asking.verbs import Head, heads
from websp_gym.policies.asking.words import Word

_BREAKS = words_in("subordinate")
_SINCE = words_in("since")
NO = words_in("no")
JOINTS = words_in("joints")
_ON_OFF = {"on": True, "off": False}
STATES_OF_BEING = words_in("being")
_STAYING = words_in("staying")
_BEFORE_NOUN = (PREPOSITIONS | DETERMINERS) - words_in("before_stay")
"""Words after which "stay" is a noun; "both stay" says what happens."""
_EXCHANGING = frozenset(("replac", "swap", "trad", "exchang", "substitut"))
_NO_CHOICE = frozenset(("not", "no", "would", "should", "do", "is", "if", "rather", "", ","))
_AS_BREAKS = words_in("after_as")
INVERTED = words_in("facts") | {"may", "should", "could", "can", "shall"}
_CONDITIONS = frozenset(("only", "with", "if", "when", "after", "first", "once"))
"""Words that after "but" begin a condition: "but only with your consent"."""
_PAIRS = {("other", "than"), ("apart", "from"), ("rather", "than"), ("instead", "of"), ("aside", "from")}


def is_break(texts: Sequence[str], at: int) -> bool:
    """Whether a clause that says why, when or which begins here."""
    after = texts[at + 1] if at + 1 < len(texts) else ""
    return texts[at] in _BREAKS and not (texts[at] == "as" and after not in _AS_BREAKS)


def has_break(texts: Sequence[str]) -> bool:
    """Whether a clause that says why, when or which begins somewhere in the words."""
    return any(is_break(texts, at) for at in range(len(texts)))


class Tail:
    """What comes after a verb."""

    def __init__(self, words: Sequence[Word], head: Head, end: int) -> None:
        self._words, self._head, self._end = words, head, end
        self._texts = plain(words)
        things: list[list[Word]] = [[]]
        without: list[list[Word]] = []
        self.value: list[Word] = []
        self.is_choice = False  # "the one or the other" names neither
        self._bucket = things
        self._things, self._without = things, without
        at = head.at + 1
        while at < end and self._texts[at] in PARTICLES and at + 1 < end and not words[at].name:
            at += 1
        while at < end:
            at = self._take(at)
        found = phrases(things)
        stays = [phrase for phrase in found if _is_left(phrase)]
        self.things = [phrase for phrase in found if phrase not in stays]
        self.without = phrases(without) + [phrase for phrase in stays if not phrase.is_rest]

    def _take(self, at: int) -> int:
        """Take what stands at a place; return where to go on."""
        text, after = self._texts[at], self._texts[at + 1] if at + 1 < self._end else ""
        if at in self._head.used:
            self._bucket.append([])
            return at + 1
        if text in ("which", "who", "that") and (self._texts[at - 1] != "," or after in ("of", "one")):
            if not self._bucket[-1]:
                self._bucket[-1].append(self._words[at])  # "that one"
            return at + 1  # "the one that is in Oslo"
        if (text in INVERTED and after in ("you", "i", "we")) or (text == "but" and after in _CONDITIONS):
            return self._next_mark(at)
        is_said = any(word.text in SEEN for word in self._bucket[-1])  # "public so that"
        if (text, after) == ("so", "that") and self._head.root in VALUED and not is_said:
            self.value = list(self._words[at + 2 : self._next_mark(at)])
            return self._next_mark(at)
        if text in ("what", "whatever") and not self._bucket[-1]:
            self._bucket[-1].append(self._words[at])
            return at + 1
        if is_break(self._texts, at):
            if text not in _SINCE or not self._is_time(at) or not Phrase(tuple(self._bucket[-1])).every:
                return self._next_mark(at)
            self._bucket[-1] += self._words[at : self._next_mark(at)]  # "all items since Monday"
            return self._next_mark(at)
        if (text, after) in _PAIRS or (text in EXCEPT and text not in ("but", "save")):
            self._bucket = self._without
            self._bucket.append([])
            return at + 2 if (text, after) in _PAIRS else at + 1
        if text in JOINTS and after in ("you", "i", "we"):
            return self._next_mark(at)
        if text in JOINTS or text == "not":
            if (
                text == "or"
                and self._bucket[-1]
                and after not in _NO_CHOICE
                and not _is_group(self._things[0])
            ):
                self.is_choice = True
            if text in ("not", "but") and self._things[0]:
                self._bucket = self._without
            self._bucket.append([])
            return at + 1
        if (
            text == "with"
            and after in ("your", "the", "a")
            and {"consent", "permission", "approval", "ok"} & set(self._texts[at : at + 3])
        ):
            return self._next_mark(at)
        if text in ("to", "as", "into", "with") or (text == "for" and self._head.root in _EXCHANGING):
            return self._value(at)
        self._bucket[-1].append(self._words[at])
        return at + 1

    def _is_time(self, at: int) -> bool:
        """Whether a time follows and no clause: "since Monday", but not "before I go on"."""
        texts = self._texts[at + 1 : self._next_mark(at)]
        return not (
            (STATES_OF_BEING | PRONOUNS | {"i", "we", "you"}) & set(texts) or heads(self._words[at:][:8])
        )

    def _next_mark(self, at: int) -> int:
        return next((place for place in range(at + 1, self._end) if self._texts[place] == ","), self._end)

    def _value(self, at: int) -> int:
        text, root = self._texts[at], self._head.root
        after = self._texts[at + 1] if at + 1 < self._end else ""
        if text == "as" and root not in VALUED:
            self._bucket.append([])
            return at + 1
        if at + 1 == self._end:
            return at + 1
        if text == "to" and after in _ON_OFF and root in VALUED:
            self.value = [self._words[at + 1]]
            self._bucket.append([])
            return at + 2
        is_valued = root in (VALUED if text not in ("with", "for") else _EXCHANGING)
        is_valued = is_valued and self._head.verb.turn is None
        if is_valued and not self.value and self._bucket is not self._without:
            self._bucket = [[]]
            self.value = self._bucket[0]
        elif text == "to" and any(
            head.at == at + 1 for head in heads(self._words[at : at + 8]) if head.at == 1
        ):
            return self._end  # what for
        else:
            self._bucket[-1].append(self._words[at])
        return at + 1


def _is_group(words: Sequence[Word]) -> bool:
    """Whether words name several things by what they are: 'the settings "A" or "B"' are both."""
    pairs = pairwise(words)
    return any(one.text.endswith("s") and not one.name and (two.name or two.quotation) for one, two in pairs)


def _is_left(phrase: Phrase) -> bool:
    """Whether words say that something stays as it is: "the other four stay", but not "the length of stay"."""
    texts = plain(phrase.words)
    return stays(texts) or texts[-1] in ("aside", "excepted", "excluded")


def stays(texts: Sequence[str]) -> bool:
    """Whether words say that something stays as it is."""
    return any(
        text in _STAYING and (at == 0 or texts[at - 1] not in _BEFORE_NOUN) for at, text in enumerate(texts)
    )


def excepted(words: Sequence[Word]) -> list[Phrase]:
    """Return what words before an act leave out: "except for Oslo, ..."."""
    texts = plain(words)
    for at, text in enumerate(texts):
        if (text in EXCEPT and text not in ("but", "save", "without")) or tuple(texts[at : at + 2]) in _PAIRS:
            end = next((place for place in range(at, len(texts)) if texts[place] == ","), len(texts))
            return phrases(listed(words[at + 1 : end]))
    return []


def bare(words: Sequence[Word]) -> list[Act]:
    """Return what words without a verb ask to set: "personalized ads off", "the license to MIT"."""
    texts = plain(words)
    cut = [at for at in range(len(texts)) if tuple(texts[at : at + 2]) in _PAIRS or texts[at] in EXCEPT]
    words = words[: cut[0]] if cut else words
    texts = plain(words)
    rest = [word for word in words if not word.is_mark or word.name]
    if (
        len(rest) < 2
        or (STATES_OF_BEING | {"her", "his", "their"}) & set(texts)
        or has_break([text for text in texts if text != "so"])
        or (NO - {"nobody", "none", "nothing"}) & set(texts)
    ):
        return []
    found = []
    parts = [part for part in listed(words, joints=()) if part]
    turns = [part for part in parts if plain(part)[-1] in _ON_OFF and len(part) > 1]
    for part in turns or [rest]:
        own = [word for word in part if word.name or word.text not in ("please", "now", "then", "be")]
        turn = _ON_OFF.get(plain(own)[-1]) if own else None
        value = []
        if turn is None and "to" in plain(own):
            to = plain(own).index("to")
            value, own = own[to + 1 :], own[:to]
        things = phrases(listed([word for word in own if word.name or word.text not in _ON_OFF]))
        verb = Verb(frozenset(("change", "edit")), turn=turn)
        found.append(Act(verb, "", things, [], tuple(value), tuple(part), bare=turn is None))
    return found


def by_name(words: Sequence[Word]) -> Act:
    """Return the act that consists of the name of a control only: "may I confirm my choices"."""
    named = tuple(word for word in words if word.name or word.quotation)
    return Act(Verb(frozenset(("press",))), "", [Phrase(named)], said=named)


def phrases(parts: Sequence[Sequence[Word]]) -> list[Phrase]:
    """Return the parts that may name something."""
    return [phrase for phrase in (Phrase(tuple(part)) for part in parts) if phrase.says_something]
