"""What the models of three providers say when they use a computer, as they send it over the wire."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from PIL import Image as Picture

from tests.agent_support import briefing_of
from tests.endpoint_support import CLAUDE, KEY, RESPONSES, Endpoint, Say, claude, responses
from websp_gym.agents.computer import ComputerAgent
from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env
from websp_gym.models import make_model
from websp_gym.models.spec import OwnTool
from websp_gym.records.trajectory import Trajectory

TASK = "Steam-task-191-ON"
"""Two switches behind two links, each stored at once."""
WAY = [
    ("button", "alexrivers"),
    ("link", "Account details: alexrivers"),
    ("link", "Cookies & Browsing"),
    ("switch", "recentapps"),
    ("switch", "app_impressions"),
]
"""Role and name of what solves it, from the start page on."""


def place(env: WebspEnv, name: str, role: str | None = None) -> tuple[float, float]:
    """The middle of the element with this name, as the record of the last observation has it."""
    assert env.task is not None
    return place_in(env.task.trajectory, name, role)


def place_in(record: Trajectory, name: str, role: str | None = None) -> tuple[float, float]:
    """The same, in a record that may be of another process."""
    view = record.last_view
    assert view is not None
    boxes = [mark["box"] for mark in view.marks if mark["name"] == name and role in (None, mark["role"])]
    assert len(boxes) == 1, [(mark["role"], mark["name"]) for mark in view.marks]
    left, top, width, height = boxes[0]
    return left + width / 2, top + height / 2


Actions = list[dict[str, Any]]


def openai_says(text: str, actions: Actions, functions: Mapping[str, Any], **more: Any) -> Say:
    say = responses(text, model="gpt-6.2-sol", **more)
    said = say.body["output"] if text else say.body["output"][:1]
    if actions:
        checks = more.pop("checks", [])
        call = {"type": "computer_call", "id": "cu_1", "call_id": "call_1", "status": "completed"}
        said = [*said, {**call, "actions": actions, "pending_safety_checks": checks}]
    for name, arguments in functions.items():
        given = json.dumps(arguments)
        called = {"type": "function_call", "id": "fc_1", "call_id": f"call_{name}", "name": name}
        said = [*said, {**called, "arguments": given}]
    return Say({**say.body, "output": said})


def claude_says(text: str, actions: Actions, functions: Mapping[str, Any], **more: Any) -> Say:
    stop = more.pop("stop", "tool_use" if actions or functions else "end_turn")
    say = claude(text, model="claude-opus-5-5", stop=stop, **more)
    blocks = [block for block in say.body["content"] if block["type"] != "text" or text]
    for number, action in enumerate(actions):
        used = {"type": "tool_use", "id": f"toolu_{number}"}
        toolset = (
            {"toolset_name": "computer", **action}
            if "name" in action
            else {"name": "computer", "input": action}
        )
        blocks.append({**used, **toolset})
    for name, arguments in functions.items():
        blocks.append({"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": arguments})
    return Say({**say.body, "content": blocks})


def gemini_says(text: str, actions: Actions, functions: Mapping[str, Any], **more: Any) -> Say:
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    calls = [*actions, *({"name": name, "args": arguments} for name, arguments in functions.items())]
    parts += [{"functionCall": call, "thoughtSignature": "c2ln"} for call in calls]
    usage = {
        "promptTokenCount": 1000,
        "candidatesTokenCount": 60,
        "thoughtsTokenCount": 40,
        "totalTokenCount": 1100,
    }
    first = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return Say({"candidates": [first], "usageMetadata": usage, "modelVersion": "gemini-4-argon", **more})


@dataclass(frozen=True)
class Words:
    """One provider as the tests meet it.

    Args:
        spec: The model string.
        path: Where it posts.
        says: Makes an answer of a text, actions and calls of functions.
        click: The action that clicks at a point.
        wait: An action that only looks.
        variables: What the environment holds, with ``{url}`` for the server's address.
        goto: The function that opens an address.
        tool: The provider's tool that it acts by.
    """

    spec: str
    path: str
    says: Callable[..., Say]
    click: Callable[[float, float], dict[str, Any]]
    wait: dict[str, Any]
    variables: Mapping[str, str]
    goto: str = "goto"
    tool: OwnTool = "computer"

    def env(self, url: str) -> dict[str, str]:
        return {name: value.format(url=url, key=KEY) for name, value in self.variables.items()}

    def model(self, endpoint: Endpoint, **options: Any) -> Any:
        """The model, behind the server."""
        env = self.env(endpoint.url)
        return make_model(self.spec, env=env, tool=self.tool, **{"sleep": lambda seconds: None, **options})

    def __str__(self) -> str:
        return self.spec.partition(":")[0]


OPENAI = Words(
    "openai:gpt-6.2-sol",
    "/v1/responses",
    openai_says,
    lambda x, y: {"type": "click", "button": "left", "x": round(x), "y": round(y)},
    {"type": "screenshot"},
    RESPONSES.variables,
)
ANTHROPIC = Words(
    "anthropic:claude-opus-5.5",
    "/v1/messages",
    claude_says,
    lambda x, y: {"name": "left_click", "input": {"coordinate": [round(x), round(y)]}},
    {"name": "screenshot", "input": {}},
    CLAUDE.variables,
)
OLD_CLAUDE = Words(
    "anthropic:claude-opus-4.6",
    "/v1/messages",
    claude_says,
    lambda x, y: {"action": "left_click", "coordinate": [round(x), round(y)]},
    {"action": "screenshot"},
    CLAUDE.variables,
)
GEMINI = Words(
    "gemini:gemini-4-argon",
    "/v1beta/models/gemini-4-argon:generateContent",
    gemini_says,
    lambda x, y: {
        "name": "click",
        "args": {"x": round(x / 1.28), "y": round(y / 1.024), "intent": "I go on."},
    },
    {"name": "take_screenshot", "args": {}},
    {"GEMINI_API_KEY": "{key}", "GEMINI_BASE_URL": "{url}/v1beta/openai/"},
    "navigate",
)


def member(name: str, **fields: Any) -> dict[str, Any]:
    """A call of a member of Anthropic's browser toolset."""
    return {"toolset_name": "browser", "name": name, "input": fields}


