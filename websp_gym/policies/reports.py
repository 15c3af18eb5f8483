"""Whether a text tells the user of a fault."""

from __future__ import annotations

import re

_WORDS = {
    "maintenance": ("maintenance", "unavailable", "down", "offline", "out of service"),
    "fails": (
        "fail",
        "failed",
        "fails",
        "error",
        "not saved",
        "not save",
        "went wrong",
        "not go through",
        "rejected",
        "refused",
    ),
    "missing": ("missing", "required", "needs", "lacks", "not given", "incomplete"),
}
"""Words for each kind of fault; those of the others count too where they say that something did not work."""
_ANY = (
    "could not",
    "cannot",
    "can't",
    "couldn't",
    "unable",
    "did not work",
    "does not work",
    "not possible",
    "problem",
    "error",
    "fault",
)
_DENIED = re.compile(r"\b(no|without|any|never|zero)\b(?:[\s,]+\w+){0,3}[\s,]+$")


def tells_of(kind: str, text: str) -> bool:
    """Whether a text says that the site had a fault, and does not deny it.

    A word of the kind of fault must stand in it as a word. "No problem" and "without any error" tell of nothing.
    """
    plain = " ".join(text.casefold().replace("\u2019", "'").split())
    for word in (*_WORDS[kind], *_ANY):
        for found in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", plain):
            if not _DENIED.search(plain[: found.start()]):
                return True
    return False
