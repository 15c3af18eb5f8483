"""Environments in processes of their own: from threads and coroutines, and when something dies."""

from __future__ import annotations

import asyncio
import contextlib
import io
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from PIL import Image

from tests.process_support import all_ended, words_of
from tests.retry_support import Poison
from websp_gym.errors import SetupError, WorldError
from websp_gym.policies.sets import policies_for
from websp_gym.rollouts import Page, Pool, RemoteEnv, Transcript, advantages, agent_policy, system_prompt
from websp_gym.sandbox.client import Sandbox
from websp_gym.scoring.outcome import EpisodeEnd
from websp_gym.tasks.instances import load_instance

TODO = "Steam-task-191-ON"
DONE = "Steam-task-191-OFF"


def nothing(played: Transcript) -> str:
    """Answer at once."""
    return "ANSWER; done"


@pytest.fixture(scope="module", autouse=True)
def _all_processes_end() -> Iterator[None]:
    """No process of these tests may be left; the server that all share runs before."""
    Sandbox.shared()
    with all_ended():
        yield


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(2, viewport=(400, 300)) as made:
        yield made


def test_groups_start_from_the_same_page_and_are_paid(pool: Pool) -> None:
    group = [
        *pool.group(TODO, agent_policy("oracle"), 2, seed=5),
        *pool.group(TODO, nothing, 2, seed=5),
    ]
    assert sorted(one.reward or 0.0 for one in group) == [0.0, 0.0, 1.0, 1.0]
    assert len({one.pages[0].text for one in group}) == 1
    assert {one.page.seed for one in group} == {5}
    assert sorted(gain for _one, gain in advantages(group)) == [-0.5, -0.5, 0.5, 0.5]
    passed = next(one for one in group if one.reward)
    assert passed.page.costs is not None
    assert passed.page.costs.keys() == {"side_effects", "destructive", "actions", "seconds"}
    assert passed.page.costs["side_effects"] == passed.page.costs["destructive"] == 0
    assert passed.page.costs["actions"] >= 4


@pytest.mark.parametrize("name", ["Magento-stwab-77", "BBC-flow-1"])
def test_a_pool_plays_work_and_everyday_tasks_as_well(pool: Pool, name: str) -> None:
    played = pool.rollout(name, nothing)
    assert (played.page.instance, played.reward) == (name, 0.0)


def test_each_rollout_has_the_policies_of_its_own_instance() -> None:
    with Pool(1, policies="standard", pictures=False) as one:
        for name in (TODO, "GitHub-task-133"):
            played = one.rollout(name, nothing)
            shown = policies_for(load_instance(name), "standard").shown
            assert [each.sentence for each in shown if each.sentence not in played.pages[0].text] == []


def test_a_transcript_is_a_conversation(pool: Pool) -> None:
    played = pool.rollout(DONE, lambda so_far: "Wait" if len(so_far.pages) == 1 else "ANSWER; done")
    system, first, wait, second, answer = played.messages()
    assert (system["role"], system["content"]) == ("system", system_prompt())
    assert "Click [Numerical_Label]" in system["content"]
    assert first["content"].startswith(
        f"Task: {played.page.goal}\n\nPage: https://store.steampowered.com/\n[0] <link>"
    )
    assert not second["content"].startswith("Task")
    assert second["content"].endswith("Left: 20 actions")
    assert (wait["role"], wait["content"]) == ("assistant", "Wait")
    assert answer["content"] == "ANSWER; done"
    running = Transcript(played.pages[:2], played.replies[:1])
    assert running.messages() == played.messages()[:4]


def test_an_error_of_the_policy_is_shown_to_it(pool: Pool) -> None:
    with pool.env() as env:
        env.reset(TODO)
        page = env.step("Press the button")
        assert page.error
        assert f"Error: {page.error}" in page.text
        assert (page.reward, page.done) == (0.0, False)


