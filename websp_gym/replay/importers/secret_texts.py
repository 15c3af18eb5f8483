"""Finding and removing secrets in texts, by the rules in ``extension/secret_rules.yaml``.

``extension/secret_texts.js`` does the same for the recorder; ``tests/data/secret_cases.yaml`` is run through both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import yaml

from websp_gym.paths import data_dir

SHORTEST = 6
"""Shorter secrets are not searched for elsewhere, because they would be found in ordinary words."""
_MOST_TEXTS = 2_000
_LONGEST = 1_000
_ROLE = re.compile(r"^(?:aria|text)/|\[role=.{0,40}$")
_NO_TEXT = re.compile(r"^[#.]|[<>{}]|::|://")
"""In code, paths and URLs."""
_END = re.compile(r"(?:[A-Za-z0-9._+/=-]*[0-9][A-Za-z0-9._+/=-]*|\{\{[^{}]*\}?)\Z")
"""A word or a placeholder that was cut."""
_DOTS = str.maketrans("İı", "Ïï")
"""Python treats these as an "i" if case is ignored, JavaScript does not."""
_GLOBAL = "__webspSecretRules"
ODD = 3.2
"""Oddness that no ordinary word reaches."""


@dataclass(frozen=True)
class SecretRule:
    """One kind of secret."""

    pattern: re.Pattern[str]
    odd: float = 0
    card: bool = False
    typed: bool = True

    def matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the beginning and end of each secret in a text."""
        at = 0
        plain = text.translate(_DOTS)
        while match := self.pattern.search(plain, at):
            begin = match.start() + len(match[1] or "") if match.re.groups else match.start()
            secret = text[begin : match.end()]
            if oddness(secret) < self.odd or (self.card and not is_card(secret)):
                at = match.start() + 1
            else:
                yield begin, match.end()
                at = max(match.end(), at + 1)


@cache
def rules() -> dict[str, Any]:
    """Return the data of ``secret_rules.yaml``."""
    data: dict[str, Any] = yaml.safe_load((data_dir("extension") / "secret_rules.yaml").read_text("utf-8"))
    return data


def rules_script() -> str:
    """Return the content of ``extension/secret_rules.js``: the same data, for the recorder."""
    data = json.dumps(rules(), ensure_ascii=False, indent=1)
    head = "// @ts-check\n// Written by `make rules` from secret_rules.yaml; change that file.\n"
    return f"{head}Reflect.get(globalThis, '{_GLOBAL}') ?? Reflect.set(globalThis, '{_GLOBAL}', {data});\n"


def write_rules() -> None:
    """Write ``extension/secret_rules.js``, in a checkout."""
    (data_dir("extension") / "secret_rules.js").write_text(rules_script(), "utf-8")


def _rules_of(data: Iterable[dict[str, Any]]) -> tuple[SecretRule, ...]:
    return tuple(
        SecretRule(
            re.compile(rule["pattern"], re.IGNORECASE if rule.get("ignore_case") else 0),
            rule.get("odd", 0),
            rule.get("card", False),
            rule.get("typed", True),
        )
        for rule in data
    )


@cache
def _compiled(group: str) -> tuple[SecretRule, ...]:
    return _rules_of(rules()[group])


@cache
def _beside() -> tuple[tuple[re.Pattern[str], tuple[SecretRule, ...]], ...]:
    return tuple(
        (re.compile(kind["words"], re.IGNORECASE), _rules_of(kind["codes"])) for kind in rules()["beside"]
    )


def without_secrets(text: str, found: set[str] | None = None, *, beside: tuple[SecretRule, ...] = ()) -> str:
    """Return a human-readable text without its secrets.

    Args:
        text: The text.
        found: A set to add the removed secrets to.
        beside: The rules for secrets that a nearby text announces, from :func:`codes_beside`.
    """
    return _without(text, (*_compiled("everywhere"), *_compiled("texts"), *beside), found)


def without_people(text: str) -> str:
    """Return a text without e-mail addresses and names after an at sign."""
    return _without(text, (*_compiled("addresses"), *_compiled("handles")), None)


def codes_beside(texts: Iterable[str]) -> tuple[SecretRule, ...]:
    """Return the rules for the kinds of secrets that one of the texts around an element announces."""
    all_ = [text.translate(_DOTS) for text in texts]
    return tuple(
        rule for words, codes in _beside() if any(words.search(text) for text in all_) for rule in codes
    )


