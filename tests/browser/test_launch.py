"""The browsers of a process: shared by flags, kept for a while when idle, and driven by the Playwright that is known."""

from __future__ import annotations

import os
import signal

import psutil
import pytest

from tests.browser_support import drivers
from websp_gym.browser import processes
from websp_gym.browser.driver import discard_dead_driver, is_answering, kill_driver
from websp_gym.browser.launch import (
    BrowserOptions,
    close_profile,
    first_page,
    new_context,
    open_context,
    shared_browser,
)
from websp_gym.browser.scratch import scratch_folder

pytestmark = pytest.mark.usefixtures("browser_thread")


def flags(language: str) -> BrowserOptions:
    """Options that no other test has."""
    return BrowserOptions(args=(f"--lang={language}",))


def test_two_sets_of_flags_in_turn_share_two_browsers() -> None:
    one, other = shared_browser(flags("de")), shared_browser(flags("fr"))
    assert [shared_browser(flags(name)) for name in ("de", "fr", "de")] == [one, other, one]
    assert one.is_connected()
    assert other.is_connected()


def test_a_third_browser_ends_the_idle_one_that_was_not_used_for_longest() -> None:
    one, other = shared_browser(flags("it")), shared_browser(flags("es"))
    shared_browser(flags("it"))
    shared_browser(flags("pt"))
    assert one.is_connected()
    assert not other.is_connected()


def test_a_browser_in_use_is_never_ended() -> None:
    used = shared_browser(flags("nl"))
    context = new_context(used, viewport=(800, 600))
    page = context.new_page()
    for language in ("da", "sv", "fi"):
        shared_browser(flags(language))
    assert page.evaluate("1 + 1") == 2
    assert shared_browser(flags("nl")) is used
    context.close()


def test_a_browser_that_crashed_is_replaced() -> None:
    crashed = shared_browser(flags("pl"))
    crashed.close()
    again = shared_browser(flags("pl"))
    assert again is not crashed
    assert again.is_connected()


def test_a_context_of_a_driver_that_was_killed_never_answers_again() -> None:
    context = new_context(shared_browser(flags("cs")), viewport=(800, 600))
    assert is_answering(context)
    running = drivers()
    kill_driver()
    psutil.wait_procs(running, timeout=10)
    assert not is_answering(context)
    assert discard_dead_driver()
    assert not is_answering(context)
    # Nor does it where another driver runs.
    assert is_answering(new_context(shared_browser(flags("cs")), viewport=(800, 600)))
    assert not is_answering(context)


@pytest.mark.parametrize("keeps", [True, False])
def test_a_profile_is_left_alone_until_every_process_of_its_browser_has_ended(
    monkeypatch: pytest.MonkeyPatch, keeps: bool
) -> None:
    """One that is stopped does not notice that the browser was closed."""
    monkeypatch.setattr(processes, "_PATIENCE", 0.5)
    context = open_context(BrowserOptions(), viewport=(800, 600), profile=b"")
    first_page(context)
    (folder,) = scratch_folder().glob("profile-*")
    family = psutil.Process().children(recursive=True)
    leader = next(each for each in family if any(str(folder) in word for word in each.cmdline()))
    (drawing,) = [
        each
        for each in family
        if os.getpgid(each.pid) == leader.pid and any("--type=gpu-process" in word for word in each.cmdline())
    ]
    os.kill(drawing.pid, signal.SIGSTOP)
    if keeps:
        assert len(close_profile(context)) > 0
    else:
        context.close()
    _gone, alive = psutil.wait_procs([drawing], timeout=10)
    assert alive == []
    assert not folder.exists()