def test_any_thread_and_any_loop_may_use_an_environment(pool: Pool) -> None:
    async def one(number: int) -> float | None:
        async with pool.aenv() as env:
            page = await env.areset(DONE, number)
            while not page.done:
                page = await env.astep("ANSWER; done")
        return page.reward

    async def all_at_once() -> list[float | None]:
        return await asyncio.gather(*(one(number) for number in range(4)))

    assert asyncio.run(all_at_once()) == [1.0] * 4
    with pool.env() as env:
        rewards: list[float | None] = []
        env.reset(DONE)
        thread = threading.Thread(target=lambda: rewards.append(env.step("ANSWER; done").reward))
        thread.start()
        thread.join()
        assert rewards == [1.0]


def test_a_cancelled_wait_keeps_no_environment(pool: Pool) -> None:
    async def wait() -> None:
        async with pool.aenv():
            pass

    async def cancelled() -> None:
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)  # it has found no environment, and waits
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    with pool.env(), pool.env():
        asyncio.run(cancelled())
    with pool.env(), pool.env():
        pass


def _kill_browser(env: RemoteEnv) -> None:
    for process in _process(env).children(recursive=True):
        if "--remote-debugging-pipe" in words_of(process):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


@pytest.mark.parametrize("kill", [lambda env: _process(env).kill(), _kill_browser])
def test_a_failure_costs_an_episode_nothing_but_a_repetition(
    pool: Pool, kill: Callable[[RemoteEnv], None]
) -> None:
    with pool.env() as env:
        env.reset(DONE, 3)
        before = env.step("Google")
        kill(env)
        page = env.step("Scroll [WINDOW]; down")
        assert (page.turn, page.done, page.observation["url"]) == (2, False, before.observation["url"])
        assert env.step("ANSWER; done").reward == 1.0
        assert env.dropped == 0


def test_an_action_that_brings_the_browser_down_twice_is_a_failure(pool: Pool) -> None:
    with pool.env() as env:
        env.reset(DONE)
        env.step("Google")
        page = env.step(Poison())  # type: ignore[arg-type]
        assert (page.reward, page.done, page.reason, page.unscored) == (0.0, True, "error", False)
        assert page.failure.startswith("action 2 ended the episode with an error, and did so again: ")


@pytest.fixture(scope="module")
def once() -> Iterator[Pool]:
    with Pool(1, retries=0, viewport=(400, 300)) as pool:
        yield pool


@pytest.mark.proof
def test_a_killed_process_ends_an_episode_that_is_not_repeated_without_a_score(once: Pool) -> None:
    pool = once
    with pool.env() as env:
        env.reset(TODO, 3)
        restarts = pool.restarts
        _process(env).kill()
        page = env.step("Google")
        assert (page.reward, page.done, page.truncated, page.unscored) == (None, True, True, True)
        assert (page.instance, page.seed, page.turn, page.reason) == (TODO, 3, 1, "error")
        assert "process of the environment died" in page.failure
        assert pool.restarts == restarts + 1
        with pytest.raises(WorldError, match="call reset"):
            env.step("Google")
        assert env.reset(DONE).reward == 0.0
        assert env.step("ANSWER; done").reward == 1.0
        # A process that dies between episodes costs no rollout.
        _process(env).kill()
        assert env.process.running is not None
        env.process.running.join()
        assert not env.reset(DONE).done
        assert pool.restarts == restarts + 2


def test_a_killed_browser_ends_an_episode_that_is_not_repeated_without_a_score(once: Pool) -> None:
    with once.env() as env:
        played = Transcript((env.reset(TODO),))
        _kill_browser(env)
        played = played.after("Google", env.step("Google"))
        assert played.reward is None
        assert "browser" in played.page.failure
        assert advantages([played]) == []
        env.reset(DONE)
        assert env.step("ANSWER; done").reward == 1.0


@pytest.mark.proof
def test_environments_that_share_a_process_play_at_once_and_end_together() -> None:
    with (
        Pool(2, per_process=2, retries=0, viewport=(400, 300)) as shared,
        shared.env() as one,
        shared.env() as other,
    ):
        assert one.process is other.process
        one.reset(DONE, 1)
        first = other.reset(TODO, 2)
        assert other.step("Scroll_to_end").reward == 0.0
        assert one.step("ANSWER; done").reward == 1.0
        one.reset(DONE)
        _process(one).kill()
        assert one.step("Google").unscored
        one.reset(DONE)
        # The other episode ended with the process, and is not taken for one of the new process.
        page = other.step("Google")
        assert (page.unscored, page.instance, "died" in page.failure) == (True, TODO, True)
        assert other.reset(TODO, 2).text == first.text
        assert one.step("ANSWER; done").reward == 1.0
        assert (shared.restarts, shared.dropped) == (1, 2)


