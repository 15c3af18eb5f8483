"""A server on this machine that speaks the model providers' APIs, and misbehaves as a test requests.

The official SDKs run against it as they would against the providers.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.http_support import Handler, listening

KEY = "sk-websp-test-0123456789abcdef"


@dataclass(frozen=True)
class Asked:
    """One request as it arrived; the names of its headers in small letters."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Say:
    """How one request is answered.

    Args:
        body: A JSON value, or bytes as they are.
        status: HTTP status.
        headers: Further headers.
        trouble: ``slow`` (no answer), ``drip`` (a blank now and then, never an end), ``cut`` (the connection ends
            in the middle of the body) or ``reset`` (it is reset there).
        before: Called before anything is sent.
    """

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""
    before: Callable[[], object] | None = None

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Answering = Say | Callable[[Asked], Say]


class Endpoint:
    """State shared by the test and the server."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self.over = threading.Event()
        self._plan: list[Answering] = []
        self._always: Answering | None = None
        self._lock = threading.Lock()
        self._at_once = 0

    def plan(self, *says: Answering) -> None:
        """Answers to the next requests; one more would be answered by 599."""
        self._plan.extend(says)

    def always(self, say: Answering | None) -> None:
        """The answer to all requests without a plan."""
        self._always = say

    @property
    def left(self) -> int:
        """Planned answers that were not requested."""
        return len(self._plan)

    def forget(self) -> None:
        """Drops plans and memories."""
        self._plan.clear()
        self.asked.clear()
        self._always = None
        self.most_at_once = 0

    @property
    def last(self) -> Asked:
        return self.asked[-1]

    def take(self, asked: Asked) -> Say:
        with self._lock:
            self.asked.append(asked)
            answering = self._plan.pop(0) if self._plan else self._always
        if answering is None:
            return Say({"error": {"message": "nothing planned"}}, status=599)
        return answering if isinstance(answering, Say) else answering(asked)

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1


class _Handler(Handler):
    endpoint: Endpoint

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        say = self.endpoint.take(
            Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, json.loads(body))
        )
        with self.endpoint.counted():
            if say.before is not None:
                say.before()
        if say.trouble == "slow":
            self.endpoint.over.wait(20)
            return
        self._head(say)
        if say.trouble == "drip":
            self._drip()
        elif say.trouble:
            self._break_off(say.content[: len(say.content) // 2], reset=say.trouble == "reset")
        else:
            self.wfile.write(say.content)

    def _head(self, say: Say) -> None:
        self.send_response(say.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(say.content))}
        if say.trouble == "drip":
            headers["Content-Length"] = "1000000"
        for name, value in {**headers, **say.headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _drip(self) -> None:
        try:
            while not self.endpoint.over.wait(0.02):
                self.wfile.write(b" ")
        except OSError:
            return

    def _break_off(self, half: bytes, *, reset: bool) -> None:
        self.wfile.write(half)
        self.wfile.flush()
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()


@contextmanager
def serve() -> Iterator[Endpoint]:
    """Runs the server as long as it is needed."""
    endpoint = Endpoint()
    with listening(_Handler, endpoint=endpoint) as endpoint.url:
        try:
            yield endpoint
        finally:
            endpoint.over.set()


def chat(text: str | None = "fine", *, model: str = "gpt-4.1", finish: str = "stop", **more: Any) -> Say:
    """A chat completion; ``message`` and ``usage`` overrule its parts."""
    message = {"role": "assistant", "content": text, **more.pop("message", {})}
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model}
    return Say({**head, "choices": [choice], "usage": usage, **more})


def responses(text: str = "fine", *, model: str = "gpt-5.2-2025-12-11", **more: Any) -> Say:
    """A response; keywords overrule its parts."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    part = more.pop("part", {"type": "output_text", "text": text, "annotations": []})
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    usage = {"input_tokens": 1000, "output_tokens": 100, "total_tokens": 1100}
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": model, "status": "completed"}
    return Say({**head, "output": [thought, said], "usage": usage, "error": None, **more})


def claude(text: str = "fine", *, model: str = "claude-opus-4-6", stop: str = "end_turn", **more: Any) -> Say:
    """A message; keywords overrule its parts."""
    blocks = [{"type": "thinking", "thinking": "", "signature": "s"}, {"type": "text", "text": text}]
    usage = {"input_tokens": 1000, "output_tokens": 100}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": model}
    return Say({**head, "content": blocks, "stop_reason": stop, "usage": usage, **more})


