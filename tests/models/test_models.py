"""The official SDKs against a server on this machine: every outcome is the stated one, none a made-up number."""

from __future__ import annotations

import base64
import io
import logging
import pickle
import re
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Picture

from tests.endpoint_support import (
    APIS,
    AZURE,
    CHAT,
    CLAUDE,
    DIALECTS,
    GEMINI,
    KEY,
    OPENROUTER,
    RESPONSES,
    VERTEX_CLAUDE,
    Answering,
    Asked,
    Dialect,
    Endpoint,
    Say,
    chat,
    claude,
    endpoint,
    error,
    responses,
    serve,
    server,
)
from websp_gym.errors import ModelError, SetupError
from websp_gym.models import Image, Message, Model, Reply, Text, make_model

SCHEMA = {
    "type": "object",
    "properties": {
        "result": {"type": "string", "enum": ["CORRECT", "INCORRECT"]},
        "reason": {"type": "string"},
    },
    "required": ["result", "reason"],
    "additionalProperties": False,
}
Make = Callable[..., Model]


def a_picture(colour: str = "red") -> Image:
    buffer = io.BytesIO()
    Picture.new("RGB", (40, 30), colour).save(buffer, "PNG")
    return Image(buffer.getvalue())


RED, BLUE = a_picture("red"), a_picture("blue")
HELLO = (Message("user", (Text("hello"),)),)
__all__ = ["endpoint", "server"]

JUDGING = (
    Message("system", (Text("Be strict."),)),
    Message("user", (Text("before"), RED, Text("between"), BLUE, Text("after"))),
    Message("assistant", (Text("unsure"),)),
    Message("user", (Text("decide"),)),
)


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def make(endpoint: Endpoint, waits: list[float]) -> Make:
    def make_(dialect: Dialect, spec: str | None = None, **options: Any) -> Model:
        env = {**dialect.env(endpoint.url), **options.pop("env", {})}
        return make_model(spec or dialect.spec, env=env, sleep=waits.append, timeout=60.0, **options)

    return make_


def ask_and_fail(model: Model, messages: tuple[Message, ...] = HELLO) -> ModelError:
    with pytest.raises(ModelError) as caught:
        model.ask(messages)
    return caught.value


# The happy path