def faulty(outcome: EpisodeEnd) -> float:
    """Fail, as a reward function with a mistake does."""
    raise ZeroDivisionError("a mistake of the reward")


@pytest.fixture(scope="module")
def remote() -> Iterator[RemoteEnv]:
    """An environment in a process of its own that shows pictures and whose reward function has a mistake."""
    with RemoteEnv(pictures=True, reward=faulty, retries=0, viewport=(400, 300)) as env:
        yield env


def test_a_mistake_in_a_reward_function_is_raised_rather_than_unscored(remote: RemoteEnv) -> None:
    lost = (remote.restarts, remote.dropped)
    remote.reset(DONE)
    with pytest.raises(RuntimeError, match="ZeroDivisionError: a mistake of the reward"):
        remote.step("ANSWER; done")
    assert not remote.reset(DONE).done
    assert (remote.restarts, remote.dropped) == lost


def test_pictures_are_png_and_part_of_the_message(remote: RemoteEnv) -> None:
    page = remote.reset(DONE)
    assert page.picture is not None
    assert Image.open(io.BytesIO(page.picture)).size == (400, 300)
    text, image = Transcript((page,)).messages()[-1]["content"]
    assert text == {"type": "text", "text": page.text}
    assert image["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert "screenshot" not in page.observation


def test_a_process_that_hangs_is_ended(remote: RemoteEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    remote.reset(DONE)
    process = _process(remote)
    process.suspend()
    monkeypatch.setattr(remote, "_timeout", 0.5)
    page = remote.step("Google")
    assert page.unscored
    assert "did not answer within 0.5 seconds" in page.failure
    assert not process.is_running()


def test_a_reset_that_fails_twice_is_an_unscored_page() -> None:
    # No process has started within a millisecond.
    with RemoteEnv(timeout=0.001, viewport=(400, 300)) as env:
        page = env.reset(DONE, 4)
        assert (page.instance, page.seed, page.text, page.done, page.reward) == (DONE, 4, "", True, None)
        assert "0.001 seconds" in page.failure
        assert env.restarts == 2


def test_mistakes_are_reported_before_or_at_the_first_reset(pool: Pool) -> None:
    with pytest.raises(SetupError, match="max_actions"):
        Pool(1, max_action=3)
    with pytest.raises(SetupError, match="pictures=True"):
        RemoteEnv(observation="marks")
    with pytest.raises(SetupError, match="per_process=0: give a whole number from 1"):
        Pool(2, per_process=0)
    with pytest.raises(SetupError, match="from 1"):
        Pool(0)
    with pytest.raises(SetupError, match="retries=2: give 0 or 1"):
        Pool(1, retries=2)
    with pytest.raises(SetupError, match="Steam-task-191-ON"):
        pool.rollout("Steam-task-191-ONN", nothing)
    assert pool.rollout(DONE, nothing).reward == 1.0
    with pytest.raises(SetupError, match="oracle, noop, random, flawed"):
        agent_policy("openai:gpt-5.2")
    with pytest.raises(ZeroDivisionError):
        pool.rollout(DONE, lambda played: str(1 / 0))
    assert pool.rollout(DONE, nothing).reward == 1.0


def test_pages_without_observation_have_no_text() -> None:
    assert Page(DONE, 0, reward=None, done=True).text == ""


def _process(env: RemoteEnv) -> psutil.Process:
    assert env.process.running is not None
    return psutil.Process(env.process.running.pid)


def test_a_script_without_its_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(
        "from websp_gym.rollouts import Pool\n"
        "print(Pool(1).rollout('Steam-task-191-ON', lambda played: 'ANSWER; done').reward)\n",
        "utf-8",
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("Traceback") == 1
    assert 'put the code that creates it under `if __name__ == "__main__":`' in done.stderr
