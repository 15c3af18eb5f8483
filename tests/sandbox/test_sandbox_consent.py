"""Cookie consent of the kit: what is chosen is kept, what is closed is forgotten, and trackers obey."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.sandbox_support import Visitor, write_site
from websp_gym.browser.launch import BrowserOptions, new_context, shared_browser
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.sandbox.client import EPISODE_HEADER, EpisodeHandle, Sandbox
from websp_gym.sandbox.schema.site_files import SiteError, load_site

if TYPE_CHECKING:
    from playwright.sync_api import Frame

MAG = "https://mag.example"
GROUPS = """
    - {id: C0001, key: necessary, label: Necessary Cookies, always: true, trackers: [cdn.necessaryworks.net]}
    - {id: C0002, key: performance, label: Performance Cookies, trackers: [metrics.statbarn.net]}
    - {id: C0004, key: targeting, label: Targeting Cookies, trackers: [px.adlattice.com]}
    - {id: SALE, key: no_sale, label: Opt out of sale, opt_out: true, default: false, trackers: [widgets.socialgrid.io]}
"""
YAML = f"""
name: Magazine
hosts: [mag.example, consent.mag-privacy.example]
consent:
  groups: {GROUPS}
pages:
  - {{path: /, template: modal.html, hosts: [mag.example]}}
  - {{path: /panel, template: panel.html, hosts: [mag.example]}}
  - {{path: /tabs, template: tabs.html, hosts: [mag.example]}}
  - {{path: /framed, template: framed.html, hosts: [mag.example]}}
  - {{path: /frame, template: frame.html, fragment: true, hosts: [consent.mag-privacy.example]}}
"""
PAGE = """{% extends "kit/base.html" %}
{% from "kit/consent.html" import scripts, onetrust_banner, onetrust_center, onetrust_accordions, onetrust_tabs, framed_center %}
{% block head %}<link rel="stylesheet" href="{{ kit('consent.css') }}">{% endblock %}
{% block content %}<a href="#" data-consent="open">Cookie settings</a>
{{ onetrust_banner(consent, "We use cookies.") }}
CENTER{% endblock %}
{% block scripts %}{{ scripts(consent, site) }}{% endblock %}"""
ACCORDIONS = """{% call onetrust_center("Privacy", layout="LAYOUT", reject="Reject All", accept="Allow All") %}
{{ onetrust_accordions(consent, role="switch") }}{% endcall %}"""
TABS = """{% call onetrust_center("Privacy", layout="otPcTab") %}{% call onetrust_tabs(consent, "Your Privacy") %}
<p>About</p>{% endcall %}{% endcall %}"""
FRAME = """<!doctype html><html lang="en"><head><title>Choices</title><link rel="stylesheet" href="/_kit/consent.css"></head><body>
{% from "kit/consent.html" import scripts, onetrust_center, onetrust_accordions %}
{% call onetrust_center("Choices", layout="otPcPage") %}{{ onetrust_accordions(consent) }}{% endcall %}
<button data-consent="close">Not now</button>{{ scripts(consent, site) }}</body></html>"""
TEMPLATES = {
    "modal.html": PAGE.replace("CENTER", ACCORDIONS.replace("LAYOUT", "otPcCenter")),
    "panel.html": PAGE.replace("CENTER", ACCORDIONS.replace("LAYOUT", "otPcPanel")),
    "tabs.html": PAGE.replace("CENTER", TABS),
    "framed.html": PAGE.replace("CENTER", "{{ framed_center('https://consent.mag-privacy.example/frame', 'Choices') }}"),
    "frame.html": FRAME,
}  # fmt: skip
FRESH = {"choice": "none", "performance": True, "targeting": True, "no_sale": False}
ON_BY_DEFAULT = {"C0001", "C0002", "C0004", "SALE"}


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A server with the magazine beside the built-in sites, of which some are trackers."""
    root = tmp_path_factory.mktemp("sites")
    write_site(root / "mag", YAML, TEMPLATES)
    sandbox = Sandbox.start(sites=[root])
    yield sandbox
    sandbox.close()


