"""The sentences of a text, and whether each asks for an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from websp_gym.policies.asking.lexicon import EXCEPT, VERB_STEMS, words_in
from websp_gym.policies.asking.permission import markers
from websp_gym.policies.asking.words import Word, is_progressive

NAME = "\u00a7"
"""The stand-in for a word of a name or of a quotation."""
_ENDS = frozenset(".?!;:-\n")
STATES = words_in("states")
_ASKING = words_in("asking_words")
_TAGS = words_in("tags")
_ANSWERS = words_in("answers")
_UNASKED = words_in("unasked")
_FINE = words_in("fine")
_NEEDED = frozenset(("requested", "required", "needed"))
_BEFORE_YES = words_in("before_yes")
_MAY_I = [[modal, "i"] for modal in ("may", "shall", "should", "can")]
_NOT_THE_ITEM = words_in("not_the_item") | set(EXCEPT)
_ITEMS = frozenset(("number", "step", "point", "item"))


@dataclass(frozen=True)
class Sentence:
    """Words between two ends of sentences.

    Args:
        words: The words.
        end: The mark at its end.
        asked: Whether it ends with a question mark, or with a short question: "delete it, ok?".
    """

    words: tuple[Word, ...]
    end: str
    asked: bool

    @property
    def plain(self) -> list[str]:
        """Its words, without those of names."""
        return plain(self.words)


def plain(words: Sequence[Word]) -> list[str]:
    """Return words as texts, without those of names."""
    return [NAME if word.name or word.quotation else word.text for word in words]


def sentences(words: Sequence[Word]) -> list[Sentence]:
    """Return the sentences of a text, separated by full stops, colons, dashes and new lines."""
    found = list(_split(words))
    for at in reversed(range(len(found) - 1)):
        if found[at].end == ":" and found[at + 1].asked:
            begins = markers(found[at].plain, asked=True)[:1]
            asked = bool(begins) and found[at].plain[begins[0].start] not in ("i", "we")
            found[at] = replace(found[at], asked=asked)
    return found


def _split(words: Sequence[Word]) -> Iterator[Sentence]:
    part: list[Word] = []
    for at, word in enumerate(words):
        is_end = word.text in _ENDS and not word.name and not word.quotation
        if is_end and not (word.text in ":-" and _is_value(words[at + 1 :])):
            if any(not each.is_mark for each in part):
                yield _sentence(part, word.text)
            part = []
        else:
            part.append(replace(word, text=",") if word.text in "():-/" and not word.name else word)
    if any(not each.is_mark for each in part):
        yield _sentence(part, "")


def _sentence(words: list[Word], end: str) -> Sentence:
    """Return a sentence, with a short question at its end taken away: "delete it, yes?"."""
    if is_short(words, asked=end == "?"):
        return Sentence(tuple(words), end, asked=end == "?")
    is_said_of = words[0].text in ("is", "are") and len(words) > 1 and is_progressive(words[1].text)
    for at in range(1, len(words)):
        begins = words[at - 1].text == "," or (  # but "is removing it okay?" is one question
            not is_said_of and words[at].text in _ANSWERS and words[at - 1].text not in _BEFORE_YES
        )
        if begins and at and not words[at].name and is_short(words[at:], asked=end == "?", tag=True):
            while at > 1 and words[at - 1].is_mark:
                at -= 1
            return Sentence(tuple(words[:at]), "?", asked=True)
    first, last = plain(words)[:3], plain(words)[-2:]
    asked = first == ["mind", "if", "i"] or (not end and (first == ["ok", "if", "i"] or last in _MAY_I))
    return Sentence(tuple(words), end, asked=end == "?" or asked)


def is_short(words: Sequence[Word], *, asked: bool, tag: bool = False) -> bool:
    """Whether words ask only about what was said before: all of them are words of asking, such as "is that ok?".

    Args:
        words: The words.
        asked: Whether a question mark follows.
        tag: Whether they stand at the end of a sentence.
    """
    texts = [text for text in plain(numbered(words)[0]) if text not in (",", "/", "(", ")", '"')]
    if not texts or not all(text in _ASKING for text in texts) or not _TAGS & set(texts):
        return False
    fine = texts[0] == "you" and texts[1:2] and texts[1] in _FINE
    if tag and not asked and texts[0] not in _ANSWERS and not fine:
        return False
    if not asked and not tag and not (texts[0] in _UNASKED or _NEEDED & set(texts)):
        return False
    return (
        texts[0] != "no"
        and not (texts[0] in ("can", "could", "will", "would") and texts[1:3] == ["you", "do"])
        and not {"was", "were", "did", "had"} & set(texts)
        and (texts[0] not in ("what", "how") or bool({"think", "say", "about", "sound"} & set(texts)))
    )


def numbers_in(words: Sequence[Word]) -> list[int]:
    """Return where words have the numbers of items of a list: "is step 2 fine"."""
    return [at for at in range(1, len(words)) if words[at - 1].text in _ITEMS and words[at].text.isdigit()]


def numbered(words: Sequence[Word]) -> tuple[list[Word], str]:
    """Return words without the number of the only item that they speak of, and the number."""
    at = numbers_in(words)
    if len(at) != 1 or _NOT_THE_ITEM & {word.text for word in words}:
        return list(words), ""
    return [*words[: at[0] - 1], *words[at[0] + 1 :]], words[at[0]].text


def _is_value(words: Sequence[Word]) -> bool:
    """Whether what follows a colon or a dash is a value and nothing else: "research mails: off?"."""
    rest = list(takewhile(lambda word: word.text not in _ENDS | {","}, words))
    return (
        0 < len(rest) <= 4
        and any(word.text in STATES for word in rest)
        and not any(word.stem in VERB_STEMS or word.name for word in rest)
    )
