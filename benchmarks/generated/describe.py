"""Describe a settings page by chance: its sections, groups of controls and lists, as a gallery's description."""

from __future__ import annotations

import re
from random import Random

from benchmarks.foreign.gallery import Control, Gallery, Group, Kind, Option, Row, Rows, Section, Sheet, Text

PATH = "account"
_WORDS: list[str] = re.findall(
    r"\w+",
    """
    account archive badge bridge bronze budget candle channel cloud color copper corner coupon duplex folder
    forest garden guest harbor invoice island kitchen ladder letter library lantern market marble meadow
    member mirror music needle number office orchard order paper parcel pencil phone printer queue river
    saddle scanner silver station stamp stone street studio summer table team ticket toner tower tray village
    violin window winter
    """,
)
_FIELDS: tuple[Kind, ...] = ("checkbox", "switch", "radio", "select", "text", "button", "icon", "menu")
_ACTIONS: tuple[Kind, ...] = ("button", "icon", "menu", "switch", "checkbox")
_VERBS = ("Delete", "Remove", "Edit", "Cancel", "Share", "Revoke", "Download", "Print again", "Disable")
_NOTES = (
    "",
    "last used {} days ago",
    "{} pages",
    "added in {}",
    "on floor {}",
    "by Ada",
    "by Tom",
    "read only",
)
_SAVES = ("Save", "Apply", "Save changes", "Update")


def describe(seed: int) -> Gallery:
    """Return the description of one page; the same for the same seed."""
    page = _Page(seed)
    sheet = Sheet(path=PATH, title=_text("Settings"), sections=page.sections())
    return Gallery(title=_text("Printers"), pages=(sheet,))


def _text(text: str) -> Text:
    return (text, text, text)


class _Page:
    """One page in the making: its keys and texts are given once."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._prefix = f"p{seed}"
        self._keys = 0
        self._used = {""}

    def sections(self) -> tuple[Section, ...]:
        save = self._random.choice(_SAVES)
        return tuple(self._section(save) for _ in range(self._random.randint(2, 5)))

    # ------------------------------------------------------------ parts
    def _section(self, save: str) -> Section:
        labels = [self._words(1) for _ in range(3)]
        # The same labels in every group, as "Email" and "Push" below each kind of news.
        repeats = self._chance(0.3)
        groups = tuple(self._group(labels if repeats else []) for _ in range(self._random.randint(0, 3)))
        rows = self._rows() if not groups or self._chance(0.6) else None
        return Section(
            key=self._key(),
            title=_text(self._words(3)),
            note=_text(f"{self._words(9, least=4)}." if self._chance(0.5) else ""),
            groups=groups,
            rows=rows,
            save=_text(save if groups and self._chance(0.6) else ""),
        )

    def _group(self, labels: list[str]) -> Group:
        some = labels or [self._words(4) for _ in range(self._random.randint(1, 5))]
        return Group(
            key=self._key(),
            title=_text(self._words(3) if self._chance(0.5) else ""),
            controls=tuple(self._control(_FIELDS, label) for label in some),
            spare=tuple(self._control(_FIELDS, self._words(4)) for _ in range(self._random.randint(0, 2))),
        )

    def _rows(self) -> Rows:
        # Orders and invoices are told apart by their numbers.
        base = self._words(1) if self._chance(0.15) else ""
        same = self._random.choice(_NOTES) if self._chance(0.4) else None
        verbs = self._random.sample(_VERBS, self._random.randint(1, 3))
        controls = tuple(self._control(_ACTIONS, verb, in_row=True) for verb in verbs)
        if self._chance(0.15):
            controls = (self._control(("checkbox",), "{title}", in_row=True),)
        return Rows(
            looks=self._random.choice(["table", "list", "cards"]),
            head=tuple(map(_text, ("Name", "Note", "Action"))),
            rows=tuple(self._row(base, same, target=at < 3) for at in range(self._random.randint(3, 6))),
            spare=tuple(self._row(base, same) for _ in range(2)),
            controls=controls,
        )

    def _row(self, base: str, note: str | None, *, target: bool = False) -> Row:
        note = self._random.choice(_NOTES) if note is None else note
        title = f"{base} {self._random.randint(100, 9_999)}" if base else self._words(3)
        return Row(
            key=self._key(),
            title=_text(title),
            note=_text(note.format(self._random.randint(2, 40))),
            checked=self._chance(0.5),
            target=target,
        )

    def _control(self, kinds: tuple[Kind, ...], label: str, *, in_row: bool = False) -> Control:
        kind = self._random.choice(kinds)
        options: tuple[Option, ...] = ()
        if kind in ("radio", "select"):
            options = tuple(Option(key=f"o{at}", label=_text(self._words(2))) for at in range(3))
        return Control(
            key=self._key(),
            kind=kind,
            label=_text(label),
            checked=self._chance(0.5),
            value=options[0].key if options else self._words(2),
            other="" if options else self._words(2),
            options=options,
            attrs=self._row_marks() if in_row else self._marks(),
        )

    # ------------------------------------------------------------ chance
    def _marks(self) -> dict[str, str]:
        name = self._random.choice(["", "", "", "", "", "", "", "id", "name", "data-testid"])
        return {name: "-".join(self._random.sample(_WORDS, 2))} if name else {}

    def _row_marks(self) -> dict[str, str]:
        return {"data-testid": "act-{row}"} if self._chance(0.2) else {}

    def _words(self, most: int, *, least: int = 1) -> str:
        text = ""
        while text in self._used:
            text = " ".join(self._random.sample(_WORDS, self._random.randint(least, most))).capitalize()
        self._used.add(text)
        return text

    def _key(self) -> str:
        self._keys += 1
        return f"{self._prefix}-{self._keys}"

    def _chance(self, share: float) -> bool:
        return self._random.random() < share