def error(status: int, message: str = "no", *, headers: Mapping[str, str] | None = None, **more: Any) -> Say:
    """An error as OpenAI and Anthropic wrap it."""
    body = {"type": "error", "error": {"message": message, "type": "some_error", **more}}
    return Say(body, status=status, headers=headers or {})


@dataclass(frozen=True)
class Dialect:
    """One provider as the tests meet it.

    Args:
        name: For the test's id.
        spec: The model string.
        path: Where it posts.
        say: Makes a good answer of a text.
        variables: What the environment holds, with ``{url}`` for the server's address.
    """

    name: str
    spec: str
    path: str
    say: Callable[..., Say]
    variables: Mapping[str, str]

    def env(self, url: str) -> dict[str, str]:
        return {name: value.format(url=url, key=KEY) for name, value in self.variables.items()}

    def __str__(self) -> str:
        return self.name


CHAT = Dialect(
    "chat",
    "openai:gpt-4.1",
    "/v1/chat/completions",
    chat,
    {"OPENAI_API_KEY": "{key}", "OPENAI_BASE_URL": "{url}/v1"},
)
RESPONSES = Dialect("responses", "openai:gpt-5.2", "/v1/responses", responses, CHAT.variables)
CLAUDE = Dialect(
    "claude",
    "anthropic:claude-opus-4.6",
    "/v1/messages",
    claude,
    {"ANTHROPIC_API_KEY": "{key}", "ANTHROPIC_BASE_URL": "{url}"},
)
GEMINI = Dialect(
    "gemini",
    "gemini:gemini-3.1-pro",
    "/v1beta/openai/chat/completions",
    lambda text="fine", **more: chat(text, model="gemini-3.1-pro-preview", **more),
    {"GEMINI_API_KEY": "{key}", "GEMINI_BASE_URL": "{url}/v1beta/openai/"},
)
OPENROUTER = Dialect(
    "openrouter",
    "openrouter:google/gemma-3-27b-it",
    "/api/v1/chat/completions",
    lambda text="fine", **more: chat(text, model="google/gemma-3-27b-it", **more),
    {"OPENROUTER_API_KEY": "{key}", "OPENROUTER_BASE_URL": "{url}/api/v1"},
)
AZURE = Dialect(
    "azure",
    "azure:our-judge",
    "/openai/v1/chat/completions",
    lambda text="fine", **more: chat(text, model="gpt-5.2-2025-12-11", **more),
    {"AZURE_OPENAI_API_KEY": "{key}", "AZURE_OPENAI_ENDPOINT": "{url}"},
)
AZURE_DATED = Dialect(
    "azure-dated",
    "azure:our-judge",
    "/openai/deployments/our-judge/chat/completions?api-version=2024-10-21",
    AZURE.say,
    {**AZURE.variables, "OPENAI_API_VERSION": "2024-10-21"},
)
_CLOUD = {"GOOGLE_CLOUD_PROJECT": "p1", "GOOGLE_OAUTH_ACCESS_TOKEN": "{key}"}
VERTEX_CLAUDE = Dialect(
    "vertex-claude",
    "vertex:claude-opus-4.6",
    "/v1/projects/p1/locations/global/publishers/anthropic/models/claude-opus-4-6:rawPredict",
    claude,
    {**_CLOUD, "ANTHROPIC_VERTEX_BASE_URL": "{url}/v1"},
)
VERTEX_GEMINI = Dialect(
    "vertex-gemini",
    "vertex:gemini-3.1-pro",
    "/v1/projects/p1/locations/global/endpoints/openapi/chat/completions",
    GEMINI.say,
    {**_CLOUD, "VERTEX_BASE_URL": "{url}/v1"},
)

APIS = (CHAT, RESPONSES, CLAUDE)
DIALECTS = (*APIS, GEMINI, OPENROUTER, AZURE, AZURE_DATED, VERTEX_CLAUDE, VERTEX_GEMINI)


@pytest.fixture(scope="module")
def server() -> Iterator[Endpoint]:
    """The server, for the tests of a module."""
    with serve() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(server: Endpoint) -> Iterator[Endpoint]:
    """The server for one test, which must ask for all that was planned."""
    server.forget()
    yield server
    assert server.left == 0, "the model was asked less often than planned"
