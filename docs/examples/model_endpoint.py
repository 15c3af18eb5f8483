"""The outcome of each failure of a model's endpoint: the official SDKs against a server on this machine.

Needs no key and no network:

    python docs/examples/model_endpoint.py [RUN]

RUN is the folder of a recorded run; without it the oracle plays one in the sandbox first. The server speaks OpenAI's
chat completions and Responses and Anthropic's Messages, and misbehaves as each situation below says. Three models are
asked through the variables a user would set, each tried once more where that can help (4 times is the default).
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from websp_gym import Judge, Verdict, load_trajectory, make_agent, make_env, make_model, run_episode

MODELS = ("openai:gpt-5.2", "openai:gpt-4.1", "anthropic:claude-opus-4.6")
"""One for each API: Responses, chat completions, Messages."""
YES = '{"result": "CORRECT", "reason": "Both switches are off in the last screenshot."}'
NO = '{"result": "INCORRECT", "reason": "The second switch is still on."}'


@dataclass(frozen=True)
class Say:
    """One answer of the server.

    Args:
        text: The model's text, in the format of the API.
        status: HTTP status; other than 200 it goes with an error and no text.
        headers: Further headers.
        raw: Bytes to send in place of all that.
        hang_up: Whether the connection ends in the middle of the answer.
    """

    text: str = YES
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes = b""
    hang_up: bool = False


Plan = Callable[[str, int], Say]
"""The answer to the n-th request, from 0, to a path (``/v1/responses``)."""


def in_turn(*says: Say) -> Plan:
    """The same answers, in order, on every path; the last one for ever."""
    return lambda path, times: says[min(times, len(says) - 1)]


@dataclass(frozen=True)
class Situation:
    """Behaviour of the server, with its name."""

    name: str
    plan: Plan


SITUATIONS = (
    Situation("all is well", in_turn(Say())),
    Situation("one of three disagrees", lambda path, times: Say(NO if path.endswith("messages") else YES)),
    Situation("429 with Retry-After: 1, once", in_turn(Say(status=429, headers={"Retry-After": "1"}), Say())),
    Situation(
        "429 with Retry-After: 600", in_turn(Say(status=429, headers={"Retry-After": "600"}))
    ),
    Situation("500, once", in_turn(Say(status=500), Say())),
    Situation("500, always", in_turn(Say(status=500))),
    Situation("prose in place of the verdict", in_turn(Say("It looks CORRECT to me."))),
    Situation("prose first, then the verdict", in_turn(Say("It looks CORRECT to me."), Say())),
    Situation("a body that is not JSON", in_turn(Say(raw=b'{"id": "1", "choices": ['))),
    Situation("a body that breaks off", in_turn(Say(hang_up=True))),
    Situation("wrong key", in_turn(Say(status=401))),
)  # fmt: skip


def responses(text: str) -> dict[str, Any]:
    """An answer of OpenAI's Responses API."""
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
    head = {"id": "r", "object": "response", "created_at": 1, "model": "gpt-5.2", "status": "completed"}
    usage = {"input_tokens": 15_000, "output_tokens": 300, "total_tokens": 15_300}
    return {**head, "output": [message], "usage": usage, "error": None}


def chat(text: str) -> dict[str, Any]:
    """An answer of OpenAI's chat completions API."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 15_000, "completion_tokens": 300, "total_tokens": 15_300}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-4.1"}
    return {**head, "choices": [choice], "usage": usage}


def messages(text: str) -> dict[str, Any]:
    """An answer of Anthropic's Messages API."""
    head = {"id": "m", "type": "message", "role": "assistant", "model": "claude-opus-4-6"}
    usage = {"input_tokens": 15_000, "output_tokens": 300}
    return {**head, "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage}


APIS: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "/v1/responses": responses,
    "/v1/chat/completions": chat,
    "/v1/messages": messages,
}


class Handler(BaseHTTPRequestHandler):
    """Answers by a plan; a subclass has the plan and the counts."""

    plan: Plan
    asked: Counter[str]

    def do_POST(self) -> None:
        """One request of an SDK."""
        self.rfile.read(int(self.headers["Content-Length"]))
        times, self.asked[self.path] = self.asked[self.path], self.asked[self.path] + 1
        say = self.plan(self.path, times)
        body = say.raw or self._body(say)
        self.send_response(say.status)
        for name, value in {"Content-Type": "application/json", **say.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if say.hang_up else body)

    def _body(self, say: Say) -> bytes:
        error = {"type": "error", "error": {"type": "trouble", "message": f"status {say.status}"}}
        return json.dumps(APIS[self.path](say.text) if say.status == 200 else error).encode()

    def log_message(self, format: str, *args: Any) -> None:
        """Leaves the terminal to what the judge makes of it."""


@contextmanager
def endpoint(plan: Plan) -> Iterator[str]:
    """Serves a plan as long as it is needed; gives the address."""
    handler = type("Planned", (Handler,), {"plan": staticmethod(plan), "asked": Counter()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def judged(address: str, run: Path) -> Verdict:
    """Has a run judged by the models, as a user would whose variables name this address."""
    os.environ.update(
        OPENAI_BASE_URL=f"{address}/v1", OPENAI_API_KEY="example",
        ANTHROPIC_BASE_URL=address, ANTHROPIC_API_KEY="example",
    )  # fmt: skip
    judge = Judge([make_model(spec, retries=1, timeout=20) for spec in MODELS])
    return judge.verdict(load_trajectory(run), run)


def show(name: str, verdict: Verdict) -> None:
    """Prints what a situation ended as: verdict and votes, and why a model had no opinion."""
    votes = verdict.details["votes"]
    said = ", ".join(f"{vote['result'] or 'no opinion'} in {vote['attempts']}" for vote in votes)
    cost = verdict.details["cost"]
    print(f"{name}: {verdict.status} ({said}; {'cost unknown' if cost is None else f'${cost:.3f}'})")
    for vote in votes:
        if vote["error"]:
            print(f"    {vote['model']}: {vote['error'].removeprefix(vote['model'] + ': ')}")


def recorded(parent: Path) -> Path:
    """A run to judge: the oracle on one instance of the sandbox."""
    env = make_env("Steam-task-191-ON", initial_state="snapshot", record_to=parent)
    result = run_episode(env, make_agent("oracle"))
    env.close()
    if result.status != "pass":
        raise SystemExit(f"the oracle did not pass: {result.error or result.reason}")
    return parent / result.id / "001"


def main(arguments: Sequence[str]) -> None:
    """Plays a run where none is given, and has it judged in every situation."""
    with tempfile.TemporaryDirectory() as temporary:
        run = Path(arguments[0]) if arguments else recorded(Path(temporary))
        print("situation: verdict (each model's opinion in so many requests; cost)\n")
        for situation in SITUATIONS:
            with endpoint(situation.plan) as address:
                verdict = judged(address, run)
            show(situation.name, verdict)
        # The last server is gone: nobody listens at its address any more.
        show("nobody listens", judged(address, run))


if __name__ == "__main__":
    main(sys.argv[1:])