@pytest.fixture
def episode(sandbox: Sandbox) -> Iterator[EpisodeHandle]:
    episode = sandbox.open_episode("mag", signed_in=[])
    yield episode
    episode.close()


class Reader:
    """Somebody who reads the magazine."""

    def __init__(self, tabs: Tabs, episode: EpisodeHandle) -> None:
        self.page = tabs.current
        self.episode = episode
        self.tabs = tabs

    def visit(self, path: str = "/") -> set[str]:
        """Opens a page; the kinds of trackers that noted it."""
        before = len(self.episode.state()["events"])
        self.page.goto(MAG + path)
        settle(self.tabs)
        events = self.episode.state()["events"][before:]
        return {event["data"]["group"] for event in events if event["kind"] == "tracker"}

    def flip(self, *kinds: str, place: Frame | None = None) -> None:
        """Switches kinds in the open preference centre."""
        for kind in kinds:
            (place or self.page.main_frame).click(f"label[for=ot-group-id-{kind}]")

    def press(self, text: str, place: Frame | None = None) -> None:
        """Presses what bears the text and waits for what comes of it."""
        (place or self.page.main_frame).click(f"text={text}")
        settle(self.tabs)

    @property
    def consent(self) -> dict[str, Any]:
        """The server's settings."""
        settings = self.episode.state()["sites"]["mag"]["settings"]
        return {key.removeprefix("consent."): value for key, value in settings.items()}


@pytest.fixture(scope="module")
def tabs(browser_thread: None, sandbox: Sandbox) -> Iterator[Tabs]:
    """A tab in the browser for this module's sandbox."""
    browser = shared_browser(BrowserOptions(args=tuple(sandbox.browser_args())))
    with closing(new_context(browser, viewport=(1000, 800))) as context:
        tabs = Tabs(context)
        context.new_page()
        yield tabs


@pytest.fixture
def reader(tabs: Tabs, episode: EpisodeHandle) -> Reader:
    """A reader on a first visit."""
    tabs.current.goto("about:blank")
    tabs.context.clear_cookies()
    tabs.context.set_extra_http_headers({EPISODE_HEADER: episode.id})
    return Reader(tabs, episode)


@pytest.mark.parametrize("path", ["/", "/panel"])
def test_a_confirmed_choice_is_kept_and_shown_again(reader: Reader, path: str) -> None:
    assert reader.visit(path) == ON_BY_DEFAULT
    reader.press("Cookies Settings")
    reader.flip("C0002", "SALE")
    reader.press("Confirm My Choices")
    assert reader.consent == {**FRESH, "choice": "custom", "performance": False, "no_sale": True}
    (receipt,) = reader.episode.state()["sites"]["mag"]["collections"]["consent_receipts"]
    assert receipt["groups"] == "C0001:1,C0002:0,C0004:1,SALE:1"
    assert [cookie["name"] for cookie in reader.page.context.cookies(MAG)] == ["OptanonConsent"]
    assert reader.visit(path) == {"C0001", "C0004"}, "the next page's trackers obey"
    assert reader.page.is_hidden("#onetrust-banner-sdk")
    reader.press("Cookie settings")
    assert not reader.page.is_checked("#ot-group-id-C0002")
    assert reader.page.get_attribute("#ot-group-id-SALE", "aria-checked") == "true"


def test_closing_the_centre_decides_nothing(reader: Reader) -> None:
    reader.visit()
    reader.press("Cookies Settings")
    reader.flip("C0002")
    reader.page.click("#close-pc-btn-handler")
    settle(reader.tabs)
    assert reader.consent == FRESH
    assert reader.page.is_visible("#onetrust-banner-sdk")
    reader.press("Cookie settings")
    assert reader.page.is_checked("#ot-group-id-C0002"), "what was switched is forgotten"
    reader.page.keyboard.press("Escape")
    assert reader.page.is_hidden("#onetrust-pc-sdk")
    assert reader.visit() == ON_BY_DEFAULT


