"""A model that cannot answer ends a command before it begins, or at the first failure, and not once per episode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_support import websp_here
from tests.endpoint_support import (
    CHAT,
    CLAUDE,
    GEMINI,
    RESPONSES,
    Asked,
    Endpoint,
    Say,
    chat,
    endpoint,
    error,
    server,
)
from tests.judge_support import NAMES, put, recorded, says
from websp_gym.cli.doctor import try_model
from websp_gym.errors import ModelError, SetupError
from websp_gym.models import Message, Text, make_model
from websp_gym.models.probe import Probe, ask_probes
from websp_gym.records.runs import RESULTS, read_results
from websp_gym.runner.tries import may_pass
from websp_gym.scoring.judge import RECOMMENDED_MODELS

__all__ = ["endpoint", "server"]

RUN = ("run", "Steam-task-191-*", "--initial-state", "snapshot", "--viewport", "640x480")
DONE = "Thought: t\nAction: ANSWER; done"
HELLO = (Message("user", (Text("hello"),)),)

LASTING = {
    "a wrong key": (error(401, "no"), "key"),
    "no credit": (error(402, "Insufficient credits"), "no credit"),
    "no access": (error(403, "Your project may not use this model"), "the key and its permissions"),
    "a used-up quota": (error(429, "You exceeded your quota", code="insufficient_quota"), "quota"),
    "an unknown model": (error(404, "The model `x` does not exist", code="model_not_found"), "no such model"),
    "a setting": (
        error(400, "Unsupported parameter: 'reasoning_effort' is not supported."),
        "options",
    ),
}


@pytest.mark.parametrize("name", LASTING)
def test_lasting_errors_are_distinguished_from_temporary_ones(name: str, endpoint: Endpoint) -> None:
    say, _ = LASTING[name]
    endpoint.plan(say)
    with pytest.raises(ModelError) as caught:
        make_model(CHAT.spec, env=CHAT.env(endpoint.url)).ask(HELLO)
    assert caught.value.lasting
    assert not may_pass(caught.value, "agent")


@pytest.mark.parametrize(
    "say", [error(500), error(429), error(400, "Could not process image"), error(413), error(400, "flagged")]
)
def test_errors_of_a_single_request_are_not_lasting(say: Say, endpoint: Endpoint) -> None:
    endpoint.plan(say)
    with pytest.raises(ModelError) as caught:
        make_model(CHAT.spec, env=CHAT.env(endpoint.url), retries=0).ask(HELLO)
    assert not caught.value.lasting


@pytest.mark.parametrize("name", LASTING)
def test_a_run_whose_model_cannot_answer_plays_nothing_and_leaves_nothing(
    name: str, endpoint: Endpoint, tmp_path: Path
) -> None:
    say, words = LASTING[name]
    endpoint.always(say)
    result = websp_here(
        *RUN, "--agent", f"{endpoint.url}/v1#x", "--trials", "3", "--out", str(tmp_path / "run")
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert len(endpoint.asked) == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "say", [Say(b"<html>welcome</html>", headers={"Content-Type": "text/html"}), error(404, "Not Found")]
)
def test_an_address_without_its_version_is_reported_as_such(say: Say, endpoint: Endpoint) -> None:
    endpoint.always(say)
    result = websp_here(*RUN, "--agent", f"{endpoint.url}/#x?retries=0")
    assert result.returncode == 2
    assert f"did you mean {endpoint.url}/v1#x?" in result.stderr
    endpoint.always(error(404, "Not Found"))
    assert "did you mean" not in websp_here(*RUN, "--agent", f"{endpoint.url}/v1#x?retries=0").stderr


def test_an_address_without_a_path_is_refused_before_any_request(endpoint: Endpoint) -> None:
    result = websp_here(*RUN, "--agent", f"{endpoint.url}#x", "--dry-run")
    assert result.returncode == 2
    assert f"did you mean {endpoint.url}/v1#x?" in result.stderr
    assert endpoint.asked == []


@pytest.mark.parametrize("processes", ["1", pytest.param("2", marks=pytest.mark.proof)])
def test_a_key_that_is_revoked_stops_the_run_at_its_first_failure(
    processes: str, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.plan(chat("ready"))
    endpoint.always(error(401))
    arguments = (
        *RUN,
        "--agent",
        f"{endpoint.url}/v1#x",
        "--trials",
        "4",
        "--out",
        str(tmp_path),
        "--jobs",
        processes,
    )
    result = websp_here(*arguments)
    assert result.returncode == 1
    assert "no other episode could be played either" in result.stderr
    assert "add --resume" in result.stderr
    results = read_results(tmp_path)
    assert 1 <= len(results) <= int(processes)
    assert {each.status for each in results} == {"error"}
    assert all("the key is not accepted (401)" in each.lasting for each in results)
    assert len(endpoint.asked) == 1 + len(results)
    again = websp_here(*arguments, "--resume", "--dry-run")
    assert "8 episodes would be played" in again.stderr


def test_a_run_begins_with_one_small_request_and_reports_its_cost(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(f"{endpoint.url}/v1: {{x: {{input: 10, output: 20}}}}\n")
    monkeypatch.setenv("WEBSP_PRICES", str(prices))
    endpoint.plan(chat("ready", model="x"))
    endpoint.always(chat(DONE, model="x"))
    arguments = (*RUN, "--agent", f"{endpoint.url}/v1#x?max_tokens=777&temperature=0.5", "--max-cost", "0.03")
    result = websp_here(*arguments, "--out", str(tmp_path / "run"))
    assert "answers: a first small request took" in result.stderr
    assert "for $0.0120" in result.stderr
    first = endpoint.asked[0].body
    assert (first["max_tokens"], first["temperature"]) == (777, 0.5)
    assert [part["type"] for part in first["messages"][-1]["content"]] == ["text", "image_url"]
    assert "--max-cost: $0.0240 spent: 1 of 2 episodes done" in result.stderr, "the first request counts"
    assert len(endpoint.asked) == 2
    assert result.returncode == 1


def test_the_first_request_can_be_left_out_and_shows_no_picture_to_who_sees_none(endpoint: Endpoint) -> None:
    endpoint.always(chat(DONE))
    one = (*RUN, "--limit", "1", "--agent", f"text:{endpoint.url}/v1#x")
    websp_here(*one)
    assert len(endpoint.asked) == 2
    assert isinstance(endpoint.asked[0].body["messages"][-1]["content"], str)
    endpoint.asked.clear()
    websp_here(*one, "--no-preflight")
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--no-preflight",)])
def test_a_limit_on_the_cost_needs_a_price_and_is_refused_at_once(
    more: tuple[str, ...], endpoint: Endpoint
) -> None:
    result = websp_here(*RUN, "--agent", f"{endpoint.url}/v1#x", "--max-cost", "1", *more)
    assert result.returncode == 2
    assert f"no price is known for {endpoint.url}/v1#x" in result.stderr
    assert "WEBSP_PRICES" in result.stderr
    assert endpoint.asked == []


def test_a_price_known_only_from_an_answer_is_probed_first(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k" * 20)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", endpoint.url)
    endpoint.plan(chat(model="gpt-99"))
    result = websp_here(*RUN, "--agent", "azure:ours", "--max-cost", "1")
    assert result.returncode == 2
    assert "no price is known for azure:ours" in result.stderr


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with recorded runs."""
    for name in NAMES:
        put(tmp_path / "runs" / name, recorded(name))
    return tmp_path / "runs"


