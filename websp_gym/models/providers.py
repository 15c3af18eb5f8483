"""The providers: SDK, address, key and options of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import anthropic
import openai

from websp_gym.errors import SetupError
from websp_gym.models import thinking
from websp_gym.models.anthropic_messages import MessagesEndpoint
from websp_gym.models.computer.anthropic import BrowserMessages, ComputerMessages
from websp_gym.models.computer.gemini import ComputerGemini
from websp_gym.models.computer.openai import ComputerResponses
from websp_gym.models.families import Family, check_temperature, dashed, family_of, settle_thinking
from websp_gym.models.google import fresh_token, google_credentials
from websp_gym.models.openai_chat import ChatEndpoint
from websp_gym.models.openai_responses import ResponsesEndpoint
from websp_gym.models.protocol import Endpoint
from websp_gym.models.sdk import Caching, SdkEndpoint, SdkRequest
from websp_gym.models.settings import Settings
from websp_gym.models.spec import ModelSpec
from websp_gym.models.transport import client_options

Opened = tuple[SdkEndpoint | ComputerGemini, str]

# The Messages API requires a limit. This one leaves room for a high effort and is below every current model's.
_CLAUDE_MAX_TOKENS = 32_000
# The paper's name, and the API's name for the same model.
_GEMINI_NAMES = {"gemini-3.1-pro": "gemini-3.1-pro-preview"}


def open_endpoint(model: ModelSpec, settings: Settings) -> tuple[Endpoint, str, str]:
    """Return the endpoint of a model, the key of its prices in the price table, and its name there.

    Raises:
        SetupError: A key is missing, or an option was given that this model does not accept.
    """
    endpoint, prices = _OPENERS[model.provider](model, settings)
    return endpoint, prices, endpoint.model.removeprefix("google/")


def _settled(model: ModelSpec, settings: Settings, maker: str) -> tuple[ModelSpec, Family | None]:
    """Return the model with the thinking that it takes, and its family; raise for what it does not take."""
    family = family_of(maker, model.name, own=settings.get("WEBSP_FAMILIES"))
    sent = settle_thinking(model, family)
    check_temperature(model, family, sent)
    return replace(model, thinking=sent), family


def _openai(model: ModelSpec, settings: Settings) -> Opened:
    key = settings.need("OPENAI_API_KEY", spec=model.spec)
    model, family = _settled(model, settings, "openai")
    client = _client(model, key, settings.get("OPENAI_BASE_URL", default="https://api.openai.com/v1"))
    caching: Caching = "breakpoints" if family and family.breakpoints else "key"
    request = _request(model, key, own=True, caching=caching)
    if not (model.tool or (family and family.thinks)):
        extra = thinking.for_chat(model.thinking)
        return ChatEndpoint(openai, client, replace(request, extra=extra)), "openai"
    effort = thinking.effort_of(model.thinking)
    extra = {"reasoning": {"effort": effort}} if effort else {}
    kind = ComputerResponses if model.tool else ResponsesEndpoint
    return kind(openai, client, replace(request, extra=extra)), "openai"


def _azure(model: ModelSpec, settings: Settings) -> Opened:
    key = settings.need("AZURE_OPENAI_API_KEY", spec=model.spec)
    place = settings.need("AZURE_OPENAI_ENDPOINT", spec=model.spec).rstrip("/")
    version = settings.get("OPENAI_API_VERSION")
    request = _request(model, key, own=True, extra=thinking.for_chat(model.thinking))
    if version is None:
        client = _client(model, key, f"{place}/openai/v1")
        return ChatEndpoint(openai, client, replace(request, caching="key")), "openai"
    options = client_options(openai, model.timeout)
    dated = openai.AzureOpenAI(api_key=key, azure_endpoint=place, api_version=version, **options)
    return ChatEndpoint(openai, dated, request), "openai"


def _gemini(model: ModelSpec, settings: Settings) -> Opened:
    key = settings.need("GEMINI_API_KEY", "GOOGLE_API_KEY", spec=model.spec)
    model, _family = _settled(model, settings, "gemini")
    if model.tool:
        name = _GEMINI_NAMES.get(model.name, model.name)
        return ComputerGemini(
            model, key, _request(model, key, name=name), settings.get("GEMINI_BASE_URL")
        ), "gemini"
    default = "https://generativelanguage.googleapis.com/v1beta/openai"
    client = _client(model, key, settings.get("GEMINI_BASE_URL", default=default))
    extra = thinking.for_gemini(model.thinking)
    name = _GEMINI_NAMES.get(model.name, model.name)
    return ChatEndpoint(openai, client, _request(model, key, name=name, extra=extra)), "gemini"


def _openrouter(model: ModelSpec, settings: Settings) -> Opened:
    key = settings.need("OPENROUTER_API_KEY", spec=model.spec)
    model, family = _settled(model, settings, "openrouter")
    client = _client(model, key, settings.get("OPENROUTER_BASE_URL", default="https://openrouter.ai/api/v1"))
    extra = {"usage": {"include": True}, **thinking.for_openrouter(model.thinking)}
    request = _request(
        model,
        key,
        extra=extra,
        # The other makers cache without being asked.
        caching="marks" if model.name.startswith("anthropic/") else "none",
        send_temperature=family is None or family.temperature == "always",
    )
    return ChatEndpoint(openai, client, request), "openrouter"


def _server(model: ModelSpec, settings: Settings) -> Opened:
    # Not OpenAI's key: it would be sent to any host that the model string names.
    key = settings.key("WEBSP_ENDPOINT_KEY", spec=model.spec)
    client = _client(model, key or "none", model.address)
    extra = thinking.for_chat(model.thinking)
    request = _request(model, key, extra=extra, send_temperature=True)
    return ChatEndpoint(openai, client, request), model.address or ""


def _anthropic(model: ModelSpec, settings: Settings) -> Opened:
    key = settings.need("ANTHROPIC_API_KEY", spec=model.spec)
    place = settings.get("ANTHROPIC_BASE_URL", default="https://api.anthropic.com")
    client = anthropic.Anthropic(api_key=key, base_url=place, **client_options(anthropic, model.timeout))
    kinds = {"computer": ComputerMessages, "browser": BrowserMessages, None: MessagesEndpoint}
    kind = kinds[model.tool]
    return kind(anthropic, client, _claude_request(model, settings, key)), "anthropic"


def _claude_request(model: ModelSpec, settings: Settings, *secrets: str | None) -> SdkRequest:
    model, family = _settled(model, settings, "anthropic")
    off, adaptive = (family.off, bool(family.levels)) if family else ("disabled", True)
    field, effort = thinking.for_claude(model.thinking, off=off, adaptive=adaptive)
    most = model.max_tokens or _CLAUDE_MAX_TOKENS
    if field.get("budget_tokens", 0) >= most:
        raise SetupError(
            f"thinking={model.thinking!r} is a budget of {field['budget_tokens']} tokens: give {model.spec} "
            f"max_tokens above it (it is {most}), because thinking counts towards it",
            option="max_tokens",
        )
    extra: dict[str, Any] = {"thinking": field} if field else {}
    if effort:
        extra["output_config"] = {"effort": effort}
    request = _request(model, *secrets, name=dashed(model.name), extra=extra, caching="marks")
    return replace(request, max_tokens=most)


def _vertex(model: ModelSpec, settings: Settings) -> Opened:
    project = settings.need("GOOGLE_CLOUD_PROJECT", "ANTHROPIC_VERTEX_PROJECT_ID", spec=model.spec)
    region = settings.get("CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION") or "global"
    token = settings.key("GOOGLE_OAUTH_ACCESS_TOKEN", spec=model.spec)
    credentials = None if token else google_credentials(model.spec, settings)
    whose = "anthropic" if "claude" in model.name else "gemini"
    # Regional endpoints cost more than the listed prices.
    prices = whose if region == "global" else f"vertex/{region}"
    if whose == "anthropic":
        client = anthropic.AnthropicVertex(
            project_id=project,
            region=region,
            access_token=token,
            credentials=credentials,
            base_url=settings.get("ANTHROPIC_VERTEX_BASE_URL"),
            **client_options(anthropic, model.timeout),
        )
        return MessagesEndpoint(anthropic, client, _claude_request(model, settings, token)), prices
    model, _family = _settled(model, settings, "gemini")
    host = "aiplatform.googleapis.com" if region == "global" else f"{region}-aiplatform.googleapis.com"
    base = (settings.get("VERTEX_BASE_URL") or f"https://{host}/v1").rstrip("/")
    place = f"{base}/projects/{project}/locations/{region}/endpoints/openapi"
    name = _GEMINI_NAMES.get(model.name, model.name)
    request = _request(
        model,
        token,
        name=name if "/" in name else f"google/{name}",
        extra=thinking.for_gemini(model.thinking),
    )
    return ChatEndpoint(openai, _client(model, token or fresh_token(credentials), place), request), prices


def _client(model: ModelSpec, key: str | Callable[[], str], base_url: str | None) -> openai.OpenAI:
    client = openai.OpenAI(api_key=key, base_url=base_url, **client_options(openai, model.timeout))
    if model.provider != "openai":
        # The SDK reads these from the environment; they are for OpenAI only.
        client.organization = client.project = None
    return client


def _request(
    model: ModelSpec,
    *secrets: str | None,
    name: str | None = None,
    extra: Mapping[str, Any] | None = None,
    own: bool = False,
    caching: Caching = "none",
    send_temperature: bool = False,
) -> SdkRequest:
    return SdkRequest(
        model=name or model.name,
        temperature=model.temperature,
        # Elsewhere 1.0 is the default, and some models reject the parameter even with this value.
        send_temperature=send_temperature or model.temperature != 1.0,
        max_tokens=model.max_tokens,
        extra=extra or {},
        own=own,
        caching=caching,
        secrets=tuple(secret for secret in secrets if secret),
    )


_OPENERS: dict[str, Callable[[ModelSpec, Settings], Opened]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "openrouter": _openrouter,
    "azure": _azure,
    "vertex": _vertex,
    "http": _server,
    "https": _server,
}
