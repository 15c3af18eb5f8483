"""The recorder as a person and as a program meet it: popup, service worker, pictures, files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from tests.recorder_support import Record, Server, facts, opened_studio, record, server, studio
from tests.window_support import until
from websp_gym.errors import SetupError
from websp_gym.recording import RecorderBrowser
from websp_gym.replay import load_trace
from websp_gym.replay.trace import json_schema
from websp_gym.tasks.instances import load_instance
from websp_gym.world import make_world

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.usefixtures("browser_thread")

__all__ = ["opened_studio", "record", "server", "studio"]

PNG = b"\x89PNG\r\n\x1a\n"


def _stop_worker(page: Page) -> None:
    """Ends the service worker the way Chrome does it after half a minute, and sees it gone."""
    session = page.context.new_cdp_session(page)
    seen: list[str] = []
    session.on(
        "ServiceWorker.workerVersionUpdated",
        lambda event: seen.extend(version["runningStatus"] for version in event["versions"]),
    )
    session.send("ServiceWorker.enable")
    session.send("ServiceWorker.stopAllWorkers")
    while "stopped" not in seen:
        page.wait_for_timeout(5)
    session.detach()


def _await_events(studio: RecorderBrowser, number: int) -> None:
    """Waits for so many events: what happened while the worker was gone arrives when it is back."""
    until(studio.page, lambda: studio.status().events >= number)
    assert studio.status().events == number


def test_nothing_is_lost_when_chrome_stops_the_worker(server: Server) -> None:
    with RecorderBrowser() as studio:
        page = studio.page
        page.goto(server.url("form.html"))
        studio.start("killed", "local", account={"name": "Carol"})
        page.click("text=Send me news")
        _stop_worker(page)
        page.click("[name=nick]")
        page.keyboard.type("Carol")
        page.click("text=Friends")
        _stop_worker(page)
        # Awake again: a click that leads to another page while the worker starts may be lost with its page.
        _await_events(studio, 3)
        page.click("text=Another page")
        page.click("text=I have seen it")
        _await_events(studio, 5)
        assert facts(studio.stop()) == [
            ("change", ("checkbox", "Send me news"), None),
            ("type", ("textbox", "Nickname"), "{{account.name}}"),
            ("change", ("radio", "Friends"), None),
            ("click", ("link", "Another page"), None),
            ("click", ("button", "I have seen it"), None),
        ]


@pytest.mark.proof
def test_events_of_several_frames_keep_their_order(studio: RecorderBrowser, record: Record) -> None:
    page = record("framed.html")
    inner = page.frame_locator("div > iframe").get_by_text("Personal ads")
    own = page.frame_locator("#own").get_by_text("Continue")
    for _ in range(5):
        inner.click()
        own.click()
    assert [event.target and event.target.name for event in studio.stop().events] == [
        "Personal ads",
        "Continue",
    ] * 5


def test_a_recording_is_saved_with_its_pictures_whole_or_not_at_all(
    studio: RecorderBrowser, record: Record, tmp_path: Path
) -> None:
    page = record("form.html", screenshots=True)
    page.click("text=Send me news")
    page.wait_for_timeout(0)
    studio.stop()
    path = studio.save(tmp_path / "local" / "my trace.json")
    assert sorted(file.name for file in path.parent.iterdir()) == ["my trace", "my trace.json"]
    trace = load_trace(path)
    (event,) = trace.events
    assert event.screenshot is not None
    assert (path.parent / "my trace" / event.screenshot).read_bytes().startswith(PNG)
    jsonschema.validate(json.loads(path.read_text("utf-8")), json_schema())
    studio.discard()
    with pytest.raises(SetupError, match="nothing has been recorded"):
        studio.save(path)
    assert load_trace(path) == trace


def test_a_recording_without_pictures_takes_older_ones_away(
    studio: RecorderBrowser, record: Record, tmp_path: Path
) -> None:
    old = tmp_path / "t"
    old.mkdir()
    (old / "001.png").write_bytes(PNG)
    page = record("form.html")
    page.click("text=Send me news")
    studio.stop()
    studio.save(tmp_path / "t.json")
    assert [file.name for file in tmp_path.iterdir()] == ["t.json"]


def test_the_profile_goes_with_the_studio() -> None:
    with RecorderBrowser() as studio:
        assert studio.profile.is_dir()
    assert not studio.profile.exists()
    with pytest.raises(SetupError, match="closed"):
        studio.status()


def test_a_folder_without_an_extension_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"no manifest\.json"):
        RecorderBrowser(extension=tmp_path)


def test_a_site_of_the_sandbox_is_recorded_like_any_other() -> None:
    world = make_world("sandbox")
    episode = world.open_episode(load_instance("Steam-task-191-ON").site, signed_in=True)
    try:
        with RecorderBrowser(args=world.browser_args()) as studio:
            episode.attach(studio.context)
            studio.page.goto("https://store.steampowered.com/account/emailoptout")
            studio.start("opt out", "steam", account=episode.account)
            studio.page.click("#opt_out_all")
            (event,) = studio.stop().events
    finally:
        episode.close()
    assert event.target is not None
    assert (event.type, event.target.id, event.stateful) == ("change", "opt_out_all", False)
    assert event.target.section == "Communication preferences for {{account.email}}:"


# ---------------------------------------------------------------- the popup
def _popup(studio: RecorderBrowser) -> Page:
    popup = studio.context.new_page()
    popup.goto(studio.popup_url)
    popup.wait_for_selector("body:not([data-state=loading])")
    return popup


def test_the_popup_records_from_start_to_export(
    studio: RecorderBrowser, server: Server, tmp_path: Path
) -> None:
    page = studio.page
    page.goto(server.url("form.html"))
    popup = _popup(studio)
    assert popup.input_value("#name") == "127.0.0.1 settings"
    assert popup.input_value("#site") == "127.0.0.1"
    popup.get_by_label("Name", exact=True).fill("My Trace!")
    popup.get_by_label("Username").fill("carolj")
    popup.keyboard.press("Enter")
    popup.wait_for_selector("[data-state=recording]")
    page.bring_to_front()
    page.click("[name=nick]")
    page.keyboard.type("carolj")
    page.click("text=Send me news")
    popup.bring_to_front()
    popup.wait_for_selector("li:has-text('Nickname'):has-text('‹username›')")
    popup.wait_for_selector("li:has-text('Send me news')")
    popup.get_by_role("button", name="Pause").click()
    popup.get_by_role("button", name="Resume").click()
    popup.get_by_role("button", name="Stop").click()
    assert popup.text_content("#count") == "2"
    # Playwright renames what is downloaded; the name asked for is seen on its way.
    popup.evaluate(
        """() => {
          const download = chrome.downloads.download;
          chrome.downloads.download = options => { document.body.dataset.file = options.filename; return download(options); };
        }"""
    )
    with popup.expect_download() as download:
        popup.get_by_role("button", name="Export").click()
    assert popup.get_attribute("body", "data-file") == "my_trace.json"
    download.value.save_as(tmp_path / "my_trace.json")
    trace = load_trace(tmp_path / "my_trace.json")
    assert facts(trace)[0] == ("type", ("textbox", "Nickname"), "{{account.username}}")
    popup.get_by_role("button", name="Discard").click()
    popup.get_by_role("button", name="Really discard?").click()
    popup.wait_for_selector("[data-state=idle]")


def test_the_popup_says_in_words_what_cannot_be_recorded(studio: RecorderBrowser) -> None:
    studio.page.goto("chrome://version")
    popup = _popup(studio)
    assert "belongs to the browser and cannot be recorded" in (popup.text_content("#refusal") or "")
    assert not popup.is_visible("#start")


def test_everything_in_the_popup_has_a_name_and_is_reached_by_tab(
    studio: RecorderBrowser, server: Server
) -> None:
    studio.page.goto(server.url("form.html"))
    popup = _popup(studio)
    controls = popup.locator("input:visible, button:visible")
    reached = set()
    for _ in range(controls.count()):
        popup.keyboard.press("Tab")
        reached.add(popup.evaluate("document.activeElement.id"))
    assert reached == {control.get_attribute("id") for control in controls.all()}
    for control in controls.all():
        assert control.evaluate("el => el.labels?.length || el.textContent.trim()")


def test_the_badge_counts(studio: RecorderBrowser, record: Record) -> None:
    page = record("form.html")
    read = "async () => [await chrome.action.getBadgeText({}), await chrome.action.getTitle({})]"
    worker = studio.context.service_workers[-1]
    assert worker.evaluate(read) == ["REC", "WebSP Recorder: REC, 0 events"]
    page.click("text=Send me news")
    studio.pause()
    assert worker.evaluate(read) == ["II", "WebSP Recorder: paused, 1 event"]
    studio.resume()
    assert worker.evaluate(read) == ["1", "WebSP Recorder: REC, 1 event"]
    studio.discard()
    assert worker.evaluate(read) == ["", "WebSP Recorder"]


def test_pages_of_a_website_cannot_give_the_recorder_orders(studio: RecorderBrowser, record: Record) -> None:
    page = record("form.html")
    assert page.evaluate("typeof chrome.runtime?.sendMessage") == "undefined"
    page.evaluate(
        "dispatchEvent(new CustomEvent('websp-dialog', {detail: {accepted: true}})), postMessage({__webspFrame: 'here', token: 'x', path: ['a']})"
    )
    page.click("text=Send me news")
    (event,) = studio.stop().events
    assert event.target is not None
    assert event.target.frame_path == ()
    assert event.modal is None
