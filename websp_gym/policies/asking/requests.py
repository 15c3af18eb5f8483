"""The requests in a text: clauses that ask for consent, with the acts that they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from websp_gym.policies.asking.acts import Act, Phrase
from websp_gym.policies.asking.clauses import NAME, Clause, clauses, has, is_short, tails
from websp_gym.policies.asking.forms import Form
from websp_gym.policies.asking.lexicon import LIGHT, VERB_STEMS
from websp_gym.policies.asking.phrases import ASKING, FACTS, IF_AGREED, IS_OK, WH
from websp_gym.policies.asking.reader import acts_in
from websp_gym.policies.asking.statements import OPENERS, intended, is_report, is_vague
from websp_gym.policies.asking.words import Word, is_past, is_progressive

_WISHES = frozenset(("want", "like", "wish", "need", "prefer", "care", "love"))
_TOLD = frozenset(("wants", "asks", "wonders", "says", "wanted", "asked"))
"""Verbs by which somebody else asks."""
MODALS = frozenset(["may", "can", "could", "shall", "should", "might", "must"])


@dataclass(frozen=True)
class Request:
    """A request for consent.

    Args:
        acts: What it asks to do.
        context: What was said before, the latest last, for what it calls "it".
    """

    acts: tuple[Act, ...]
    context: tuple[tuple[Word, ...], ...] = ()


def requests_in(words: Sequence[Word]) -> list[Request]:
    """Return the requests in a text."""
    return _Text(list(clauses(words))).requests()


class _Text:
    """Reads the clauses of a text one after the other."""

    def __init__(self, clauses: list[Clause]) -> None:
        self._clauses = clauses
        self._found: list[Request] = []
        self._awaited = False

    def requests(self) -> list[Request]:
        for at, clause in enumerate(self._clauses):
            self._read(at, clause)
        return self._found

    def _read(self, at: int, clause: Clause) -> None:
        quoted = list(_quoted_acts(clause))
        frames = [] if _is_all_quoted(clause) else list(_frames(clause))
        if frames:
            self._asks(at, clause, frames, quoted)
            return
        if is_short(clause.words, asked=clause.asked):
            self._asks_about_before(at, ())
            return
        for part in tails(clause):
            if (acts := _question_about_a_deed(part)) and acts[0]:
                self._add(at, acts[0], [clause.words[: len(clause.words) - len(part.words)], *acts[1]])
                return
        clause.intends, clause.reports = intended(clause)
        if clause.intends and is_vague(clause.words) and has(IF_AGREED, clause):
            clause.intends = []
            self._asks_about_before(at, ())
        elif self._awaited and clause.intends:
            self._add(at, clause.intends)
        elif clause.intends and (has(IF_AGREED, clause) or (clause.asked and not _is_about_facts(clause))):
            self._add(at, clause.intends, (clause.words,))
        elif quoted:
            clause.intends, clause.reports = quoted, False
        elif (
            clause.asked
            and not clause.intends
            and not _is_about_facts(clause)
            and not clause.reports
            and len(clause.words) < 6
        ):
            self._asks_about_before(at, (), only_last=True)

    def _asks(self, at: int, clause: Clause, frames: list[tuple[int, int]], quoted: list[Act]) -> None:
        before = clause.words[: frames[0][0]]
        ends = [start for start, _ in frames[1:]] + [len(clause.words)]
        some = False
        for (_, start), end in zip(frames, ends, strict=True):
            asked = clause.words[start:end]
            if clause.plain[start - 1] not in ("if", "when") and is_report(asked):
                continue
            if (
                clause.plain[start - 1] in _WISHES
                and asked
                and asked[0].text == "to"
                and asked[1:2]
                and asked[1].text not in LIGHT
            ):
                continue  # what the user wants to do
            acts = [act for act in acts_in(asked) if act.verb.kinds]
            if is_vague(asked) and not some:
                clause.intends = quoted
                some = self._asks_about_before(at, before)
                if some:
                    continue
            acts = acts or _with_value(asked)
            if acts:
                some = True
                self._add(at, self._with_list(at, acts), (before,))

    def _with_list(self, at: int, acts: list[Act]) -> list[Act]:
        """Return acts with the list that follows: "change the following?", "turn these off:"."""
        last = acts[-1]
        is_ahead = self._clauses[at].end == ":" or any(word.text == "following" for word in last.said)
        if not is_ahead or (last.things and not all(phrase.refers_back for phrase in last.things)):
            return acts
        listed_ahead = []
        for clause in self._clauses[at + 1 :]:
            if {"i", "we", "you"} & set(clause.plain) or clause.asked:
                break
            listed_ahead.append(Phrase(clause.words))
        return [*acts[:-1], replace(last, things=listed_ahead)] if listed_ahead else acts

    def _asks_about_before(self, at: int, before: Sequence[Word], *, only_last: bool = False) -> bool:
        """Ask for what was said before, or for what follows a colon; return whether there is any such thing."""
        clause = self._clauses[at]
        own, reports = intended(Clause(tuple(before), "", False)) if before else ([], False)
        own = own or clause.intends
        if own:
            self._add(at, own, (before,) if before else ())
            return True
        if clause.end == ":" and at + 1 < len(self._clauses):
            self._awaited = True
            return True
        if reports:
            return True
        found: list[tuple[int, list[Act]]] = []
        for place in reversed(range(at)):
            earlier = self._clauses[place]
            if earlier.requests:
                return bool(found)
            if earlier.intends and not is_vague(earlier.words):
                found.insert(0, (place, earlier.intends))
            elif found or earlier.reports or earlier.asked or only_last:
                break
        for place, acts in found:
            self._add(place, acts, (self._clauses[place].words,))
        return bool(found)

    def _add(self, at: int, acts: Iterable[Act], context: Iterable[Sequence[Word]] = ()) -> None:
        earlier = [clause.words for clause in self._clauses[:at]]
        wanted = tuple(act for act in acts if act.verb.kinds)
        if wanted:
            self._clauses[at].requests = True
            self._found.append(Request(wanted, (*earlier, *(tuple(each) for each in context if each))))


def _frames(clause: Clause) -> Iterator[tuple[int, int]]:
    """Yield where forms of asking begin and end, from left to right; none of a question about facts."""
    at, plain = 0, clause.plain
    while at < len(plain):
        ends = [form.end(plain, at) for form in ASKING if _counts(form, at, clause)]
        end = max((each for each in ends if each is not None), default=None)
        if end is None:
            at += 1
            continue
        if end == at + 1 and not _may_follow(clause, end):
            at += 1
            continue
        lead = list(takewhile(lambda text: text not in (",", NAME), reversed(plain[:at])))
        if WH & set(lead) and plain[at] not in ("how", "what", "why"):
            return
        if _TOLD & set(lead) or (plain[at] == "need" and lead[:2] == ["i", "do"]):
            return
        if "not" not in lead[:3] and "no" not in lead[:2] and "without" not in lead[:2]:
            yield at, end
        at = end


def _with_value(asked: Sequence[Word]) -> list[Act]:
    """Return what is asked to be so: "do you want X to be private"."""
    if "be" not in [word.text for word in asked]:
        return []
    return acts_in([word for word in asked if word.text not in ("to", "be")], bare=True)


def _may_follow(clause: Clause, start: int) -> bool:
    """Whether what follows a form may be its act; after "can" without a subject the verb comes at once."""
    if clause.plain[start - 1] not in MODALS:
        return True
    first = next(
        (word for word in clause.words[start:] if word.text not in ("i", "we", "now", "then", "just")), None
    )
    return first is not None and first.stem in VERB_STEMS and not is_progressive(first.text)


def _counts(form: Form, at: int, clause: Clause) -> bool:
    return (not form.first or at == 0 or clause.plain[at - 1] == ",") and (not form.asked or clause.asked)


def _is_about_facts(clause: Clause) -> bool:
    parts = " ".join(clause.plain).split(" , ")
    firsts = [
        next((word for word in part.split() if word not in OPENERS | {"but", ","}), "") for part in parts
    ]
    return firsts[0] in FACTS | MODALS | {"if"} or bool(WH & set(firsts))


def _question_about_a_deed(clause: Clause) -> tuple[list[Act], list[tuple[Word, ...]]] | None:
    """Return what a question asks for that names it first: "Is removing X fine", "Can X be removed"."""
    plain = clause.plain
    start = next(
        (at for at, text in enumerate(plain) if text not in ("so", "and", "then", "also", ",", "well")), 0
    )
    first = plain[start] if start < len(plain) else ""
    if (first in MODALS and _is_passive(plain, "be")) or (
        first in ("is", "are") and _is_passive(plain, "to be")
    ):
        return acts_in(clause.words[start + 1 :]), []
    if not clause.asked:
        return None
    for at in range(start + 1, len(plain)):
        end = IS_OK.end(plain, at)
        if end is None:
            continue
        if end == len(plain):
            begins = start + 1 if first in ("is", "are", "would", "will") else start
            words = [
                word
                for word in clause.words[begins:at]
                if word.text not in ("is", "are", "would", "will", "be")
            ]
            return acts_in(words), []
        if first in ("is", "are") and plain[end] in ("to", "for"):
            return acts_in(clause.words[end:]), [clause.words[start + 1 : at]]
    return None


def _is_passive(plain: Sequence[str], be: str) -> bool:
    """Whether words have a passive form, such as "be removed"."""
    said = f" {' '.join(plain)} "
    _, found, rest = said.partition(f" {be} ")
    return bool(found) and any(is_past(word) for word in rest.split()[:2])


def _is_all_quoted(clause: Clause) -> bool:
    return all(word.quotation or word.is_mark for word in clause.words)


def _quoted_acts(clause: Clause) -> Iterator[Act]:
    """Yield the acts that quotations of three words or more ask for, such as the user's own order."""
    for number in dict.fromkeys(word.quotation for word in clause.words if word.quotation):
        words = [replace(word, quotation=0) for word in clause.words if word.quotation == number]
        if len(words) >= 3 and words[0].stem in VERB_STEMS:
            yield from (act for act in acts_in(words) if act.verb.kinds)
