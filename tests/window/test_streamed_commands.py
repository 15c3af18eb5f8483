"""``websp login`` and ``websp record`` without a display: a person signs in and records in a local page."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Page

from tests.command_support import MAIN
from tests.kept_tab import borrowed_tab
from tests.live_internet import Internet
from tests.live_support import home, internet, server
from tests.process_support import all_ended, words_of
from tests.recorder_support import Server, facts
from tests.recorder_support import server as pages
from tests.window_support import PATIENCE, Person, until
from websp_gym.browser.launch import BrowserOptions, new_context, shared_browser
from websp_gym.browser.tabs import Tabs
from websp_gym.live.sign_ins import kept_sign_in
from websp_gym.recording import RecorderBrowser
from websp_gym.replay import Trace, load_trace
from websp_gym.window import streamed

__all__ = ["home", "internet", "pages", "server"]


@pytest.fixture
def person(browser_thread: None) -> Iterator[Person]:
    with borrowed_tab(viewport=(1100, 900)) as tab:
        yield Person(tab.page)


@pytest.fixture
def form(browser_thread: None, pages: Server) -> Iterator[Page]:
    """The form that is recorded, in a browser of the test, which tells where something is on it."""
    with borrowed_tab() as tab:
        tab.page.goto(pages.url("form.html"))
        yield tab.page


class Command:
    """A running command without a display, and what it has printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said = ""

    def address(self) -> str:
        """The address that it prints."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            found = re.search(r"http://127\.0\.0\.1:\d+/\S{20,}", line)
            if found:
                return found[0]
        raise AssertionError(self.end())

    def wait_for(self, text: str) -> None:
        """Wait for a line with a text."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if text in line:
                return
        raise AssertionError(self.end())

    def end(self) -> tuple[int, str]:
        """Its exit code, and all that it said."""
        # communicate() would lose what was read ahead.
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            self.said += stream.read()
        return self.process.wait(timeout=PATIENCE), self.said


@contextmanager
def running(*arguments: str, cwd: Path) -> Iterator[Command]:
    with all_ended():
        shown = {
            name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")
        }
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, *arguments],
            cwd=cwd,
            env=shown,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            yield Command(process)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.wait(timeout=PATIENCE)
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()


# ------------------------------------------------------------------------------------------------- signing in


@pytest.fixture
def account(internet: Internet) -> str:
    """An account that is not signed in, with a provider that is."""
    return internet.visit("Steam-task-191-ON")


@pytest.fixture
def twin(browser_thread: None, internet: Internet, account: str) -> Iterator[Page]:
    """The same site in a browser of the test, which tells where something is on a page."""
    assert internet.visitor is not None
    flags = BrowserOptions(args=tuple(internet.sandbox.browser_args()))
    context = new_context(shared_browser(flags), viewport=(1280, 1024))
    context.add_cookies(internet.visitor.cookies)  # type: ignore[arg-type]
    yield context.new_page()
    context.close()


def sign_in(person: Person, twin: Page) -> None:
    """Sign in to Steam through the provider, each press by the mouse at its place."""
    twin.goto(person.url)
    for name in ("Login", "Sign in through Google", "@", "Continue"):
        named = re.compile(name, re.IGNORECASE)
        target = twin.get_by_role("button", name=named).or_(twin.get_by_role("link", name=named)).first
        person.click(target)
        target.click()
        until(person.page, lambda: person.url == twin.url and person.sees(twin), person.url)


@pytest.mark.proof
def test_a_person_signs_in_without_a_display(
    account: str, person: Person, twin: Page, tmp_path: Path
) -> None:
    with running("login", account, "--by-hand", cwd=tmp_path) as command:
        person.open(command.address())
        sign_in(person, twin)
        person.page.click("#buttons >> text=Done")
        code, said = command.end()
    assert code == 0, said
    assert f"signed in {account}" in said
    assert "ssh -L" in said
    state = kept_sign_in(account)
    assert state
    assert state["cookies"]


def test_enter_in_the_terminal_ends_it_and_the_end_of_the_terminal_does_not(
    account: str, person: Person, tmp_path: Path
) -> None:
    """Without signing in, the command says so; the viewer is told that it has ended."""
    with running("login", account, "--by-hand", cwd=tmp_path) as command:
        person.open(command.address())
        assert command.process.stdin is not None
        command.process.stdin.write("\n")
        command.process.stdin.flush()
        person.page.wait_for_selector("#over:not([hidden])")
        code, said = command.end()
    assert code == 2
    assert "still asks for it" in " ".join(said.split())
    assert kept_sign_in(account) is None


