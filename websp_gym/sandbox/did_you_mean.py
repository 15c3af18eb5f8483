"""Small helper for messages: which right name a wrong one was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(value: str, known: Iterable[str]) -> str:
    """Says which known value a wrong one was probably meant to be.

    The sandbox imports nothing from outside itself, hence this neighbour of ``websp_gym.errors.nearest``.

    Args:
        value: What was given.
        known: What would have been right.

    Returns:
        ``'; did you mean "x"?'``, or an empty string when nothing is close.
    """
    from difflib import get_close_matches

    close = get_close_matches(value, list(known), n=1, cutoff=0.5)
    return f'; did you mean "{close[0]}"?' if close else ""