def holds_secret(mark: str, known: Iterable[str] = ()) -> bool:
    """Whether an id, path or other mark contains a secret, an e-mail address or a known secret."""
    return any(secret in mark for secret in known) or _matches(mark, "everywhere", "addresses")


def shown_secrets(data: object) -> set[str]:
    """Return the secrets in the texts of a file; a mark elsewhere in the file may contain one of them."""
    found: set[str] = set()
    seen: set[str] = set()
    left = [data]
    while left and len(seen) < _MOST_TEXTS:
        part = left.pop()
        if isinstance(part, dict | list):
            left.extend(part.values() if isinstance(part, dict) else part)
        elif isinstance(part, str) and " " in part[:_LONGEST] and part not in seen:
            seen.add(part)
            text = _ROLE.sub("", part[:_LONGEST])
            if not _NO_TEXT.search(text):
                without_secrets(" ".join(text.split()), found, beside=codes_beside([text]))
    return found


def is_secret_text(text: str) -> bool:
    """Whether a typed or chosen text contains a secret, in any field."""
    return any(next(rule.matches(text), None) for rule in _compiled("everywhere") if rule.typed)


def is_handle(part: str) -> bool:
    """Whether a part of a URL is a user's name after an at sign."""
    return part.startswith("@") and _matches(part, "handles")


def within(text: str, most: int) -> str:
    """Return a text cut to a length, but not within an address or a name, and without part of a number."""
    if len(text) <= most:
        return text
    for group in ("addresses", "handles"):
        for rule in _compiled(group):
            most = next((begin for begin, end in rule.matches(text) if begin < most < end), most)
    return _END.sub("", text[:most]).strip()


def oddness(text: str) -> float:
    """Return how unlike ordinary words a text is: below 3.2 for words, above for random letters."""
    odd_pairs = rules()["odd_pairs"]
    if len(set(re.sub("[^a-z0-9]", "", text.lower()))) < odd_pairs["fewest"]:
        return 0
    cost = pairs = 0
    for word in re.findall("[A-Za-z0-9]+", text):
        before = ""
        for part in re.findall(odd_pairs["parts"], word):
            number = part[0] in "0123456789"
            if before:
                turn = number or before[0] in "0123456789" or len(part) < 3
                cost += odd_pairs["turn" if turn else "change"]
                pairs += 1
            if not number:
                cost += _cost(part.lower(), odd_pairs["letters"])
                pairs += len(part) - 1
            before = part
    return cost / pairs if pairs else 0


def is_card(text: str) -> bool:
    """Whether a text is a payment card number (13 to 19 digits with a valid check digit)."""
    digits = [int(letter) for letter in re.sub(r"[ -]", "", text[:40]) if letter in "0123456789"]
    if not 13 <= len(digits) <= 19 or not re.fullmatch(r"[0-9 -]+", text) or not any(digits):
        return False
    doubled = [(2 * digit - 9 if digit > 4 else 2 * digit) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _cost(letters: str, costs: dict[str, str]) -> int:
    return sum(int(costs[one][ord(two) - 97]) for one, two in pairwise(letters))


def _without(text: str, rules_: Iterable[SecretRule], found: set[str] | None) -> str:
    out = text
    for rule in rules_:
        kept, at = "", 0
        for begin, end in rule.matches(out):
            if found is not None:
                found.update(_forms(out[begin:end]))
            kept, at = f"{kept}{out[at:begin]} ", end
        out = kept + out[at:]
    return out if out == text else " ".join(out.split())


def _forms(secret: str) -> Iterator[str]:
    """Yield the forms in which a removed secret may stand elsewhere: whole, without spaces, its words."""
    bare = re.sub("^[^A-Za-z0-9]+|[^A-Za-z0-9]+$", "", secret)
    words = re.split("[ ,;]+", secret)
    odd = [word for word in words if re.search("[0-9]", word) or oddness(word) >= ODD]
    yield from (form for form in (secret, re.sub("[ -]", "", secret), bare, *odd) if len(form) >= SHORTEST)


def _matches(text: str, *groups: str) -> bool:
    return any(next(rule.matches(text), None) for group in groups for rule in _compiled(group))
