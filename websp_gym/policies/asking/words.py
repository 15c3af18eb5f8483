"""Texts as words: spelled out, without endings, with their quotations."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from websp_gym.policies.asking.tables import read_table

_SPELLED = {
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "`": '"', "\u2192": ", ", "->": ", ",
    "\u2026": "...", "\u2013": " - ", "\u2014": " - ", "&": " and ", " + ": " and ", "w/o": "without", "w/": "with ",
}  # fmt: skip
_TABLE = read_table("english.yaml")
_MEANT: dict[str, str] = {
    written: meant for meant, each in _TABLE["meant"].items() for written in each.split()
}
_IDIOMS = [
    (re.compile(rf"\b(?:{each})\b", re.IGNORECASE), meant) for meant, each in _TABLE["idioms"].items()
] + [
    (
        re.compile(
            r"\b2(?= (?:turn|set|switch|delete|remove|sign|log|end|make|change|buy|add|press|close|post|do)\b)"
        ),
        "to",
    )
]
"""What people say in several words."""
_CONTRACTED = {"n't": " not", "'ll": " will", "'d": " would", "'ve": " have", "'re": " are", "'m": " am"}
_IS = ("it", "that", "this", "what", "there", "here", "how", "who", "which", "everything", "all", "he", "she")
"""Words after which ``'s`` is a verb."""
_TOKEN = re.compile(
    r"(?:https?://|(?<![\w.@/])(?:[a-z\d][a-z\d-]*\.)+[a-z]{2,}/|(?<![^\s(\"'])/?#?/)"  # an address, or its path
    r"[^\s\"<>()]*[^\s\"<>().,;:!?'/]/?"
    r"|\d{1,2}:\d\d|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\w)"  # a time, an amount
    r"|\w[\w@+'-]*(?:[.@](?=\w)[\w@+'-]+)*"  # a word
    r"|[.?!;:,()/\"\n]|-(?=\s)"  # a mark between words
)
_QUOTED = re.compile(r"\"([^\"\n]+)\"|(?<![\w])'(.+?)'(?!\w)")
_NAMES = 8_192
"""Number of texts whose words are cached: the names of a site are read for each question."""
MARKS = frozenset('.?!;:,()/"-\n')
_ENDINGS = ("ing", "ed", "es", "s")
_JOINING = ("to", "of", "in", "on", "by", "for", "and", "the", "up", "out", "off")
"""Words in a joined name whose other parts are not names."""
_PAST: dict[str, str] = {past: verb for verb, each in _TABLE["past"].items() for past in each.split()}
SAME_IN_THE_PAST = frozenset(("set", "reset", "put", "shut", "cut", "let", "hit", "rid", "quit"))


@dataclass(frozen=True)
class Word:
    """A word of a text, or a mark between words.

    Args:
        text: In lower case, spelled out.
        written: As it was written.
        quotation: Number of the quotation that it is in; 0 for none.
        name: Number of the known name that it is a part of; 0 for none.
    """

    text: str
    written: str = ""
    quotation: int = 0
    name: int = 0

    @property
    def stem(self) -> str:
        """The word without a common ending."""
        return stem(self.text)

    @property
    def is_owner(self) -> bool:
        """Whether it says whose something is: "today's"."""
        return self.written.endswith(("'s", "\u2019s"))

    @property
    def is_mark(self) -> bool:
        """Whether it is a mark rather than a word."""
        return self.text in MARKS


def quotations(text: str) -> dict[int, str]:
    """Return the quotations as written, by the numbers that their words have."""
    found = enumerate(_QUOTED.finditer(_spelled(text)), 1)
    return {number: match.group(1) or match.group(2) for number, match in found}


def plain_words(words: Iterable[Word]) -> list[str]:
    """Return words as texts, without marks."""
    return [word.text for word in words if not word.is_mark]


@lru_cache(_NAMES)
def words_of(text: str) -> tuple[Word, ...]:
    """Return a text as words and marks."""
    text = _spelled(text)
    spans = [match.span() for match in _QUOTED.finditer(text)]
    found: list[Word] = []
    for match in _TOKEN.finditer(text):
        inside = next((n for n, (start, end) in enumerate(spans, 1) if start <= match.start() < end), 0)
        written = match.group().strip("'") if inside else match.group().rstrip("'")
        if written and written != '"':
            found.extend(Word(each, written, inside) for each in _spelled_out(written))
    return tuple(found)


