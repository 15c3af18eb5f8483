"""Requests to each family of models, recorded from the official SDKs, and options refused before any request."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from anthropic.types import model_param
from openai.types.shared import chat_model

from tests.endpoint_support import (
    AZURE,
    CHAT,
    CLAUDE,
    GEMINI,
    OPENROUTER,
    RESPONSES,
    VERTEX_CLAUDE,
    VERTEX_GEMINI,
    Dialect,
    Endpoint,
    chat,
    endpoint,
    server,
)
from websp_gym.errors import SetupError
from websp_gym.models import Message, Text, make_model
from websp_gym.models.families import family_of

__all__ = ["endpoint", "server"]

HELLO = (Message("user", (Text("hello"),)),)
CHOICES = ("reasoning", "reasoning_effort", "extra_body", "thinking", "output_config", "temperature")
"""Fields of a request about thinking."""
ADAPTIVE: dict[str, Any] = {"thinking": {"type": "adaptive"}}
OFF: dict[str, Any] = {"thinking": {"type": "disabled"}}


def effort(level: str) -> dict[str, Any]:
    """The fields of OpenAI's Responses API."""
    return {"reasoning": {"effort": level}}


def claude(level: str) -> dict[str, Any]:
    """The fields of the Messages API for a model that takes an effort."""
    return {**ADAPTIVE, "output_config": {"effort": level}}


def budget(tokens: int) -> dict[str, Any]:
    """The fields of the Messages API for a model that takes a budget."""
    return {"thinking": {"type": "enabled", "budget_tokens": tokens}}


def gemini_budget(tokens: int) -> dict[str, Any]:
    """The fields of Gemini's OpenAI-compatible endpoint for a budget."""
    return {"extra_body": {"google": {"thinking_config": {"thinking_budget": tokens}}}}


