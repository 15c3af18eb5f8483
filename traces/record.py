"""Records the traces in this folder by using the sandbox's sites as a person would.

Each recording is a list of gestures on the page. For every gesture the element is described by the same code the
recorder extension uses (``extension/dom.js``), its state is read before and after, and the event is written down.

Run it with ``make traces`` after a site changed; the result is the same on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from websp_gym.browser.launch import BrowserOptions, close_browsers, new_context, shared_browser
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import SetupError
from websp_gym.instances import load_instance
from websp_gym.replay import Trace, save_trace
from websp_gym.replay.trace import SCHEMA
from websp_gym.world import make_world

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle

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


def record(recording: Recording) -> Trace:
    """Plays the gestures in a fresh episode and writes down what they did.

    Args:
        recording: What to record.

    Returns:
        The trace, with placeholders where the account's values stood.
    """
    world = make_world("sandbox")
    browser = shared_browser(BrowserOptions(args=world.browser_args()))
    context = new_context(browser, viewport=VIEWPORT)
    episode = world.open_episode(load_instance(recording.instance).site, signed_in=recording.signed_in)
    try:
        episode.attach(context)
        tabs = Tabs(context)
        tabs.current.goto(recording.start_url, wait_until="commit")
        settle(tabs)
        events = [_play(tabs, gesture) for gesture in recording.gestures]
        data = {
            "schema": SCHEMA,
            "name": Path(recording.path).stem.replace("_", " "),
            "site": recording.site,
            "start_url": recording.start_url,
            "viewport": {"width": VIEWPORT[0], "height": VIEWPORT[1]},
            "events": events,
        }
        return Trace.model_validate(_placeholders(data, episode.account))
    finally:
        context.close()
        episode.close()


def _play(tabs: Tabs, gesture: Gesture) -> dict[str, Any]:
    page = tabs.current
    element = page.wait_for_selector(gesture.selector, state="attached")
    if element is None:
        raise SetupError(f"{page.url}: nothing matches {gesture.selector}")
    target = element.evaluate("element => __websp.fingerprint(element)")
    before = _state(element)
    event: dict[str, Any] = {"url": page.url, "target": target}
    two_state = before.get("checked") is not None
    if gesture.text is not None:
        element.fill(gesture.text)
        event |= {"type": "type", "value": gesture.text}
    else:
        element.click()
        event |= {"type": "change" if two_state else "click"}
    if two_state:
        event |= {"stateful": target.get("role") != "radio", "before": before, "after": _state(element)}
    settle(tabs)
    return event


def _state(element: ElementHandle) -> dict[str, Any]:
    state: dict[str, Any] = element.evaluate("element => __websp.stateOf(element)")
    return {"checked": state["checked"]}


def _placeholders(data: Any, account: Mapping[str, str]) -> Any:
    """Puts placeholders where the account's own values stand, so that a trace fits any account."""
    if isinstance(data, str):
        for field in ("email", "username", "name"):
            data = data.replace(account[field], f"{{{{account.{field}}}}}")
        return data
    if isinstance(data, dict):
        return {key: _placeholders(value, account) for key, value in data.items()}
    if isinstance(data, list):
        return [_placeholders(value, account) for value in data]
    return data


def main() -> None:
    """Records everything; a file is rewritten only when it changed."""
    for recording in RECORDINGS:
        path = FOLDER / recording.path
        path.parent.mkdir(parents=True, exist_ok=True)
        before = json.loads(path.read_text("utf-8")) if path.is_file() else None
        save_trace(record(recording), path)
        _say(path, "same" if json.loads(path.read_text("utf-8")) == before else "written")
    close_browsers()


def _say(path: Path, what: str) -> None:
    from rich.console import Console

    Console(highlight=False).print(f"{what:8} {path.relative_to(FOLDER)}")


if __name__ == "__main__":
    main()
