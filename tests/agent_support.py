"""A model's side of an agent: reads the request as it arrives and plays the ground truth by what stands in it.

It knows the ground truth, as a good model would work it out, but about the page only the content of the prompt: an element
that is not in the prompt cannot be operated.
"""

from __future__ import annotations

import ast
import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.endpoint_support import Asked, Dialect, Endpoint, Say
from websp_gym.agents import Agent, Briefing
from websp_gym.agents.oracle import OracleAgent
from websp_gym.env import WebspEnv
from websp_gym.models import make_model

_FENCED = re.compile(
    r"^\[\[(?P<word>[0-9a-f]{32}) (?P<kind>[^\n]*)\n(?P<text>.*?)\n(?P=word)\]\]$", re.M | re.S
)
_MARK = re.compile(r'\[(?P<number>\d+)\] <(?P<role>[^>]+)>(?: (?P<name>"(?:[^"\\]|\\.)*"))?(?P<rest>.*)')
_NODE = re.compile(
    r"\t*\[(?P<bid>\w+)\] (?P<role>\w+) (?P<name>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?P<rest>.*)"
)


@dataclass(frozen=True)
class Shown:
    """A request as a model reads it.

    Args:
        system: The rules.
        turns: Role, text and pictures of each message after them.
    """

    system: str
    turns: tuple[tuple[str, str, tuple[bytes, ...]], ...]

    @property
    def now(self) -> str:
        """The last message."""
        return self.turns[-1][1]

    @property
    def pictures(self) -> list[bytes]:
        """All pictures, the newest last."""
        return [picture for _, _, pictures in self.turns for picture in pictures]

    @property
    def text(self) -> str:
        """All texts."""
        return "\n".join([self.system, *(text for _, text, _ in self.turns)])

    def fenced(self, kind: str) -> str:
        """The content of a fence of the last message; empty if there is none."""
        found = [each["text"] for each in _FENCED.finditer(self.now) if each["kind"] == kind]
        return found[0] if found else ""


def read_request(asked: Asked) -> Shown:
    """Reads the request of any of the three APIs."""
    body = asked.body
    said = body.get("messages") or body["input"]
    system = _parts(body.get("system") or body.get("instructions") or "")[0]
    turns = []
    for message in said:
        text, pictures = _parts(message["content"])
        if message["role"] in ("system", "developer"):
            system += text
        else:
            turns.append((message["role"], text, pictures))
    return Shown(system, tuple(turns))


def _parts(content: Any) -> tuple[str, tuple[bytes, ...]]:
    if isinstance(content, str):
        return content, ()
    texts = [part["text"] for part in content if "text" in part]
    return "\n".join(texts), tuple(_picture(part) for part in content if "text" not in part)


def _picture(part: Mapping[str, Any]) -> bytes:
    if part["type"] == "image":
        return base64.b64decode(part["source"]["data"])
    url = part["image_url"]
    return base64.b64decode((url if isinstance(url, str) else url["url"]).partition(",")[2])


def marks_in(text: str) -> list[dict[str, Any]]:
    """The elements a listing of marks names; how far apart they are is guessed from their order."""
    found = (_MARK.fullmatch(line) for line in text.splitlines())
    return [_element(each["number"], each, index) for index, each in enumerate(found) if each]


def nodes_in(text: str) -> list[dict[str, Any]]:
    """The elements an accessibility tree names."""
    found = (_NODE.fullmatch(line) for line in text.splitlines())
    return [_element(each["bid"], each, index) for index, each in enumerate(found) if each]


def _element(number: str, found: re.Match[str], index: int) -> dict[str, Any]:
    rest = found["rest"]
    return {
        "number": number,
        "role": found["role"],
        "name": _unquoted(found["name"]),
        "checked": _checked(rest),
        "selected": "selected" in rest or None,
        "box": [0, 10 * index, 10, 10],
    }


def _unquoted(name: str | None) -> str:
    if name is None:
        return ""
    return str(json.loads(name) if name.startswith('"') and '\\"' not in name else ast.literal_eval(name))


def _checked(rest: str) -> bool | None:
    if "not checked" in rest or "not pressed" in rest or re.search("(checked|pressed)='?[Ff]alse", rest):
        return False
    return True if re.search(r"checked|pressed", rest) else None


class Solver:
    """Answers an agent's requests as a model that knows the way would.

    Args:
        briefing: The episode; read by the solver, not by the agent.
    """

    def __init__(self, briefing: Briefing) -> None:
        self._oracle = OracleAgent()
        self._oracle.begin(briefing)
        self.requests: list[Shown] = []

    def __call__(self, asked: Asked) -> str:
        """The reply's text."""
        shown = read_request(asked)
        self.requests.append(shown)
        tree = shown.fenced("the accessibility tree")
        elements = nodes_in(tree) if tree else marks_in(shown.fenced("the elements in view"))
        action = self._oracle.act(
            {
                "elements": elements,
                "last_action_error": shown.fenced("what the browser said to your last action"),
                "url": shown.fenced("the current page"),
            }
        )
        return (
            f"Thought: Step {len(self.requests)} of my plan.\nAction: {_as_call(action) if tree else action}"
        )


def _as_call(action: str) -> str:
    found = re.fullmatch(r"(Click|Hover|Type) \[(\w+)\](?:; (.*))?", action)
    if found is None:
        return action
    kind, bid, text = found.groups()
    return f"fill('{bid}', {text!r})" if kind == "Type" else f"{kind.lower()}('{bid}')"


def briefing_of(env: WebspEnv, seed: int = 1) -> Briefing:
    """The briefing of a running episode."""
    assert env.task is not None
    return Briefing(env.instance, env.task.world_episode.account, seed)


def play(
    env: WebspEnv, agent: Agent, answering: Callable[[Briefing], None] = lambda briefing: None
) -> tuple[float, dict[str, Any]]:
    """Plays an episode; the solver that answers the agent's requests gets the briefing first."""
    observation, _info = env.reset(seed=1)
    briefing = briefing_of(env)
    answering(briefing)
    agent.begin(briefing)
    while True:
        observation, reward, terminated, truncated, info = env.step(agent.act(observation))
        if terminated or truncated:
            return reward, info


def solving(endpoint: Endpoint, dialect: Dialect, solvers: list[Solver]) -> Callable[[Briefing], None]:
    """Lets the endpoint solve each episode that begins, and keeps the solvers."""

    def begin(briefing: Briefing) -> None:
        solver = Solver(briefing)
        solvers.append(solver)

        def answer(asked: Asked) -> Say:
            return dialect.say(solver(asked))

        endpoint.always(answer)

    return begin


def model_of(endpoint: Endpoint, dialect: Dialect, **options: Any) -> Any:
    """A model that the endpoint plays, by the provider's own SDK."""
    return make_model(dialect.spec, env=dialect.env(endpoint.url), **options)


def texts_of(requests: list[Shown]) -> Iterator[str]:
    """All text of all requests."""
    return (request.text for request in requests)
