"""What a clause asks to do: acts, with the phrases that name their things."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from websp_gym.policies.asking.lexicon import ALL, LITTLE, NUMBERS, ORDINALS, PREPOSITIONS, PRONOUNS, Verb
from websp_gym.policies.asking.words import Word

_EVERY = ALL | {"whole", "entire"}
_MANY = frozenset((*NUMBERS, "them", "these", "those", "they", "their", "all", "each", "following"))


@dataclass(frozen=True)
class Phrase:
    """Words that name things.

    Args:
        words: The words.
    """

    words: tuple[Word, ...]

    @property
    def every(self) -> bool:
        """Whether it means all things of its kind."""
        return any(word.text in _EVERY and not word.name for word in self.words)

    @property
    def refers_back(self) -> bool:
        """Whether it refers to a thing named before: "it", "these two", "that one"."""
        return any(word.text in PRONOUNS and not word.name for word in self.words)

    @property
    def head(self) -> tuple[Word, ...]:
        """The words before its first preposition: "the tag" in "the tag of the dataset"."""
        at = next(
            (at for at, word in enumerate(self.words) if at and word.text in PREPOSITIONS and not word.name),
            None,
        )
        return self.words[:at]

    @property
    def ordinal(self) -> int | None:
        """Which of the things named before it means: "the first of them"."""
        texts = [word.text for word in self.words if not word.name]
        return next((ORDINALS[two] for one, two in pairwise(texts) if one == "the" and two in ORDINALS), None)

    @property
    def is_pronoun(self) -> bool:
        """Whether it is only a word for what was named before: "them", "both"."""
        return self.refers_back and all(
            word.text in PRONOUNS | LITTLE | ALL and not word.name for word in self.words
        )

    @property
    def is_any(self) -> bool:
        """Whether it is about any thing of its kind, and none in particular: "can a token be removed"."""
        return bool(self.words) and self.words[0].text in ("a", "an") and not self.words[0].name

    @property
    def is_rest(self) -> bool:
        """Whether it says that the others stay as they are: "the other four stay"."""
        texts = {word.text for word in self.words}
        return bool(texts & {"other", "others", "rest", "else"}) and bool(
            texts & {"stay", "stays", "remain", "untouched", "signed"}
        )

    @property
    def is_many(self) -> bool:
        """Whether it stands for more than one thing."""
        return any(word.text in _MANY for word in self.words)

    @property
    def number(self) -> int:
        """The number of things that it states; 0 if it states none."""
        return next((NUMBERS[word.text] for word in self.words if word.text in NUMBERS), 0)

    @property
    def says_something(self) -> bool:
        """Whether it has more than function words."""
        return any(
            word.name or word.quotation or (word.text not in LITTLE) or word.text in PRONOUNS or word.is_owner
            for word in self.words
        )


@dataclass
class Act:
    """One act that somebody may do.

    Args:
        verb: What its verb means.
        root: Stem of the verb.
        things: What it is done to.
        without: What is left out.
        value: What is set.
        said: All of its words.
        form: ``past``, ``progressive`` or ``plain``, as its verb has it.
        bare: Whether it has no verb, so that it counts only if it names a value.
    """

    verb: Verb
    root: str = ""
    things: list[Phrase] = field(default_factory=list)
    without: list[Phrase] = field(default_factory=list)
    value: tuple[Word, ...] = ()
    said: tuple[Word, ...] = ()
    form: str = "plain"
    bare: bool = False


def listed(words: Iterable[Word], *, joints: Container[str] = ("and", "or")) -> list[list[Word]]:
    """Return the words between marks and conjunctions."""
    parts: list[list[Word]] = [[]]
    for word in words:
        if not word.name and (word.is_mark or word.text in joints):
            parts.append([])
        else:
            parts[-1].append(word)
    return parts