@pytest.mark.parametrize(
    ("button", "settings", "trackers"),
    [
        ("Reject All", {"performance": False, "targeting": False, "no_sale": True}, {"C0001"}),
        ("Accept All Cookies", {"performance": True, "targeting": True, "no_sale": False}, ON_BY_DEFAULT),
    ],
)
def test_one_button_decides_for_all(
    reader: Reader, button: str, settings: dict[str, bool], trackers: set[str]
) -> None:
    reader.visit()
    reader.press(button)
    choice = "reject_all" if button == "Reject All" else "accept_all"
    assert reader.consent == {"choice": choice, **settings}
    assert reader.visit() == trackers


def test_tabs_show_one_kind_at_a_time(reader: Reader) -> None:
    reader.visit("/tabs")
    reader.press("Cookie settings")
    assert reader.page.is_hidden("label[for=ot-group-id-C0004]")
    reader.page.focus("#ot-tab-C0004")
    reader.page.keyboard.press("Enter")
    reader.flip("C0004")
    reader.press("Confirm My Choices")
    assert reader.consent == {**FRESH, "choice": "custom", "targeting": False}


def test_a_centre_in_a_frame_of_another_host_decides_for_the_page(reader: Reader) -> None:
    assert reader.visit("/framed") == ON_BY_DEFAULT
    reader.press("Cookie settings")
    frame = reader.page.frames[1]
    reader.flip("C0004", place=frame)
    reader.press("Not now", place=frame)
    assert reader.consent == FRESH
    assert reader.page.is_hidden("iframe")
    reader.press("Cookie settings")
    reader.flip("C0004", place=reader.page.frames[1])
    reader.press("Confirm My Choices", place=reader.page.frames[1])
    assert reader.consent == {**FRESH, "choice": "custom", "targeting": False}
    assert reader.page.is_hidden("iframe")
    assert reader.page.is_hidden("#onetrust-banner-sdk")
    assert reader.visit("/framed") == {"C0001", "C0002", "SALE"}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "JSON"),
        ("[1]", "JSON object"),
        ('{"choice": "none"}', "choice"),
        ('{"choice": "custom"}', "groups"),
        ('{"choice": "custom", "groups": {"C0009": true}}', 'unknown kind \\"C0009\\"'),
        ('{"choice": "custom", "groups": {"C0002": 1}}', "must be true or false"),
        ('{"choice": "custom", "groups": {"C0002": false, "C0001": false}}', "always active"),
    ],
)
def test_an_invalid_choice_changes_nothing(
    sandbox: Sandbox, episode: EpisodeHandle, body: str, reason: str
) -> None:
    reply = Visitor(sandbox.address, episode).json(f"{MAG}/_consent", body)
    assert reply.status == 400
    assert reason in reply.body
    state = episode.state()["sites"]["mag"]
    assert state["settings"]["consent.choice"] == "none"
    assert state["collections"]["consent_receipts"] == []


def edited(old: str, new: str) -> Callable[[], str]:
    """The YAML with something else in it."""
    assert old in YAML
    return lambda: YAML.replace(old, new)


@pytest.mark.parametrize(
    ("yaml", "problem"),
    [
        (edited("key: targeting", "key: performance"), "same key"),
        (edited("id: C0004", "id: C0002"), "same id"),
        (edited("key: targeting", "key: choice"), "not a lower-case name"),
        (edited("always: true", "always: true, default: false"), "on by default"),
        (edited("pages:", "settings: {consent.ads: {type: bool, default: true}}\npages:"), "leave it out"),
        (edited("opt_out: true", "optout: true"), "opt_out"),
    ],
)
def test_a_wrong_consent_is_named_at_load_time(tmp_path: Path, yaml: Callable[[], str], problem: str) -> None:
    folder = write_site(tmp_path / "mag", yaml(), TEMPLATES)
    with pytest.raises(SiteError, match=problem):
        load_site(folder)
