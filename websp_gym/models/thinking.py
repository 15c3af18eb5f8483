"""Thinking effort and budget, translated into each provider's request fields."""

from __future__ import annotations

from typing import Any, Literal, get_args

from websp_gym.errors import SetupError, nearest

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
Thinking = int | str | None
"""A budget in tokens, an effort, ``dynamic`` (the model decides) or None (the provider's default)."""

EFFORTS: tuple[Effort, ...] = get_args(Effort)
"""All efforts, from the least on."""
_MOST = 24_576
# From Google's table for its OpenAI-compatible endpoint.
TOKENS: dict[Effort, int] = {
    "none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": _MOST, "xhigh": _MOST, "max": _MOST,
}  # fmt: skip
"""Tokens for an effort where an API takes only tokens."""
_FULL: Effort = "high"


def check_thinking(thinking: Thinking) -> None:
    """Raise for a value that no provider would accept.

    Raises:
        SetupError: It is neither an effort nor a budget.
    """
    if thinking is None or thinking == "dynamic" or thinking in EFFORTS:
        return
    if isinstance(thinking, int) and not isinstance(thinking, bool) and thinking >= 0:
        return
    hint = nearest(str(thinking), ["dynamic", *EFFORTS])
    raise SetupError(
        f"thinking={thinking!r}: give a budget in tokens, dynamic, or an effort ({', '.join(EFFORTS)}){hint}",
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
            (TOKENS["low"], "low"),
            (TOKENS["medium"], "medium"),
        )
        return next((effort for tokens, effort in enough if thinking <= tokens), _FULL)
    return next((effort for effort in EFFORTS if effort == thinking), None)


def for_gemini(thinking: Thinking) -> dict[str, Any]:
    """Return the fields of a chat request to Gemini's OpenAI-compatible endpoint."""
    if isinstance(thinking, int):
        return {"extra_body": {"google": {"thinking_config": {"thinking_budget": thinking}}}}
    effort = effort_of(thinking)
    return {"reasoning_effort": effort} if effort else {}


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


def for_claude(thinking: Thinking, *, off: str, adaptive: bool) -> tuple[dict[str, Any], str | None]:
    """Return the ``thinking`` field (empty: omit it) and the effort (None: omit it) of a Messages request.

    Args:
        thinking: What the model takes.
        off: The type that turns thinking off.
        adaptive: Whether the model takes an effort and decides itself how long to think.
    """
    if thinking is None:
        return {}, None
    if is_off(thinking):
        return {"type": off}, None
    if isinstance(thinking, int) or not adaptive:
        return {"type": "enabled", "budget_tokens": thinking if isinstance(thinking, int) else _MOST}, None
    return {"type": "adaptive"}, effort_of(thinking)
