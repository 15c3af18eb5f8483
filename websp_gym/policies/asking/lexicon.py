"""The verbs and nouns with which people name what is done on a website, and the function words around them.

The words are those of ``english.yaml``.
"""

from __future__ import annotations

from dataclasses import dataclass

from websp_gym.policies.asking.tables import read_table
from websp_gym.policies.asking.words import stem

_TABLE = read_table("english.yaml")


def words_in(name: str) -> frozenset[str]:
    """Return the words of an entry of the table."""
    return frozenset(_TABLE[name].split())


def stems_in(name: str) -> frozenset[str]:
    """Return the words of an entry of the table, without endings."""
    return frozenset(map(stem, _TABLE[name].split()))


LIGHT = words_in("light")
PARTICLES = words_in("particles")
PREPOSITIONS = words_in("prepositions")
LITTLE = words_in("little")
HARMLESS = stems_in("harmless")
KIND_WORDS = stems_in("kind_words")
"""What the things of a site are called besides the site's own words."""
OWN_WORDS = stems_in("own_words")
OWN_NOUNS = stems_in("own_nouns")
BEFORE_AN_ACT = words_in("before_an_act")
SUBORDINATE = words_in("subordinate")
PURPOSES = stems_in("purposes")
PRONOUNS = words_in("pronouns")
OTHER = stems_in("other")
VALUED = stems_in("valued")
IMPLIED: dict[str, str] = {stem(verb): word for verb, word in _TABLE["implied"].items()}
"""What some verbs say about the value, or about their object."""
VAGUE = words_in("vague") | PRONOUNS
ALL = frozenset(("all", "every", "each", "both", "everything", "everyone"))
DETERMINERS = words_in("determiners")
ORDINALS = {"first": 0, "former": 0, "second": 1, "third": 2, "last": -1, "latter": -1}
NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
CLASSES: dict[str, str] = {
    word: letter for letter, words in _TABLE["classes"].items() for word in words.split()
}
"""What the words used in asking do, as one letter each."""


def is_adverb(text: str) -> bool:
    """Whether a word says how or when, and so says nothing about a thing."""
    return CLASSES.get(text) == "r" or (
        text.endswith("ly")
        and len(text) > 4
        and text not in ("reply", "apply", "weekly", "daily", "family", "monthly")
    )


EXCEPT = words_in("except")


@dataclass(frozen=True)
class Verb:
    """What a verb may mean.

    Args:
        kinds: The kinds of events and deeds that it names; ``keep`` for leaving something as it is.
        weakly: Those of them that it names only with a fitting object, such as a deed.
        turn: The value that it gives a switch: "turn on", "untick".
        more: Whether it gives or takes what the label of a setting is about: "show", "hide".
    """

    kinds: frozenset[str] = frozenset()
    weakly: frozenset[str] = frozenset()
    turn: bool | None = None
    more: bool | None = None


_SIGNS = ("on", "off", "more", "less", "weakly")


def _read_verbs() -> dict[tuple[str, str], Verb]:
    found: dict[tuple[str, str], Verb] = {}
    for line in _TABLE["verbs"].strip().split("\n"):
        head, _, words = line.partition(":")
        said = head.split()
        kinds = frozenset(said).difference(_SIGNS)
        turn = True if "on" in said else False if "off" in said else None
        more = True if "more" in said else False if "less" in said else None
        for word in words.split():
            verb, _, particle = word.partition("+")
            old = found.get((stem(verb), particle), Verb())
            found[stem(verb), particle] = Verb(
                old.kinds | kinds,
                old.weakly | (kinds - old.kinds if "weakly" in said else frozenset()),
                turn if old.turn is None else old.turn,
                more if old.more is None else old.more,
            )
    return found


VERBS = _read_verbs()
"""By stem and particle; the particle is empty if there is none."""
VERB_STEMS = frozenset(verb for verb, _ in VERBS)
_SINGULAR: dict[str, str] = _TABLE["nouns"]
NOUNS = {form: (stem(verb), "") for noun, verb in _SINGULAR.items() for form in (noun, f"{noun}s")}
"""The verbs, as keys of ``VERBS``, by the nouns for what they do."""


def _forms() -> frozenset[str]:
    """Return the forms of all verbs."""
    plain = {
        word.partition("+")[0]
        for line in _TABLE["verbs"].split("\n")
        for word in line.partition(":")[2].split()
    }
    return frozenset(f"{verb.removesuffix('e')}{end}" for verb in plain for end in ("ed", "ing")) | plain


SPELLABLE = words_in("spellable") | _forms() | NOUNS.keys()
"""Words that a misspelt one may stand for."""
KNOWN = (
    LITTLE | BEFORE_AN_ACT | PREPOSITIONS | PARTICLES | HARMLESS | PURPOSES | OTHER | LIGHT | VERB_STEMS
    | words_in("no") | words_in("asking_words") | words_in("through") | CLASSES.keys() | stems_in("alike")
    | frozenset(map(stem, SPELLABLE))
)  # fmt: skip
"""Words that are spelled correctly."""
