"""Thinking effort and budget, translated into each provider's request fields."""

from __future__ import annotations

import re
from typing import Any, Literal, get_args

from websp_gym.errors import SetupError, nearest

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
Thinking = int | str | None
"""A budget in tokens, an effort, ``dynamic`` (the model decides) or None (the provider's default)."""

_EFFORTS: tuple[Effort, ...] = get_args(Effort)
# Tokens for an effort where an API takes only tokens; from Google's table for its OpenAI-compatible endpoint.
_TOKENS: dict[Effort, int] = {"minimal": 1024, "low": 1024, "medium": 8192}
_MOST = 24_576
_FULL: Effort = "high"


def check_thinking(thinking: Thinking) -> None:
    """Raise for a value that no provider would accept.

    Raises:
        SetupError: It is neither an effort nor a budget.
    """
    if thinking is None or thinking == "dynamic" or thinking in _EFFORTS:
        return
    if isinstance(thinking, int) and not isinstance(thinking, bool) and thinking >= 0:
        return
    hint = nearest(str(thinking), ["dynamic", *_EFFORTS])
    raise SetupError(
        f"thinking={thinking!r}: give a budget in tokens, dynamic, or an effort ({', '.join(_EFFORTS)}){hint}",
        option="thinking",
    )


def is_off(thinking: Thinking) -> bool:
    """Whether no thinking is requested."""
    return thinking in ("none", 0) and thinking is not False


def effort_of(thinking: Thinking) -> Effort | None:
    """Return a budget or effort as an effort; None where the model decides."""
    if isinstance(thinking, int):
        enough: tuple[tuple[int, Effort], ...] = (
            (0, "none"),
            (_TOKENS["low"], "low"),
            (_TOKENS["medium"], "medium"),
        )
        return next((effort for tokens, effort in enough if thinking <= tokens), _FULL)
    return next((effort for effort in _EFFORTS if effort == thinking), None)


def for_gemini(thinking: Thinking) -> dict[str, Any]:
    """Return the fields of a chat request to Gemini's OpenAI-compatible endpoint."""
    if isinstance(thinking, int):
        return {"extra_body": {"google": {"thinking_config": {"thinking_budget": thinking}}}}
    effort = effort_of(thinking)
    return {"reasoning_effort": _FULL if effort in ("xhigh", "max") else effort} if effort else {}


def for_openrouter(thinking: Thinking) -> dict[str, Any]:
    """Return the fields of a chat request to OpenRouter."""
    if thinking is None:
        return {}
    if isinstance(thinking, int) and thinking > 0:
        return {"reasoning": {"max_tokens": thinking}}
    effort = effort_of(thinking)
    return {"reasoning": {"effort": "xhigh" if effort == "max" else effort} if effort else {"enabled": True}}


def for_chat(thinking: Thinking) -> dict[str, Any]:
    """Return the fields of a chat request to any other provider."""
    effort = effort_of(thinking)
    return {"reasoning_effort": effort} if effort else {}


def for_claude(model: str, thinking: Thinking) -> tuple[dict[str, Any], str | None]:
    """Return the ``thinking`` field (empty: omit it) and the effort (None: omit it) of a Messages request.

    From version 4.6 on, the model decides itself how long to think and takes an effort; from 4.7 on, it takes
    no budget.
    """
    if thinking is None:
        return {}, None
    if is_off(thinking):
        return {"type": "disabled"}, None
    version = claude_version(model)
    if version < (4, 6) or (version == (4, 6) and isinstance(thinking, int)):
        return {"type": "enabled", "budget_tokens": _budget(thinking)}, None
    effort = effort_of(thinking)
    return {"type": "adaptive"}, "low" if effort == "minimal" else effort


def _budget(thinking: Thinking) -> int:
    if isinstance(thinking, int):
        return max(thinking, 1024)
    effort = effort_of(thinking)
    return _TOKENS.get(effort, _MOST) if effort else _MOST


def claude_version(model: str) -> tuple[int, int]:
    """Return a Claude's version from its name, e.g. ``claude-opus-4-6`` or ``claude-3-7-sonnet-latest``.

    A name without a version counts as the newest.
    """
    found = re.search(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)", model)
    return (int(found[1]), int(found[2] or 0)) if found else (99, 0)
