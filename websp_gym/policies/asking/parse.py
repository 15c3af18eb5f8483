"""The acts in a part of a sentence: joined verbs, each with its things, exceptions and value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from websp_gym.policies.asking.acts import Act, Phrase, listed
from websp_gym.policies.asking.lexicon import (
    EXCEPT,
    IMPLIED,
    LIGHT,
    PREPOSITIONS,
    VALUED,
    Verb,
    is_adverb,
    words_in,
)
from websp_gym.policies.asking.permission import has_condition
from websp_gym.policies.asking.sentences import NAME, plain
from websp_gym.policies.asking.tails import (
    INVERTED,
    JOINTS,
    NO,
    STATES_OF_BEING,
    Tail,
    by_name,
    excepted,
    has_break,
    is_break,
    phrases,
)
from websp_gym.policies.asking.values import SEEN
from websp_gym.policies.asking.verbs import BE, Head, heads
from websp_gym.policies.asking.words import SAME_IN_THE_PAST, Word, stem

_WAS = frozenset(("was", "were", "been", "got"))
_NOT_PAST = words_in("will") | {"if", "whether", "to"}
_ME = frozenset(("i", "we", "me", "us", "my"))
_IN_JOINTS = words_in("in_joints")
_THROUGH = words_in("through")
"""Words between a verb without meaning of its own and the verb that has it."""
_CAUSING = words_in("causing")
_OTHERS = words_in("others") | {"you"}
_THE_SITE = words_in("the_site")
_NOT_OF_THINGS = BE | STATES_OF_BEING | words_in("not_of_things")
_LETTING = frozenset(("let", "allow", "permit"))
_PREVENTING = frozenset(map(stem, words_in("preventing")))


def _less(words: list[Word]) -> list[Word]:
    """Return words with "stop X from being public" as "make X less public"."""
    for at, word in enumerate(words):
        if word.stem in _PREVENTING and not word.name:
            for place in range(at + 1, len(words) - 2):
                texts = [each.text for each in words[at + 1 : place + 2]]
                if texts[-2:] == ["from", "seeing"] and "you" not in texts:
                    return [*words[:at], Word("hide"), *words[place + 2 :]]
                if [each.text for each in words[place : place + 2]] == ["from", "being"]:
                    if words[place + 2].text in SEEN:
                        rest = [Word("less"), *words[place + 2 :]]
                        return [*words[:at], Word("make"), *words[at + 1 : place], *rest]
                    return words
    return words


class Part:
    """A part of a sentence in which to look for acts.

    Args:
        words: Its words.
        wishes: Whether they say what the user wants, so that what the user does is not a request.
        supposes: Whether they come after "if", so that "was" is not about the past.
    """

    def __init__(self, words: Sequence[Word], *, wishes: bool = False, supposes: bool = False) -> None:
        self.words = _less(list(words))
        self.texts = plain(self.words)
        self.heads = heads(self.words)
        self._wishes, self._supposes = wishes, supposes

    # ------------------------------------------------------------------ which verbs count

    def asked(self) -> list[Act]:
        """Return the acts that it asks for; none if it asks for something else."""
        first = self._first()
        if first is not None and self._is_prevented(first):
            return []
        if first is None or (
            self.heads and first.at > self.heads[0].at and "keep" in self.heads[0].verb.kinds
        ):
            return [] if self.heads or not self._begins_with_name() else [by_name(self.words)]
        return self.acts(first)

    def _is_prevented(self, first: Head) -> bool:
        """Whether it says that what would take something away is not to be: "prevent X from being removed"."""
        if first.root not in _PREVENTING or "from" not in self.texts[first.at :]:
            return False
        start = self.texts.index("from", first.at)
        return any(
            head.at > start
            and (head.verb.turn is False or head.verb.more is False or "remove" in head.verb.kinds)
            for head in self.heads
        )

    def _begins_with_name(self) -> bool:
        start = next((at for at, text in enumerate(self.texts) if text not in _THROUGH), len(self.texts))
        return self.texts[start : start + 1] == [NAME]

    def acts(self, first: Head) -> list[Act]:
        """Return the acts starting at a verb, with those joined to it; none if it leaves things as they are."""
        keeps = "keep" in first.verb.kinds
        chosen, left = ([], [first]) if keeps else ([first], list[Head]())
        for head in self.heads:
            last = max([*chosen, *left], key=lambda each: each.at)
            if head.at <= last.at:
                continue
            if last in chosen and self.leads_to(last, head):
                chosen[-1] = self.merged(head)  # "and then request the deletion of"
                left.append(replace(last, verb=Verb()))
                continue
            joint = self._joint(last, head)
            if not joint:
                continue
            if "keep" in head.verb.kinds or joint & {"not", "without", "never"}:
                left.append(head)
            elif _alike(last, head) and not ("or" in joint and (keeps or self._has_things(last))):
                chosen.append(head)
            elif "or" in joint:
                left.append(replace(head, verb=Verb()))  # another thing that might be done instead
        return self._read(chosen, left) if chosen else []

    def _first(self) -> Head | None:
        """Return the first verb that says what is done, with what a light verb before it adds."""
        outer = frozenset[str]()
        start, before = 0, list[str]()
        for number, head in enumerate(self.heads):
            gap = self._open(start, head.at)
            if gap is None:
                return None
            before += gap
            following = self.heads[number + 1] if number + 1 < len(self.heads) else None
            if following is not None and self.leads_to(head, following):
                outer |= head.verb.kinds & {"add"}
                start = head.end
                continue
            if not head.verb.kinds or self._is_of_others(head, before):
                return None
            if "not" in before and head.verb.more is not None:
                head = replace(head, verb=replace(head.verb, more=not head.verb.more, turn=None))
            return self.merged(head, outer)
        return None

    def merged(self, head: Head, outer: frozenset[str] = frozenset()) -> Head:
        """Return a verb with what the verbs leading to it add."""
        for earlier, later in pairwise(self.heads):
            if later.at == head.at and self.leads_to(earlier, later):
                outer |= earlier.verb.kinds & {"add"}
        kinds = head.verb.kinds | outer
        return replace(
            head, verb=replace(head.verb, kinds=kinds, weakly=head.verb.weakly | (outer - head.verb.kinds))
        )

    def _open(self, start: int, end: int) -> list[str] | None:
        """Return the words before a verb; ``None`` if they say that it is not what is meant."""
        gap, at = list[str](), start
        while at < end:
            text = self.texts[at]
            if is_break(self.texts, at) and text not in ("that", "if", "when", "which", "at"):
                after = next((place for place in range(at, end) if self.texts[place] == ","), None)
                if after is None:
                    return None
                at = after
            else:
                gap.append(text)
            at += 1
        denies = NO & set(gap)
        return None if denies and not (denies == {"not"} and self._ends_it()) else gap

    def _ends_it(self) -> bool:
        """Whether words say that something is not to be so any more: "not to show it any longer"."""
        return bool({"longer", "anymore"} & set(self.texts))

    def _is_of_others(self, head: Head, gap: Sequence[str]) -> bool:
        """Whether a verb says what the user or somebody else does."""
        by = self.texts.index("by", head.at) if "by" in self.texts[head.at :] else None
        if (by is not None and set(self.texts[by + 1 : by + 2]) & _OTHERS) or "yourself" in self.texts:
            return True
        tells = "that" in gap and head.form == "past" and self.texts[head.at] not in SAME_IN_THE_PAST
        before = next((text for text in reversed(gap) if not is_adverb(text)), "")
        told = _WAS & set(gap) or (tells and before in ("i", "we", "have", "has", "had"))
        if told and not self._supposes and not _NOT_PAST & set(gap):
            return True  # "is it possible that X was set", "that I have removed X"
        if gap[-2:] == ["you", "to"] or (gap[-1:] == ["you"] and head.form != "past"):
            return True  # "can I get you to remove it"
        if head.form == "past":
            return not self._is_passive(head) and gap[-1:] == ["you"]
        return self._wishes and head.form == "plain" and not _ME & set(gap)

    def leads_to(self, head: Head, following: Head) -> bool:
        """Whether a verb has no meaning of its own and the next one does: "proceed with removing", "have it
        removed"."""
        compound = (
            self._things_before(following, 0)[0] if following.form == "noun" and head.form != "past" else []
        )
        between = self.texts[head.end : following.at - sum(len(phrase.words) for phrase in compound)]
        if head.root in _CAUSING and following.form == "past" and "," not in between:
            return True
        if head.root in _LETTING and self._wishes and following.form == "noun":
            return set(between) <= _THROUGH
        if head.root in _LETTING:
            return bool(between) and set(between) <= {"me", "us", "to", "i", "this", "agent"}
        if head.root == "ask" and between[-1:] == ["to"]:
            return set(between) <= _THE_SITE
        light = head.root in LIGHT or self.texts[head.at] in LIGHT
        return (
            light
            and "off" not in {self.texts[at] for at in head.used if at > following.at}
            and all(text in _THROUGH for text in between)
            and (bool(following.verb.kinds) or following.root in _CAUSING)
        )

    def _joint(self, last: Head, head: Head) -> set[str]:
        """Return the words that join a verb to the one before; none if it is only part of what is said of a thing."""
        at, seen = head.at - 1, set[str]()
        while at > last.at and (self.texts[at] in JOINTS or self.texts[at] in _IN_JOINTS):
            seen.add(self.texts[at])
            at -= 1
        if not seen & JOINTS:
            return set()
        between = self.texts[last.end : head.at]
        closed = has_break([text for text in between if text not in ("that", "which", "who")])
        return set() if closed and "," not in seen else seen

    def _has_things(self, head: Head) -> bool:
        return head.end < len(self.words) and self.texts[head.end] not in ("or", "and", ",")

    # ------------------------------------------------------------------ what each verb is about

    def _read(self, chosen: Sequence[Head], left: Sequence[Head]) -> list[Act]:
        every = sorted([*chosen, *left], key=lambda each: each.at)
        acts: list[Act] = []
        without: list[Phrase] = []
        for number, head in enumerate(every):
            end = every[number + 1].at if number + 1 < len(every) else len(self.words)
            begin = every[number - 1].end if number else 0
            tail = Tail(self.words, head, end)
            if tail.is_choice:
                continue
            if head in left:
                without += tail.things if head.verb.kinds else []
                continue
            before, left_out = self._things_before(head, begin)
            without += left_out or (excepted(self.words[: head.at]) if not number else [])
            if not before and tail.things and all(phrase.is_pronoun for phrase in tail.things):
                tail.things = self._topic(head, begin) or tail.things
            things = before or [
                each for each in tail.things if head.form != "noun" or not set(plain(each.words)) <= _THROUGH
            ]
            said = (
                [self.words[at] for at in sorted(head.used)]
                + [w for p in things for w in p.words]
                + tail.value
            )
            if before:
                said += [word for phrase in tail.things for word in phrase.words]
            value = tail.value or (
                [word for phrase in tail.things for word in phrase.words] if before else []
            )
            if (implied := IMPLIED.get(head.root)) and not value:
                tail.value = [Word(implied)]
                said = [*said, *tail.value]
            acts.append(
                Act(head.verb, head.root, things, tail.without, tuple(value if head.root in VALUED else tail.value),
                    tuple(said), head.form)
            )  # fmt: skip
        for one, following in zip(reversed(acts[:-1]), reversed(acts[1:]), strict=True):
            if not one.things and not one.value:
                one.things, one.said = following.things, (*one.said, *following.said)
        for act in acts:
            act.without = [*act.without, *without]
        return acts

    def _is_passive(self, head: Head) -> bool:
        """Whether things stand before a verb: "X be removed", "X removed", "X delete"."""
        at = head.at - 1
        while at >= 0 and self.texts[at] in _IN_JOINTS - {"i", "we", "you", "me"}:
            at -= 1
        before = self.texts[at] if at >= 0 else ""
        return head.form == "past" and before not in ("i", "we", "you", "")

    def _topic(self, head: Head, begin: int) -> list[Phrase]:
        """Return what was named before "I" does something with it: "the two apps, I remove them"."""
        end = next(
            (at for at in range(begin, head.at) if self.texts[at] in _ME or self.texts[at] in INVERTED),
            begin,
        )
        texts = self.texts[begin:end]
        named = phrases(listed(self.words[begin:end]))
        is_said = bool({"you", "whatever"} & set(texts))  # "do you want me to remove it"
        return named if not is_said and not has_break(texts) and not has_condition(texts) else []

    def _things_before(self, head: Head, begin: int) -> tuple[list[Phrase], list[Phrase]]:
        """Return the things that stand before a verb, and what is left out of them."""
        if head.form == "noun" and self.texts[head.end : head.end + 1] != ["of"]:  # "account deletion"
            start = max((each.end for each in self.heads if each.at < head.at), default=0)
            ends = [at for at in range(start, head.at) if self.texts[at] in _THROUGH | PREPOSITIONS | {","}]
            return phrases([self.words[max([start - 1, *ends]) + 1 : head.at]]), []
        late = head.form == "plain" and head.at == len(self.words) - 1 and head.at > begin
        if not self._is_passive(head) and not late:
            return [], []
        causing = [each.end for each in self.heads if each.root in _CAUSING and begin <= each.at < head.at]
        if causing:
            begin = causing[-1]
        words = self.words[begin : head.at]
        if begin and not causing:
            joints = [at for at, word in enumerate(words) if word.text in JOINTS and not word.name]
            words = words[joints[0] + 1 :] if joints else words
        while words and words[0].text in PREPOSITIONS and not words[0].name:
            words = words[1:]
        words = [word for word in words if word.name or word.quotation or word.text not in _NOT_OF_THINGS]
        cut = next(
            (at for at, word in enumerate(words) if at and word.text in EXCEPT and not word.name), len(words)
        )
        return phrases(listed(words[:cut])), phrases(listed(words[cut + 1 :]))


def _alike(one: Head, other: Head) -> bool:
    forms = {one.form, other.form}
    return len(forms) == 1 or forms == {"ing", "noun"}