def _spelled(text: str) -> str:
    for written, meant in _SPELLED.items():
        text = text.replace(written, meant)
    for pattern, meant in _IDIOMS:
        text = pattern.sub(meant, text)
    return text


def _spelled_out(written: str) -> list[str]:
    if written in MARKS:
        return [written]
    plain = written.casefold()
    if plain in _MEANT:
        return _MEANT[plain].split()
    if plain in ("won't", "can't", "shan't"):
        return [{"won't": "will", "can't": "can", "shan't": "shall"}[plain], "not"]
    for ending, full in _CONTRACTED.items():
        if plain.endswith(ending) and len(plain) > len(ending):
            return [*_spelled_out(plain.removesuffix(ending)), *full.split()]
    if plain.endswith("'s"):
        bare = plain.removesuffix("'s")
        return [bare, "is"] if bare in _IS else [bare]
    return [plain.strip("-+")] if plain.strip("-+") else []


@lru_cache(_NAMES)
def stem(word: str) -> str:
    """Return an English word without a common ending: ``deletes``, ``deleted`` and ``deleting`` are one word."""
    if word in _PAST:
        word = _PAST[word]
    if not word.isalpha():
        return word.removesuffix("s") if len(word) > 4 and word[:-1].isalpha() else word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "eed")):
            word = word.removesuffix(ending)
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def is_past(word: str) -> bool:
    """Whether a word may be a past form or a participle of a verb."""
    return (
        word in _PAST
        or word in SAME_IN_THE_PAST
        or (word.endswith("ed") and len(word) > 4 and (word == "agreed" or not word.endswith("eed")))
    )


def is_progressive(word: str) -> bool:
    """Whether a word may be a form such as ``deleting``."""
    return word.endswith("ing") and len(word) > 4


@lru_cache(_NAMES)
def parts(text: str) -> tuple[str, ...]:
    """Return the words of a name, and the parts of joined ones: ``SlowKettles`` has ``slow`` and ``kettles``."""
    found = words_of(text)
    if not any(word in _JOINING for word in re.split(r"[-_./@]", text.casefold())):
        apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
        found += words_of(re.sub(r"[-_./@]", " ", apart))
    return tuple(word.text for word in found if not word.is_mark)


def mended(text: Sequence[Word], known: Container[str], *choices: Iterable[str]) -> list[Word]:
    """Return words with small spelling mistakes corrected and shortened names written out.

    Args:
        text: The words.
        known: Stems that are right as they are.
        choices: Words that a wrong one may stand for, where it is one letter away from exactly one of them, or the
            beginning of exactly one; those that come first are tried first.
    """
    tables = [tuple((word, stem(word)) for word in each if len(word) >= 4) for each in choices]
    return [_mended(word, known, tables) for word in text]


def _mended(word: Word, known: Container[str], tables: Sequence[Sequence[tuple[str, str]]]) -> Word:
    text, root = word.text, word.stem
    if len(text) < 4 or not (text.isalpha() or len(text) >= 8) or text in known or root in known:
        return word
    for table in tables:
        near = [meant for meant, _ in table if _is_one_off(text, meant)]
        if len(text) <= (
            _LONG_ENOUGH + 4 if table is tables[-1] else _LONG_ENOUGH + 1
        ):  # a short word may well be another one
            near = [meant for meant in near if len(meant) != len(text) or sorted(meant) == sorted(text)]
        near = near or [
            meant for meant, other in table
            if len(root) > _LONG_ENOUGH + (2 if table is tables[-1] else 0) and _is_one_off(root, other)
        ]  # fmt: skip
        near = near or [meant for meant, _ in table if len(meant) > len(text) + 1 and meant.startswith(text)]
        if len({stem(each) for each in near}) == 1:
            return Word(near[0], word.written, word.quotation)
    return word


_LONG_ENOUGH = 5
"""Minimum letters of a word in which a mistake is corrected."""


def _is_one_off(one: str, other: str) -> bool:
    """Whether two words differ by one letter more, less or changed, or by two neighbours that changed places."""
    if one == other or abs(len(one) - len(other)) > 1 or max(len(one), len(other)) < _LONG_ENOUGH:
        return False
    start = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    if start == 0:
        return False
    rest, others = one[start:], other[start:]
    if len(one) == len(other):
        return rest[1:] == others[1:] or (rest[:2] == others[1::-1] and rest[2:] == others[2:])
    return rest[1:] == others if len(one) > len(other) else rest == others[1:]
