"""Reading the acts of a clause from left to right."""

from __future__ import annotations

from collections.abc import Sequence

from websp_gym.policies.asking.acts import Act
from websp_gym.policies.asking.beginnings import Beginnings
from websp_gym.policies.asking.drafts import Draft, form_of, settled
from websp_gym.policies.asking.lexicon import (
    BEFORE_AN_ACT,
    EXCEPT,
    OTHER,
    PURPOSES,
    SUBORDINATE,
    VALUED,
    VERB_STEMS,
)
from websp_gym.policies.asking.words import Word, is_progressive

_JOINTS = frozenset(
    (",", "and", "then", "or", "plus", "nor", "/", "-", "but", "while", "yet", "also", "afterwards", "&")
)
_IN_JOINTS = _JOINTS | frozenset(
    (
        "not",
        "please",
        "to",
        "i",
        "we",
        "just",
        "should",
        "only",
        "later",
        "finally",
        "can",
        "may",
        "me",
        "would",
        "you",
        "rather",
        "shall",
        "could",
        "as",
        "well",
    )
)
_EXCEPT = {
    ("other", "than"),
    ("apart", "from"),
    ("rather", "than"),
    ("instead", "of"),
    ("aside", "from"),
    ("save", "for"),
}
_TOGETHER = {("together", "with"), ("along", "with"), ("as", "well"), ("in", "addition"), ("and", "also")}
_OPPOSITE = {
    pair for one, other in (("on", "off"), ("enabled", "disabled"), ("public", "private"), ("yes", "no"))
    for pair in ((one, other), (other, one))
}  # fmt: skip
_PLAIN_VERBS = frozenset(
    (
        "post",
        "comment",
        "message",
        "order",
        "review",
        "answer",
        "change",
        "share",
        "reply",
        "book",
        "update",
        "request",
        "set",
        "save",
        "purchase",
    )
)
_CONDITIONS = ("only", "with", "if", "when", "after", "first", "once")
"""Words that after "but" begin a condition: "but only with your consent"."""
_TO_DO = ("request", "order", "demand", "application")
"""Nouns after which "to" says what: "a request to delete the data"."""


def acts_in(words: Sequence[Word], *, bare: bool = False) -> list[Act]:
    """Return the acts that a clause, or the rest of one, asks for; none if it asks for something else.

    Args:
        words: The words.
        bare: Whether words without a verb may name a thing and its value.
    """
    return [] if _leaves_open(words) else _Reader(words, bare=bare).acts()


def _leaves_open(words: Sequence[Word]) -> bool:
    """Whether words ask which of two opposite values it is to be: "on or off"."""
    texts = [word.text for word in words if not word.name]
    return any(
        (texts[at - 1], texts[at + 1]) in _OPPOSITE for at in range(1, len(texts) - 1) if texts[at] == "or"
    )


