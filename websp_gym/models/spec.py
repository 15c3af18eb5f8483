"""Model strings: ``provider:name``, or the address of a server with the model's name after ``#``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from websp_gym.errors import SetupError, nearest
from websp_gym.models.thinking import Thinking

OwnTool = Literal["computer", "browser"]
"""A provider's own tool to act by."""

PROVIDERS = {
    "openai": "openai:gpt-6.2-sol",
    "anthropic": "anthropic:claude-opus-5.5",
    "gemini": "gemini:gemini-4-argon",
    "openrouter": "openrouter:google/gemma-3-27b-it",
    "azure": "azure:DEPLOYMENT",
    "vertex": "vertex:claude-opus-5.5",
    "http": "http://localhost:8000/v1#MODEL",
    "https": "https://HOST/v1#MODEL",
    "scripted": "scripted:FILE.yaml",
}
"""An example of a model string for each provider."""


_OLLAMA = "http://127.0.0.1:11434/v1"
_MAKERS = {"gpt": "openai", "o": "openai", "chatgpt": "openai", "claude": "anthropic", "gemini": "gemini"}
"""Providers by the beginning of their models' names."""


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
        tool: Which tool of its provider it acts by; None for none.
    """

    spec: str
    provider: str
    name: str
    address: str | None = None
    temperature: float = 1.0
    thinking: Thinking = None
    max_tokens: int | None = None
    timeout: float = 120.0
    tool: OwnTool | None = None


def read_spec(spec: str) -> tuple[str, str, str | None]:
    """Parse a model string into provider, model name and, for a server, its address.

    Raises:
        SetupError: It is not a model string.
    """
    provider, colon, name = spec.partition(":")
    if provider not in PROVIDERS:
        if provider == "ollama":
            raise SetupError(
                f'"{spec}": write it with Ollama\'s address: {_OLLAMA}#{name or "MODEL"}', model=spec
            )
        hint = nearest(provider, list(PROVIDERS)) or hint_of_provider(spec)
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
    if not parts.path and not parts.query:
        bare = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        raise SetupError(
            f'"{bare}#{name}" lacks the path of the API; did you mean {bare}/v1#{name}? '
            f"(A server that answers at its root: {bare}/#{name})",
            model=spec,
        )
    if parts.username or parts.password or parts.query:
        bare = f"{parts.scheme}://{parts.hostname}"
        raise SetupError(
            f"the model string for {bare} contains a password or parameters, and results contain the model string: "
            "put a key into WEBSP_ENDPOINT_KEY",
            variable="WEBSP_ENDPOINT_KEY",
        )
    return provider, name, address


def hint_of_provider(name: str) -> str:
    """Return a hint for a model's name as others write it; empty if no provider is known by such a name.

    It may be without its provider, with it before a slash (LiteLLM, Inspect), or a repository of Hugging Face.
    """
    before, slash, model = name.partition("/")
    if slash and model and before.lower() in PROVIDERS:
        return f'; did you mean "{before.lower()}:{model}"?'
    if re.fullmatch(r"[\w.-]+/[\w.-]+", name):
        served = PROVIDERS["http"].replace("MODEL", name)
        return f"; write a model on your own server as {served}, and one at OpenRouter as openrouter:{name}"
    found = re.match(r"([a-z]+)[\W\d]", name, re.IGNORECASE)
    provider = found and _MAKERS.get(found[1].lower())
    # Also for those who write gpt4.
    dashed = re.sub(r"^([a-z]{2,})(?=[0-9])", r"\1-", name)
    return f'; did you mean "{provider}:{dashed}"?' if provider else ""


def advice_on(model: ModelSpec) -> str:
    """Return what to try where a server given by its address does not answer as one; empty if nothing is known."""
    if model.address is None or re.search(r"/v\d+(/|$)", urlsplit(model.address).path):
        return ""
    return f"did you mean {model.address.rstrip('/')}/v1#{model.name}?"


def _examples() -> str:
    return ", ".join(PROVIDERS.values())
