"""A model by one string: ``provider:name``, or the address of a server and the model's name behind ``#``."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from websp_gym.errors import SetupError, nearest
from websp_gym.models.client import AskedModel, Policy
from websp_gym.models.messages import Model
from websp_gym.models.prices import read_prices
from websp_gym.models.protocol import Endpoint, Usage
from websp_gym.models.settings import Settings
from websp_gym.models.thinking import Thinking, check_thinking

PROVIDERS = {
    "openai": "openai:gpt-5.2",
    "anthropic": "anthropic:claude-opus-4.6",
    "gemini": "gemini:gemini-3.1-pro",
    "openrouter": "openrouter:google/gemma-3-27b-it",
    "azure": "azure:DEPLOYMENT",
    "vertex": "vertex:claude-opus-4.6",
    "http": "http://localhost:8000/v1#MODEL",
    "https": "https://HOST/v1#MODEL",
    "scripted": "scripted:FILE.yaml",
}
"""An example of each provider's strings."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A model as it was asked for.

    Args:
        spec: The whole string.
        provider: Who serves it.
        name: The model's name there.
        address: Where, for a server given by its address.
        temperature: Sampling temperature.
        thinking: How much it may think.
        max_tokens: Most tokens of an answer; None: the provider's default.
        timeout: Seconds for one attempt.
    """

    spec: str
    provider: str
    name: str
    address: str | None = None
    temperature: float = 1.0
    thinking: Thinking = None
    max_tokens: int | None = None
    timeout: float = 120.0


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
) -> Model:
    """Makes a model that can be asked. Nothing is sent before it is.

    Args:
        spec: Which one: ``PROVIDERS`` has an example of each form, docs/models.md the variables each needs.
        temperature: Sampling temperature; 1.0 is the paper's, and all that many thinking models take.
        thinking: A budget in tokens, an effort from ``none`` to ``max``, ``dynamic``, or None for the provider's
            default.
        max_tokens: Most tokens of an answer, thinking included; None for the provider's default.
        timeout: Seconds for one attempt.
        retries: Further attempts after one that may succeed next time.
        concurrency: Requests of this model at the same time; more callers wait.
        env: Variables to use instead of the environment and ``.env``.
        sleep: Waits between attempts; a scripted model does not wait.

    Returns:
        The model.

    Raises:
        SetupError: Unknown provider, missing key (the message names its variable) or wrong option.
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
    choice = Choice(
        spec=spec,
        provider=provider,
        name=name,
        address=address,
        temperature=temperature,
        thinking=thinking,
        max_tokens=max_tokens,
        timeout=timeout,
    )
    policy = Policy(
        retries=retries, concurrency=concurrency, sleep=_at_once if provider == "scripted" else sleep
    )
    if provider == "scripted":
        return AskedModel(spec, _scripted(name), price=lambda model, usage: 0.0, policy=policy)
    settings = Settings(env)
    endpoint, whose = _endpoint(choice, settings)
    prices = read_prices(settings.get("WEBSP_PRICES"))

    def price(model: str, usage: Usage) -> float | None:
        return prices.cost(whose, model, usage)

    return AskedModel(spec, endpoint, price=price, policy=policy)


def _endpoint(choice: Choice, settings: Settings) -> tuple[Endpoint, str]:
    # The SDKs take a second to import: not before a model wants one.
    from websp_gym.models.providers import open_endpoint

    return open_endpoint(choice, settings)


def _scripted(path: str) -> Endpoint:
    from websp_gym.models.scripted import ScriptedEndpoint, read_script

    file = Path(path).expanduser()
    return ScriptedEndpoint.by_script(f"scripted:{file.name}", read_script(file))


def _at_once(seconds: float) -> None:
    """Does not wait: a script is no busier for being asked again."""


def read_spec(spec: str) -> tuple[str, str, str | None]:
    """Reads a model string.

    Args:
        spec: As the user wrote it.

    Returns:
        Provider, name, and the address of a server given by one.

    Raises:
        SetupError: It is not a model string.
    """
    provider, colon, name = spec.partition(":")
    if provider not in PROVIDERS:
        hint = nearest(provider, list(PROVIDERS))
        raise SetupError(f'"{spec}": no provider "{provider}"{hint} (e.g. {_examples()})', model=spec)
    if provider in ("http", "https"):
        return _read_address(spec)
    if not colon or not name.strip():
        raise SetupError(f'"{spec}" names no model: write it as {PROVIDERS[provider]}', model=spec)
    return provider, name.strip(), None


def _read_address(spec: str) -> tuple[str, str, str]:
    address, _, name = spec.partition("#")
    provider = address.partition(":")[0]
    try:
        parts = urlsplit(address)
        right = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        right = False
    if not right or not name:
        raise SetupError(f'"{spec}" names no server and model: write it as {PROVIDERS[provider]}', model=spec)
    if parts.username or parts.password or parts.query:
        bare = f"{parts.scheme}://{parts.hostname}"
        raise SetupError(
            f"the model string for {bare} holds a password or parameters, and it is written into results: put a key "
            "into WEBSP_ENDPOINT_KEY",
            variable="WEBSP_ENDPOINT_KEY",
        )
    return provider, name, address


def _examples() -> str:
    return ", ".join(PROVIDERS.values())


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
