"""Make a model from one string: ``provider:name``, or ``http://HOST/v1#MODEL``."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from websp_gym.errors import SetupError
from websp_gym.models.client import RequestPolicy, RetryingModel
from websp_gym.models.families import family_of
from websp_gym.models.messages import Model
from websp_gym.models.prices import read_prices
from websp_gym.models.protocol import Endpoint, Usage
from websp_gym.models.settings import Settings
from websp_gym.models.spec import ModelSpec, OwnTool, advice_on, read_spec
from websp_gym.models.thinking import Thinking, check_thinking

TOOL_PROVIDERS: dict[OwnTool, tuple[str, ...]] = {
    "computer": ("openai", "anthropic", "gemini"),
    "browser": ("anthropic",),
}
"""Providers whose own tool of each kind is known."""


def make_model(
    spec: str,
    *,
    temperature: float = 1.0,
    thinking: Thinking = None,
    max_tokens: int | None = None,
    timeout: float = 120.0,
    retries: int = 4,
    concurrency: int = 4,
    env: Mapping[str, str] | None = None,
    sleep: Callable[[float], None] = time.sleep,
    tool: OwnTool | None = None,
) -> Model:
    """Make a model from a model string, without sending anything.

    Args:
        spec: The model string: ``PROVIDERS`` has an example of each form, docs/reference/models.md the variables each
            needs.
        temperature: Sampling temperature; 1.0 is the paper's, and the only value that many thinking models
            accept.
        thinking: A budget in tokens, an effort from ``none`` to ``max``, ``dynamic``, or None for the
            provider's default.
        max_tokens: Maximum number of tokens in an answer, including thinking; None for the provider's default.
        timeout: Seconds for one attempt.
        retries: Maximum number of further attempts after a failure that may be temporary.
        concurrency: Maximum number of requests to this model at the same time; further callers wait.
        env: Variables to use instead of the environment and ``.env``.
        sleep: Called with the seconds to wait between attempts; not used by a scripted model.
        tool: ``computer`` or ``browser`` for a model that acts by its provider's own tool.

    Returns:
        The model.

    Raises:
        SetupError: The provider is unknown, a key is missing (the message names its variable) or an option is
            wrong.
    """
    _check(
        temperature=temperature,
        max_tokens=max_tokens,
        timeout=timeout,
        retries=retries,
        concurrency=concurrency,
    )
    check_thinking(thinking)
    provider, name, address = read_spec(spec)
    model = ModelSpec(
        spec=spec,
        provider=provider,
        name=name,
        address=address,
        temperature=temperature,
        thinking=thinking,
        max_tokens=max_tokens,
        timeout=timeout,
        tool=tool,
    )
    policy = RequestPolicy(
        retries=retries, concurrency=concurrency, sleep=_at_once if provider == "scripted" else sleep
    )
    if tool is not None and provider not in TOOL_PROVIDERS[tool]:
        known = ", ".join(TOOL_PROVIDERS[tool])
        raise SetupError(
            f"{spec}: only models at {known} use a {tool}; mllm:{spec} sees marked screenshots", model=spec
        )
    if provider == "scripted":
        script = _scripted(name)
        return RetryingModel(spec, script, price=lambda model, usage: 0.0, policy=policy, priced=True)
    settings = Settings(env)
    endpoint, whose, sent_as = _endpoint(model, settings)
    prices = read_prices(settings.get("WEBSP_PRICES"))

    def price(model: str, usage: Usage) -> float | None:
        return prices.cost(whose, model, usage)

    # A deployment has any name, and OpenRouter tells the cost itself.
    priced = None if provider in ("azure", "openrouter") else prices.known(whose, sent_as)
    advice = advice_on(model)
    return RetryingModel(spec, endpoint, price=price, policy=policy, priced=priced, advice=advice)


def can_think(spec: str, env: Mapping[str, str] | None = None) -> bool:
    """Return whether a model may think; false only where it is known that it cannot.

    Args:
        spec: The model string.
        env: Variables to use instead of the environment and ``.env``.

    Raises:
        SetupError: The string is wrong.
    """
    provider, name, _address = read_spec(spec)
    maker = provider if provider != "vertex" else "anthropic" if "claude" in name else "gemini"
    family = family_of(maker, name, own=Settings(env).get("WEBSP_FAMILIES"))
    return family is None or family.thinks


def _endpoint(model: ModelSpec, settings: Settings) -> tuple[Endpoint, str, str]:
    # Imported here because the SDKs take a second to import and a scripted model needs none.
    from websp_gym.models.providers import open_endpoint

    return open_endpoint(model, settings)


def _scripted(path: str) -> Endpoint:
    from websp_gym.models.scripted import ScriptedEndpoint, read_script

    file = Path(path).expanduser()
    return ScriptedEndpoint.by_script(f"scripted:{file.name}", read_script(file))


def _at_once(seconds: float) -> None:
    """Do not wait: a scripted model is always ready."""


def _check(
    *, temperature: float, max_tokens: int | None, timeout: float, retries: int, concurrency: int
) -> None:
    rules = (
        ("temperature", temperature, 0 <= temperature <= 2, "a number from 0 to 2"),
        ("max_tokens", max_tokens, max_tokens is None or max_tokens >= 1, "a whole number from 1, or None"),
        ("timeout", timeout, 0 < timeout < float("inf"), "seconds above 0"),
        ("retries", retries, retries >= 0, "a whole number from 0"),
        ("concurrency", concurrency, concurrency >= 1, "a whole number from 1"),
    )
    for name, value, right, wanted in rules:
        if not right:
            raise SetupError(f"{name}={value!r}: give {wanted}", option=name)