SENT: list[tuple[Dialect, str, dict[str, Any], dict[str, Any]]] = [
    # OpenAI: models that do not think
    (CHAT, "openai:gpt-4.1", {}, {}),
    (CHAT, "openai:gpt-4.1-mini", {"temperature": 0.0}, {"temperature": 0.0}),
    (CHAT, "openai:gpt-4o-2024-08-06", {"thinking": "none"}, {}),
    (CHAT, "openai:gpt-4.1", {"thinking": "dynamic"}, {}),
    (CHAT, "openai:ft:gpt-4.1-2025-04-14:us::x1", {"temperature": 0.3}, {"temperature": 0.3}),
    # OpenAI: the o series and GPT-5
    (RESPONSES, "openai:o3", {"thinking": "minimal"}, effort("low")),
    (RESPONSES, "openai:o4-mini-2025-04-16", {"thinking": "max"}, effort("high")),
    (RESPONSES, "openai:gpt-5", {"thinking": "minimal"}, effort("minimal")),
    (RESPONSES, "openai:gpt-5-nano", {"thinking": "xhigh"}, effort("high")),
    (RESPONSES, "openai:gpt-5-pro", {"thinking": "low"}, effort("high")),
    (RESPONSES, "openai:gpt-5.1", {"thinking": "minimal"}, effort("low")),
    (
        RESPONSES,
        "openai:gpt-5.1",
        {"thinking": "none", "temperature": 0.0},
        {**effort("none"), "temperature": 0.0},
    ),
    (RESPONSES, "openai:gpt-5.1-codex-max", {"thinking": "max"}, effort("xhigh")),
    (RESPONSES, "openai:gpt-5.2", {"thinking": "none"}, effort("none")),
    (RESPONSES, "openai:gpt-5.2", {"thinking": "minimal"}, effort("low")),
    (RESPONSES, "openai:gpt-5.2", {"temperature": 0.0}, {"temperature": 0.0}),
    (RESPONSES, "openai:gpt-5.2-pro-2025-12-11", {"thinking": "low"}, effort("medium")),
    (RESPONSES, "openai:gpt-5.4-mini", {"thinking": "max"}, effort("xhigh")),
    (RESPONSES, "openai:gpt-5.5", {"thinking": 2_000}, effort("medium")),
    # OpenAI: GPT-5.6 and later
    (RESPONSES, "openai:gpt-5.6-sol", {"thinking": "max"}, effort("max")),
    (
        RESPONSES,
        "openai:gpt-5.6-luna",
        {"thinking": "none", "temperature": 0.5},
        {**effort("none"), "temperature": 0.5},
    ),
    (RESPONSES, "openai:gpt-6-luna", {"thinking": "none"}, effort("none")),
    (RESPONSES, "openai:gpt-6-sol", {"thinking": "minimal"}, effort("low")),
    (RESPONSES, "openai:gpt-6-astra", {"thinking": "minimal"}, effort("low")),
    (RESPONSES, "openai:gpt-6.1-terra", {"thinking": "none"}, effort("none")),
    (RESPONSES, "openai:gpt-6.2-astra", {"thinking": "max"}, effort("max")),
    (RESPONSES, "openai:gpt-7-nova", {"thinking": "high"}, effort("high")),
    # Nothing is known of these: as given
    (CHAT, "openai:gpt-oss-120b", {"thinking": "minimal"}, {"reasoning_effort": "minimal"}),
    (AZURE, "azure:gpt-6-astra", {"thinking": "none", "temperature": 0.0}, {"reasoning_effort": "none"}),
    # Claude
    (CLAUDE, "anthropic:claude-3-5-haiku-20241022", {"temperature": 0.0}, {"temperature": 0.0}),
    (CLAUDE, "anthropic:claude-3.7-sonnet", {"thinking": "low"}, budget(1024)),
    (CLAUDE, "anthropic:claude-sonnet-4-20250514", {"thinking": "high"}, budget(24_576)),
    (CLAUDE, "anthropic:claude-haiku-4.5", {"thinking": 100}, budget(1024)),
    (
        CLAUDE,
        "anthropic:claude-opus-4.5",
        {"thinking": "none", "temperature": 0.0},
        {**OFF, "temperature": 0.0},
    ),
    (CLAUDE, "anthropic:claude-opus-4.6", {"thinking": 2048}, budget(2048)),
    (CLAUDE, "anthropic:claude-opus-4.6", {"thinking": "xhigh"}, claude("high")),
    (CLAUDE, "anthropic:claude-opus-4.8", {"thinking": "xhigh"}, claude("xhigh")),
    (CLAUDE, "anthropic:claude-opus-4.7", {"thinking": 2048}, claude("medium")),
    (CLAUDE, "anthropic:claude-opus-5", {"thinking": "none"}, OFF),
    (CLAUDE, "anthropic:claude-haiku-5.5", {"thinking": "none"}, OFF),
    (CLAUDE, "anthropic:claude-sonnet-5.5", {"thinking": "none"}, {"thinking": {"type": "between_tools"}}),
    (CLAUDE, "anthropic:claude-opus-5.5", {"thinking": "minimal"}, claude("low")),
    (CLAUDE, "anthropic:claude-fable-5.1", {"thinking": "dynamic"}, ADAPTIVE),
    (CLAUDE, "anthropic:claude-fable-5-2", {"thinking": "max"}, claude("max")),
    (CLAUDE, "anthropic:claude-mythos-preview", {"thinking": 50_000}, claude("high")),
    (CLAUDE, "anthropic:claude-sonnet-6", {"thinking": "high"}, claude("high")),
    (VERTEX_CLAUDE, "vertex:claude-opus-5.5", {"thinking": "minimal"}, claude("low")),
    # Gemini
    (GEMINI, "gemini:gemini-2.0-flash", {"thinking": "none", "temperature": 0.1}, {"temperature": 0.1}),
    (GEMINI, "gemini:gemini-2.5-flash", {"thinking": "none"}, {"reasoning_effort": "none"}),
    (GEMINI, "gemini:gemini-2.5-flash", {"thinking": 50}, gemini_budget(50)),
    (GEMINI, "gemini:gemini-2.5-flash-lite", {"thinking": 50}, gemini_budget(512)),
    (GEMINI, "gemini:gemini-2.5-pro", {"thinking": 50}, gemini_budget(128)),
    (GEMINI, "gemini:gemini-2.5-pro", {"thinking": "minimal"}, {"reasoning_effort": "minimal"}),
    (GEMINI, "gemini:gemini-3-pro-preview", {"thinking": "max"}, {"reasoning_effort": "high"}),
    (GEMINI, "gemini:gemini-3.1-pro", {"thinking": "minimal"}, {"reasoning_effort": "low"}),
    (GEMINI, "gemini:gemini-3.1-pro", {"temperature": 0.2}, {"temperature": 0.2}),
    (GEMINI, "gemini:gemini-3-flash-preview", {"thinking": "minimal"}, {"reasoning_effort": "minimal"}),
    (GEMINI, "gemini:gemini-3.8-flash", {"thinking": "minimal"}, {"reasoning_effort": "low"}),
    (GEMINI, "gemini:gemini-4-argon", {"thinking": 4096}, {"reasoning_effort": "medium"}),
    (GEMINI, "gemini:gemini-flash-latest", {"thinking": "xhigh"}, {"reasoning_effort": "high"}),
    (VERTEX_GEMINI, "vertex:gemini-3.1-pro", {"thinking": "minimal"}, {"reasoning_effort": "low"}),
    # OpenRouter, by the maker in the name
    (OPENROUTER, "openrouter:openai/gpt-6-astra", {"thinking": "minimal"}, effort("low")),
    (OPENROUTER, "openrouter:anthropic/claude-opus-5.5", {"thinking": 4096}, effort("medium")),
    (OPENROUTER, "openrouter:google/gemini-2.5-flash:free", {"thinking": "none"}, effort("none")),
    (
        OPENROUTER,
        "openrouter:qwen/qwen3-vl",
        {"thinking": "minimal", "temperature": 0.0},
        {**effort("minimal"), "temperature": 0.0},
    ),
]


@pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")
def test_each_family_is_sent_what_it_takes(endpoint: Endpoint) -> None:
    wrong = []
    for dialect, spec, options, takes in SENT:
        endpoint.plan(dialect.say())
        make_model(spec, env=dialect.env(endpoint.url), **options).ask(HELLO)
        sent = endpoint.last.body
        own = {"temperature": options.get("temperature", sent.get("temperature"))}
        expected = {**own, **takes} if dialect in (OPENROUTER, AZURE) else takes
        got = {name: sent[name] for name in CHOICES if sent.get(name) is not None}
        if got != {name: value for name, value in expected.items() if value is not None}:
            wrong.append((spec, options, got))
    assert wrong == []


REFUSED: list[tuple[Dialect, str, dict[str, Any], str]] = [
    (RESPONSES, "openai:gpt-6-astra", {"thinking": "none"}, "low, medium, high, xhigh, max"),
    (RESPONSES, "openai:gpt-6-astra", {"temperature": 0.0}, "accepts only temperature 1.0"),
    (RESPONSES, "openai:gpt-6.1-sol", {"thinking": 0}, "always thinks"),
    (RESPONSES, "openai:gpt-5.6-sol", {"temperature": 0.0}, "thinking=none turns it off"),
    (RESPONSES, "openai:gpt-6-luna", {"thinking": "low", "temperature": 0.0}, "while it thinks"),
    (RESPONSES, "openai:gpt-5-mini", {"thinking": "none"}, "minimal, low, medium, high"),
    (RESPONSES, "openai:o3-pro", {"thinking": "none"}, "low, medium, high"),
    (RESPONSES, "openai:o4-mini", {"temperature": 0.7}, "accepts only temperature 1.0"),
    (RESPONSES, "openai:gpt-5.4", {"thinking": "high", "temperature": 0.0}, "leave thinking= out"),
    (CHAT, "openai:gpt-4.1", {"thinking": "high"}, "does not think"),
    (CHAT, "openai:gpt-4o", {"thinking": 4096}, "does not think"),
    (RESPONSES, "openai:gpt-6.2-sol", {"thinking": "none"}, "inferred"),
    (RESPONSES, "openai:gpt-7-nova", {"temperature": 0.0}, "WEBSP_FAMILIES"),
    (CLAUDE, "anthropic:claude-opus-5.5", {"thinking": "none"}, "low, medium, high, xhigh, max"),
    (CLAUDE, "anthropic:claude-fable-5", {"thinking": "none"}, "always thinks"),
    (CLAUDE, "anthropic:claude-fable-5.2", {"thinking": "none"}, "inferred"),
    (CLAUDE, "anthropic:claude-opus-4.8", {"temperature": 0.0}, "accepts only temperature 1.0"),
    (CLAUDE, "anthropic:claude-haiku-4.5", {"thinking": "low", "temperature": 0.0}, "while it thinks"),
    (CLAUDE, "anthropic:claude-3-opus-20240229", {"thinking": "high"}, "does not think"),
    (VERTEX_CLAUDE, "vertex:claude-mythos-5", {"thinking": "none"}, "always thinks"),
    (GEMINI, "gemini:gemini-3.1-pro", {"thinking": "none"}, "low, medium, high"),
    (GEMINI, "gemini:gemini-2.5-pro", {"thinking": 0}, "always thinks"),
    (GEMINI, "gemini:gemini-4-argon", {"temperature": 0.5}, "accepts only temperature 1.0"),
    (GEMINI, "gemini:gemini-2.0-flash", {"thinking": "high"}, "does not think"),
    (VERTEX_GEMINI, "vertex:gemini-3.1-pro", {"thinking": "none"}, "always thinks"),
    (OPENROUTER, "openrouter:anthropic/claude-opus-5.5", {"thinking": "none"}, "always thinks"),
    (OPENROUTER, "openrouter:openai/gpt-6-astra", {"temperature": 0.0}, "accepts only temperature 1.0"),
]