@pytest.mark.parametrize("command", ["judge", "judge-eval"])
def test_a_judge_whose_model_cannot_answer_judges_nothing(
    command: str, endpoint: Endpoint, runs: Path
) -> None:
    endpoint.always(error(401))
    result = websp_here(command, str(runs), "--models", f"{endpoint.url}/v1#a,{endpoint.url}/v1#b")
    assert result.returncode == 2
    assert result.stderr.count("the key is not accepted") == 2, "once for each model"
    assert sorted(asked.body["model"] for asked in endpoint.asked) == ["a", "b"]
    assert not list(runs.rglob("judgements.jsonl"))
    assert (
        websp_here(command, str(runs), "--models", f"{endpoint.url}/v1#a", "--max-cost", "1").returncode == 2
    )
    assert len(endpoint.asked) == 2


@pytest.mark.parametrize("command", ["judge", "judge-eval"])
def test_a_key_that_is_revoked_stops_the_judge_at_its_first_failure(
    command: str, endpoint: Endpoint, runs: Path
) -> None:
    endpoint.plan(chat("ready"), chat(says("CORRECT")))
    endpoint.always(error(401))
    result = websp_here(command, str(runs), "--models", f"{endpoint.url}/v1#m", "--jobs", "1")
    assert result.returncode == 1
    assert result.stderr.count("no other run could be judged either") == 1
    assert "the key is not accepted (401)" in result.stderr
    # judge-eval takes four cases at a time, and the first of them was judged.
    assert len(endpoint.asked) == (3 if command == "judge" else 1 + 4)


