"""The clauses of a text, and whether one is a short question about what was said before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from websp_gym.policies.asking.acts import Act
from websp_gym.policies.asking.forms import Form
from websp_gym.policies.asking.lexicon import VERB_STEMS
from websp_gym.policies.asking.phrases import SHORT, WITHOUT_A_MARK
from websp_gym.policies.asking.words import Word, stem

_ENDS = frozenset(".?!;:-\n")
_VALUES = frozenset(["on", "off", "public", "private", "daily", "weekly", "enabled", "disabled"])
NAME = "\u00a7"
_ANSWERING = frozenset(
    ["a", "an", "with", "plain", "simple", "either", "say", "answer", "reply", "clear", "respond"]
)


@dataclass
class Clause:
    """Words between two ends of sentences."""

    words: tuple[Word, ...]
    end: str
    asked: bool
    plain: list[str] = field(default_factory=list)
    intends: list[Act] = field(default_factory=list)
    reports: bool = False
    requests: bool = False

    def __post_init__(self) -> None:
        self.plain = [NAME if word.name or word.quotation else word.text for word in self.words]


def clauses(words: Sequence[Word]) -> Iterator[Clause]:
    """Yield the clauses of a text: what stands between full stops, colons, dashes and new lines."""
    part: list[Word] = []
    for at, word in enumerate(words):
        is_end = word.text in _ENDS and not word.name and not word.quotation
        if is_end and not (word.text in ":-" and _is_value(words[at + 1 :])):
            if part:
                yield _clause(part, word.text)
            part = []
        else:
            part.append(replace(word, text=",") if word.text in "():-" and not word.name else word)
    if part:
        yield _clause(part, "")


def _clause(words: list[Word], end: str) -> Clause:
    """Return a clause, with a short question at its end taken away: "delete it, yes?"."""
    asked = end == "?"
    for at in reversed(range(1, len(words))):
        begins = words[at - 1].text == "," or (
            words[at].text in ("y", "yes") and words[at - 1].text not in _ANSWERING
        )
        if begins and not words[at].name and is_short(words[at:], asked=asked):
            while words[at - 1].text == "," and at > 1:
                at -= 1
            return Clause(tuple(words[:at]), "?", True)
    return Clause(tuple(words), end, asked)


def _is_value(words: Sequence[Word]) -> bool:
    """Whether what follows a colon or a dash is a value and nothing else: "research mails: off?"."""
    rest = [word.text for word in takewhile(lambda word: word.text not in _ENDS | {","}, words)]
    return (
        0 < len(rest) <= 4
        and bool(_VALUES & set(rest))
        and not any(stem(text) in VERB_STEMS for text in rest)
    )


def is_short(words: Sequence[Word], *, asked: bool) -> bool:
    """Whether words are a short question about what was said before."""
    plain = [NAME if word.name or word.quotation else word.text for word in words if not word.is_mark]
    whole = any(form.end(plain, 0) == len(plain) for form in SHORT) if plain else False
    return whole and (
        asked or bool(WITHOUT_A_MARK & set(plain)) or (plain[0] in ("y", "yes") and len(plain) > 1)
    )


def tails(clause: Clause) -> Iterator[Clause]:
    """Yield a clause, and what follows each of its commas."""
    yield clause
    for at, text in enumerate(clause.plain):
        if text == "," and at + 1 < len(clause.words):
            yield Clause(clause.words[at + 1 :], clause.end, clause.asked)


def has(forms: Iterable[Form], clause: Clause) -> bool:
    return any(form.end(clause.plain, at) is not None for at in range(len(clause.plain)) for form in forms)
