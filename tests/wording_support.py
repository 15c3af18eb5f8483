"""The content of a wording, as far as a program can see it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

COLUMNS = ("quotes", "labels", "way", "final", "negation", "scope", "words")
LABELS, STOPS = " | ", " > "
_RUN = 9
_QUOTED = re.compile(r"(?<!\w)'(.+?)'(?!\w)")
_FINAL = re.compile(r"\b(?:saved?|submit\w*|confirm\w*|appl(?:y|ies)|commit\w*)\b")
_NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|none|nobody|nothing|without|unless|prevent\w*)\b|n't\b|\bnon-|\b(?:stop|keep)s? \w+ from\b"
)
_SCOPES = {
    "all": re.compile(r"\b(?:all|any|every\w*|each|completely)\b"),
    "only": re.compile(r"\b(?:only|just|alone|except)\b"),
    "other": re.compile(r"\bothers?\b|\brest\b"),
}


def words(text: str) -> list[str]:
    """Return the words, as the runs of nine are counted."""
    return re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower())


def runs(text: str) -> dict[str, str]:
    """Return every run of nine words by its hash."""
    all_words = words(text)
    found = (" ".join(all_words[at : at + _RUN]) for at in range(len(all_words) - _RUN + 1))
    return {hashlib.sha256(run.encode()).hexdigest()[:8]: run for run in found}


def quotes(text: str) -> list[str]:
    """Return what stands in single quotes, in order."""
    return _QUOTED.findall(text)


def plain(text: str) -> str:
    """Return letters and digits only, "and" for "&"."""
    return " ".join(re.findall(r"[a-z0-9]+", text.lower().replace("&", " and ")))


def stem(label: str) -> str:
    """Return a label as labels are compared: plain, and in the singular."""
    return plain(label).removesuffix("s")


def labels_named(labels: Iterable[str], text: str) -> list[str]:
    """Return the labels that stand in the wording, in quotes or not, in the singular or the plural."""
    return sorted(label for label in labels if re.search(rf"\b{stem(label)}s?\b", plain(text)))


def telling(text: str, labels: Iterable[str], stops: Iterable[str]) -> dict[str, str]:
    """Return the content of a wording, by column.

    Args:
        text: The wording.
        labels: Labels of the controls that the task's ground truth uses.
        stops: Stops on the way to the control that the wording may name; the last one is its page.
    """
    low = text.lower()
    return {
        "quotes": LABELS.join(quotes(text)),
        "labels": LABELS.join(labels_named(labels, text)),
        "way": STOPS.join(stop for stop in stops if plain(stop) in plain(text)),
        "final": LABELS.join(_FINAL.findall(low)),
        "negation": LABELS.join(_NEGATION.findall(low)),
        "scope": LABELS.join(name for name, pattern in _SCOPES.items() if pattern.search(low)),
        "words": str(len(words(text))),
    }


def differences(published: dict[str, str], ours: dict[str, str]) -> list[str]:
    """Return the columns in which two wordings differ, except for length and the order of quotations."""
    return [name for name in COLUMNS[:-1] if _compared(name, published[name]) != _compared(name, ours[name])]


def _compared(name: str, cell: str) -> object:
    if name in ("final", "negation"):
        return len(cell.split(LABELS)) if cell else 0
    return sorted(stem(each) for each in cell.split(LABELS)) if name == "quotes" else cell
