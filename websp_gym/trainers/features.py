"""A small policy's view of a page: the possible actions, each with features made of words.

A feature is a text such as ``name save`` or ``named wrong new switch``. None names the site, the person or the
instance, so what is learned on some tasks can be of use on others. Most describe how an element relates to the
instruction: whether its name is in it, whether it is named next after the element operated last, whether it has the
state that the instruction wants.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from websp_gym.actions import Action, format_action, parse_action

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from websp_gym.rollouts import Page, Transcript

Element = Mapping[str, Any]

SIZE = 2**18
"""Number of weights. Features that share a hash share a weight."""
MOST_TURNS = 25
"""Turns after which the policy answers; scrolling is free, so nothing else would end an episode of scrolling."""

_WORD = re.compile(r"[a-z0-9_-]+|[.,;:]")
_GIVEN = re.compile(r"(?<!\w)'(.+?)'(?!\w)|[\"“]([^\"”]+)[\"”]|\b(\w*(?:_|\d)[\w.-]*\w)\b")
"""Texts to type: quoted, or a word with a digit or an underscore."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_STOP = _set(
    "a an and are at be by can do for from go i if in is it me my of or that the then there these they this those to "
    "under what which with you your . , ; : SITE"
)
_ON = _set("on allow allowed tick ticked enable enabled used keep")
_OFF = _set("off not no nor neither nothing none empty untick disable disabled without")
_REST = _set("all every everything other others")
_ALONE = _set("alone just only")
_NAME_WORDS = 8
_WORDS_AHEAD = 9


@dataclass(frozen=True)
class Reader:
    """Splits texts into words, without the names of the site and the person, which do not carry over to others.

    Args:
        site: Longest part of the site's host name.
        account: Words of the account's names and address.
    """

    site: str = ""
    account: frozenset[str] = frozenset()

    @classmethod
    def of(cls, page: Page) -> Reader:
        """Return the reader of a page."""
        host = urlsplit(page.observation["url"]).netloc
        return cls(max(host.split("."), key=len), frozenset(cls().words(" ".join(page.account.values()))))

    def words(self, text: str) -> list[str]:
        """Return the words and stops of a text, in lower case; ``SITE`` and ``ME`` stand for the names."""
        return [self._hidden(word) for word in _WORD.findall(re.sub("['’]", "", text.lower()))]

    def name(self, element: Element) -> list[str]:
        """Return the words of an element's name, or of its text."""
        return self.words(_name(element))

    def _hidden(self, word: str) -> str:
        if word in self.account:
            return "ME"
        return "SITE" if len(word) > 2 and word in self.site else word


@dataclass(frozen=True)
class Mention:
    """The position where the instruction names an element best.

    Args:
        at: Position of its first word in the instruction; -1 if the instruction does not name it.
        hits: Number of different words of the name that are there.
        cover: How much of the name that is: 0 nothing, 1 less than half, 2 half or more, 3 all.
    """

    at: int = -1
    hits: int = 0
    cover: int = 0

    @property
    def named(self) -> bool:
        """Whether the instruction means the element, judged by its words."""
        return self.cover >= 2


