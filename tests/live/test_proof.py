"""S0 on a live website is what its server knows: recorded by the recorder, set, proven in another browser, put back."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.live.offline_site import Place, serve
from tests.live_support import home, live_env
from websp_gym.browser.owner import call
from websp_gym.errors import InitialStateError, SetupError
from websp_gym.live.accounts import Account, save_accounts
from websp_gym.recording import RecorderBrowser
from websp_gym.replay.trace_files import load_trace

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["home"]

ACCOUNT = {"username": "mia.k", "email": "mia@mail.test", "password": "Lantern-quay-7305", "name": ""}
TASKS = """\
site: Meadow
slug: meadow
website_category: Developer tools
start_url: {url}
account: password
login_trace: meadow/login.json
tasks:
  - id: Meadow-task-1
    category: UI/UX Preferences
    instruction: Do it.
    instruction_with_navigation: Open the settings and do it.
    goal: {{settings: {{done: true}}}}
    instances:
      - instance: Meadow-task-1
        initial_state: [{{replay: meadow/set.json{wanted}}}]
        expect: {{settings: {{}}}}
        ground_truth: [{{holds: {{role: button, name: Menu}}, element: Button}}]
"""
Act = Callable[["Page"], None]


@dataclass
class Person:
    """Who has an account on a website, and records traces there.

    Args:
        place: The website.
        folder: The folder of tasks, traces and accounts.
    """

    place: Place
    folder: Path
    start: str = "/"

    @property
    def url(self) -> str:
        """The page on which everything is done."""
        return f"{self.place.url}{self.start}"

    def record(self, act: Act, *, wanted: str = "") -> None:
        """Records the sign-in and what sets S0, as a person does."""
        call(lambda: self._record("login", sign_in))
        call(lambda: self._record("set", act))
        (self.folder / "tasks").mkdir()
        (self.folder / "tasks" / "meadow.yaml").write_text(
            TASKS.format(url=self.url, wanted=f", set: {wanted}" if wanted else "")
        )
        shown = {key: value for key, value in ACCOUNT.items() if value and key != "password"}
        account = Account(
            site="meadow", url=self.url, password="env:MEADOW_PASSWORD", requests_per_minute=100_000, **shown
        )
        save_accounts({"meadow-1": account})

    def _record(self, name: str, act: Act) -> None:
        with RecorderBrowser() as studio:
            page = studio.page
            page.goto(self.url)
            if act is not sign_in:
                sign_in(page)
            studio.start(name, "meadow", account=ACCOUNT)
            act(page)
            studio.stop()
            studio.save(self.folder / "traces" / "meadow" / f"{name}.json")

    def reset(self, *, restore: bool = False) -> dict[str, Any]:
        """Resets to S0, and ends the episode; returns what ``info`` says of S0."""
        with closing(live_env("Meadow-task-1", account="meadow-1", restore=restore)) as env:
            _, info = env.reset(seed=0)
        found: dict[str, Any] = info["initial_state"]
        return found


@pytest.fixture
def person(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    for name in ("tasks", "traces"):
        monkeypatch.setenv({"tasks": "WEBSP_TASK_CONFIGS", "traces": "WEBSP_TRACES"}[name], str(home / name))
    monkeypatch.setenv("MEADOW_PASSWORD", ACCOUNT["password"])
    with serve() as place:
        yield Person(place, home)


def sign_in(page: Page) -> None:
    """Signs in by hand."""
    for label in ("User", "Password"):
        page.get_by_label(label).click()
        page.keyboard.type(ACCOUNT["username"] if label == "User" else ACCOUNT["password"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("mia.k").wait_for()


def make_private(page: Page) -> None:
    """Turns a switch."""
    page.get_by_label("Private profile").click()


def choose_in_dialog(page: Page) -> None:
    """Chooses from a list in a dialog, which has no address, and turns a switch there."""
    page.get_by_role("button", name="Preferences").click()
    page.get_by_label("Who can message me").focus()
    page.keyboard.type("Nobody", delay=20)
    page.get_by_label("Mail me").click()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Preferences").wait_for()


def add_word(page: Page) -> None:
    """Adds a word to a list by a form, which is empty again then."""
    page.get_by_label("New word").click()
    page.keyboard.type("spoiler")
    page.get_by_role("button", name="Add word").click()
    page.get_by_text("spoiler").wait_for()


def test_a_page_that_keeps_its_own_copy_is_read_back_from_the_server(person: Person) -> None:
    person.start = "/copying"
    person.record(make_private)
    person.place.private = False
    assert person.reset()["read_back"] == 1
    assert person.place.private is True


def test_what_the_server_forgets_is_no_initial_state(person: Person) -> None:
    person.start = "/copying"
    person.record(make_private)
    person.place.private, person.place.forgets = False, True
    with pytest.raises(InitialStateError, match="did not keep"):
        person.reset()


@pytest.mark.parametrize("known", [True, False])
def test_what_a_page_sends_after_a_while_is_waited_for(person: Person, known: bool) -> None:
    person.start, person.place.delay = "/copying", 2_000
    person.record(make_private)
    path = person.folder / "traces" / "meadow" / "set.json"
    assert [event.sent for event in load_trace(path).events] == [True]
    if not known:  # as in a trace that was imported
        written = json.loads(path.read_text())
        for event in written["events"]:
            del event["sent"], event["kept"]
        path.write_text(json.dumps(written))
    person.place.private = False
    assert person.reset()["read_back"] == 1
    assert person.place.private is True


def test_a_list_and_a_switch_in_a_dialog_are_read_back_and_put_back(
    person: Person, caplog: pytest.LogCaptureFixture
) -> None:
    person.record(choose_in_dialog)
    person.place.who, person.place.mail = "friends", False
    env = live_env("Meadow-task-1", account="meadow-1", restore=True)
    with caplog.at_level(logging.WARNING), closing(env):
        _, info = env.reset(seed=0)
        assert info["initial_state"]["read_back"] == 2
        assert (person.place.who, person.place.mail) == ("nobody", True)
    assert (person.place.who, person.place.mail) == ("friends", False)
    assert caplog.messages == []


def test_what_was_added_to_a_list_is_read_back_and_never_added_again(
    person: Person, caplog: pytest.LogCaptureFixture
) -> None:
    person.record(add_word)
    person.place.words.clear()
    with caplog.at_level(logging.WARNING):
        assert person.reset(restore=True)["read_back"] == 1
    assert person.place.words == ["spoiler"]
    assert "added something, which stays" in caplog.text


def test_an_addition_that_was_not_proven_is_not_put_back_by_another_one(
    person: Person, caplog: pytest.LogCaptureFixture
) -> None:
    person.record(add_word)
    path = person.folder / "traces" / "meadow" / "set.json"
    written = json.loads(path.read_text())
    missing = {**written["events"][-1], "target": {"tag": "button", "role": "button", "name": "Apply"}}
    written["events"].append(missing)  # so that the replay stops after the word was added
    path.write_text(json.dumps(written))
    person.place.words.clear()
    with caplog.at_level(logging.WARNING), pytest.raises(InitialStateError, match="Apply"):
        person.reset(restore=True)
    assert person.place.words == ["spoiler"]
    assert "may have added something" in caplog.text


def choose_german(page: Page) -> None:
    """Types a nickname and chooses another language for the account's pages."""
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Nickname").click()
    page.keyboard.type("Mia")
    page.get_by_label("Language").focus()
    page.keyboard.type("Deutsch", delay=20)
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Einstellungen").wait_for()


def test_a_language_is_put_back_on_pages_of_that_language(
    person: Person, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What has another name there does not come.
    monkeypatch.setattr("websp_gym.live.restore.TIMEOUT", 3.0)
    person.start = "/spoken"
    person.record(choose_german)
    person.place.language, person.place.nickname = "en", ""
    env = live_env("Meadow-task-1", account="meadow-1", restore=True)
    with caplog.at_level(logging.WARNING), closing(env):
        _, info = env.reset(seed=0)
        assert info["initial_state"]["read_back"] == 2
        assert (person.place.language, person.place.nickname) == ("de", "Mia")
    assert (person.place.language, person.place.nickname) == ("en", "")
    assert caplog.messages == []


def test_a_trace_without_a_switch_cannot_be_set_off(person: Person) -> None:
    person.record(add_word, wanted="off")
    person.place.words.clear()
    with pytest.raises(SetupError, match="no switch or check box to turn"):
        person.reset()
    assert person.place.words == []
