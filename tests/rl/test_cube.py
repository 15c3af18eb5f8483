"""The benchmark for CUBE, tested by CUBE itself and played by its harness."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from cube.core import Action, AgentStop, ImageContent, Observation, TextContent
from cube.seed import BasicSeedGenerator
from cube_harness.agent import Agent, AgentConfig
from cube_harness.core import AgentOutput, EvaluationEvent, ToolCallEvent
from cube_harness.exp_runner import run_sequentially, run_with_ray
from cube_harness.experiment import Experiment
from cube_harness.storage import FileStorage

from tests.endpoint_support import KEY, Asked, Say, chat, serve
from tests.paths import ROOT
from websp_gym.errors import SetupError, WorldError
from websp_gym.harnesses.cube import WebspBenchmarkConfig, WebspToolConfig
from websp_gym.harnesses.cube.debug import oracle_calls
from websp_gym.records.load import load_trajectory
from websp_gym.tasks.splits import split_ids

TO_DO, SOLVED = "Steam-task-191-ON", "Steam-task-191-OFF"
DONE = Action(name="answer", arguments={"text": "done"})
KILLS: list[int] = []
"""Turns at which the next episodes of :class:`Scripted` lose their process."""


class Script(AgentConfig):  # type: ignore[misc]
    """An agent that makes these calls and then stops."""

    calls: list[Action]

    def make(self, action_set: list[Any] | None = None, **_: Any) -> Scripted:
        return Scripted(self)


class Scripted(Agent):  # type: ignore[misc]
    def __init__(self, config: Script) -> None:
        super().__init__(config)
        self._calls = iter(config.calls)
        self._kill_at = KILLS.pop() if KILLS else None
        self._turn = 0

    def step(self, obs: Observation) -> AgentOutput:
        if self._turn == self._kill_at:
            kill_workers()
        self._turn += 1
        call = next(self._calls, None)
        return AgentOutput(actions=[] if call is None else [call])


def kill_workers() -> None:
    """Kill the processes of the environments, as the kernel does when memory is short."""
    workers = [each for each in psutil.Process().children() if "spawn_main" in " ".join(each.cmdline())]
    assert workers
    for worker in workers:
        os.kill(worker.pid, signal.SIGKILL)


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    running = [" ".join(each.cmdline()) for each in psutil.Process().children()]
    assert [each for each in running if "spawn_main" in each] == []


@pytest.fixture(scope="module")
def calls() -> list[Action]:
    """What the oracle does in ``TO_DO``."""
    return oracle_calls(TO_DO)


def chosen(*ids: str, pictures: bool = False, **options: Any) -> WebspBenchmarkConfig:
    tool = WebspToolConfig(pictures=pictures, options=options)
    config: WebspBenchmarkConfig = WebspBenchmarkConfig(tool_config=tool).subset_from_list(ids)
    return config


def experiment(
    benchmark: WebspBenchmarkConfig, calls: list[Action], folder: Path, **options: Any
) -> Experiment:
    agent = Script(calls=calls)
    return Experiment(
        name="test", agent_config=agent, benchmark_config=benchmark, output_dir=folder / "results", **options
    )


def play(benchmark: WebspBenchmarkConfig, calls: list[Action], folder: Path, **options: Any) -> Any:
    """Play one instance in the harness; return its trajectory."""
    played = run_sequentially(experiment(benchmark, calls, folder, **options))
    assert played.failures == {}
    (trajectory,) = played.trajectories.values()
    return trajectory


def status_of(folder: Path) -> Any:
    """Return the status of the only episode."""
    (results,) = folder.glob("results_*")
    (status,) = FileStorage(results).list_episode_statuses().values()
    return status


def shown(trajectory: Any) -> list[Observation]:
    """Return what the agent saw."""
    return [event.output.obs for event in trajectory if isinstance(event.output, ToolCallEvent)]


@contextmanager
def task(instance: str, **options: Any) -> Iterator[Any]:
    """Lend a task for the loop of a program."""
    (config,) = chosen(instance, **options).get_task_configs()
    task = config.make()
    try:
        yield task
    finally:
        task.close()


def text_of(seen: Observation) -> str:
    return "\n".join(part.data for part in seen.contents if isinstance(part, TextContent))


def test_it_passes_the_tests_of_cube() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "cube", "test", "websp", "--ci"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tasks=2  failures=0" in done.stdout
    assert "FAIL" not in done.stdout
    assert len(re.findall(r"^  PASS  ", done.stdout, re.MULTILINE)) == 7


def test_the_harness_plays_an_episode_and_scores_it_by_the_state(calls: list[Action], tmp_path: Path) -> None:
    played = play(chosen(TO_DO, pictures=True, record_to=str(tmp_path / "records")), calls, tmp_path)
    assert played.reward_info == {
        "reward": 1.0, "done": True, "reason": "answer", "truncated": False, "failure": "",
        "costs": played.reward_info["costs"],
    }  # fmt: skip
    assert (status_of(tmp_path).status, status_of(tmp_path).reward) == ("COMPLETED", 1.0)
    (record,) = (tmp_path / "records").glob("*/*")
    assert load_trajectory(record).steps[-1].action.startswith("ANSWER; ")
    rewards = [event.output.reward for event in played if isinstance(event.output, EvaluationEvent)]
    assert rewards == [1.0]


def test_the_first_content_is_the_task_and_the_agent_is_told_nothing_of_the_verdict(
    calls: list[Action], tmp_path: Path
) -> None:
    played = play(chosen(TO_DO, pictures=True, record_to=str(tmp_path / "records")), calls, tmp_path)
    first, *pages, last = shown(played)
    goal, page, picture = first.contents
    assert "Task: " in goal.data
    assert "Page: https://" in page.data
    assert isinstance(picture, ImageContent)
    assert all(len(seen.contents) == 2 and "Task: " not in text_of(seen) for seen in pages)
    assert text_of(last) == "The episode is over."
    (record,) = (tmp_path / "records").glob("*/*")
    checks = (load_trajectory(record).verdict or {})["checks"]
    told = "\n".join(map(text_of, [first, *pages, last]))
    assert checks
    assert [check["name"] for check in checks if check["name"] in told] == []


def test_what_is_not_done_gets_0_and_what_was_done_before_1(tmp_path: Path) -> None:
    rewards = {
        name: play(chosen(name), [DONE], tmp_path / name).reward_info["reward"] for name in (TO_DO, SOLVED)
    }
    assert rewards == {TO_DO: 0.0, SOLVED: 1.0}


@pytest.mark.parametrize("stop", [[], [Action(name="final_step")]])
def test_an_agent_that_stops_without_an_answer_is_scored_by_what_it_did(
    calls: list[Action], stop: list[Action], tmp_path: Path
) -> None:
    assert calls[-1].name == "answer"
    assert play(chosen(TO_DO), [*calls[:-1], *stop], tmp_path / "all").reward_info["reward"] == 1.0
    assert play(chosen(TO_DO), [calls[0], *stop], tmp_path / "part").reward_info["reward"] == 0.0


def test_a_limit_of_the_harness_or_of_the_episode_ends_it(calls: list[Action], tmp_path: Path) -> None:
    cut = play(chosen(TO_DO), calls, tmp_path / "harness", max_steps=2)
    assert cut.reward_info["reward"] == 0.0
    assert status_of(tmp_path / "harness").status == "MAX_STEPS_REACHED"
    cut = play(chosen(TO_DO, max_actions=2), calls, tmp_path / "episode")
    assert (cut.reward_info["reward"], cut.reward_info["reason"]) == (0.0, "action_limit")
    assert cut.reward_info["truncated"]
    assert status_of(tmp_path / "episode").status == "COMPLETED"


def test_a_killed_process_costs_an_episode_nothing_but_a_repetition(
    calls: list[Action], tmp_path: Path
) -> None:
    KILLS.append(2)
    assert play(chosen(TO_DO), calls, tmp_path, max_retries=0).reward_info["reward"] == 1.0


def test_an_episode_without_a_score_is_failed_and_has_no_reward(calls: list[Action], tmp_path: Path) -> None:
    KILLS.append(2)
    played = run_sequentially(experiment(chosen(TO_DO, retries=0), calls, tmp_path, max_retries=0))
    assert played.trajectories == {}
    (failure,) = played.failures.values()
    assert re.search(r"without a score: .*died", failure)
    status = status_of(tmp_path)
    assert (status.status, status.error_type, status.reward) == ("FAILED", "WorldError", None)
    (results,) = tmp_path.glob("results_*")
    assert not list(results.rglob("episode_record.json"))
    (kept,) = results.rglob("episode.metadata.json")
    # What docs/reference/harnesses.md warns of.
    assert json.loads(kept.read_text())["summary_stats"]["final_reward"] == 0.0


def test_the_harness_plays_it_again(calls: list[Action], tmp_path: Path) -> None:
    KILLS.append(2)
    assert play(chosen(TO_DO, retries=0), calls, tmp_path, max_retries=1).reward_info["reward"] == 1.0


def test_workers_of_ray_play_at_once(calls: list[Action], tmp_path: Path) -> None:
    played = run_with_ray(experiment(chosen(TO_DO, SOLVED), calls, tmp_path), n_cpus=2)
    assert played.failures == {}
    rewards = {each.metadata["task_id"]: each.reward_info["reward"] for each in played.trajectories.values()}
    assert rewards[TO_DO] == 1.0
    assert rewards.keys() == {TO_DO, SOLVED}


def test_a_call_that_cannot_be_carried_out_counts_and_is_told() -> None:
    wrong = [
        Action(id="1", name="click", arguments={"element": "the first"}),
        Action(id="2", name="press"),
        Action(id="3", name="click", arguments={"element": 999}),
        Action(id="4", name="ANSWER; done\nAction: ANSWER; done"),
    ]
    with task(TO_DO) as played:
        seen, _ = played.reset()
        left = int(re.findall(r"Left: (\d+)", text_of(seen))[0])
        for number, call in enumerate(wrong, 1):
            out = played.step(call)
            assert not out.done
            assert f"Left: {left - number} actions" in text_of(out.obs)
            assert "Error: " in text_of(out.obs)
            assert out.obs.contents[0].tool_call_id == call.id
            assert out.error is None
        assert "expected a value of type integer" in text_of(played.step(wrong[0]).obs)


def test_nothing_is_carried_out_after_the_end(calls: list[Action]) -> None:
    with task(TO_DO) as played:
        played.reset()
        out = played.step([*calls, calls[0]])
        assert (out.done, out.reward, out.info["reason"]) == (True, 1.0, "answer")
        with pytest.raises(AgentStop):
            played.tool.execute_action(calls[0])
        assert played.evaluate()[0] == 1.0


def test_a_task_is_called_from_any_thread(calls: list[Action]) -> None:
    with task(TO_DO) as played:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(played.reset).result()
        for call in calls[:-1]:
            with ThreadPoolExecutor(1) as thread:
                thread.submit(played.step, call).result()
        assert played.step(calls[-1]).reward == 1.0


def test_a_program_is_told_of_an_episode_without_a_score_by_an_error(calls: list[Action]) -> None:
    with task(TO_DO, retries=0) as played:
        played.reset()
        kill_workers()
        with pytest.raises(WorldError, match=r"without a score: .*died"):
            played.step(calls[0])
        with pytest.raises(WorldError, match=r"without a score: .*died"):
            played.evaluate()


def test_policies_are_told_and_the_user_can_be_asked() -> None:
    assert "ask" not in {each.name for each in WebspToolConfig().make().action_set}
    with task(TO_DO, policies=["standard"], instruction="with_navigation") as played:
        assert {"ask", "report"} <= {each.name for each in played.action_set}
        seen, _ = played.reset()
        assert "polic" in seen.contents[0].data.lower()
        asked = played.step(Action(name="ask", arguments={"text": "May I go on?"}))
        assert "The user: " in text_of(asked.obs)


def test_a_seed_is_a_trial() -> None:
    seeds = BasicSeedGenerator(n_seed=2, meta_seed=0)
    config = chosen(TO_DO).model_copy(update={"seed_generator": seeds})
    one, other = config.get_task_configs()
    assert one.seed != other.seed
    assert [each.make().seed for each in (one, other)] == [one.seed, other.seed]
    assert next(iter(chosen(TO_DO).get_task_configs())).make().seed == 0


def test_what_cannot_be_played_is_said_before_the_first_episode(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="max_actions"):
        run_sequentially(experiment(chosen(TO_DO, max_action=3), [DONE], tmp_path))
    with pytest.raises(ValueError, match="Steem"):
        chosen("Steem-task-191-ON")


def test_the_benchmark_has_the_instances_with_their_site_and_split() -> None:
    config = WebspBenchmarkConfig()
    assert config.num_tasks == config.benchmark_metadata.num_tasks == 200
    assert config.tasks()[TO_DO].abstract_description == "Cookie & Tracking Consent Management"
    assert {each.site for each in config.subset_from_glob("id", "Steam-*").tasks().values()} == {"Steam"}
    sides = [list(config.named_subset(side).tasks()) for side in ("train", "test")]
    assert sides == list(split_ids("task"))
    again = WebspBenchmarkConfig.model_validate_json(chosen(TO_DO, max_actions=3).model_dump_json())
    (one,) = again.get_task_configs()
    assert (one.task_id, one.tool_config.options) == (TO_DO, {"max_actions": 3})


# ---------------------------------------------------------------------------- the program of the page
_WAY = ('<button> "alexrivers"', "Account details", "Cookies & Browsing", "recentapps", "app_impressions")


def model(asked: Asked) -> Say:
    """Answer as a model would that solves the task by the elements of the last page."""
    pages = [text for text in _texts(asked.body["messages"]) if "Page: https://" in text]
    called: tuple[str, dict[str, Any]] = ("answer", {"text": "done"})
    if len(pages) <= len(_WAY):
        found = re.search(rf"^\[(\d+)\].*{_WAY[len(pages) - 1]}.*$", pages[-1], re.MULTILINE)
        called = ("click", {"element": int(found[1])}) if found else ("wait", {})
    function = {"name": called[0], "arguments": json.dumps(called[1])}
    call = {"id": f"call-{len(pages)}", "type": "function", "function": function}
    return chat(None, finish="tool_calls", message={"tool_calls": [call]})


def _texts(messages: list[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        content = message.get("content") or ""
        yield from [content] if isinstance(content, str) else (part.get("text", "") for part in content)


def test_the_program_of_the_page_runs_with_a_real_client(tmp_path: Path) -> None:
    page = (ROOT / "docs/reference/harnesses.md").read_text("utf-8").partition("\n## CUBE\n")[2]
    (program,) = re.findall(r"```python\n(.*?)```", page.partition("\n## ")[0], re.DOTALL)
    (tmp_path / "steam.py").write_text(program)
    with serve() as endpoint:
        endpoint.always(model)
        done = subprocess.run(
            [sys.executable, "steam.py", "--limit", "1"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**os.environ, "OPENAI_API_KEY": KEY, "OPENAI_API_BASE": f"{endpoint.url}/v1", "CH_EXP_DIR": str(tmp_path)},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert "image_url" in str(endpoint.last.body)
    (results,) = tmp_path.glob("*_websp_steam_*")
    statuses = FileStorage(results).list_episode_statuses().values()
    assert [(each.status, each.reward) for each in statuses] == [("COMPLETED", 1.0)]