class StatedGoal:
    """The instruction, as words by which elements are named."""

    def __init__(self, text: str, reader: Reader) -> None:
        self.reader = reader
        self.words = reader.words(text)
        self.given = ["".join(found) for found in _GIVEN.findall(text)]
        self._stems = [_stem(word) for word in self.words]
        self._clauses = list(accumulate(int(word in ",;:.") for word in self.words))
        self._sentences = list(accumulate(int(word in ";.") for word in self.words))

    def mention(self, element: Element, after: int) -> Mention:
        """Return where an element is named, after a position if it is named equally well there."""
        name = {_stem(word) for word in self.reader.name(element)} - {""}
        found = [
            (len(name.intersection(self._stems[at : at + len(name) + 3])), at >= after, -at)
            for at, stem in enumerate(self._stems)
            if stem in name
        ]
        if not found:
            return Mention()
        hits, _, at = max(found)
        return Mention(-at, hits, 3 if hits == len(name) else 1 + (2 * hits >= len(name)))

    def clause(self, at: int) -> list[str]:
        """Return the words between the stops around a position."""
        return [word for word, one in zip(self.words, self._clauses, strict=True) if one == self._clauses[at]]

    def ahead(self, pointer: int, most: int | None = None) -> list[str]:
        """Return the words from a position on."""
        return self.words[max(pointer, 0) :][:most]

    def left(self, pointer: int) -> int:
        """Return the number of words after a position, without the commonest."""
        return sum(bool(stem) for stem in self._stems[pointer + 1 :])

    def wanted(self, at: int) -> bool | None:
        """Return whether the element named at a position shall be on, by the nearest such word; None without one."""
        near = [
            i
            for i, word in enumerate(self.words)
            if word in _ON | _OFF and self._sentences[i] == self._sentences[at]
        ]
        # The same clause first; then what follows ("A, B and C off") before what precedes ("turn off A, B and C").
        near.sort(key=lambda i: (self._clauses[i] != self._clauses[at], i < at, abs(i - at)))
        return self.words[near[0]] in _ON if near else None

    @cached_property
    def rest_wanted(self) -> bool | None:
        """Whether the controls that are not named shall be on; None if the instruction does not speak of them."""
        if not _ALONE.isdisjoint(self.words):
            return False
        return next((self.wanted(at) for at, word in enumerate(self.words) if word in _REST), None)


@dataclass(frozen=True)
class _Past:
    """The actions so far.

    Args:
        goal: The instruction.
        turn: Number of actions.
        last: The last action: its kind, and role and state of its element.
        last_words: Words of that element's name.
        pointer: Where the instruction names the last element that it names.
        used: All those places.
        states: State of each element, by role and name, when it was last operated.
        stuck: Whether the last action was a scroll that changed nothing.
    """

    goal: StatedGoal
    turn: int
    last: str
    last_words: Sequence[str]
    pointer: int
    used: frozenset[int]
    states: Mapping[tuple[str, str], str]
    stuck: bool

    @classmethod
    def of(cls, played: Transcript) -> _Past:
        goal = StatedGoal(played.page.goal, Reader.of(played.page))
        last, last_words, pointer = "start", [""], -1
        used: set[int] = set()
        states: dict[tuple[str, str], str] = {}
        for page, reply in zip(played.pages, played.replies, strict=False):
            action = parse_action(reply)
            last, last_words = action.kind, []
            if action.number is None:
                continue
            element = page.observation["elements"][action.number]
            states[element["role"], _name(element)] = _state(element)
            last = f"{action.kind} {element['role']}{_state(element)}"
            last_words = goal.reader.name(element)[:_NAME_WORDS]
            mention = goal.mention(element, pointer)
            if mention.named:
                pointer = mention.at
                used.add(pointer)
        stuck = last == "Scroll" and _shown(played.pages[-2]) == _shown(played.page)
        return cls(goal, len(played.replies), last, last_words, pointer, frozenset(used), states, stuck)

    def again(self, element: Element) -> str:
        """Say whether an element was operated before, and whether that changed it."""
        before = self.states.get((element["role"], _name(element)))
        return "new" if before is None else "same" if before == _state(element) else "changed"


def candidates(played: Transcript) -> Iterator[tuple[str, list[str]]]:
    """Yield the actions that may be taken on the current page, the answer last, each with its features."""
    past = _Past.of(played)
    elements = [one for one in played.page.observation["elements"] if not one["disabled"]]
    mentions = [past.goal.mention(one, past.pointer) for one in elements]
    hits = [mention.hits * (mention.at not in past.used) for mention in mentions]
    unused = [mention.at for mention in mentions if mention.named and mention.at not in past.used]
    nearest = min((at for at in unused if at > past.pointer), default=None)
    best = max(hits, default=0)
    for element, mention, count in zip(elements, mentions, hits, strict=True):
        number = element["number"]
        order = f"best{count == best > 0} next{mention.named and mention.at == nearest}"
        features = list(_of_element(element, mention, past, order))
        if element["role"] in ("textbox", "searchbox"):
            for text in past.goal.given:
                yield format_action(Action("Type", number, text)), [f"type {one}" for one in features]
        else:
            yield format_action(Action("Click", number)), features
        if element["role"] == "link" and mention.hits:
            yield format_action(Action("Hover", number)), [f"hover {one}" for one in features]
    rights = {_right(one, mention, past.goal) for one, mention in zip(elements, mentions, strict=True)}
    judged = " ".join(sorted(rights & {"named right", "named wrong", "rest wrong"}))
    following, left = f"next{nearest is not None}", f"left{min(past.goal.left(past.pointer), 6)}"
    whole = [
        *("", judged, f"{judged} {following}", f"{judged} after {past.last}"),
        *(
            f"best{min(best, 3)}",
            left,
            f"{left} best{min(best, 3)}",
            f"{following} unused{min(len(unused), 3)}",
        ),
        *(
            f"last {past.last}",
            f"turn{min(past.turn // 2, 6)}",
            *(f"after {word}" for word in past.last_words),
        ),
    ]
    if not past.stuck:
        hints = (f"goal {word}" for word in past.goal.ahead(past.pointer, _WORDS_AHEAD))
        yield "Scroll [WINDOW]; down", [f"scroll {one}" for one in (*whole, *hints)]
    yield "ANSWER; done", [f"answer {one}" for one in (*whole, f"stuck{past.stuck}")]


