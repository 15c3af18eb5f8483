"""Begin the episode, or end it and wait for its result: ``python control.py begin|end``."""

import json
import os
import sys
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

RUN = Path(os.environ.get("RUN", "/home/websp/run"))
PORT = int(os.environ.get("CONTROL_PORT", "8901"))
PATH = "/episodes"


def ask(method: str, path: str, body: object = None) -> Any:
    """Send a request to the control plane, past any proxy, and return its answer."""
    token = Path(f"{RUN}.token").read_text("utf-8")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection = HTTPConnection("127.0.0.1", PORT, timeout=150)
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    with connection.getresponse() as response:
        answer = json.load(response)
    if response.status >= 400:
        raise SystemExit(f"{method} {path}: {answer['error']}")
    return answer


def begin() -> None:
    """Begin the episode, unless it has begun. One that an error ended before its first step is begun again."""
    if not any(_has_begun(episode) for episode in ask("GET", PATH)):
        asked = {"instance": os.environ["INSTANCE"], "seed": int(os.environ["SEED"])}
        ask("POST", PATH, {**asked, "token": os.environ["DOOR_TOKEN"]})


def _has_begun(episode: dict[str, Any]) -> bool:
    result = episode.get("result")
    return result is None or result["status"] != "error" or result["steps"] > 0


def end() -> None:
    """End the agent's part; the result is then in the folder of the run."""
    for episode in ask("GET", PATH):
        ask("DELETE", f"{PATH}/{episode['id']}")


if __name__ == "__main__":
    {"begin": begin, "end": end}[sys.argv[1]]()