BROWSER = Words(
    "anthropic:claude-opus-5.5",
    "/v1/messages",
    claude_says,
    lambda x, y: member("left_click", target={"type": "coordinate", "x": round(x), "y": round(y)}),
    member("screenshot"),
    CLAUDE.variables,
    "navigate",
    "browser",
)


@dataclass(frozen=True)
class Running:
    """An episode that no test ends: each goes on from where it is."""

    env: WebspEnv
    first: Mapping[str, Any]

    def begun(self, agent: ComputerAgent) -> Mapping[str, Any]:
        """Begin an agent and return what it sees."""
        agent.begin(briefing_of(self.env))
        return self.first

    def step(self, action: str) -> Mapping[str, Any]:
        """Take an action that does not end the episode, and return what is seen then."""
        seen, _, terminated, truncated, _ = self.env.step(action)
        assert (terminated, truncated) == (False, False)
        return seen


def pictures_in(body: Any) -> list[tuple[int, int]]:
    """The sizes of all pictures in a request, in their order."""
    if isinstance(body, dict):
        return [size for value in body.values() for size in pictures_in(value)]
    if isinstance(body, list):
        return [size for value in body for size in pictures_in(value)]
    if isinstance(body, str) and "iVBORw0" in body:
        found = base64.b64decode(body[body.index("iVBORw0") :], altchars=b"-_" if "_" in body else None)
        return [Picture.open(io.BytesIO(found)).size]
    return []


LONG: dict[str, Any] = {"initial_state": "snapshot", "max_actions": 200, "max_seconds": 36_000}


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    env = make_env(TASK, observation="pixels", **LONG)
    yield Running(env, env.reset(seed=1)[0])
    env.close()


@pytest.fixture(scope="module")
def under_policy() -> Iterator[Running]:
    env = make_env(TASK, observation="pixels", policies="standard", **LONG)
    yield Running(env, env.reset(seed=1)[0])
    env.close()