def _of_element(element: Element, mention: Mention, past: _Past, order: str) -> Iterator[str]:
    goal, role, again = past.goal, element["role"], past.again(element)
    state, name = _state(element), goal.reader.name(element)[:_NAME_WORDS]
    what = f"{role}{state}"
    yield from (
        "click",
        what,
        again,
        f"{what} {again}",
        f"{role} after {past.last}",
        f"{again} after {past.last}",
    )
    used = mention.at in past.used
    named = f"cover{mention.cover} used{used} {order}"
    way = 0 if mention.at < 0 else max(-1, min(3, (mention.at - past.pointer + 3) // 4))
    yield from (named, f"{named} way{way}", f"{named} {what}", f"{named} {again}")
    yield f"hits{min(mention.hits, 4)} used{used} {order}"
    yield from (f"name {word}" for word in name)
    yield f"name {' '.join(name[:4])}"
    right = _right(element, mention, goal)
    yield from (right, f"{right} {again}", f"{right} {again} {role}")
    if element["checked"] is not None:
        around = goal.clause(mention.at) if mention.named else goal.ahead(past.pointer)
        yield from (f"named{mention.named} {state} {again} {word}" for word in around)


def _right(element: Element, mention: Mention, goal: StatedGoal) -> str:
    """Return whether an element has the state that the instruction wants, judged by its words."""
    if element["checked"] is None or element["role"] == "radio":
        return "stateless"
    wanted = goal.wanted(mention.at) if mention.named else goal.rest_wanted
    judged = "unknown" if wanted is None else "right" if wanted == element["checked"] else "wrong"
    return f"{'named' if mention.named else 'rest'} {judged}"


def _stem(word: str) -> str:
    """Return the first five letters, so that ``personalized`` and ``personalization`` are the same."""
    return "" if word in _STOP else word[:5]


def _name(element: Element) -> str:
    return str(element["name"] or element["text"])


def _state(element: Element) -> str:
    """Return whether an element is checked, expanded and selected, as three characters."""
    states = (element["checked"], element["expanded"], element["selected"])
    return "".join("-" if state is None else str(int(state)) for state in states)


def _shown(page: Page) -> str:
    return str(page.observation["elements_text"])


@dataclass(frozen=True)
class ActionChoice:
    """The actions of one page.

    Args:
        actions: Text of each action.
        features: Hashed features (0 to SIZE - 1) of all actions, one action after the other.
        sizes: Number of features of each action.
    """

    actions: tuple[str, ...]
    features: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def on(cls, played: Transcript) -> ActionChoice:
        """Return the choice on the current page of a rollout."""
        texts, rows = zip(*candidates(played), strict=True)
        if len(played.replies) >= MOST_TURNS:
            texts, rows = texts[-1:], rows[-1:]
        hashed = [zlib.crc32(one.encode()) % SIZE for row in rows for one in row]
        return cls(texts, np.array(hashed), np.array([len(row) for row in rows]))

    @classmethod
    def all_of(cls, played: Transcript) -> list[tuple[ActionChoice, str]]:
        """Return the choice on each page of a rollout, with the reply that was given there."""
        starts = [type(played)(played.pages[: n + 1], played.replies[:n]) for n in range(len(played.replies))]
        return [(cls.on(start), reply) for start, reply in zip(starts, played.replies, strict=True)]
