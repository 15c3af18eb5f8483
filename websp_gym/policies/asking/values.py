"""The values that acts set: on or off by the verb and the label of a switch, or one of several choices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from websp_gym.policies.asking.lexicon import KNOWN, LITTLE, VALUED, VERBS, stems_in, words_in
from websp_gym.policies.asking.tables import read_table
from websp_gym.policies.asking.words import Word, plain_words, stem, words_of

if TYPE_CHECKING:
    from websp_gym.policies.asking.acts import Act

UNSAID = object()
"""No value was named."""
UNCLEAR = object()
"""A value was named that the thing cannot have, or more than one."""
_ON = stems_in("on")
_OFF = stems_in("off")
_NONE = frozenset(map(stem, ["off", "none", "no", "nobody", "never", "nothing", "not"]))
SEEN = {word: name == "seen" for name in ("seen", "unseen") for word in words_in(name)}
_TURNING = frozenset(("not", "no", "less", "never", "neither", "hardly"))
"""Words that reverse a following word: "no longer public", "less visible"."""
_SAME = {said: meant for meant, each in read_table("english.yaml")["same"].items() for said in each.split()}
"""Words that mean the same when one of several choices is named."""
_HIDDEN = frozenset(("profile", "account", "mode", "repository", "dataset", "model", "library", "and", "by"))
"""What is hidden if a switch with "private" before it is on."""
_LESS = frozenset(map(stem, ("reduce", "limit", "restrict", "cut", "lower")))
"""Verbs that ask for less, rather than for nothing."""


def value_of_switch(act: Act, label: str, *, direct: bool = False) -> Any:
    """Return the value that an act gives to a switch with a label: true, false, or that none or none clear was named.

    Args:
        act: The act.
        label: The label of the switch.
        direct: Whether the switch itself was named before, so that "turn it off" is about it and not what it is for.
    """
    said = _texts(act.said)
    stated = {stem(word) for word in _texts(act.value)}
    ways = {True for _ in stated & _ON} | {False for _ in stated & _OFF}
    if len(ways) == 1:
        return ways.pop()
    seen = _ways(list(act.value or _own_words(act)))
    if len(seen) > 1:
        return UNCLEAR
    lead = _gives(label)
    own = _texts(words_of(label))
    if len(seen) == 1 and act.verb.turn is None:
        is_public = seen.pop() == (act.verb.more is not False)
        if "private" in own:
            return not is_public
        if (
            "public" in own
            or act.value
            or act.verb.more is False
            or act.root in ("mak", "set", "turn", "chang", "switch", "keep")
        ):
            return is_public if lead else not is_public
    if act.value and act.verb.turn is None:
        return UNCLEAR
    if act.root == "mak" and {stem(word) for word in own} <= {stem(word) for word in said}:
        return True
    if act.verb.turn is not None:
        core = _lead_words(label)
        return act.verb.turn if lead or direct or core & {stem(word) for word in said} else not act.verb.turn
    if act.verb.more is not None:
        return act.verb.more == (lead and not _hides(label))
    return UNSAID


def value_of_choice(act: Act, label: str, choices: Mapping[str, str]) -> Any:
    """Return the choice that an act names, by its key; or that none or none clear was named."""
    if act.without and not act.value:
        return UNCLEAR  # "from anyone but my contacts"
    found = _choice_named(act, label, choices)
    words = list(act.value or _things(act))
    if (
        found in choices
        and any(
            word.stem in _meaning(words_of(choices[found])) and not word.name and _is_turned(words, at)
            for at, word in enumerate(words)
        )
        and not _TURNING & set(plain_words(words_of(choices[found])))
    ):
        others = [key for key in choices if key != found]
        return others[0] if len(others) == 1 else UNCLEAR
    return found


def _choice_named(act: Act, label: str, choices: Mapping[str, str]) -> Any:
    words = {key: _meaning(words_of(text)) - _meaning(words_of(label)) for key, text in choices.items()}
    times = Counter(word for each in words.values() for word in each)
    own = {key: {word for word in each if times[word] == 1} or each for key, each in words.items()}
    said = _meaning(act.value) if act.value else _meaning(_things(act)) - _meaning(words_of(label))
    stated = plain_words(act.value)
    exact = [key for key, text in choices.items() if stated and plain_words(words_of(text)) == stated]
    if exact:
        return exact[0]
    if act.verb.turn is not None and not act.value:
        way = {"on"} if act.verb.turn else _NONE | {"off"}
        ways = [key for key, text in choices.items() if way & set(plain_words(words_of(text)))]
        if len(ways) == 1:
            return ways[0]
    if not act.value and act.verb.more is False and act.root not in _LESS and _off_choice(own) is not UNCLEAR:
        return _off_choice(own)
    if not act.value and act.verb.more is False and act.root not in _LESS:
        said = set()  # "stop accepting them from everyone" names what is not to be
    scores = {key: len(each & said) for key, each in own.items()}
    most = max(scores.values(), default=0)
    best = [key for key, score in scores.items() if score == most and most]
    if len(best) > 1:  # the one of which least is left unsaid
        least = min(len(own[key] - said) for key in best)
        best = [key for key in best if len(own[key] - said) == least]
    if len(best) == 1:
        return best[0]
    if act.value or best:
        off = {stem(word) for word in _texts(act.value)} & _OFF
        return _off_choice(own) if off and not best else UNCLEAR
    if act.verb.turn is False or act.verb.more is False:
        return _off_choice(own)
    return UNCLEAR if act.verb.turn is True or act.verb.more is True else UNSAID


def value_of_text(act: Act, quoted: Mapping[int, str]) -> Any:
    """Return the text that an act sets: what stands in quotation marks, or a single word."""
    numbers = {word.quotation for word in act.value}
    if len(numbers) == 1 and numbers != {0}:
        return quoted[numbers.pop()]
    plain = [word for word in act.value if not word.is_mark]
    return plain[0].written if len(plain) == 1 and stem(plain[0].text) not in KNOWN else UNSAID


def _off_choice(own: Mapping[str, Iterable[str]]) -> Any:
    none = [key for key, words in own.items() if stem("none") in words]
    return none[0] if len(none) == 1 else UNCLEAR


def _gives(label: str) -> bool:
    """Whether a switch gives what its label is about when it is on; "Hide the badge" takes it."""
    lead = [word.text for word in words_of(label) if not word.is_mark][:3]
    for at, text in enumerate(lead[:2]):
        particle = lead[at + 1] if at + 1 < len(lead) else ""
        verb = VERBS.get((stem(text), particle)) or (VERBS.get((stem(text), "")) if at == 0 else None)
        if verb is not None and verb.more is not None:
            return verb.more
    return True


def _hides(label: str) -> bool:
    """Whether a switch hides what its label is about when it is on: "Private", "Private profile"."""
    texts = [word.text for word in words_of(label) if not word.is_mark]
    at = next((at for at, text in enumerate(texts) if SEEN.get(text) is False), None)
    return at is not None and (at + 1 == len(texts) or texts[at + 1] in _HIDDEN)


def _ways(words: Sequence[Word]) -> set[bool]:
    """Return whether words say public or private, or both: "no longer public" is private."""
    return {SEEN[word.text] != _is_turned(words, at) for at, word in enumerate(words) if word.text in SEEN}


def _is_turned(words: Sequence[Word], at: int) -> bool:
    """Whether the words just before one turn it round."""
    return any(word.text in _TURNING and not word.name for word in words[max(0, at - 2) : at])


def _lead_words(label: str) -> set[str]:
    first = [word.text for word in words_of(label) if not word.is_mark][:1]
    return {stem(word) for word in first}


def _things(act: Act) -> Iterable[Word]:
    """Return the words of an act but its verb."""
    words = [word for word in act.said if word.stem != act.root]
    start = next((at for at, word in enumerate(words) if word.text == "from" and not word.name), None)
    return words[:start] if act.root in VALUED else words  # "change it from A" names what it was


def _own_words(act: Act) -> Iterable[Word]:
    """Return the words of an act that belong to no name, unless the name itself says what is done."""
    by_name = bool(act.said) and bool(act.said[0].name)
    return [
        word for word in act.said
        if by_name or not (word.name or word.quotation or (word.stem == act.root and act.verb.more is not None))
    ]  # fmt: skip


def _texts(words: Iterable[Word]) -> set[str]:
    return {word.text for word in words if not word.is_mark}


def _meaning(words: Iterable[Word]) -> set[str]:
    found = set()
    for word in words:
        text = _SAME.get(word.text, word.text)
        if (
            text
            and not word.is_mark
            and (text in ("none", "anyone", "some", "fewer", "more") or text not in LITTLE)
        ):
            found.add(stem(text))
    return found
