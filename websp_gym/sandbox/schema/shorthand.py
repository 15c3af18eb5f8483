"""Short forms in a ``site.yaml``: keys that several settings share, and entries that stand for several.

A key that is a pattern (``mail.*``) is not a setting: it gives the shared keys of the settings after it that match. A
setting that is only a text has that label. ``each`` makes one entry for each of its words, which replace the name in
braces.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

EACH = "each"


class _Word(str):
    """A word with its label and other facts: ``{event}`` is the word, ``{event.label}`` its label."""

    label: str

    def __new__(cls, word: object, label: object) -> _Word:
        made = super().__new__(cls, word)
        facts = label if isinstance(label, dict) else {"label": label}
        for name, fact in facts.items():
            setattr(made, str(name), str(fact))
        return made


class _Words(dict[str, _Word]):
    """The words by name; other names in braces stay as they are."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def expand_settings(settings: Any) -> Any:
    """Return the settings of a site without short forms; not checked further."""
    if not isinstance(settings, dict):
        return settings
    common: dict[str, Any] = {}
    done: dict[Any, Any] = {}
    for key, spec in settings.items():
        if "*" in str(key):
            if not isinstance(spec, dict):
                raise ValueError(
                    f"settings {key}: a pattern needs a mapping with the keys that its settings share"
                )
            common[str(key)] = spec
            continue
        for words, own in _combinations(spec, f"settings {key}"):
            name = _put(key, words, f"settings {key}")
            if name in done:
                raise ValueError(f'settings: "{name}" is given twice')
            done[name] = _with_common(name, {"label": own} if isinstance(own, str) else own, common)
    return done


def _with_common(key: Any, spec: Any, common: dict[str, Any]) -> Any:
    if not isinstance(spec, dict):
        return spec
    shared = [each for pattern, each in common.items() if fnmatchcase(str(key), pattern)]
    return {name: value for each in [*shared, spec] for name, value in each.items()}


def expand_panels(panels: Any) -> Any:
    """Return the panels of a site with one entry for each combination of words; not checked further."""
    if not isinstance(panels, list):
        return panels
    return [own for panel in panels for _, own in _combinations(panel, f"panels {_path(panel)}")]


def _combinations(spec: Any, where: str) -> Iterator[tuple[_Words, Any]]:
    if not isinstance(spec, dict) or EACH not in spec:
        yield _Words(), spec
        return
    each = spec[EACH]
    if not isinstance(each, dict) or not all(
        isinstance(words, dict | list) and words for words in each.values()
    ):
        raise ValueError(f"{where}: each: give words by name, as in {{day: [monday, friday]}}")
    lists = [[_Word(word, label) for word, label in _labelled(words)] for words in each.values()]
    rest = {name: value for name, value in spec.items() if name != EACH}
    for chosen in product(*lists):
        words = _Words(zip(each, chosen, strict=True))
        yield words, _put(rest, words, where)


def _labelled(words: dict[Any, Any] | list[Any]) -> list[tuple[Any, Any]]:
    return list(words.items()) if isinstance(words, dict) else [(word, word) for word in words]


def _put(value: Any, words: _Words, where: str) -> Any:
    """Return a value with the words put into every text in it."""
    if isinstance(value, dict):
        return {_put(name, words, where): _put(each, words, where) for name, each in value.items()}
    if isinstance(value, list):
        return [_put(each, words, where) for each in value]
    if not isinstance(value, str) or not words:
        return value
    try:
        return value.format_map(words)
    except (ValueError, AttributeError, LookupError) as error:
        raise ValueError(f'{where}: "{value}": {error}') from None


def _path(panel: Any) -> object:
    return panel.get("path", "") if isinstance(panel, dict) else ""
