"""Begin the episode, or end it and wait for its result: ``python control.py begin|end``."""

import json
import os
import sys
import urllib.request
from pathlib import Path
from typing import Any

RUN = Path(os.environ.get("RUN", "/home/websp/run"))
CONTROL = f"http://127.0.0.1:{os.environ.get('CONTROL_PORT', '8901')}/episodes"


def ask(method: str, address: str, body: object = None) -> Any:
    """Send a request to the control plane and return its answer."""
    token = Path(f"{RUN}.token").read_text("utf-8")
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(address, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=150) as response:
        return json.load(response)


def begin() -> None:
    """Begin the one episode; done if it has begun."""
    if not ask("GET", CONTROL):
        asked = {"instance": os.environ["INSTANCE"], "seed": int(os.environ["SEED"])}
        ask("POST", CONTROL, {**asked, "token": os.environ["DOOR_TOKEN"]})


def end() -> None:
    """End the agent's part; the result is then in the folder of the run."""
    for episode in ask("GET", CONTROL):
        ask("DELETE", f"{CONTROL}/{episode['id']}")


if __name__ == "__main__":
    {"begin": begin, "end": end}[sys.argv[1]]()
