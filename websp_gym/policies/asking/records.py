"""Records that a question names word by word: by title, id, number or a unique field.

An application has hundreds of records whose names share words, so parts of names tell little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from websp_gym.policies.asking.things import stems
from websp_gym.policies.asking.words import Word, plain_words, words_of
from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.sandbox.schema.fields import RecordField, RecordsField

if TYPE_CHECKING:
    from websp_gym.policies.asking.things import Things
    from websp_gym.sandbox.schema.site_schema import Row

_ME = frozenset(("you", "yourself", "me", "myself"))
"""Whom a record is given to in "assign it to you": the account is the user's, and the agent acts for it."""


class Titles:
    """The records of a site by what people call them.

    Args:
        things: The things of the site.
    """

    def __init__(self, things: Things) -> None:
        self._things = things
        self._modules = things.names.site.modules
        self._known: dict[str, list[tuple[str, frozenset[str]]]] = {}

    @cached_property
    def nouns(self) -> dict[str, frozenset[str]]:
        """What one record of each module is called."""
        return {name: stems(self._things.names.things(name)) for name in self._modules}

    def named(self, module: str, words: Sequence[Word]) -> list[str]:
        """Return the ids of the records that words name; of several with one name the one that more is said of."""
        text = _plain(words)
        found = {
            record: max(spans, key=len)
            for record, names in self._all(module)
            if (spans := [name for name in names if f" {name} " in text])
        }
        # "Harbour" is not meant in "Harbour Lights".
        longest = {
            record: name
            for record, name in found.items()
            if not any(f" {name} " in f" {other} " and name != other for other in found.values())
        }
        return self._distinguished(module, longest, text)

    def of_account(self, module: str, words: Sequence[Word]) -> list[str]:
        """Return the records that words name as the one to give something to; "you" is the account's own record."""
        people = self._things.names.site.people
        if people and people.module == module and _ME & {word.text for word in words if not word.name}:
            return [ACCOUNT["username"]]
        return self.named(module, words)

    def _distinguished(self, module: str, found: dict[str, str], text: str) -> list[str]:
        shared = Counter(found.values())
        rows = {str(row["id"]): row for row in self._things.rows(module)}
        said = {
            record: sum(
                any(f" {each} " in text for each in names if each != name)
                for names in self._of_fields(module, rows[record])
            )
            for record, name in found.items()
            if shared[name] > 1
        }
        times = Counter((name, said[record]) for record, name in found.items() if record in said)
        most = {name: max(count for other, count in times if other == name) for name, _ in times}
        return [
            record
            for record, name in found.items()
            if name not in most or (said[record] == most[name] and times[name, most[name]] == 1)
        ]

    def _all(self, module: str) -> list[tuple[str, frozenset[str]]]:
        if module not in self._known:
            rows = self._things.rows(module)
            self._known[module] = [(str(row["id"]), frozenset(self._names(module, row))) for row in rows]
        return self._known[module]

    def _names(self, module: str, row: Row) -> Iterator[str]:
        """Yield the names of a record."""
        spec = self._modules[module]
        raw = {name: str(row.get(name, "")) for name in spec.in_title}
        full = {name: self._referred(spec.typed[name], row.get(name)) or text for name, text in raw.items()}
        texts = [spec.naming.format(**raw), spec.naming.format(**full)]
        texts += [str(row.get(name, "")) for name in spec.unique if isinstance(row.get(name), str)]
        texts += [str(row[name]) for name in ("name", "path") if row.get(name)]
        texts += [] if str(row["id"]).isdigit() else [str(row["id"])]
        if spec.numbered:
            one, number = self._things.names.things(module), row.get(spec.numbered.field)
            texts += [f"{one} {number}", f"{one} number {number}"]
        yield from (name for text in texts if (name := " ".join(plain_words(words_of(text)))))

    def _referred(self, field: Any, value: Any) -> str:
        """Return the title of the record that a field refers to; empty if it refers to none."""
        if not isinstance(field, RecordField) or field.of not in self._modules:
            return ""
        other = next((row for row in self._things.rows(field.of) if row["id"] == value), None)
        spec = self._modules[field.of]
        return spec.naming.format(**{name: other.get(name, "") for name in spec.in_title}) if other else ""

    def _of_fields(self, module: str, row: Row) -> Iterator[list[str]]:
        """Yield the names of what each field of a record has."""
        for name, field in self._modules[module].typed.items():
            value = row.get(name)
            if isinstance(field, RecordField | RecordsField):
                wanted = value if isinstance(value, list) else [value]
                yield [each for record, names in self._all(field.of) if record in wanted for each in names]
            elif isinstance(value, str) and value:
                yield [" ".join(plain_words(words_of(value)))]


def _plain(words: Sequence[Word]) -> str:
    return f" {' '.join(plain_words(words))} "