@pytest.mark.proof
def test_a_cancelled_sign_in_keeps_nothing(account: str, person: Person, tmp_path: Path) -> None:
    with running("login", account, "--stream", cwd=tmp_path) as command:
        person.open(command.address())
        assert command.process.stdin is not None
        command.process.stdin.close()  # as where there is no terminal
        command.process.stdin = None
        person.page.click("#buttons >> text=Cancel")
        code, said = command.end()
    assert code == 2
    assert "you cancelled the sign-in; nothing was kept" in " ".join(said.split())
    assert kept_sign_in(account) is None


# ------------------------------------------------------------------------------------------------- recording


def act(
    page: Page, click: Callable[[str], None], press: Callable[[str], None], type_: Callable[[str], None]
) -> None:
    """Fill in the form, as a person does."""
    click("[name=nick]")
    type_("Zoë K.")
    press("Tab")
    type_("zoe@example.org")
    click("[name=about]")
    type_("secret words")
    press("Control+a")
    press("Backspace")
    type_("hello")
    click("[name=language]")
    press("ArrowDown")
    press("Enter")
    click("#news")
    click("[value=friends]")
    click("text=Save")


def directly(pages: Server) -> Trace:
    """The recording of the same by Playwright's own mouse and keyboard, in a browser of the test."""
    with RecorderBrowser() as studio:
        page = studio.page
        page.goto(pages.url("form.html"))
        studio.start("mine", "local")
        page.click("[name=nick]")
        act(page, page.click, page.keyboard.press, page.keyboard.type)
        page.wait_for_url("**/form_other.html")
        return studio.stop()


@pytest.mark.proof
def test_a_recording_in_the_page_has_the_events_of_one_in_a_window(
    pages: Server, form: Page, person: Person, tmp_path: Path
) -> None:
    expected = directly(pages)
    url = pages.url("form.html")
    keyboard = person.page.keyboard
    with running("record", url, "--name", "mine", "--out", "mine.json", cwd=tmp_path) as command:
        person.open(command.address())
        act(form, lambda where: person.click(form.locator(where).first), keyboard.press, keyboard.type)
        until(person.page, lambda: person.url.endswith("form_other.html"))
        person.page.click("#buttons >> text=Stop")
        code, said = command.end()
    assert code == 0, said
    trace = load_trace(tmp_path / "mine.json")
    assert facts(trace) == facts(expected)
    assert [event.target for event in trace.events] == [event.target for event in expected.events]
    assert "secret words" not in (tmp_path / "mine.json").read_text()


@pytest.mark.proof
@pytest.mark.parametrize("ending", ["Ctrl-C", "crash"])
def test_what_was_recorded_is_kept_when_it_ends_otherwise(
    pages: Server, form: Page, person: Person, tmp_path: Path, ending: str
) -> None:
    url = pages.url("form.html")
    with running("record", url, "--out", "mine.json", cwd=tmp_path) as command:
        person.open(command.address())
        person.click(form.locator("#news"))
        command.wait_for("Send me news")
        if ending == "crash":
            for each in psutil.Process(command.process.pid).children(recursive=True):
                words = words_of(each)
                if "--type=renderer" in words and "--extension-process" not in words:
                    each.kill()
        else:
            command.process.send_signal(signal.SIGINT)
        person.page.wait_for_selector("#over:not([hidden])")
        shown = person.page.inner_text("#over-text")
        code, said = command.end()
    assert code == 0, said
    (event,) = load_trace(tmp_path / "mine.json").events
    assert event.target is not None
    assert event.target.name == "Send me news"
    if ending == "crash":
        assert "The page crashed" in shown
        assert "the recording was stopped: the page crashed" in said


def test_lists_and_dialogs_are_recorded_as_in_a_window(pages: Server, person: Person) -> None:
    with RecorderBrowser() as studio:
        page = studio.page
        page.goto(pages.url("form.html"))
        tabs = Tabs(studio.context, reacts_at_once=True)
        with streamed(tabs, title="Recording") as window:
            person.open(window.url)
            studio.start("mine", "local")
            person.click(page.locator("[name=language]"))
            until(page, lambda: page.evaluate("document.querySelector('[name=language]').matches(':open')"))
            person.click(page.locator("option", has_text="French"))
            until(page, lambda: page.input_value("[name=language]") == "fr")
            page.goto(pages.url("dialogs.html"))
            person.click(page.locator("button", has_text="Delete").first)
            person.page.click("#dialog-yes")
            until(page, lambda: studio.status().events == 3)
            trace = studio.stop()
    assert [event.type for event in trace.events] == ["change", "navigate", "click"]
    change, _, click = trace.events
    assert (change.target and change.target.name, change.value) == ("Language", "fr")
    assert click.modal == "accept"