def test_unsupported_options_of_a_family_fail_when_the_model_is_made(endpoint: Endpoint) -> None:
    for dialect, spec, options, words in REFUSED:
        with pytest.raises(SetupError, match=words) as caught:
            make_model(spec, env=dialect.env(endpoint.url), **options)
        assert caught.value.option == next(reversed(options)), spec
        assert caught.value.model == spec
    assert endpoint.asked == []


def test_a_server_by_its_address_is_asked_as_given(endpoint: Endpoint) -> None:
    endpoint.plan(chat())
    options: dict[str, Any] = {"thinking": "none", "temperature": 0.0}
    make_model(f"{endpoint.url}/v1#gpt-6-astra", env={}, **options).ask(HELLO)
    assert (endpoint.last.body["reasoning_effort"], endpoint.last.body["temperature"]) == ("none", 0.0)


def test_a_users_table_of_families_comes_first(endpoint: Endpoint, tmp_path: Path) -> None:
    own = tmp_path / "families.yaml"
    own.write_text(
        "openai: [{names: 'gpt-7-.*', efforts: [none, high], temperature: always, source: tried}]\n"
    )
    env = {**RESPONSES.env(endpoint.url), "WEBSP_FAMILIES": str(own)}
    endpoint.plan(RESPONSES.say(), RESPONSES.say())
    make_model("openai:gpt-7-nova", env=env, thinking="none", temperature=0.0).ask(HELLO)
    assert (endpoint.last.body["reasoning"], endpoint.last.body["temperature"]) == ({"effort": "none"}, 0.0)
    make_model("openai:gpt-5.2", env=env, thinking="low").ask(HELLO)
    assert endpoint.last.body["reasoning"] == {"effort": "low"}


@pytest.mark.parametrize(
    "text",
    ["openai: [{names: '(', source: x}]", "openai: [{names: x}]", "openai: [{names: x, source: y, z: 1}]"],
)
def test_a_table_of_families_with_a_mistake_fails_when_the_model_is_made(text: str, tmp_path: Path) -> None:
    own = tmp_path / "families.yaml"
    own.write_text(text)
    env = {**CHAT.env("http://127.0.0.1:1"), "WEBSP_FAMILIES": str(own)}
    with pytest.raises(SetupError, match="WEBSP_FAMILIES"):
        make_model(CHAT.spec, env=env)


def test_every_model_that_the_sdks_name_has_a_family() -> None:
    def names(alias: Any) -> set[str]:
        found = get_args(alias)
        return {name for each in found for name in ([each] if isinstance(each, str) else names(each))}

    texts = {name for name in names(chat_model.ChatModel) if "audio" not in name}
    assert {name for name in texts if family_of("openai", name) is None} == set()
    claudes = {name for name in names(model_param.ModelParam) if name.startswith("claude")}
    assert len(claudes) > 10
    unsure = {name for name in claudes if (found := family_of("anthropic", name)) and found.source == "none"}
    assert unsure == set(), "each is in the table, not only the rule for unknown ones"
