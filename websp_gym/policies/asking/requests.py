"""The requests in a text: sentences that ask for consent, with their acts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from websp_gym.policies.asking.acts import Act, Phrase, listed
from websp_gym.policies.asking.lexicon import EXCEPT, HARMLESS, LITTLE, VAGUE, VERB_STEMS, words_in
from websp_gym.policies.asking.parse import Part
from websp_gym.policies.asking.permission import Marker, has_condition, markers
from websp_gym.policies.asking.sentences import Sentence, is_short, numbered, numbers_in, plain, sentences
from websp_gym.policies.asking.statements import intended, pressed, quoted_acts
from websp_gym.policies.asking.tails import NO, bare, excepted, phrases, stays
from websp_gym.policies.asking.words import Word, is_past, is_progressive

_FACTS = words_in("facts")
_OPENERS = words_in("openers")
_MODALS = frozenset(("may", "can", "could", "shall", "should", "might", "must"))
_WH = frozenset(("what", "which", "who", "whom", "whose", "when", "where", "why", "how"))
_GENERAL = words_in("general")
_STAYS = frozenset(("stays", "stay", "remains", "remain"))
_AFTER_STAY = words_in("after_stay") | {"", ","}
_LEAVING = ("leave", "keep", "forget", "spare")
_TAKING_BACK = ("no ,", "wait ,", "never mind", *(f"{a} {b}" for a in _LEAVING for b in ("it", "them")))
_TELLERS = words_in("tellers")
_BEING = words_in("becoming")
_DOING = frozenset(("do", "does", "did", "done", "recommend", "recommends", "say", "says", "want", "wants"))
_MOST_BARE = 14
"""Words of a sentence without a verb that names one value; a list has more."""


@dataclass(frozen=True)
class Request:
    """A request for consent.

    Args:
        acts: What it asks to do.
        context: What was said before, the latest last, to resolve "it".
        kept: What other sentences say stays as it is.
    """

    acts: tuple[Act, ...]
    context: tuple[tuple[Word, ...], ...] = ()
    kept: tuple[Phrase, ...] = ()


@dataclass
class _Said:
    """A sentence with what was understood of it."""

    sentence: Sentence
    intends: list[Act] = field(default_factory=list)
    closes: bool = False
    """Whether it says that something is done, or left alone, so that a short question after it is about that."""
    requests: bool = False


def requests_in(words: Sequence[Word]) -> list[Request]:
    """Return the requests in a text."""
    if any(word.text in _GENERAL and not word.name for word in words):
        return []  # what is so in general asks for nothing
    return _Text([_Said(each) for each in sentences(words)]).requests()


class _Text:
    """Reads the sentences of a text one after the other."""

    def __init__(self, said: list[_Said]) -> None:
        self._said = said
        self._found: list[Request] = []
        self._awaited = False
        self._denied = False
        """Whether a list of what is not done follows."""

    def requests(self) -> list[Request]:
        for at, each in enumerate(self._said):
            self._read(at, each)
        asked = [at for at, each in enumerate(self._said) if each.requests]
        if asked and any(_takes_back(each.sentence) for each in self._said[asked[0] + 1 :]):
            return []
        kept = tuple(phrase for each in self._said if not each.requests for phrase in _kept(each.sentence))
        return [replace(request, kept=kept) for request in self._found]

    def _read(self, at: int, said: _Said) -> None:
        sentence = said.sentence
        quoted = quoted_acts(sentence)
        if is_short(sentence.words, asked=sentence.asked):
            self._asks_about_before(at)
            return
        found = [] if _is_all_quoted(sentence) else _asked_markers(sentence)
        if sentence.end in (":", "\n") and not found:
            self._denied = _denies(sentence) or (self._denied and sentence.end == "\n")
        if self._denied and not found and not sentence.asked:
            said.closes = True
            return
        self._denied = False
        if (not found or found[0].bare) and (acts := _passive_question(sentence)):
            self._add(at, acts, [sentence.words])
            return
        if found:
            self._asks(at, said, found, quoted)
            return
        said.intends, said.closes = intended(sentence.words)
        for number in numbers_in(sentence.words) if _kept(sentence) else ():  # "I skip number 2"
            for place in range(*self._item(sentence.words[number].text, at)):
                self._said[place].intends = []
        if said.intends and sentence.end == ":":
            said.intends = self._with_list(at, said.intends)
        is_bare = not (said.intends or said.closes) and len(sentence.words) <= _MOST_BARE
        if is_bare and not any(head.verb.kinds for head in Part(sentence.words).heads):
            said.intends = bare(sentence.words)
        if has_condition(sentence.plain) and is_vague(sentence.words):
            said.intends = []
            self._asks_about_before(at)
        elif said.intends and has_condition(sentence.plain):
            self._add(at, said.intends, [sentence.words])
        elif said.intends and (self._awaited or (sentence.asked and not _is_about_facts(sentence))):
            self._add(at, said.intends, [sentence.words] if sentence.asked else [])
        elif quoted and not any(act.value for act in said.intends):
            said.intends, said.closes = quoted, False

    def _asks(self, at: int, said: _Said, found: list[Marker], quoted: list[Act]) -> None:
        words = said.sentence.words
        before = words[: found[0].start]
        ends = [marker.start for marker in found[1:]] + [len(words)]
        some = False
        for marker, end in zip(found, ends, strict=True):
            part = words[marker.end : end]
            if not some and is_vague(part):
                said.intends = quoted
                some = self._asks_about_before(at, before)
                if some:
                    continue
            if acts := _asked_acts(part, marker):
                some = True
                for act in acts:
                    act.without = [*act.without, *excepted(before)]
                self._add(at, self._with_list(at, acts), [before])
        if not some:
            said.intends, said.closes = intended(words)

    def _with_list(self, at: int, acts: list[Act]) -> list[Act]:
        """Return acts with the list that follows: "change the following?", "turn these off:"."""
        last = acts[-1]
        is_ahead = self._said[at].sentence.end == ":" or any(word.text == "following" for word in last.said)
        if not is_ahead:
            return acts
        ahead = []
        for each in self._said[at + 1 :]:
            if {"i", "we", "you"} & set(each.sentence.plain) or Part(each.sentence.words).heads:
                break
            ahead += phrases(listed(each.sentence.words))
        things = last.things if not all(phrase.refers_back for phrase in last.things) else []
        return [*acts[:-1], replace(last, things=[*things, *ahead])] if ahead else acts

    def _asks_about_before(self, at: int, before: Sequence[Word] = ()) -> bool:
        """Ask for what was said before, or for what follows a colon; return whether there is any such thing."""
        said = self._said[at]
        own, closes = intended(before) if before else ([], False)
        own = own or said.intends or (bare(before) if not closes else [])
        if own:
            self._add(at, own, [before])
            return True
        if said.sentence.end == ":" and at + 1 < len(self._said):
            self._awaited = True
            return True
        if closes:
            return True
        found: list[tuple[int, list[Act]]] = []
        first, end = self._item(numbered(said.sentence.words)[1], at)
        for place in reversed(range(first, end)):
            earlier = self._said[place]
            if all(text.isdigit() for text in earlier.sentence.plain):
                continue  # the number of an item of a list
            if earlier.requests or earlier.closes:
                break
            if earlier.intends and not is_vague(earlier.sentence.words):
                found.insert(0, (place, earlier.intends))
            elif found or earlier.sentence.asked:
                break
        for place, acts in found:
            self._add(place, acts, [self._said[place].sentence.words])
        return bool(found)

    def _item(self, number: str, at: int) -> tuple[int, int]:
        """Return where the item with a number begins and ends in the list before; all before for no number."""
        numbers = [place for place in range(at) if self._said[place].sentence.plain[0].isdigit()]
        found = [place for place in numbers if self._said[place].sentence.plain[0] == number]
        if not number or len(found) != 1:
            return 0, 0 if number else at
        return found[0], next((place for place in numbers if place > found[0]), at)

    def _add(self, at: int, acts: Iterable[Act], context: Iterable[Sequence[Word]] = ()) -> None:
        earlier = [each.sentence.words for each in self._said[:at]]
        some = (act for act in acts if not any(plain(phrase.words)[:1] == ["no"] for phrase in act.things))
        wanted = tuple(act for act in some if act.verb.kinds)
        if wanted:
            self._said[at].requests = True
            self._found.append(Request(wanted, (*earlier, *(tuple(each) for each in context if each))))


def _is_of_others(texts: Sequence[str]) -> bool:
    """Whether what follows "is it OK" is who else finds it so, or does it: "with the rules", "for my son to"."""
    if not texts or texts[0] not in ("with", "by", "under", "for") or "to" not in texts:
        return False
    to = texts.index("to")
    return not {"you", "your", "me", "us", "i"} & set(texts[1:to]) and texts[to + 1 : to + 2] != ["be"]


def _asked_acts(words: Sequence[Word], marker: Marker) -> list[Act]:
    if _is_of_others(plain(words)):
        return []
    if plain(words)[:2] in (["with", "you"], ["by", "you"]):
        words = words[2:]
    part = Part(words, wishes=marker.wishes, supposes=marker.supposes)
    if marker.bare and not (part.heads and part.heads[0].at == 0):
        return []
    acts = part.asked() or _with_value(words, wishes=marker.wishes)
    return acts if len(part.heads) > 1 else [*acts, *(deed for act in acts for deed in pressed(act))]


def _asked_markers(sentence: Sentence) -> list[Marker]:
    """Return where a sentence asks for consent; nowhere if it asks what is so, or tells what somebody asked."""
    texts = sentence.plain
    found = markers(texts, asked=sentence.asked)
    if not found:
        return []
    lead = texts[: found[0].start]
    first = next((text for text in lead if text not in _OPENERS), "")
    clause = lead[len(lead) - lead[::-1].index(",") :] if "," in lead else lead
    others = lead and found[0].told and not {"i", "we", "my", "me", "us", "please", "kindly"} & set(clause)
    others = others and not (
        clause[-1:] == ["you"] and clause[:1] and clause[0] in _MODALS | {"would", "will"}
    )
    if first in _WH or _WH & set(clause[:2]) or _TELLERS & set(clause) or others:
        return []
    return found


def _with_value(words: Sequence[Word], *, wishes: bool) -> list[Act]:
    """Return what is asked to be so: "do you want X to be private"."""
    if Part(words).heads or (not wishes and {"set", "sets"} & set(plain(words))):
        return []  # "that your sister sets X to Y"
    return bare([word for word in words if word.text not in _BEING or word.name])


def _is_about_facts(sentence: Sentence) -> bool:
    """Whether a question asks what is so."""
    texts = sentence.plain
    firsts = [
        next((text for text in part.split() if text not in _OPENERS), "")
        for part in " ".join(texts).split(" , ")
    ]
    return firsts[0] in _FACTS | _MODALS | {"if"} or bool(_WH & set(firsts)) or _is_what_others_do(texts)


def _is_what_others_do(texts: Sequence[str]) -> bool:
    """Whether a question ends so: "Is removing it what others do?"."""
    done = texts[texts.index("what") :] if "what" in texts and texts[-1] in _DOING else ()
    return bool(done) and not {"you", "i", "we"} & {*done}


def _passive_question(sentence: Sentence) -> list[Act]:
    """Return what a question asks for in the passive voice, "Can X be removed", or first: "Is removing X fine?"."""
    texts = sentence.plain
    start = next((at for at, text in enumerate(texts) if text not in _OPENERS | {","}), 0)
    modals = [at for at in range(1, len(texts)) if texts[at] in _MODALS and texts[at - 1] == ","]
    start = modals[0] if modals and {"they", "it", "that"} & set(texts[modals[0] :][:2]) else start
    first = texts[start] if start < len(texts) else ""
    rest = sentence.words[start + 1 :]
    be = "be" if first in _MODALS else "to be" if first in ("is", "are") else ""
    _, found, after = f" {' '.join(plain(rest))} ".partition(f" {be} ") if be else ("", "", "")
    if after.split()[:1] in (["allowed"], ["permitted"], ["able"], ["entitled"]):
        return []  # what others may do
    if found and any(is_past(text) for text in after.split()[:2]):
        return Part(rest).asked()
    if not sentence.asked or first not in ("is", "are", "would", "will", "") or _is_what_others_do(texts):
        return []
    ends = [at for at in range(len(rest)) if is_short(rest[at:], asked=True) or plain(rest[at:]) == ["be"]]
    return Part(rest[: ends[0]]).asked() if ends and ends[0] else []


def _denies(sentence: Sentence) -> bool:
    """Whether the heading of a list says that what follows is not done: "What I will not do:"."""
    texts = sentence.plain
    if has_condition(texts) or {"else", "more", "other", "but", "only"} & set(texts):
        return False
    part = Part(sentence.words)
    is_kept = bool(part.heads) and "keep" in part.heads[0].verb.kinds
    return bool(NO & set(texts)) or is_kept or stays(texts)


def _takes_back(sentence: Sentence) -> bool:
    """Whether a sentence takes back what was asked before: "No, wait.", "Actually, leave it."."""
    texts = [text for text in (*sentence.plain, ",") if text not in _OPENERS | {"actually"}]
    first = next((at for at, text in enumerate(texts) if text != ","), 0)
    return not sentence.asked and " ".join(texts[first : first + 2]) in _TAKING_BACK


def _kept(sentence: Sentence) -> list[Phrase]:
    """Return what a sentence says that stays as it is: "Oslo stays.", "I keep Lyon.", "Not the one in Oslo."."""
    part = Part(sentence.words)
    verbs = [head for head in part.heads if head.verb.kinds]
    if sentence.asked or any("keep" not in head.verb.kinds for head in verbs):
        return []
    texts = (*part.texts, "")
    stay = (at for at, text in enumerate(part.texts) if text in _STAYS and texts[at + 1] in _AFTER_STAY)
    start, end = 0, next(stay, 0)
    if verbs:
        start, end = verbs[0].end, len(part.texts)
    elif not end and part.texts[0] in (*EXCEPT, "not") and not is_progressive(texts[1]):
        start, end = 1, next((at for at, text in enumerate(part.texts) if text == "just"), len(part.texts))
    named = phrases(listed(sentence.words[start:end]))
    return [] if any(phrase.refers_back for phrase in named) else named


def _is_all_quoted(sentence: Sentence) -> bool:
    return all(word.quotation or word.is_mark for word in sentence.words)


def is_vague(words: Sequence[Word]) -> bool:
    """Whether words leave the request to what was said before."""
    words = numbered(words)[0]
    rest = [word for word in words if not word.is_mark and word.text not in LITTLE | VAGUE]
    return not any(word.name or word.quotation for word in words) and not [
        word for word in rest if word.stem not in HARMLESS or word.stem in VERB_STEMS
    ]
