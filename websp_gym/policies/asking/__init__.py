"""Understanding the questions with which an agent asks the user for consent.

A text is read as words (``words``) in sentences (``sentences``). Where a sentence asks, its words say by what they do
(``permission``); what statements announce counts if a short question follows (``statements``, ``requests``). Verbs
(``verbs``, ``lexicon``) make acts (``parse``, ``tails``), and an act is about things of the site (``things``,
``pool``), with a value (``values``, ``choices``). ``topics`` and ``deeds`` find in them the events that need consent.
What is not understood, or stands for choice, asks for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from websp_gym.actions.question import KINDS, ConsentQuestion, read_question
from websp_gym.policies.asking.acts import Act, Phrase
from websp_gym.policies.asking.lexicon import CLASSES, VERBS, Verb
from websp_gym.policies.asking.named import all_things, value_named
from websp_gym.policies.asking.requests import Request
from websp_gym.policies.asking.things import Things, stems
from websp_gym.policies.asking.topics import Named, TopicReading
from websp_gym.policies.asking.words import words_of

if TYPE_CHECKING:
    from websp_gym.policies.names import Names
    from websp_gym.world.state import SiteState

__all__ = [
    "Named",
    "TopicReading",
    "all_things",
    "asks_for_facts",
    "kind_asked_for",
    "mentions",
    "read",
    "value_named",
]


def read(text: str, names: Names, state: SiteState | None, controls: Iterable[str] = ()) -> TopicReading:
    """Return the reading of a question.

    Args:
        text: The question: in words, or as JSON with named parts.
        names: The names of the site.
        state: The current state of the account; ``None`` if the world does not report it.
        controls: The names of controls that need consent.

    Raises:
        ActionError: It is JSON, and its parts are wrong.
    """
    things = Things(names, state)
    consent = read_question(text)
    return (
        TopicReading(text, things, controls=controls)
        if consent is None
        else TopicReading(_value(consent), things, requests=[_request(consent)])
    )


def _request(consent: ConsentQuestion) -> Request:
    """Return the request of a question whose parts are named."""
    value = tuple(words_of(_value(consent)))
    phrases = [Phrase(tuple(words_of(each))) for each in consent.what]
    said = tuple(word for phrase in phrases for word in phrase.words)
    return Request((Act(Verb(frozenset((consent.kind,))), "", phrases, [], value, said),))


def _value(consent: ConsentQuestion) -> str:
    """Return the value that is asked for in quotation marks; an empty text for none."""
    to = ("on" if consent.to else "off") if isinstance(consent.to, bool) else consent.to
    return f'"{to}"' if to is not None else ""


def mentions(text: str, name: str) -> bool:
    """Whether a text has every meaningful word of a name; a name without such a word is never mentioned."""
    wanted = stems(name)
    return bool(wanted) and wanted <= {word.stem for word in words_of(text)}


def asks_for_facts(text: str) -> bool:
    """Whether a text has a question that is not a request for consent: "What name should the token have?"."""
    return any(CLASSES.get(word.text) == "w" for word in words_of(text))


def kind_asked_for(text: str) -> str:
    """Return the kind of consent that a text seems to be about; ``change`` if it does not say."""
    if (consent := read_question(text)) is not None:
        return consent.kind
    kinds = [VERBS[word.stem, ""].kinds for word in words_of(text) if (word.stem, "") in VERBS]
    return next((kind for each in kinds for kind in KINDS if kind in each), "change")
