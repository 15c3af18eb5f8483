"""The browsers of a process: shared by flags, kept for a while when idle, and driven by the Playwright that is known."""

from __future__ import annotations

import os
import signal

import psutil
import pytest

from tests.browser_support import drivers
from tests.kept_tab import close_kept_tabs
from websp_gym.browser import launch, processes
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


@pytest.fixture(scope="module", autouse=True)
def _no_tabs(browser_thread: None) -> None:
    """Kept tabs hold a browser in use."""
    close_kept_tabs()


def test_two_browsers_are_kept_and_a_third_ends_the_one_that_was_not_used_for_longest() -> None:
    one, other = shared_browser(flags("de")), shared_browser(flags("fr"))
    assert [shared_browser(flags(name)) for name in ("de", "fr", "de")] == [one, other, one]
    assert other.is_connected()
    shared_browser(flags("pt"))
    assert one.is_connected()
    assert not other.is_connected()
    one.close()
    again = shared_browser(flags("de"))
    assert again is not one, "one that has ended is replaced"
    assert again.is_connected()


def test_a_browser_in_use_is_never_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "_IDLE", 1)
    used = shared_browser(flags("nl"))
    context = new_context(used, viewport=(800, 600))
    page = context.new_page()
    shared_browser(flags("da"))
    assert page.evaluate("1 + 1") == 2
    assert shared_browser(flags("nl")) is used
    context.close()


def test_a_context_of_a_driver_that_was_killed_never_answers_again() -> None:
    context = new_context(shared_browser(flags("cs")), viewport=(800, 600))
    assert is_answering(context)
    running = drivers()
    kill_driver()
    psutil.wait_procs(running, timeout=120)
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
    _gone, alive = psutil.wait_procs([drawing], timeout=120)
    assert alive == []
    assert not folder.exists()
