"""Suggestions for error messages: the known name that is closest to a wrong one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(value: str, known: Iterable[str]) -> str:
    """Return ``'; did you mean "x"?'`` for the known value closest to ``value``, or ``""`` if none is close.

    The sandbox does not import the rest of the package, so it does not use ``websp_gym.errors.nearest``.
    """
    from difflib import get_close_matches

    close = get_close_matches(value, list(known), n=1, cutoff=0.5)
    return f'; did you mean "{close[0]}"?' if close else ""
