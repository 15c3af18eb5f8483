"""What must not happen to an account on a live website, recognized by the control about to be pressed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import yaml

from websp_gym.tasks.schema import ConfigModel

if TYPE_CHECKING:
    from websp_gym.tasks.instances import Instance

_FIELDS = ("textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton")
"""Roles of elements to type into or choose from: pressing them does nothing by itself."""
_PRESSED = ("button", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "tab", "switch", "")
"""Roles whose name says what a press does, however long it is."""
_TICKED = ("checkbox", "radio", "switch", "tab", "link", *_FIELDS)
"""Roles that do not answer a dialog's question."""
_BY_FORMS = ("publishes something", "sends something", "changes how one signs in")
"""What only a form does: a link with such an address leads to the page with the form."""
_LONGEST = 60
"""Maximum letters in the text of other elements that may react to a press; a longer text is a paragraph."""
_SIGNS = ("names", "addresses", "questions")
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһԛԝьгмнтквАЕОРСУХІЈЅНКМТВαεορνυικτΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhqwbrmhtkbAEOPCYXIJSHKMTBaeopvuiktABEZHIKMNOPTYX",
)
"""Cyrillic and Greek letters that look like Latin ones."""


class _Signs(ConfigModel):
    names: tuple[str, ...] = ()
    pairs: tuple[tuple[str, ...], ...] = ()
    addresses: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


class _File(ConfigModel):
    general: dict[str, _Signs]
    declines: tuple[str, ...]
    explains: str
    sites: dict[str, dict[str, _Signs]]


@dataclass(frozen=True)
class _Known:
    """The signs of all kinds of harm on one site, and what declines a question."""

    kinds: Mapping[str, Mapping[str, re.Pattern[str]]]
    declines: re.Pattern[str]

    def kind(self, sign: str, texts: Iterable[str]) -> str | None:
        """Return the first kind indicated by one of the texts."""
        listed = list(texts)
        for kind, patterns in self.kinds.items():
            if any(patterns[sign].search(text) for text in listed):
                return kind
        return None


class HarmGuard:
    """Tells which controls would harm an account.

    Args:
        instance: The instance. What its own ground truth presses is never held back.
    """

    def __init__(self, instance: Instance) -> None:
        self._known = _known(instance.site.slug)
        targets = (step.target for step in instance.config.ground_truth)
        self._asked = {(target.role, _plain(target.name)) for target in targets if target is not None}

    def harm(self, element: Mapping[str, str], *, sends: bool = False) -> str | None:
        """Return what a press on an element would do, such as ``closes the account``; None for nothing known.

        Args:
            element: Its ``role`` and ``name``; ``form``, the address that its form is sent to; ``href``, the address
                that it leads to; ``dialog``, the text of its dialog. Each may be empty or missing.
            sends: Whether its form is sent, as with Enter in a field; a button always sends its form.
        """
        role, name = element.get("role", ""), _plain(element.get("name", ""))
        if (role, name) in self._asked:
            return None
        names = {name, name.translate(_LOOKALIKES)}
        pressed = role not in _FIELDS and (role in _PRESSED or len(name) <= _LONGEST)
        kind = self._known.kind("names", names) if pressed else None
        if kind is None and (sends or role == "button"):
            kind = self._known.kind("addresses", filter(None, [_where(element.get("form", ""))]))
        if kind is None and pressed:
            kind = self._known.kind("addresses", filter(None, [_where(element.get("href", ""))]))
            kind = None if kind in _BY_FORMS else kind
        if kind is None and pressed and role not in _TICKED and not self._known.declines.search(name):
            question = _plain(element.get("dialog", ""))
            kind = self._known.kind(
                "questions", {question, question.translate(_LOOKALIKES)} if question else ()
            )
        return kind


@cache
def _known(slug: str) -> _Known:
    data = yaml.safe_load(files("websp_gym.actions").joinpath("harm.yaml").read_text("utf-8"))
    known = _File.model_validate(data)
    own = known.sites.get(slug, {})
    kinds = {}
    for kind in dict.fromkeys((*known.general, *own)):
        signs = [each[kind] for each in (known.general, own) if kind in each]
        patterns = {sign: [pattern for each in signs for pattern in getattr(each, sign)] for sign in _SIGNS}
        patterns["names"] += [_short(pair, unless=known.explains) for each in signs for pair in each.pairs]
        kinds[kind] = {sign: _any(patterns[sign]) for sign in _SIGNS}
    return _Known(kinds, _any(known.declines))


def _short(words: Iterable[str], *, unless: str) -> str:
    """Return a pattern for a short name with these words in any order that does not only explain."""
    # Not by \b: some languages put no spaces between words.
    each = (rf"(?=.*(?<![a-zß-ž\u0400-\u04ff])(?:{word}))" for word in words)
    return rf"^(?!.*(?:{unless}))(?=.{{1,{_LONGEST}}}$){''.join(each)}"


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns) or r"(?!)", re.IGNORECASE)


def _where(address: str) -> str:
    """Return path and query of an address; empty without one."""
    parts = urlsplit(address)
    return (
        unquote(f"{parts.path}{'?' if parts.query else ''}{parts.query}")
        if parts.path not in ("", "/")
        else ""
    )


def _plain(text: str) -> str:
    """Return a text without what a person does not see of its letters: widths, joiners, soft hyphens, spaces."""
    seen = (letter for letter in unicodedata.normalize("NFKC", text) if unicodedata.category(letter) != "Cf")
    return " ".join("".join(seen).split())
