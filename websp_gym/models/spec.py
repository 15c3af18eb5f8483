"""Model strings: ``provider:name``, or the address of a server with the model's name after ``#``."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from websp_gym.errors import SetupError, nearest
from websp_gym.models.thinking import Thinking

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
"""An example of a model string for each provider."""


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """A model string and its options.

    Args:
        spec: The whole string.
        provider: The provider, a key of ``PROVIDERS``.
        name: The model's name at the provider.
        address: URL of a server given by its address, else None.
        temperature: Sampling temperature.
        thinking: Effort or budget of thinking; None for the provider's default.
        max_tokens: Maximum number of tokens in an answer; None for the provider's default.
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


def read_spec(spec: str) -> tuple[str, str, str | None]:
    """Parse a model string into provider, model name and, for a server, its address.

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
            f"the model string for {bare} contains a password or parameters, and results contain the model string: "
            "put a key into WEBSP_ENDPOINT_KEY",
            variable="WEBSP_ENDPOINT_KEY",
        )
    return provider, name, address


def _examples() -> str:
    return ", ".join(PROVIDERS.values())