@pytest.mark.parametrize("dialect", DIALECTS, ids=str)
def test_an_answer_comes_back_with_its_tokens(dialect: Dialect, endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(dialect.say("it is so"))
    reply = make(dialect).ask(HELLO)
    assert (reply.text, reply.stop, reply.attempts) == ("it is so", "end", 1)
    assert (reply.input_tokens, reply.output_tokens) == (1000, 100)
    assert endpoint.last.path == dialect.path
    assert KEY in str(endpoint.last.headers)


def test_chat_completions_get_system_messages_and_pictures_in_order(endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(chat())
    make(CHAT).ask(JUDGING)
    system, first, unsure, last = endpoint.last.body["messages"]
    assert system == {"role": "system", "content": "Be strict."}
    assert unsure == {"role": "assistant", "content": "unsure"}
    assert last == {"role": "user", "content": "decide"}
    kinds = [part["type"] for part in first["content"]]
    assert kinds == ["text", "image_url", "text", "image_url", "text"]
    assert [_png(first["content"][index]["image_url"]["url"]) for index in (1, 3)] == [RED.png, BLUE.png]
    assert first["content"][1]["image_url"]["detail"] == "high"


def test_responses_get_system_messages_and_pictures_in_order(endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(responses())
    make(RESPONSES).ask(JUDGING)
    body = endpoint.last.body
    assert body["store"] is False
    assert [message["role"] for message in body["input"]] == ["system", "user", "assistant", "user"]
    assert body["input"][0]["content"] == [{"type": "input_text", "text": "Be strict."}]
    assert body["input"][2]["content"] == [{"type": "output_text", "text": "unsure"}]
    parts = body["input"][1]["content"]
    assert [part["type"] for part in parts] == [
        "input_text",
        "input_image",
        "input_text",
        "input_image",
        "input_text",
    ]
    assert [_png(parts[index]["image_url"]) for index in (1, 3)] == [RED.png, BLUE.png]


def test_messages_get_system_messages_and_pictures_in_order(endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(claude())
    make(CLAUDE).ask(JUDGING)
    body = endpoint.last.body
    assert body["system"] == "Be strict."
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    parts = body["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["text", "image", "text", "image", "text"]
    assert parts[1]["source"]["media_type"] == "image/png"
    assert [base64.b64decode(parts[index]["source"]["data"]) for index in (1, 3)] == [RED.png, BLUE.png]


def _png(url: str) -> bytes:
    head, _, data = url.partition(",")
    assert head == "data:image/png;base64"
    return base64.b64decode(data)


def test_model_names_of_the_paper_become_those_of_the_apis(endpoint: Endpoint, make: Make) -> None:
    for dialect, name in ((CLAUDE, "claude-opus-4-6"), (GEMINI, "gemini-3.1-pro-preview")):
        endpoint.plan(dialect.say())
        make(dialect).ask(HELLO)
        assert endpoint.last.body["model"] == name


# Structured output


@pytest.mark.parametrize(
    ("dialect", "place"),
    [
        (CHAT, ("response_format", "json_schema", "schema")),
        (GEMINI, ("response_format", "json_schema", "schema")),
        (RESPONSES, ("text", "format", "schema")),
        (CLAUDE, ("output_config", "format", "schema")),
        (VERTEX_CLAUDE, ("output_config", "format", "schema")),
    ],
    ids=str,
)
def test_a_schema_is_sent_where_the_api_wants_it(
    dialect: Dialect, place: tuple[str, ...], endpoint: Endpoint, make: Make
) -> None:
    endpoint.plan(dialect.say())
    make(dialect).ask(HELLO, schema=SCHEMA)
    found: Any = endpoint.last.body
    for name in place:
        found = found[name]
    assert found == SCHEMA


@pytest.mark.parametrize(
    ("dialect", "words"),
    [
        (
            CHAT,
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        ),
        (RESPONSES, "Invalid parameter: text.format"),
        (CLAUDE, "output_config.format: Extra inputs are not permitted"),
    ],
    ids=str,
)
def test_an_endpoint_without_schemas_gets_instructions_in_words_from_then_on(
    dialect: Dialect, words: str, endpoint: Endpoint, make: Make, waits: list[float]
) -> None:
    model = make(dialect)
    endpoint.plan(error(400, words), dialect.say("first"), dialect.say("second"))
    replies = [model.ask(JUDGING, schema=SCHEMA) for _ in range(2)]
    assert [reply.text for reply in replies] == ["first", "second"]
    assert [reply.attempts for reply in replies] == [1, 1]
    assert waits == []
    for asked in endpoint.asked[1:]:
        assert not {"response_format", "text", "output_config"} & set(asked.body)
        last = (asked.body.get("messages") or asked.body["input"])[-1]
        assert last["role"] == "user"
        assert '"additionalProperties' in str(last).replace("\\", "")


def test_a_bad_request_for_another_reason_is_not_tried_without_the_schema(
    endpoint: Endpoint, make: Make
) -> None:
    endpoint.plan(error(400, "Invalid image."))
    with pytest.raises(ModelError) as caught:
        make(CHAT).ask(HELLO, schema=SCHEMA)
    assert caught.value.kind == "bad_request"
    assert "Invalid image." in str(caught.value)


# Answers that are not what was hoped for


@pytest.mark.parametrize(
    ("dialect", "say", "stop", "text"),
    [
        (CHAT, chat(None, message={"refusal": "I will not."}), "refusal", "I will not."),
        (RESPONSES, responses(part={"type": "refusal", "refusal": "I will not."}), "refusal", "I will not."),
        (CLAUDE, claude(stop="refusal", content=[]), "refusal", ""),
        (CHAT, chat("half", finish="content_filter"), "filter", "half"),
        (GEMINI, GEMINI.say("", finish="content_filter: PROHIBITED_CONTENT"), "filter", ""),
        (
            RESPONSES,
            responses(status="incomplete", incomplete_details={"reason": "content_filter"}, output=[]),
            "filter",
            "",
        ),
        (CHAT, chat("hal", finish="length"), "length", "hal"),
        (
            RESPONSES,
            responses("hal", status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
            "length",
            "hal",
        ),
        (CLAUDE, claude("hal", stop="max_tokens"), "length", "hal"),
        (CLAUDE, claude("hal", stop="model_context_window_exceeded"), "length", "hal"),
        (CHAT, chat(None), "end", ""),
        (CHAT, chat("fine", finish=None), "end", "fine"),  # type: ignore[arg-type]
        (CHAT, chat(message={"content": [{"type": "text", "text": "fine"}]}), "end", "fine"),
        # What the model does by itself is its own doing.
        (CHAT, chat("hal", finish="tool_calls"), "other", "hal"),
        (CHAT, chat(None, finish="malformed_function_call"), "other", ""),
        (CLAUDE, claude("hal", stop="tool_use"), "other", "hal"),
        (CLAUDE, claude("hal", stop="pause_turn"), "other", "hal"),
        (RESPONSES, responses("hal", status="incomplete"), "other", "hal"),
    ],
)
def test_a_refused_filtered_or_cut_answer_is_reported_with_its_cost(
    dialect: Dialect, say: Say, stop: str, text: str, endpoint: Endpoint, make: Make
) -> None:
    endpoint.plan(say)
    reply = make(dialect).ask(HELLO)
    assert (reply.stop, reply.text, reply.attempts) == (stop, text, 1)
    assert reply.input_tokens == 1000
    assert reply.cost


MALFORMED = {
    "not JSON": (CHAT, Say(b'{"choices": [')),
    "a page": (CLAUDE, Say(b"<html>maintenance</html>", headers={"Content-Type": "text/html"})),
    "nothing": (RESPONSES, Say(b"")),
    "a list": (CHAT, Say([])),
    "null": (CLAUDE, Say(None)),
    "not UTF-8": (CHAT, Say(b'{"choices": "\xff"}')),
    "no choices": (CHAT, chat(choices=[])),
    "choices that contradict each other": (
        CHAT,
        chat(choices=[{"message": {"content": word}, "finish_reason": "stop"} for word in ("yes", "no")]),
    ),
    "choices that are a text": (CHAT, chat(choices="fine")),
    "content that is a number": (CHAT, chat(message={"content": 1})),
    "content that is an object": (CHAT, chat(message={"content": {"result": "CORRECT"}})),
    "tokens as a text": (CHAT, chat(usage={"prompt_tokens": "1000", "completion_tokens": 1})),
    "fewer tokens than none": (CHAT, chat(usage={"prompt_tokens": -1, "completion_tokens": 1})),
    "a fraction of a token": (CLAUDE, claude(usage={"input_tokens": 1.5, "output_tokens": 1})),
    "tokens true": (RESPONSES, responses(usage={"input_tokens": True, "output_tokens": 1})),
    "a cost of NaN": (
        OPENROUTER,
        Say(
            b'{"model":"m","choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"cost":NaN}}'
        ),
    ),
    "no stop reason": (CLAUDE, claude(stop=None)),  # type: ignore[arg-type]
    "a text block without text": (CLAUDE, claude(content=[{"type": "text", "text": None}])),
    "content that is a text": (CLAUDE, claude(content="fine")),
    "a response still going": (RESPONSES, responses(status="in_progress")),
    "output text without text": (RESPONSES, responses(part={"type": "output_text"})),
    "output that is a text": (RESPONSES, responses(output="fine")),
}


def test_an_answer_that_breaks_the_api_contract_is_an_error(endpoint: Endpoint, make: Make) -> None:
    found = {}
    for name, (dialect, say) in MALFORMED.items():
        endpoint.plan(say, say)
        with pytest.raises(ModelError) as caught:
            pytest.fail(f"{name}: {make(dialect, retries=1).ask(HELLO)}")
        found[name] = (caught.value.kind, caught.value.attempts)
    assert found == dict.fromkeys(MALFORMED, ("malformed", 2))


@pytest.mark.parametrize("dialect", APIS, ids=str)
def test_a_malformed_answer_is_asked_for_again(dialect: Dialect, endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(Say(b"{"), dialect.say("now"))
    reply = make(dialect).ask(HELLO)
    assert (reply.text, reply.attempts) == ("now", 2)


# Trouble on the way


@pytest.mark.parametrize("dialect", DIALECTS, ids=str)
@pytest.mark.parametrize(
    ("trouble", "kind"),
    [("cut", "truncated"), ("reset", "connection"), ("slow", "timeout"), ("drip", "timeout")],
)
def test_an_answer_that_does_not_arrive_is_an_error_of_its_kind(
    dialect: Dialect, trouble: str, kind: str, endpoint: Endpoint, waits: list[float]
) -> None:
    whole = dialect.say("fine")
    endpoint.plan(Say(whole.body, trouble=trouble))
    timeout = 0.3 if kind == "timeout" else 60.0
    model = make_model(
        dialect.spec, env=dialect.env(endpoint.url), timeout=timeout, retries=0, sleep=waits.append
    )
    failure = ask_and_fail(model)
    assert (failure.kind, failure.attempts, failure.model) == (kind, 1, dialect.spec)


@pytest.mark.parametrize("dialect", APIS, ids=str)
@pytest.mark.parametrize("trouble", ["cut", "reset"])
def test_a_broken_connection_is_tried_again(
    dialect: Dialect, trouble: str, endpoint: Endpoint, make: Make
) -> None:
    endpoint.plan(Say(dialect.say().body, trouble=trouble), dialect.say("whole"))
    reply = make(dialect).ask(HELLO)
    assert (reply.text, reply.attempts) == ("whole", 2)


@pytest.mark.parametrize("dialect", APIS, ids=str)
def test_a_broken_error_is_an_error_too(dialect: Dialect, endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(Say({"error": {"message": "x" * 100}}, status=500, trouble="cut"))
    assert ask_and_fail(make(dialect, retries=0)).kind in ("truncated", "server")


def test_an_unreachable_address_is_a_connection_error(waits: list[float]) -> None:
    with serve() as gone:
        url = gone.url
    model = make_model(f"{url}/v1#m", env={}, retries=1, sleep=waits.append)
    failure = ask_and_fail(model)
    assert (failure.kind, failure.attempts) == ("connection", 2)


def test_a_redirect_is_not_followed(endpoint: Endpoint, make: Make) -> None:
    for dialect in APIS:
        endpoint.plan(Say({}, status=307, headers={"Location": f"{endpoint.url}/elsewhere"}))
        assert ask_and_fail(make(dialect)).kind == "bad_request"
        assert endpoint.last.path == dialect.path


# Errors the provider reports

REPORTED = {
    "401": (error(401, f"Incorrect API key provided: {KEY}"), "auth"),
    "402": (error(402, "Insufficient credits"), "auth"),
    "403": (error(403, "Your project may not use this model"), "auth"),
    "403, flagged": (error(403, "Your input was flagged", code=403), "filtered"),
    "404": (error(404, "The model `x` does not exist", code="model_not_found"), "bad_request"),
    "413": (error(413, "Request exceeds the maximum size", code="request_too_large"), "too_long"),
    "OpenAI's context": (
        error(400, "This model's maximum context length is 128000 tokens.", code="context_length_exceeded"),
        "too_long",
    ),
    "Responses' context": (error(400, "Your input exceeds the context window of this model."), "too_long"),
    "Claude's context": (error(400, "prompt is too long: 205000 tokens > 200000 maximum"), "too_long"),
    "vLLM's context": (
        Say({"object": "error", "message": "maximum context length is 8192", "code": 400}, status=400),
        "too_long",
    ),
    "Gemini's context": (
        Say(
            [
                {
                    "error": {
                        "code": 400,
                        "message": "The input token count (1) exceeds the maximum number of tokens",
                    }
                }
            ],
            status=400,
        ),
        "too_long",
    ),
    "Azure's filter": (
        error(
            400,
            "The response was filtered due to Azure OpenAI's content management policy.",
            code="content_filter",
        ),
        "filtered",
    ),
    "a policy": (
        error(400, "Invalid prompt: possibly violating our usage policy.", code="invalid_prompt"),
        "refused",
    ),
    "no credit left": (error(400, "Your credit balance is too low to access the API."), "auth"),
    "a bad picture": (error(400, "Could not process image"), "bad_request"),
    "no words at all": (Say(b"", status=400), "bad_request"),
}


@pytest.mark.parametrize("dialect", APIS, ids=str)
def test_an_error_that_lasts_is_of_its_kind_and_not_tried_again(
    dialect: Dialect, endpoint: Endpoint, make: Make, waits: list[float]
) -> None:
    found = {}
    for name, (say, _) in REPORTED.items():
        endpoint.plan(say)
        failure = ask_and_fail(make(dialect))
        found[name] = (failure.kind, failure.attempts)
    assert found == {name: (kind, 1) for name, (_, kind) in REPORTED.items()}
    assert waits == []


@pytest.mark.parametrize("dialect", DIALECTS, ids=str)
def test_an_error_of_the_server_is_tried_again(dialect: Dialect, endpoint: Endpoint, make: Make) -> None:
    model, found = make(dialect), {}
    for status in (500, 502, 503, 504, 529, 408, 409):
        endpoint.plan(error(status), error(status), dialect.say("at last"))
        reply = model.ask(HELLO)
        found[status] = (reply.text, reply.attempts)
    assert found == dict.fromkeys(found, ("at last", 3))


def test_the_pauses_grow_and_are_not_all_alike(endpoint: Endpoint, make: Make, waits: list[float]) -> None:
    endpoint.always(error(500))
    failure = ask_and_fail(make(CHAT, retries=6))
    assert (failure.kind, failure.attempts, len(waits)) == ("server", 7, 6)
    assert all(0 <= wait <= 2**tries for tries, wait in enumerate(waits))
    assert len(set(waits)) > 1
    assert "7 attempts" in str(failure)


def in_forty_seconds(asked: Asked) -> Say:
    then = datetime.now(UTC) + timedelta(seconds=40)
    return error(503, headers={"Retry-After": format_datetime(then, usegmt=True)})


@pytest.mark.parametrize("dialect", APIS, ids=str)
@pytest.mark.parametrize(
    ("say", "least", "most"),
    [
        (error(429, headers={"Retry-After": "7"}), 7, 10),
        (error(429, headers={"retry-after-ms": "2500"}), 2.5, 5.5),
        (in_forty_seconds, 30, 44),
        (Say([{"error": {"code": 429, "details": [{"retryDelay": "34s"}]}}], status=429), 34, 38),
    ],
    ids=["seconds", "milliseconds", "date", "Gemini's"],
)
def test_the_wait_the_provider_asks_for_is_kept(
    dialect: Dialect,
    say: Answering,
    least: float,
    most: float,
    endpoint: Endpoint,
    make: Make,
    waits: list[float],
) -> None:
    endpoint.plan(say, dialect.say())
    assert make(dialect).ask(HELLO).attempts == 2
    assert least <= waits[0] <= most


@pytest.mark.parametrize("header", ["soon", "nan", "-5", "inf", ""])
def test_a_wait_that_makes_no_sense_is_not_kept(
    header: str, endpoint: Endpoint, make: Make, waits: list[float]
) -> None:
    endpoint.plan(error(429, headers={"Retry-After": header}), chat())
    assert make(CHAT).ask(HELLO).attempts == 2
    assert 0 <= waits[0] <= 1


def test_a_wait_of_an_hour_is_reported_instead(endpoint: Endpoint, make: Make, waits: list[float]) -> None:
    endpoint.plan(error(429, headers={"Retry-After": "3600"}))
    failure = ask_and_fail(make(CHAT))
    assert (failure.kind, failure.retry_after, failure.attempts, waits) == ("rate_limit", 3600.0, 1, [])


def test_a_used_up_quota_is_not_waited_for(endpoint: Endpoint, make: Make, waits: list[float]) -> None:
    endpoint.plan(error(429, "You exceeded your current quota", code="insufficient_quota"))
    assert ask_and_fail(make(CHAT)).kind == "rate_limit"
    assert waits == []


@pytest.mark.parametrize(
    ("dialect", "say", "kind"),
    [
        (OPENROUTER, Say({"error": {"code": 502, "message": "Provider returned error"}}), "server"),
        (OPENROUTER, Say({"error": {"code": 429, "message": "slow down"}}), "rate_limit"),
        (
            OPENROUTER,
            Say(
                {"choices": [{"message": {"content": ""}, "finish_reason": "error", "error": {"code": 503}}]}
            ),
            "server",
        ),
        (RESPONSES, responses(status="failed", error={"code": "server_error", "message": "x"}), "server"),
        (
            RESPONSES,
            responses(status="failed", error={"code": "rate_limit_exceeded", "message": "x"}),
            "rate_limit",
        ),
        (RESPONSES, responses(status="failed", error={"code": "invalid_prompt", "message": "x"}), "refused"),
        (
            RESPONSES,
            responses(status="failed", error={"code": "image_too_small", "message": "x"}),
            "bad_request",
        ),
    ],
)
def test_an_error_inside_a_good_response_is_an_error(
    dialect: Dialect, say: Say, kind: str, endpoint: Endpoint, make: Make
) -> None:
    endpoint.plan(say)
    assert ask_and_fail(make(dialect, retries=0)).kind == kind


def test_a_limit_per_minute_that_gemini_calls_a_quota_is_waited_for(
    endpoint: Endpoint, make: Make, waits: list[float]
) -> None:
    said = {"code": 429, "message": "You exceeded your current quota", "details": [{"retryDelay": "12s"}]}
    endpoint.plan(Say([{"error": said}], status=429), GEMINI.say())
    assert make(GEMINI).ask(HELLO).attempts == 2
    assert waits[0] >= 12


def test_an_error_survives_the_trip_from_a_worker(endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(error(429, headers={"Retry-After": "3600"}))
    failure = ask_and_fail(make(CHAT))
    again = pickle.loads(pickle.dumps(failure))
    facts = (again.kind, again.model, again.attempts, again.retry_after, str(again))
    assert facts == ("rate_limit", "openai:gpt-4.1", 1, 3600.0, str(failure))


# Options


@pytest.mark.parametrize(
    ("dialect", "thinking", "expected"),
    [
        (RESPONSES, "high", {"reasoning": {"effort": "high"}}),
        (RESPONSES, 8000, {"reasoning": {"effort": "medium"}}),
        (RESPONSES, 50_000, {"reasoning": {"effort": "high"}}),
        (RESPONSES, "dynamic", {"reasoning": None}),
        (GEMINI, "high", {"reasoning_effort": "high"}),
        (GEMINI, "max", {"reasoning_effort": "high"}),
        (GEMINI, 4096, {"reasoning_effort": "medium", "extra_body": None}),
        (GEMINI, "dynamic", {"reasoning_effort": None, "extra_body": None}),
        (OPENROUTER, "high", {"reasoning": {"effort": "high"}}),
        (OPENROUTER, 4096, {"reasoning": {"max_tokens": 4096}}),
        (OPENROUTER, "dynamic", {"reasoning": {"enabled": True}}),
        (OPENROUTER, 0, {"reasoning": {"effort": "none"}}),
        (AZURE, "low", {"reasoning_effort": "low"}),
        (CLAUDE, None, {"thinking": None, "output_config": None, "max_tokens": 32_000}),
        (CLAUDE, "high", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
        (CLAUDE, "dynamic", {"thinking": {"type": "adaptive"}, "output_config": None}),
        (CLAUDE, 4096, {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
        (CLAUDE, "none", {"thinking": {"type": "disabled"}}),
    ],
)
def test_thinking_is_expressed_in_each_providers_terms(
    dialect: Dialect, thinking: Any, expected: dict[str, Any], endpoint: Endpoint, make: Make
) -> None:
    endpoint.plan(dialect.say())
    make(dialect, thinking=thinking).ask(HELLO)
    assert {name: endpoint.last.body.get(name) for name in expected} == expected


@pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")
@pytest.mark.parametrize(
    ("name", "thinking", "expected"),
    [
        ("claude-haiku-4-5-20251001", "high", {"thinking": {"type": "enabled", "budget_tokens": 24_576}}),
        ("claude-sonnet-4-20250514", "low", {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        ("claude-3-7-sonnet-latest", 500, {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        ("claude-opus-4-7", 4096, {"thinking": {"type": "adaptive"}, "output_config": {"effort": "medium"}}),
        (
            "claude-sonnet-5",
            "minimal",
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
        ),
        ("claude-whatever", "high", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
    ],
)
def test_a_claude_thinks_as_its_version_can(
    name: str, thinking: Any, expected: dict[str, Any], endpoint: Endpoint, make: Make
) -> None:
    endpoint.plan(claude())
    make(CLAUDE, f"anthropic:{name}", thinking=thinking).ask(HELLO)
    assert {name: endpoint.last.body.get(name) for name in expected} == expected


def test_effort_and_schema_share_a_field_without_loss(endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(claude())
    make(CLAUDE, thinking="high").ask(HELLO, schema=SCHEMA)
    config = endpoint.last.body["output_config"]
    assert (config["effort"], config["format"]["schema"]) == ("high", SCHEMA)


@pytest.mark.parametrize("dialect", [CHAT, RESPONSES, CLAUDE, GEMINI, AZURE], ids=str)
def test_a_temperature_of_one_is_omitted_where_it_is_the_default(
    dialect: Dialect, endpoint: Endpoint, make: Make
) -> None:
    endpoint.plan(dialect.say(), dialect.say())
    make(dialect).ask(HELLO)
    assert "temperature" not in endpoint.last.body
    make(dialect, temperature=0.2).ask(HELLO)
    assert endpoint.last.body["temperature"] == 0.2


def test_a_temperature_of_one_is_sent_unless_the_server_refuses_it(endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(chat(), error(400, "Unsupported parameter: temperature"), chat("fine"))
    assert make(OPENROUTER).ask(HELLO).text == "fine"
    assert endpoint.asked[0].body["temperature"] == 1.0
    assert make(OPENROUTER).ask(HELLO).text == "fine"
    assert "temperature" not in endpoint.last.body


def test_another_temperature_is_never_dropped(endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(error(400, "Unsupported value: 'temperature' does not support 0.2"))
    failure = ask_and_fail(make(CHAT, temperature=0.2))
    assert failure.kind == "bad_request"


@pytest.mark.parametrize(
    ("dialect", "spec", "thinking"),
    [
        (RESPONSES, "openai:gpt-5.2", "high"),
        (RESPONSES, "openai:gpt-5-mini", None),
        (RESPONSES, "openai:o4-mini", None),
        (CLAUDE, "anthropic:claude-opus-4.6", "high"),
        (CLAUDE, "anthropic:claude-opus-4.7", None),
        (VERTEX_CLAUDE, "vertex:claude-opus-4.6", 2048),
    ],
)
def test_a_temperature_the_model_would_refuse_fails_when_it_is_made(
    dialect: Dialect, spec: str, thinking: Any, make: Make
) -> None:
    with pytest.raises(SetupError, match="temperature=0"):
        make(dialect, spec, thinking=thinking, temperature=0.0)


@pytest.mark.parametrize(
    ("dialect", "field"),
    [
        (CHAT, "max_completion_tokens"),
        (AZURE, "max_completion_tokens"),
        (GEMINI, "max_tokens"),
        (RESPONSES, "max_output_tokens"),
        (CLAUDE, "max_tokens"),
    ],
    ids=str,
)
def test_the_token_limit_has_the_name_the_api_knows(
    dialect: Dialect, field: str, endpoint: Endpoint, make: Make
) -> None:
    endpoint.plan(dialect.say())
    make(dialect, max_tokens=777).ask(HELLO)
    assert endpoint.last.body[field] == 777


# Money


def cost_of(model: Model) -> float | None:
    return model.ask(HELLO).cost


def test_the_cost_is_that_of_the_table(endpoint: Endpoint, make: Make) -> None:
    for dialect, expected in (
        (RESPONSES, 1000 * 1.75e-6 + 100 * 14e-6),
        (CLAUDE, 1000 * 5e-6 + 100 * 25e-6),
        (GEMINI, 1000 * 2e-6 + 100 * 12e-6),
        (AZURE, 1000 * 1.75e-6 + 100 * 14e-6),
        (VERTEX_CLAUDE, 1000 * 5e-6 + 100 * 25e-6),
    ):
        endpoint.plan(dialect.say())
        assert cost_of(make(dialect)) == pytest.approx(expected), dialect


def test_cached_tokens_cost_less_and_count_as_read(endpoint: Endpoint, make: Make) -> None:
    details = {"cached_tokens": 800}
    endpoint.plan(
        responses(usage={"input_tokens": 1000, "output_tokens": 0, "input_tokens_details": details})
    )
    reply = make(RESPONSES).ask(HELLO)
    assert reply.input_tokens == 1000
    assert reply.cost == pytest.approx(200 * 1.75e-6 + 800 * 0.175e-6)
    usage = {
        "input_tokens": 200,
        "output_tokens": 0,
        "cache_read_input_tokens": 800,
        "cache_creation_input_tokens": 100,
    }
    endpoint.plan(claude(usage=usage))
    reply = make(CLAUDE).ask(HELLO)
    assert reply.input_tokens == 1100
    assert reply.cost == pytest.approx(200 * 5e-6 + 800 * 0.5e-6 + 100 * 6.25e-6)


def test_a_long_request_costs_more_throughout(endpoint: Endpoint, make: Make) -> None:
    usage = {"prompt_tokens": 200_001, "completion_tokens": 1000, "total_tokens": 201_001}
    endpoint.plan(GEMINI.say(usage=usage))
    assert cost_of(make(GEMINI)) == pytest.approx(200_001 * 4e-6 + 1000 * 18e-6)


def test_thinking_that_gemini_counts_only_in_the_total_is_paid_for(endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(GEMINI.say(usage={"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1510}))
    reply = make(GEMINI).ask(HELLO)
    assert reply.output_tokens == 510
    assert reply.cost == pytest.approx(1000 * 2e-6 + 510 * 12e-6)


def test_openrouters_own_cost_is_used(endpoint: Endpoint, make: Make) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11, "cost": 0.0123}
    endpoint.plan(OPENROUTER.say(usage=usage))
    assert cost_of(make(OPENROUTER)) == 0.0123


@pytest.mark.parametrize(
    ("dialect", "say"),
    [
        (CHAT, chat(model="gpt-99")),
        (CHAT, chat(usage=None)),
        (OPENROUTER, OPENROUTER.say()),
        (CLAUDE, claude(model="claude-of-tomorrow")),
        (RESPONSES, responses(usage=None)),
    ],
)
def test_an_unknown_price_is_none_and_not_nought(
    dialect: Dialect, say: Say, endpoint: Endpoint, make: Make
) -> None:
    endpoint.plan(say)
    reply = make(dialect).ask(HELLO)
    assert reply.cost is None
    if say.body["usage"] is None:
        assert (reply.input_tokens, reply.output_tokens) == (None, None)


def test_an_announced_price_counts_from_its_day_on(endpoint: Endpoint, make: Make, tmp_path: Path) -> None:
    rates = "{input: 1, output: 1, later: {since: %s, input: 3, output: 3}}"
    own = tmp_path / "prices.yaml"
    own.write_text(f"openai:\n  old: {rates % '2999-01-01'}\n  new: {rates % '2020-01-01'}\n")
    for name, expected in (("old", 1.1e-3), ("new", 3.3e-3)):
        endpoint.plan(chat(model=name))
        assert cost_of(make(CHAT, env={"WEBSP_PRICES": str(own)})) == pytest.approx(expected)


def test_a_regional_price_is_not_the_lists(endpoint: Endpoint, make: Make) -> None:
    endpoint.always(claude())
    assert cost_of(make(VERTEX_CLAUDE, env={"CLOUD_ML_REGION": "europe-west1"})) is None


def test_own_prices_overrule_the_table(endpoint: Endpoint, make: Make, tmp_path: Path) -> None:
    own = tmp_path / "prices.yaml"
    own.write_text(
        f"openai: {{gpt-5.2: {{input: 1, output: 2}}}}\n{endpoint.url}/v1: {{local: {{input: 3, output: 4}}}}\n"
    )
    env = {"WEBSP_PRICES": str(own)}
    endpoint.plan(responses(), chat(model="local"), claude())
    assert cost_of(make(RESPONSES, env=env)) == pytest.approx(1000e-6 + 200e-6)
    assert cost_of(make(CHAT, f"{endpoint.url}/v1#local", env=env)) == pytest.approx(3000e-6 + 400e-6)
    assert cost_of(make(CLAUDE, env=env)) == pytest.approx(0.0075)


@pytest.mark.parametrize(
    "text", ["openai: {gpt-5.2: {input: much}}", "openai: 1", "openai: {m: {input: -1, output: 1}}", "{"]
)
def test_a_price_table_with_a_mistake_fails_when_the_model_is_made(
    text: str, make: Make, tmp_path: Path
) -> None:
    own = tmp_path / "prices.yaml"
    own.write_text(text)
    with pytest.raises(SetupError, match="WEBSP_PRICES"):
        make(CHAT, env={"WEBSP_PRICES": str(own)})


# Concurrency


def test_never_more_requests_at_once_than_allowed(endpoint: Endpoint, make: Make) -> None:
    three_at_once = threading.Barrier(3)
    endpoint.always(Say(chat().body, before=lambda: three_at_once.wait(120)))
    model = make(CHAT, concurrency=3)
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(lambda _: model.ask(HELLO), range(12)))
    assert len(replies) == 12
    assert endpoint.most_at_once == 3


def test_a_model_that_waits_to_try_again_leaves_room_for_others(endpoint: Endpoint) -> None:
    others: list[Reply] = []
    model: Model

    def meanwhile(seconds: float) -> None:
        others.append(model.ask(HELLO))

    model = make_model(CHAT.spec, env=CHAT.env(endpoint.url), concurrency=1, sleep=meanwhile)
    endpoint.plan(error(500), chat("other"), chat("again"))
    assert model.ask(HELLO).text == "again"
    assert [reply.text for reply in others] == ["other"]


# Keys


@pytest.mark.parametrize("dialect", DIALECTS, ids=str)
def test_a_missing_key_fails_when_the_model_is_made_and_names_its_variable(dialect: Dialect) -> None:
    variable = next(name for name in dialect.variables if "KEY" in name or "PROJECT" in name)
    env = {
        name: "" if name == variable else value for name, value in dialect.env("http://127.0.0.1:1").items()
    }
    with pytest.raises(SetupError, match=variable) as caught:
        make_model(dialect.spec, env=env)
    assert caught.value.variable == variable


@pytest.mark.parametrize("dialect", DIALECTS, ids=str)
def test_a_key_shows_nowhere(
    dialect: Dialect, endpoint: Endpoint, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    model = make(dialect, retries=0)
    shown = [repr(model), str(vars(model)), repr(model._endpoint)]  # type: ignore[attr-defined]
    for say in (
        error(401, f"bad key {KEY}"),
        error(400, f"header {KEY} is odd"),
        error(500, KEY),
        Say(KEY.encode()),
    ):
        endpoint.plan(say)
        failure = ask_and_fail(model)
        shown += ["".join(traceback.format_exception(failure)), repr(failure), str(vars(failure))]
        assert failure.__cause__ is None
        assert failure.__context__ is None
    endpoint.plan(dialect.say())
    shown += [repr(model.ask(HELLO)), caplog.text]
    assert not [text for text in shown if KEY in text]


ECHOES: dict[str, Callable[[str], str]] = {
    "its beginning": lambda key: f"{key[:12]}****",
    "its end": lambda key: f"****{key[-8:]}",
    "in base64": lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(),
    "in hex": lambda key: key.encode().hex(),
    "for an address": lambda key: "".join(f"%{ord(letter):02X}" for letter in key),
}


@pytest.mark.parametrize("dialect", DIALECTS, ids=str)
def test_no_echo_of_a_key_is_passed_on(dialect: Dialect, endpoint: Endpoint, make: Make) -> None:
    model, passed_on = make(dialect, retries=0), []
    for echo, status in product(ECHOES, (400, 403, 429, 500)):
        said = ECHOES[echo](KEY)
        endpoint.plan(error(status, f"you sent {said} to us"))
        failure = ask_and_fail(model)
        shown = "".join(traceback.format_exception(failure)) + str(vars(failure))
        parts = [part for part in re.split(r"\*+|%", said) if len(part) >= 8]
        if any(part in shown for part in (said, *parts)):
            passed_on.append((echo, status))
    assert passed_on == []


def test_a_key_in_an_answer_reaches_nobody(endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(chat(f"Type [3]; {KEY}", model=KEY))
    reply = make(CHAT).ask(HELLO)
    assert (reply.text, reply.model) == ("Type [3]; [key]", "[key]")


def test_a_reason_to_end_that_holds_the_key_is_not_passed_on(endpoint: Endpoint, make: Make) -> None:
    endpoint.plan(chat(finish=KEY))
    reply = make(CHAT).ask(HELLO)
    assert (reply.stop, KEY[:8] in str(reply)) == ("other", False)


def test_keys_come_from_a_file_too_and_the_environment_has_the_last_word(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY=from-the-file\nOPENAI_BASE_URL={endpoint.url}/v1\n")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    endpoint.plan(chat(), chat())
    make_model("openai:gpt-4.1").ask(HELLO)
    assert endpoint.last.headers["authorization"] == "Bearer from-the-file"
    monkeypatch.setenv("OPENAI_API_KEY", "from-outside")
    make_model("openai:gpt-4.1").ask(HELLO)
    assert endpoint.last.headers["authorization"] == "Bearer from-outside"


def test_a_server_by_address_gets_no_key_of_a_provider(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "OPENAI_ADMIN_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
    ):
        monkeypatch.setenv(name, KEY)
    endpoint.plan(chat(), chat())
    spec = f"{endpoint.url}/v1#qwen3:8b"
    assert make_model(spec).ask(HELLO).text == "fine"
    assert (endpoint.last.path, endpoint.last.body["model"]) == ("/v1/chat/completions", "qwen3:8b")
    assert KEY not in str(endpoint.last.headers)
    make_model(spec, env={"WEBSP_ENDPOINT_KEY": "mine"}).ask(HELLO)
    assert endpoint.last.headers["authorization"] == "Bearer mine"


@pytest.mark.parametrize("key", [f"{KEY}\n{KEY}", f"{KEY} {KEY}", f"{KEY}é", f"{KEY}\x00"])
def test_a_key_that_cannot_be_sent_fails_when_the_model_is_made_and_is_not_repeated(key: str) -> None:
    for spec, name in (("openai:gpt-4.1", "OPENAI_API_KEY"), ("http://host/v1#m", "WEBSP_ENDPOINT_KEY")):
        with pytest.raises(SetupError, match=name) as caught:
            make_model(spec, env={name: key})
        assert KEY not in str(caught.value)


def test_a_line_end_behind_a_key_does_no_harm(endpoint: Endpoint) -> None:
    endpoint.plan(chat())
    make_model(CHAT.spec, env={**CHAT.env(endpoint.url), "OPENAI_API_KEY": f"{KEY}\r\n"}).ask(HELLO)
    assert endpoint.last.headers["authorization"] == f"Bearer {KEY}"


def test_no_sdk_is_imported_before_a_model_wants_one(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text("answers: [fine]")
    code = (
        "import sys, websp_gym.models as m; m.make_model('scripted:script.yaml'); "
        "sys.exit(sum(name in sys.modules for name in ('openai', 'anthropic')))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False).returncode == 0


# Model strings and options


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("opnai:gpt-5.2", 'did you mean "openai"'),
        ("gpt-5.2", 'did you mean "openai:gpt-5.2"?'),
        ("gpt4", 'did you mean "openai:gpt-4"?'),
        ("o3", 'did you mean "openai:o3"?'),
        ("Claude-Opus-5.5", 'did you mean "anthropic:Claude-Opus-5.5"?'),
        ("llama3", "http://localhost:8000/v1#MODEL"),
        ("", "openai:gpt-6.2-sol"),
        ("openai:", "openai:gpt-6.2-sol"),
        ("anthropic", "anthropic:claude-opus-5.5"),
        ("ollama:llama3.2:3b", "http://127.0.0.1:11434/v1#llama3.2:3b"),
        ("http://127.0.0.1:8123#x", "did you mean http://127.0.0.1:8123/v1#x?"),
        ("https://host#a/b:c", "did you mean https://host/v1#a/b:c?"),
        ("http://localhost/v1", "#MODEL"),
        ("http://localhost/v1#", "#MODEL"),
        ("http:gpt", "#MODEL"),
        ("http://localhost:99999/v1#m", "#MODEL"),
        ("https://#m", "#MODEL"),
    ],
)
def test_a_wrong_model_string_is_answered_with_the_right_one(spec: str, words: str) -> None:
    with pytest.raises(SetupError) as caught:
        make_model(spec, env={})
    assert words in str(caught.value)


@pytest.mark.parametrize("spec", [f"http://me:{KEY}@host/v1#m", f"https://host/v1?key={KEY}#m"])
def test_a_key_in_an_address_is_refused_and_not_repeated(spec: str) -> None:
    with pytest.raises(SetupError, match="WEBSP_ENDPOINT_KEY") as caught:
        make_model(spec, env={})
    assert KEY not in str(caught.value)
    assert KEY not in str(vars(caught.value))


@pytest.mark.parametrize(
    "option",
    [
        {"temperature": 3},
        {"temperature": -1},
        {"thinking": "hihg"},
        {"thinking": -1},
        {"thinking": True},
        {"max_tokens": 0},
        {"timeout": 0},
        {"timeout": float("inf")},
        {"retries": -1},
        {"concurrency": 0},
    ],
    ids=str,
)
def test_a_wrong_option_fails_when_the_model_is_made(option: dict[str, Any]) -> None:
    with pytest.raises(SetupError, match=next(iter(option))):
        make_model("openai:gpt-4.1", env={"OPENAI_API_KEY": KEY}, **option)


def test_a_budget_as_large_as_the_answer_fails_when_the_model_is_made() -> None:
    with pytest.raises(SetupError, match="max_tokens"):
        make_model(
            "anthropic:claude-opus-4.5", env={"ANTHROPIC_API_KEY": KEY}, thinking=4096, max_tokens=4096
        )


def test_messages_that_no_provider_takes_are_refused_when_they_are_made() -> None:
    with pytest.raises(ValueError, match="picture"):
        Message("system", (RED,))
    with pytest.raises(ValueError, match="role"):
        Message("judge", (Text("x"),))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="PNG"):
        Image(b"\xff\xd8\xff\xe0 a JPEG, which is none")
    assert repr(RED) == "Image(40x30)"


# The scripted model


def scripted(tmp_path: Path, text: str, **options: Any) -> Model:
    file = tmp_path / "script.yaml"
    file.write_text(text, encoding="utf-8")
    return make_model(f"scripted:{file}", **options)


def test_a_script_answers_in_order_and_reports_when_it_is_used_up(tmp_path: Path) -> None:
    model = scripted(tmp_path, "answers:\n- first\n- {say: I will not., stop: refusal}\n")
    first, second = model.ask(HELLO), model.ask(JUDGING)
    assert (first.text, first.stop, first.cost, first.model) == ("first", "end", 0.0, "scripted:script.yaml")
    assert (second.text, second.stop) == ("I will not.", "refusal")
    assert first.input_tokens == 2
    assert second.input_tokens is not None
    assert second.input_tokens > first.input_tokens
    assert ask_and_fail(model).kind == "bad_request"


def test_a_script_answers_the_last_message_by_rule(tmp_path: Path) -> None:
    model = scripted(
        tmp_path,
        """
        rules:
        - {when: "Task: .*cookies", say: '{"result": "CORRECT", "reason": "seen"}'}
        - {when: "(?i)refuse", say: "No.", stop: refusal}
        - {when: "", say: "whatever"}
        """,
    )
    said = [
        model.ask((Message("user", (Text("REFUSE"),)), Message("user", (Text(text), RED))))
        for text in ("Task: reject cookies", "please Refuse", "else")
    ]
    assert [(reply.text, reply.stop) for reply in said] == [
        ('{"result": "CORRECT", "reason": "seen"}', "end"),
        ("No.", "refusal"),
        ("whatever", "end"),
    ]


def test_a_script_without_a_matching_rule_is_an_error(tmp_path: Path) -> None:
    failure = ask_and_fail(scripted(tmp_path, "rules: [{when: cookies, say: yes indeed}]"))
    assert failure.kind == "bad_request"
    assert '"hello"' in str(failure)


def test_a_script_fails_as_written_and_no_real_time_passes(tmp_path: Path) -> None:
    model = scripted(
        tmp_path,
        "answers: [fine]\nerrors:\n- {request: 1, kind: rate_limit, retry_after: 60}\n- {request: 2, kind: timeout}\n"
        "- {request: 4, kind: too_long}\n",
    )
    reply = model.ask(HELLO)
    assert (reply.text, reply.attempts) == ("fine", 3)
    assert reply.seconds < 60
    failure = ask_and_fail(model)
    assert (failure.kind, failure.attempts) == ("too_long", 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "valid"),
        ("answers: []", "answers or rules"),
        ("answers: [a]\nrules: [{when: x, say: y}]", "answers or rules"),
        ("rules: [{when: '(', say: y}]", "regular expression"),
        ("rules: [{when: x}]", "say"),
        ("answers: [{say: x, stop: never}]", "stop"),
        ("answers: [a]\nerrors: [{request: 0, kind: timeout}]", "request"),
        ("answers: [a]\nerrors: [{request: 1, kind: tired}]", "kind"),
        ("answer: [a]", "answer"),
        ("answers: [", "script"),
    ],
)
def test_a_script_with_a_mistake_fails_when_the_model_is_made(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(SetupError, match=words):
        scripted(tmp_path, text)


def test_a_missing_script_fails_when_the_model_is_made(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="No such file"):
        make_model(f"scripted:{tmp_path}/none.yaml")


def test_a_conversation_without_a_question_is_not_sent(endpoint: Endpoint, make: Make) -> None:
    with pytest.raises(ValueError, match="user message"):
        make(CHAT).ask((Message("system", (Text("x"),)),))
    assert endpoint.asked == []
