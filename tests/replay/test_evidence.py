"""What speaks for and against a candidate: the table, and the explanation of a choice."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.replay_support import Bench, bench
from websp_gym.cli.app import app
from websp_gym.errors import ReplayError
from websp_gym.replay import Fingerprint, Trace
from websp_gym.replay.evidence import facts
from websp_gym.replay.locate import explain

pytestmark = pytest.mark.usefixtures("browser_thread")

__all__ = ["bench"]


def row(name: str) -> str:
    return f"<tr><td>{name}<td><button>Revoke</button>"


def test_every_finding_has_a_worth_in_the_table() -> None:
    replay = files("websp_gym.replay")
    source = "".join(
        (replay / name).read_text("utf-8") for name in ("mark_evidence.js", "row_evidence.js", "evidence.js")
    )
    worths = {(fact.fact, finding) for fact in facts() for finding in fact.worth}
    # A third argument is a worth of its own.
    named = re.findall(r"item\('(\w+)', '([\w ]+)'\)", source)
    assert named
    assert set(named) <= worths


def test_the_candidates_are_explained_the_best_first(bench: Bench) -> None:
    bench.show(f"<h2>Tokens</h2><table>{row('ci bot, made in May')}{row('laptop, made in June')}</table>")
    target = Fingerprint.model_validate(bench.target("tr:nth-of-type(2) button"))
    best, other = explain(bench.page, target)
    assert best.taken
    assert not other.taken
    assert best.evidence > other.evidence
    said = {(one.fact, one.finding): one.worth for one in best.findings}
    assert said["name", "same"] > 0
    assert said["around", "same"] > 0
    assert said["name", "shared"] < 0
    assert any(one.fact == "around" and one.worth < 0 for one in other.findings)
    assert best.evidence == pytest.approx(sum(one.worth for one in best.findings), abs=0.01)


def test_what_only_stands_in_the_place_of_a_named_element_is_not_eligible(bench: Bench) -> None:
    bench.show("<p><button>Delete token</button>")
    target = Fingerprint.model_validate(bench.target("button"))
    bench.show("<p><button>Rename</button>")
    (only,) = explain(bench.page, target)
    assert (only.eligible, only.taken) == (False, False)


# ---------------------------------------------------------------- websp replay


class _Settings(BaseHTTPRequestHandler):
    """A page with a switch that the server keeps, and one that it forgets."""

    kept = False

    def do_GET(self) -> None:
        on = "checked" if type(self).kept else ""
        text = f"""<!doctype html><title>Settings</title><h1>Privacy</h1>
            <label><input type=checkbox {on} onchange="fetch('/kept', {{method: 'POST', keepalive: true}})"> Private profile</label>
            <label><input type=checkbox> Hide my age</label>"""
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(text.encode())

    def do_POST(self) -> None:
        type(self).kept = not type(self).kept
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def settings() -> Iterator[str]:
    handler = type("Fresh", (_Settings,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def trace_of(folder: Path, *labels: str) -> Path:
    """Write a trace that turns these check boxes on, as if recorded on another host."""
    home = "https://recorded.example"
    events = [
        {
            "type": "change",
            "url": f"{home}/settings",
            "target": {"tag": "input", "role": "checkbox", "name": label, "label": label},
            "stateful": True,
            "after": {"checked": True},
        }
        for label in labels
    ]
    data = {"schema": "websp-trace/2", "name": "t", "site": "recorded", "start_url": f"{home}/settings"}
    path = folder / "t.json"
    path.write_text(json.dumps(data | {"events": events}))
    Trace.model_validate(data | {"events": events})
    return path


def run(*arguments: str, **env: str) -> Any:
    return CliRunner().invoke(app, ["replay", *arguments], env=env)


def test_a_live_replay_reads_back_what_it_set(settings: str, tmp_path: Path) -> None:
    path = trace_of(tmp_path, "Private profile")
    result = run(str(path), "--site-url", settings, "--json", WEBSP_LIVE="1")
    said = json.loads(result.stdout)
    assert (said["ok"], said["unverified"], result.exit_code) == (True, [], 0), said


def test_a_live_replay_fails_where_the_page_forgets(settings: str, tmp_path: Path) -> None:
    path = trace_of(tmp_path, "Private profile", "Hide my age")
    result = run(str(path), "--site-url", settings, "--json", WEBSP_LIVE="1")
    said = json.loads(result.stdout)
    assert (said["ok"], result.exit_code) == (False, 1)
    assert 'event 2 (<checkbox> "Hide my age") should be on' in said["error"]
    assert "event 1" not in said["error"]


def test_the_command_says_how_many_states_were_read_back(settings: str, tmp_path: Path) -> None:
    result = run(str(trace_of(tmp_path, "Private profile")), "--site-url", settings, WEBSP_LIVE="1")
    assert "every state (1) was read back from reloaded pages" in " ".join(result.output.split())


def test_a_live_replay_needs_a_permission(tmp_path: Path) -> None:
    result = run(str(trace_of(tmp_path, "x")), "--site-url", "https://recorded.example", WEBSP_LIVE="")
    assert result.exit_code != 0
    assert "WEBSP_LIVE=1" in str(result.exception or result.output)


def test_the_command_explains_one_event(settings: str, tmp_path: Path) -> None:
    path = trace_of(tmp_path, "Private profile")
    result = run(str(path), "--site-url", settings, "--explain", "1", WEBSP_LIVE="1")
    assert "accessible name: same" in result.output
    assert "taken" in result.output
    assert run(str(path), "--explain", "2").exit_code != 0


def test_a_target_that_is_not_there_after_loading_is_listed_as_not_read_back(bench: Bench) -> None:
    page = bench.open("empty")
    page.evaluate("document.body.innerHTML = '<label><input type=checkbox> Ads</label>'")
    event = bench.event("change", "input", stateful=True)
    report = bench.play(event, set_="on", verify=True, timeout=1)
    why = "it is not on the reloaded page"
    assert report.unverified == (f'event 1 (<checkbox> "Ads") should be on: {why}',)
    assert report.verified == 0


def test_all_states_that_the_page_did_not_keep_are_named(bench: Bench) -> None:
    bench.open("settings")
    boxes = bench.page.locator("input[type=checkbox]").count()
    assert boxes
    events = [
        bench.event("change", f"#{name}", stateful=True)
        for name in bench.page.evaluate(
            "[...document.querySelectorAll('input[type=checkbox][id]')].filter(el => !el.checked).map(el => el.id).slice(0, 2)"
        )
    ]
    with pytest.raises(ReplayError, match="did not keep") as caught:
        bench.play(*events, set_="on", verify=True)
    assert all(f"event {number} " in str(caught.value) for number in range(1, len(events) + 1))
