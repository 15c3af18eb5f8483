"""Prompt caching is asked for in each provider's own terms, where it pays, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.endpoint_support import (
    APIS,
    AZURE,
    AZURE_DATED,
    CHAT,
    CLAUDE,
    GEMINI,
    KEY,
    OPENROUTER,
    RESPONSES,
    VERTEX_CLAUDE,
    VERTEX_GEMINI,
    Dialect,
    Endpoint,
    chat,
    claude,
    endpoint,
    error,
    responses,
    server,
)
from websp_gym.models import Message, Text, make_model

__all__ = ["endpoint", "server"]

EPISODE = (
    Message("system", (Text("the rules"),), cache=True),
    Message("user", (Text("an old page"),), cache=True),
    Message("assistant", (Text("an action"),)),
    Message("user", (Text("the page now"),)),
)
ASKED = ("prompt_cache", "cache_control")


def marks(value: Any) -> Iterator[tuple[str, Any]]:
    """The text and the mark of each part that is marked."""
    if isinstance(value, dict):
        for name in ("cache_control", "prompt_cache_breakpoint"):
            if name in value:
                yield value.get("text", ""), value[name]
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        yield from marks(each)


def sent(
    endpoint: Endpoint, dialect: Dialect, spec: str, messages: tuple[Message, ...] = EPISODE
) -> dict[str, Any]:
    """The body of one request."""
    endpoint.plan(dialect.say())
    make_model(spec, env=dialect.env(endpoint.url)).ask(messages)
    return endpoint.last.body


@pytest.mark.parametrize(
    ("dialect", "spec"),
    [
        (CLAUDE, "anthropic:claude-opus-5.5"),
        (CLAUDE, "anthropic:claude-opus-4.6"),
        (VERTEX_CLAUDE, "vertex:claude-opus-4.6"),
        (OPENROUTER, "openrouter:anthropic/claude-opus-5.5"),
    ],
)
def test_claude_is_asked_to_keep_what_is_sent_again(dialect: Dialect, spec: str, endpoint: Endpoint) -> None:
    body = sent(endpoint, dialect, spec)
    found = [*marks(body.get("system")), *marks(body["messages"])]
    assert found == [(text, {"type": "ephemeral"}) for text in ("the rules", "an old page")]
    assert not {"cache_control", "prompt_cache_key"} & set(body)


@pytest.mark.parametrize(
    "spec", ["openai:gpt-5.6-sol", "openai:gpt-6.1-sol", "openai:gpt-6.2-astra", "openai:gpt-9"]
)
def test_openai_writes_only_what_is_marked_where_writing_costs_more(spec: str, endpoint: Endpoint) -> None:
    body = sent(endpoint, RESPONSES, spec)
    assert list(marks(body)) == [(text, {"mode": "explicit"}) for text in ("the rules", "an old page")]
    assert body["prompt_cache_options"] == {"mode": "explicit"}
    assert body["prompt_cache_key"].startswith("websp-")
    unmarked = sent(endpoint, RESPONSES, spec, EPISODE[2:])
    assert (list(marks(unmarked)), unmarked["prompt_cache_options"]) == ([], {"mode": "explicit"})


@pytest.mark.parametrize(
    ("dialect", "spec"),
    [(RESPONSES, "openai:gpt-5.2"), (CHAT, "openai:gpt-4.1"), (AZURE, "azure:our-judge")],
)
def test_openai_gets_the_same_key_for_the_requests_of_an_episode(
    dialect: Dialect, spec: str, endpoint: Endpoint
) -> None:
    first, second = sent(endpoint, dialect, spec), sent(endpoint, dialect, spec, EPISODE[:2])
    other = sent(
        endpoint, dialect, spec, (Message("system", (Text("other rules"),), cache=True), *EPISODE[1:])
    )
    assert first["prompt_cache_key"] == second["prompt_cache_key"] != other["prompt_cache_key"]
    assert "prompt_cache_options" not in first
    assert list(marks(first)) == []
    for word in ("rules", KEY, KEY[:8]):
        assert word not in first["prompt_cache_key"]


@pytest.mark.parametrize(
    ("dialect", "spec"),
    [
        (GEMINI, "gemini:gemini-3.1-pro"),
        (VERTEX_GEMINI, "vertex:gemini-3.1-pro"),
        (OPENROUTER, "openrouter:qwen/qwen3-vl"),
        (AZURE_DATED, "azure:our-judge"),
    ],
)
def test_providers_without_such_a_field_get_none(dialect: Dialect, spec: str, endpoint: Endpoint) -> None:
    body = json.dumps(sent(endpoint, dialect, spec))
    assert not [word for word in ASKED if word in body]


def test_a_server_by_its_address_gets_no_such_field(endpoint: Endpoint) -> None:
    endpoint.plan(chat())
    make_model(f"{endpoint.url}/v1#qwen3", env={}).ask(EPISODE)
    body = endpoint.last.body
    assert not [word for word in ASKED if word in json.dumps(body)]
    assert body["messages"][0]["content"] == "the rules"


@pytest.mark.parametrize("dialect", APIS, ids=str)
def test_a_proxy_that_refuses_the_fields_is_asked_without_them_from_then_on(
    dialect: Dialect, endpoint: Endpoint
) -> None:
    model = make_model(dialect.spec, env=dialect.env(endpoint.url))
    words = (
        "system.0.cache_control: Extra inputs are not permitted" if dialect is CLAUDE else "prompt_cache_key"
    )
    endpoint.plan(error(400, words), dialect.say("first"), dialect.say("second"))
    assert [model.ask(EPISODE).text for _ in range(2)] == ["first", "second"]
    for asked in endpoint.asked[1:]:
        assert not [word for word in ASKED if word in json.dumps(asked.body)]


def test_claude_gets_at_most_four_marks_and_the_last_ones(endpoint: Endpoint) -> None:
    turns = [Message("user", (Text(f"page {number}"),), cache=True) for number in range(6)]
    body = sent(endpoint, CLAUDE, CLAUDE.spec, tuple(turns))
    assert [text for text, _ in marks(body)] == [f"page {number}" for number in range(2, 6)]


def test_cached_tokens_are_counted_and_priced_at_their_rate(endpoint: Endpoint) -> None:
    read = {"cached_tokens": 600, "cache_write_tokens": 300}
    usage = {"input_tokens": 1000, "output_tokens": 0, "input_tokens_details": read}
    endpoint.plan(responses(model="gpt-6.1-sol", usage=usage))
    reply = make_model("openai:gpt-6.1-sol", env=RESPONSES.env(endpoint.url)).ask(EPISODE)
    assert (reply.input_tokens, reply.cached_tokens) == (1000, 600)
    assert reply.cost == pytest.approx(100 * 2e-6 + 600 * 0.1e-6 + 300 * 2.5e-6)

    usage = {
        "input_tokens": 100,
        "output_tokens": 0,
        "cache_read_input_tokens": 600,
        "cache_creation_input_tokens": 300,
    }
    endpoint.plan(claude(model="claude-opus-5-5", usage=usage))
    reply = make_model("anthropic:claude-opus-5.5", env=CLAUDE.env(endpoint.url)).ask(EPISODE)
    assert (reply.input_tokens, reply.cached_tokens) == (1000, 600)
    assert reply.cost == pytest.approx(100 * 4e-6 + 600 * 0.2e-6 + 300 * 5e-6)


def test_only_what_begins_a_later_request_can_be_marked() -> None:
    with pytest.raises(ValueError, match="cached"):
        Message("assistant", (Text("x"),), cache=True)
    with pytest.raises(ValueError, match="cached"):
        Message("user", (), cache=True)
