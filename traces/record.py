"""Records the traces in this folder: the sandbox's sites are used as a person would, while the extension records.

Each recording is a list of gestures, made with mouse and keyboard in a real Chromium that has the recorder in it.
Run it with ``make traces`` after a site changed; the result is the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from websp_gym.browser.launch import prepare_context
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.recording import Studio
from websp_gym.replay import Trace, save_trace
from websp_gym.tasks.instances import load_instance
from websp_gym.world import make_world

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDER = Path(__file__).resolve().parent
VIEWPORT = (1280, 1024)
STEAM = "https://store.steampowered.com"


@dataclass(frozen=True)
class Gesture:
    """One thing a person does: click an element, or type into it.

    Args:
        selector: Playwright selector of the element, as it is today.
        text: What is typed; ``None`` for a click.
    """

    selector: str
    text: str | None = None


@dataclass(frozen=True)
class Recording:
    """What is recorded into one file."""

    path: str
    site: str
    start_url: str
    gestures: tuple[Gesture, ...]
    instance: str = "Steam-task-191-ON"
    """Any instance of the site, for its account."""
    signed_in: bool = True


def _boxes(*selectors: str) -> tuple[Gesture, ...]:
    return tuple(Gesture(selector) for selector in selectors)


_MATURE = tuple(f"#descriptor_{n}_{column}" for column in ("store", "community") for n in (5, 2, 1, 4, 3))
_EMAIL = tuple(
    f"#opt_out_{name}"
    for name in (
        "wishlist",
        "wishlist_release",
        "wishlist_demo_releases",
        "greenlight_release",
        "creator_home_releases",
        "creator_home_demo_releases",
        "seasonal",
        "theme_sale_starts",
        "next_fest_starts",
        "curator_connect",
        "loyalty_awards_received",
        "in_library_events",
        "year_in_review",
        "season_pass_ship",
        "roadmap_ship",
    )
)
_WORDS = "#text_filter_custom_banned_words_form"

RECORDINGS = (
    Recording(
        "steam/accept_all_cookies.json",
        "steam",
        f"{STEAM}/account/cookiepreferences",
        _boxes("text=Accept All"),
    ),
    Recording(
        "steam/reject_all_cookies.json",
        "steam",
        f"{STEAM}/account/cookiepreferences",
        _boxes("text=Reject All"),
    ),
    Recording("steam/mature_content.json", "steam", f"{STEAM}/account/preferences/", _boxes(*_MATURE)),
    Recording(
        "steam/chat_filtering.json",
        "steam",
        f"{STEAM}/account/preferences/",
        _boxes("#text_filter_disabled", "#community_text_filter_ignore_friends"),
    ),
    Recording(
        "steam/filtered_words.json",
        "steam",
        f"{STEAM}/account/preferences/",
        (Gesture(f"{_WORDS} [name=word]", "scam, spoiler"), Gesture(f"{_WORDS} button")),
    ),
    Recording(
        "steam/email_preferences.json",
        "steam",
        f"{STEAM}/account/emailoptout",
        _boxes("#opt_out_prefs", *_EMAIL, "#submitbutton"),
    ),
    Recording(
        "steam/email_opt_out.json",
        "steam",
        f"{STEAM}/account/emailoptout",
        _boxes("#opt_out_all", "#submitbutton"),
    ),
    Recording(
        "steam/login.json",
        "steam",
        f"{STEAM}/login/",
        _boxes("text=Sign in through Google", ".accounts button:has(.who)", "button:text-is('Continue')"),
        signed_in=False,
    ),
)


def record(studio: Studio, recording: Recording) -> Trace:
    """Plays the gestures in a fresh episode while the extension records.

    Args:
        studio: A browser with the recorder.
        recording: What to record.

    Returns:
        The trace, with placeholders where the account's values stood.
    """
    site = load_instance(recording.instance).site
    episode = make_world("sandbox").open_episode(site, signed_in=recording.signed_in)
    try:
        studio.context.clear_cookies()
        episode.attach(studio.context)
        tabs = Tabs(studio.context)
        page = studio.page
        page.goto(recording.start_url, wait_until="commit")
        settle(tabs)
        name = Path(recording.path).stem.replace("_", " ")
        studio.start(name, recording.site, account=episode.account)
        for gesture in recording.gestures:
            _make(tabs.current, gesture)
            settle(tabs)
        return studio.stop()
    finally:
        episode.close()


def _make(page: Page, gesture: Gesture) -> None:
    """Makes a gesture with mouse and keyboard, as the recorder listens to nothing else."""
    place = page.locator(gesture.selector).first
    place.click()
    if gesture.text is not None:
        page.keyboard.type(gesture.text)


def main() -> None:
    """Records everything; a file is rewritten only when it changed."""
    with Studio(args=make_world("sandbox").browser_args(), viewport=VIEWPORT) as studio:
        prepare_context(studio.context)
        for recording in RECORDINGS:
            path = FOLDER / recording.path
            path.parent.mkdir(parents=True, exist_ok=True)
            before = path.read_text("utf-8") if path.is_file() else None
            save_trace(record(studio, recording), path)
            _say(path, "same" if path.read_text("utf-8") == before else "written")


def _say(path: Path, what: str) -> None:
    from rich.console import Console

    Console(highlight=False).print(f"{what:8} {path.relative_to(FOLDER)}")


if __name__ == "__main__":
    main()
