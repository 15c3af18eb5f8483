"""The names that the files of a site can produce, to find controls that the site does not have.

A name is composed of pieces of the texts in templates, scripts, labels and data. A piece begins and ends where a text
does, and where something can be inserted. So a name that cannot be produced is nowhere on the site; one that can be
is not necessarily on a page.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from functools import cache
from html import unescape
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from websp_gym.sandbox import schema
from websp_gym.tasks.sites import site_schema
from websp_gym.texts import texts_in

if TYPE_CHECKING:
    from websp_gym.tasks.instances import Instance

_WORD = re.compile(r"[^\W_]+")
_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}|\\[nt]")
_GOES_ON = re.compile(r"[ \t]+([$]?\{\{?[^%{]|$)|[.;!?][ \t]+$")
"""Where a text may continue: after a space and something inserted, or after the end of a sentence."""
_MARKUP = frozenset('<>{}=|"')
"""Signs after which another text begins."""


class Texts:
    """Texts as adjacent words.

    Args:
        texts: The texts.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: set[str] = set()
        self._beside: set[tuple[str, str]] = set()
        self._first: set[str] = set()
        """Words that begin a piece."""
        self._last: set[str] = set()
        """Words that end a piece."""
        self._ends: set[str] = set()
        """Words after which nothing has to follow."""
        self._stems: set[str] = set()
        """Words to which something is appended: ``item`` of ``item{{ "s" }}``."""
        self._endings: set[str] = set()
        """Words appended to something: ``s`` of ``{{ noun }}s``."""
        for text in texts:
            self._read(unescape(_ESCAPED.sub(" \n", text)).casefold())

    def can_make(self, name: str, put_in: Iterable[str] = ()) -> bool:
        """Whether a name can be composed of pieces of the texts. Programs produce numbers, so any number can be.

        Args:
            name: The name.
            put_in: Other texts whose words can appear anywhere in it.
        """
        free = {word for text in put_in for word in _WORD.findall(text.casefold())}
        words = [
            None if word in free or self._is_made(word) else word for word in _WORD.findall(name.casefold())
        ]
        ends = not words or words[-1] is None or words[-1] in self._ends
        return ends and all(self._may_follow(one, other) for one, other in pairwise([None, *words]))

    def _may_follow(self, one: str | None, other: str | None) -> bool:
        if one is not None and other is not None and (one, other) in self._beside:
            return True
        return (one is None or one in self._last) and (other is None or other in self._first)

    def _is_made(self, word: str) -> bool:
        """Whether a program can make a word: it has a figure, or is a word of the texts with an ending."""
        if word in self._words or not word.isalpha():
            return not word.isalpha()
        cuts = ((word[:at], word[at:]) for at in range(1, len(word)))
        return any(
            (start in self._stems and end in self._words) or (end in self._endings and start in self._words)
            for start, end in cuts
        )

    def _read(self, text: str) -> None:
        last, ended = "", 0
        for found in _WORD.finditer(text):
            between, word = text[ended : found.start()], found.group()
            self._words.add(word)
            if not between.isspace() or "\n" in between:
                self._first.add(word)
                self._last.add(last)
                if not _GOES_ON.match(between):
                    self._ends.add(last)
            if last and not _MARKUP & set(between):
                self._beside.add((last, word))
            if between[:1] in ("{", "$"):
                self._stems.add(last)
            if between[-1:] == "}":
                self._endings.add(word)
            last, ended = word, found.end()
        self._last.add(last)
        self._ends.add(last)


def can_be_on_pages(name: str, instance: Instance) -> bool:
    """Whether a page of an instance's site, or of a site where it is signed in, can have a control with this name."""
    site = instance.site
    slugs = (site.slug, *sorted({*site.signed_in} - {site.slug}))
    return _texts_of(*slugs).can_make(name, texts_in(instance.config.expect.model_dump()))


@cache
def _texts_of(*slugs: str) -> Texts:
    """Return the texts of some sites, and of what every site shares."""
    sandbox = Path(schema.__file__).parents[1]
    shared = [sandbox / name for name in ("kit", "schema", "server", "client")]
    return Texts(chain.from_iterable(map(_read, [*(site_schema(slug).folder for slug in slugs), *shared])))


def is_in_files(slug: str, text: str) -> bool:
    """Whether a text is literally in a file of a site."""
    return any(text in each for each in _read(site_schema(slug).folder))


@cache
def _read(folder: Path) -> tuple[str, ...]:
    found = []
    for file in sorted(folder.rglob("*")):
        with contextlib.suppress(UnicodeDecodeError):  # a picture, or a program that Python compiled
            found.append(file.read_text(encoding="utf-8") if file.is_file() else "")
    return tuple(found)