class _Reader(Beginnings):
    """Reads the words of a clause from left to right."""

    def acts(self) -> list[Act]:
        at = self._start(0)
        while at is not None and at < len(self._words):
            at = self._step(at)
        return settled([draft for draft in self._drafts if not draft.dropped])

    def _step(self, at: int) -> int:
        """Take one word, or what belongs together; return where to go on."""
        word, draft = self._words[at], self._drafts[-1]
        if at in self._used:
            draft.said.append(word)
            return at + 1
        if word.name or word.quotation:
            draft.take(word)
            return at + 1
        if word.text in _JOINTS:
            return self._joint(at)
        if (word.text, self._text(at + 1)) in _TOGETHER:
            draft.bucket.append([])
            return at + 3 if self._text(at + 2) == "as" else at + 2
        if (length := self._excepts(at)) and (draft.things[0] or word.text != "but"):
            return self._except(at + length)
        if word.text in ("which", "who", "that") and draft.bucket[-1]:
            draft.relative = True
            return at + 1
        if word.text in ("to", "as", "from", "with") or (word.text == "on" and draft.root == "put"):
            return self._value(at)
        if word.text in ("so", "such") and self._text(at + 1) == "that" and draft.root in VALUED:
            return self._result(at)
        if self._is_unfinished(at):
            return self._next_mark(at)
        draft.take(word)
        return at + 1

    def _joint(self, at: int) -> int:
        place, seen = at, set()
        while place < len(self._words) and self._is_in_joint(place):
            seen.add(self._text(place))
            place += 1
        draft = self._drafts[-1]
        if self._text(place) == "so" and self._begins_another(place + 1, draft):
            place += 1
        if self._begins_another(place, draft) and not (draft.relative and seen <= {"and", "or", "also"}):
            kept = self._words[place].stem in ("keep", "leav", "retain") and "or" in seen
            started = self._start(place, dropped=kept, left_out="not" in seen)
            if started is not None:
                return started
        draft.relative = False
        if place < len(self._words) and (self._is_unfinished(place) or self._is_aside(place)):
            return self._next_mark(place)
        if self._text(place) in ("which", "who") and draft.bucket[-1]:
            draft.relative = True
            return place + 1
        if "but" in seen and self._text(place) in _CONDITIONS:
            return self._next_mark(place)
        if "not" in seen or ("but" in seen and draft.things[0]):
            draft.bucket = draft.without
        draft.bucket.append([])
        return place

    def _is_in_joint(self, at: int) -> bool:
        word = self._words[at]
        return not (word.name or word.quotation) and (
            word.text in _IN_JOINTS
            or (word.text.isdigit() and len(word.text) == 1 and self._words[at - 1].is_mark)
        )

    def _is_aside(self, at: int) -> bool:
        """Whether words such as "seeing how much it costs" say why."""
        word = self._words[at]
        return not (word.name or word.quotation) and is_progressive(word.text) and word.stem in OTHER

    def _begins_another(self, at: int, draft: Draft) -> bool:
        if at >= len(self._words) or self._words[at].name or self._words[at].quotation:
            return False
        if self._words[at].stem in OTHER and self._words[at].stem not in VERB_STEMS:
            return draft.form == form_of(self._text(at)) and self._text(at - 1) != "the"
        if self._text(at).endswith("s") and self._text(at)[:-1] in _PLAIN_VERBS:
            return False  # "answers and posts"
        before = set(self._used)
        found = self.verb_at(at)
        self._used = before
        has_things = (
            at + 1 >= len(self._words)
            or self._text(at + 1) not in ("and", "or", ",")
            or draft.form != "progressive"
        )
        return found is not None and draft.form == form_of(self._text(at)) and has_things

    def _excepts(self, at: int) -> int:
        if (self._text(at), self._text(at + 1)) in _EXCEPT:
            return 2
        return int(self._text(at) in EXCEPT and self._text(at) not in ("but", "save"))

    def _except(self, at: int) -> int:
        draft = self._drafts[-1]
        draft.bucket = draft.without
        draft.bucket.append([])
        while self._text(at) in ("for", "of", "also", "any", "to"):
            at += 1
        if (
            self._text(at)
            and (is_progressive(self._text(at)) or self._text(at) in ("remove", "delete"))
            and self.verb_at(at)
        ):
            at += 1
        return at

    def _value(self, at: int) -> int:
        text, after, draft = self._text(at), self._text(at + 1), self._drafts[-1]
        if text == "as" and after == "well":
            draft.bucket.append([])
            return at + 3
        if text == "to" and self._is_purpose(at + 1) and self._text(at - 1) not in _TO_DO:
            return self._next_mark(at)
        if text == "as" and (
            after in ("i", "it", "you", "they", "we", "there")
            or (after in ("a", "an") and draft.root not in VALUED and "add" not in draft.verb.kinds)
        ):
            return self._next_mark(at)
        if text == "as" and draft.root not in VALUED:
            draft.bucket.append([])
        elif text == "to" and after in ("on", "off") and draft.root in VALUED:
            draft.value = [self._words[at + 1]]
            return at + 2
        elif (
            draft.root in VALUED
            and text in ("to", "as", "on")
            and not (draft.by_noun and not draft.things[-1])
        ):
            draft.bucket = [[]]
            draft.value = draft.bucket[0]
        elif (
            draft.root in VALUED
            and text == "from"
            and "to" in [each.text for each in self._words[at:] if not each.name]
        ):
            draft.bucket = [[]]
        elif draft.root == "replac" and text == "with":
            draft.bucket = [[]]
            draft.value = draft.bucket[0]
        return at + 1

    def _is_purpose(self, at: int) -> bool:
        while self._text(at) in BEFORE_AN_ACT - {"be", "to"}:
            at += 1
        if at >= len(self._words) or self._words[at].name or self._words[at].quotation:
            return False
        text = self._text(at)
        return not is_progressive(text) and (
            self._words[at].stem in PURPOSES or self._words[at].stem in VERB_STEMS
        )

    def _result(self, at: int) -> int:
        """Take what comes of a change as its value: "so that nobody can comment"."""
        self._drafts[-1].value = self._words[at + 2 : self._next_mark(at)]
        return self._next_mark(at)

    def _is_unfinished(self, at: int) -> bool:
        text, after = self._text(at), self._text(at + 1)
        if text == "in":
            return after in ("order", "case")
        if text in ("who", "which", "that"):
            return False
        if text == "once":
            return bool(after) and not self._words[at + 1].is_mark
        if text == "due":
            return after == "to"
        return text in SUBORDINATE

    def _next_mark(self, at: int) -> int:
        return next(
            (
                place
                for place in range(at + 1, len(self._words))
                if self._words[place].is_mark and not self._words[place].name
            ),
            len(self._words),
        )
