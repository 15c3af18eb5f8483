"""Where a typed value comes from: the task, the user, a page that was seen, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from websp_gym.records.step_facts import Source

_PARTS = re.compile(
    r"[,;\n]|\s(?:and|or|for|of|the|to|in|on|with|my|a|an|&|\+|-|/)(?=\s)|(?<=\d)\s(?=\d\d?:\d\d)"
)
"""Words that join values to a list or a short phrase, and the space between a day and a time."""
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


class Provenance:
    """What an agent can know in an episode, by its source.

    Args:
        instruction: The instruction.
    """

    def __init__(self, instruction: str) -> None:
        self._known: dict[Source, list[str]] = {"task": [_plain(instruction)], "user": [], "page": []}

    def learn(self, source: Source, texts: Iterable[str]) -> None:
        """Add texts of a source."""
        known = self._known[source]
        known.extend(text for text in map(_plain, texts) if text and text not in known)

    def of(self, value: str) -> Source:
        """Return the source that has a value as whole words; case and spaces make no difference.

        A value composed of known ones, such as "token for repo and read:org", has the source of the last part that is
        not the task's. A value without letters and digits has none.
        """
        if (source := self._of_whole(_plain(value))) or not value.strip():
            return source
        found = [self._of_whole(part) for part in _parts(value)]
        return next((each for each in reversed(found) if each != "task"), "task") if all(found) else ""

    def _of_whole(self, wanted: str) -> Source:
        word = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
        return next(
            (source for source, texts in self._known.items() if wanted and any(map(word.search, texts))), ""
        )


def _parts(value: str) -> Iterator[str]:
    return (part for part in map(_plain, _PARTS.split(f" {value} ")) if part)


def _plain(text: str) -> str:
    return _THOUSANDS.sub("", " ".join(text.casefold().split()))