def test_a_judge_is_tried_as_it_will_be_asked(endpoint: Endpoint, runs: Path) -> None:
    def answer(asked: Asked) -> Say:
        return chat(says("CORRECT"), model="m")

    endpoint.always(answer)
    result = websp_here("judge", str(runs), "--models", f"{endpoint.url}/v1#m")
    assert "answers" in result.stderr
    first, *others = (asked.body for asked in endpoint.asked)
    assert len(others) == len(NAMES)
    for name in ("response_format", "temperature", "reasoning_effort"):
        assert first[name] == others[0][name]
    assert "image_url" in json.dumps(first)
    endpoint.always(error(401))
    again = websp_here("judge", str(runs), "--models", f"{endpoint.url}/v1#m")
    assert again.returncode == 0, "kept opinions need no model"


def test_the_models_of_a_judging_reward_are_tried_too(endpoint: Endpoint) -> None:
    endpoint.always(error(402))
    result = websp_here(*RUN, "--agent", "noop", "--reward", "judge", "--judge", f"{endpoint.url}/v1#m")
    assert (result.returncode, len(endpoint.asked)) == (2, 1)
    assert "no credit" in result.stderr


def test_a_judges_key_that_is_revoked_stops_the_run(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.plan(chat(says("CORRECT")), chat(says("CORRECT")))
    endpoint.always(error(401))
    arguments = ("--agent", "noop", "--reward", "judge", "--judge", f"{endpoint.url}/v1#m", "--trials", "3")
    result = websp_here(*RUN, *arguments, "--out", str(tmp_path))
    assert result.returncode == 1
    assert "no other episode could be judged either" in result.stderr
    assert "2 of 6 episodes done" in result.stderr
    assert [each.status for each in read_results(tmp_path)] == ["pass", "unscored"]


def test_a_run_records_the_models_that_a_name_stands_for(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_path = {dialect.path: dialect for dialect in (GEMINI, CLAUDE, RESPONSES)}
    for dialect in by_path.values():
        for name, value in dialect.env(endpoint.url).items():
            monkeypatch.setenv(name, value)
    endpoint.always(lambda asked: by_path[asked.path].say(says("CORRECT")))
    arguments = ("--agent", "noop", "--reward", "judge", "--judge", "recommended", "--limit", "1")
    result = websp_here(*RUN, *arguments, "--out", str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert len(endpoint.asked) == 6, "once before, once for the verdict"
    assert json.loads((tmp_path / "run.json").read_text())["options"]["judge"] == list(RECOMMENDED_MODELS)


def test_a_script_is_not_asked_before_the_run(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("answers: [one]")
    model = make_model(f"scripted:{script}")
    assert ask_probes([Probe(model)]) == []
    assert model.ask(HELLO).text == "one"


@pytest.mark.parametrize("dialect", [CHAT, RESPONSES, CLAUDE], ids=str)
def test_an_answer_that_was_cut_or_refused_is_an_answer(dialect: Any, endpoint: Endpoint) -> None:
    endpoint.plan(dialect.say(""))
    model = make_model(dialect.spec, env=dialect.env(endpoint.url))
    (probed,) = ask_probes([Probe(model, picture=True)])
    assert (probed.model, probed.reply.attempts) == (dialect.spec, 1)


def test_trouble_that_passes_is_waited_for_as_usual(endpoint: Endpoint) -> None:
    model = make_model(CHAT.spec, env=CHAT.env(endpoint.url), retries=1, sleep=lambda seconds: None)
    endpoint.plan(error(500), chat("ready"), error(500), error(500))
    assert len(ask_probes([Probe(model)])) == 1
    with pytest.raises(SetupError, match="try later"):
        ask_probes([Probe(model)])


def test_doctor_tries_a_model_with_its_options(endpoint: Endpoint) -> None:
    endpoint.plan(chat("ready"), error(401))
    good = try_model(f"{endpoint.url}/v1#x?max_tokens=5")
    assert (good.ok, endpoint.last.body["max_tokens"]) == (True, 5)
    bad = try_model(f"{endpoint.url}/v1#x")
    assert (bad.ok, "key" in bad.detail) == (False, True)
    assert not try_model("oracle").ok


def test_results_of_old_runs_have_no_lasting_errors(tmp_path: Path) -> None:
    line = {
        "id": "A-task-1",
        "agent": "x",
        "reward": None,
        "status": "error",
        "tries": [{"error": "e", "stage": "agent"}],
    }
    (tmp_path / RESULTS).write_text(json.dumps(line) + "\n")
    (result,) = read_results(tmp_path)
    assert result.lasting == ""
