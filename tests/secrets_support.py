"""Generated secrets, and the places of a page or of a recording in which they may stand."""

from __future__ import annotations

import string
from dataclasses import dataclass

from hypothesis import strategies as st

LETTERS = string.ascii_letters + string.digits
CAPITALS = string.ascii_uppercase + string.digits
PHRASE_WORDS = (
    "orbit",
    "lemon",
    "velvet",
    "canyon",
    "rocket",
    "pepper",
    "winter",
    "garden",
    "silver",
    "bridge",
    "magnet",
    "walnut",
)


@dataclass(frozen=True)
class Secret:
    """A secret, and the words that a page shows it with."""

    text: str
    shown: str = "{}"

    @property
    def words(self) -> str:
        return self.shown.format(self.text)

    def parts(self) -> set[str]:
        """All its parts of six characters, also without the spaces in it."""
        forms = (self.text, self.text.replace(" ", ""))
        return {form[at : at + 6] for form in forms for at in range(len(form) - 5)}


def _run(alphabet: str, length: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(alphabet), min_size=length, max_size=length).map("".join)


def _joined(piece: st.SearchStrategy[str], count: int, joint: str) -> st.SearchStrategy[str]:
    return st.lists(piece, min_size=count, max_size=count).map(joint.join)


def _with_digit_and_letter(text: str) -> bool:
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text))


def _card(digits: str) -> str:
    """Add the check digit, and spaces."""
    doubled = [int(digit) * (2 if at % 2 == 0 else 1) for at, digit in enumerate(digits)]
    check = -sum(value - 9 if value > 9 else value for value in doubled) % 10
    number = f"4{digits[1:]}{(check + _difference(digits)) % 10}"
    return " ".join(number[at : at + 4] for at in range(0, 16, 4))


def _difference(digits: str) -> int:
    """The change of the check digit when the first digit becomes 4."""
    doubled = int(digits[0]) * 2
    return (doubled - 9 if doubled > 9 else doubled) - 8


@st.composite
def _addresses(draw: st.DrawFn) -> str:
    names = _run(string.ascii_lowercase, 7)
    return f"{draw(names)}.{draw(names)}@{draw(names)}.test"


ALONE = st.one_of(
    _run(LETTERS, 36).map("ghp_{}".format),
    _run(LETTERS, 34).map("hf_{}".format),
    _run(LETTERS, 40).map("sk-proj-{}".format),
    _run(LETTERS, 24).map("xoxb-217128345712-{}".format),
    _run(CAPITALS, 16).map("AKIA{}".format),
    _joined(_run(LETTERS + "-_", 24), 3, ".").map("eyJ{}".format),
    _run("0123456789abcdef", 32),
    st.uuids(version=4).map(str),
    _run(LETTERS, 24),
    _run(LETTERS + "-_", 43),
    _run(LETTERS + "+/", 43).map("{}=".format),
    _joined(_run(CAPITALS, 4).filter(_with_digit_and_letter), 4, "-"),
    _run("0123456789", 12).map("76561{}".format),
    _addresses(),
).map(Secret)
"""Secrets that are known wherever they stand."""

BESIDE_WORDS = st.one_of(
    _run("0123456789", 6).map(lambda text: Secret(text, "Your one-time code is {}")),
    _run("123456789", 8).map(lambda text: Secret(text, "{} is your verification code")),
    _joined(_run(string.ascii_lowercase, 4), 4, " ").map(lambda text: Secret(text, "App password: {}")),
    _joined(_run(LETTERS, 4).filter(_with_digit_and_letter), 4, " ").map(
        lambda text: Secret(text, "Your new password for Mail is: {}")
    ),
    _joined(_run(CAPITALS, 4).filter(_with_digit_and_letter), 4, " ").map(
        lambda text: Secret(text, "Key: {}")
    ),
    _joined(st.sampled_from(PHRASE_WORDS), 12, " ").map(lambda text: Secret(text, "Recovery phrase: {}")),
    _joined(_run(LETTERS.lower(), 10).filter(_with_digit_and_letter), 5, " ").map(
        lambda text: Secret(text, "Recovery codes: {}")
    ),
    _run(LETTERS, 12).filter(_with_digit_and_letter).map(lambda text: Secret(text, "Session ID: {}")),
    _run(LETTERS, 11).filter(_with_digit_and_letter).map(lambda text: Secret(f"{text}#", "New password: {}")),
    _run("0123456789", 15).map(_card).map(lambda text: Secret(text, "Card {}")),
)
"""Secrets that are known by the words beside them."""
