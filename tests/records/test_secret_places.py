"""No part of a secret on a page or in a file, wherever it is, gets into the trace."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.recorder_support import ACCOUNT, Server, opened_studio, server
from tests.secrets_support import ALONE, BESIDE_WORDS, Secret
from websp_gym.recording import RecorderBrowser
from websp_gym.replay.importers import import_trace

__all__ = ["opened_studio", "server"]

# Secrets that look ordinary by chance (one in thousands: "App password: paak dlkj tesi amak") would make a random run fail.
# Few examples, because Hypothesis also draws from the constants of all modules that are loaded: repeatable is not always.
REPEATABLE = settings(
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
FILLER = (
    "Here you see what other applications may read and change in your account until you take it back. " * 2
)

# {words}: the secret as a page shows it, {mark}: the bare secret, {go}: marks the element that is clicked.
TEXT_PLACES = {
    "own text": "<button {go}>{words}</button>",
    "aria-label": '<button {go} aria-label="{words}">x</button>',
    "title": '<button {go} title="{words}"></button>',
    "value": '<input {go} type="button" value="{words}">',
    "label": '<label>{words} <input {go} type="checkbox"></label>',
    "sibling": "<p>{words}</p><button {go}>Copy</button>",
    "parent": "<div>{words} <button {go}>Copy</button></div>",
    "heading": "<h3>{words}</h3><div><button {go}>Copy</button></div>",
    "list": "<ul><li>Name<li>{words}<li><button {go}>Copy</button></ul>",
    "long text": "<div>{filler}{words} <button {go}>Copy</button></div>",
    "long name": '<button {go} aria-label="{filler}{words} and more">x</button>',
    "text and id": '<div>{words} <button {go} id="copy-{mark}" data-testid="{mark}">Copy</button></div>',
    "apart from its words": "<div><h3>{before}</h3><p>{mark}</p><button {go}>{mark}</button></div>",
}
MARK_PLACES = {
    "id": '<button {go} id="row-{mark}">Copy</button>',
    "id of a parent": '<div id="{mark}"><span><button {go}>Copy</button></span></div>',
    "class": '<button {go} class="item {mark}">Copy</button>',
    "name": '<input {go} type="checkbox" name="{mark}">',
    "test id": '<button {go} data-testid="{mark}">Copy</button>',
    "placeholder": '<input {go} placeholder="{mark}">',
    "form": '<form id="{mark}"><button {go} type="button">Copy</button></form>',
    "action": '<form action="/profiles/{url}"><button {go} type="button">Copy</button></form>',
    "path": '<a {go} href="/profiles/{url}/edit" onclick="return false">Open</a>',
    "parameter": '<a {go} href="/keys?id={url}" onclick="return false">Open</a>',
    "fragment": '<a {go} href="#/profiles/{url}" onclick="return false">Open</a>',
    "option": '<input {go} type="radio" name="r" value="{mark}">',
    "frame": '<iframe id="{mark}" src="/framed_inner.html?key={url}" {go}></iframe>',
}  # fmt: skip


@st.composite
def blocks(draw: st.DrawFn) -> tuple[Secret, str, int]:
    """A secret, the part of a page that shows it, and how many letters stand before it in a long text."""
    if draw(st.booleans()):
        return (
            draw(ALONE),
            draw(st.sampled_from([*TEXT_PLACES.values(), *MARK_PLACES.values()])),
            draw(st.integers(60, 125)),
        )
    return draw(BESIDE_WORDS), draw(st.sampled_from(list(TEXT_PLACES.values()))), draw(st.integers(60, 125))


@st.composite
def everywhere(draw: st.DrawFn) -> list[tuple[Secret, str, int]]:
    """A block for each place."""
    beside = [(draw(ALONE | BESIDE_WORDS), place) for place in TEXT_PLACES.values()]
    alone = [(draw(ALONE), place) for place in MARK_PLACES.values()]
    return [(secret, place, draw(st.integers(60, 125))) for secret, place in (*beside, *alone)]


def html(number: int, secret: Secret, place: str, length: int) -> str:
    mark = escape(secret.text, quote=True)
    filled = place.format(
        go=f'data-go="{number}"', words=escape(secret.words, quote=True), mark=mark, url=quote(secret.text, safe=""), filler=FILLER[:length] + " ",
        before=escape(secret.shown.replace("{}", "") or "Token"),
    )  # fmt: skip
    return f"<section>{filled}</section>"


def leaked(secrets: Iterable[Secret], data: Any) -> dict[str, list[str]]:
    """The parts of secrets in the data, with the texts that they are in."""
    texts = list(strings(data))
    found = {}
    for secret in secrets:
        where = [text for text in texts if any(part in text for part in secret.parts())]
        if where:
            found[secret.words] = where
    return found


def strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for part in data.values() if isinstance(data, dict) else data:
            yield from strings(part)


@pytest.fixture(scope="module")
def visited(opened_studio: RecorderBrowser, server: Server) -> Iterator[RecorderBrowser]:
    yield opened_studio
    opened_studio.discard()


@pytest.mark.proof
@settings(REPEATABLE, max_examples=2)
@given(everywhere(), ALONE)
def test_no_part_of_a_secret_on_the_page_is_recorded(
    visited: RecorderBrowser, server: Server, shown: list[tuple[Secret, str, int]], in_url: Secret
) -> None:
    check_recorded(visited, server, shown, in_url)


@pytest.mark.proof
@pytest.mark.timeout(900)
@settings(REPEATABLE, max_examples=4)
@given(st.lists(blocks(), min_size=24, max_size=24), ALONE)
def test_no_part_of_many_secrets_on_the_page_is_recorded(
    visited: RecorderBrowser, server: Server, shown: list[tuple[Secret, str, int]], in_url: Secret
) -> None:
    check_recorded(visited, server, shown, in_url)


def check_recorded(
    visited: RecorderBrowser, server: Server, shown: list[tuple[Secret, str, int]], in_url: Secret
) -> None:
    page = visited.page
    visited.discard()
    page.goto(server.url("form_other.html"))
    page.set_content("".join(html(number, *block) for number, block in enumerate(shown)))
    page.evaluate(
        "secret => history.pushState(null, '', `/profiles/${secret}/edit?x=${secret}#${secret}`)",
        quote(in_url.text, safe=""),
    )
    visited.start("secrets", "local", account=ACCOUNT)
    for number, (_, place, _) in enumerate(shown):
        at = page.locator(f'[data-go="{number}"]')
        if "<iframe" in place:
            page.frame_locator(f'[data-go="{number}"]').locator("input").first.click()
        elif "placeholder" in place:
            at.press_sequentially("x")
        else:
            at.click()
    trace = visited.stop()
    assert len(trace.events) >= len(shown) - sum("<iframe" in place for _, place, _ in shown)
    assert leaked([in_url, *(secret for secret, _, _ in shown)], json.loads(trace.model_dump_json())) == {}


# -------------------------------------------------------------------- imports
START = "https://x.example/settings"
CLICK = {"type": "click", "tagName": "A", "site": START, "xpath": "/html/body/a", "selectorPath": "main > a"}
PUBLISHED = {
    **dict.fromkeys(("innerText", "ariaLabel", "title", "labelText", "parentTextContext", "headingText", "nearbyLabelText"), "{words}"),
    **dict.fromkeys(("id", "name", "dataTestId", "placeholder", "classList"), "{mark}"),
    "outerHTML": '<a class="{mark}" aria-label="{mark}" data-testid="{mark}">',
    "selectorPath": "#{css} > a",
    "xpath": '//*[@id="{mark}"]/a',
    "href": "/profiles/{url}?x={url}",
    "site": "https://x.example/profiles/{url}?x={url}#{url}",
}  # fmt: skip
SELECTORS = (
    "aria/{words}", 'aria/{words}[role="button"]', "text/{words}", "#{css}", "button.{css}", '[data-testid="{mark}"]',
    'a[href="/profiles/{url}"]', 'xpath///*[@id="{mark}"]', "pierce/#{css}",
)  # fmt: skip


def css(secret: Secret) -> str:
    return re.sub(r"([^A-Za-z0-9_-])", r"\\\1", secret.text)


def filled(form: str, secret: Secret) -> str:
    return form.format(words=secret.words, mark=secret.text, url=quote(secret.text, safe=""), css=css(secret))


@st.composite
def files(draw: st.DrawFn) -> tuple[list[Secret], dict[str, Any]]:
    """Secrets, and a published trace or a flow of Chrome's Recorder that holds them."""
    alone = draw(st.lists(ALONE, min_size=6, max_size=6))
    worded = draw(st.lists(BESIDE_WORDS, min_size=3, max_size=3))
    if draw(st.booleans()):
        events: list[dict[str, Any]] = [
            {
                **CLICK,
                key: filled(form, secret),
            }
            for secret in alone
            for key, form in PUBLISHED.items()
        ]
        events += [
            {
                **CLICK,
                "id": f"a-{secret.text}",
                key: f"{FILLER[: draw(st.integers(60, 125))]} {secret.words}",
            }
            for secret in worded
            for key in ("innerText", "ariaLabel", "parentTextContext")
        ]
        return [*alone, *worded], {"startUrl": f"{START}?x={quote(alone[0].text, safe='')}", "events": events}
    steps: list[dict[str, Any]] = [
        {"type": "navigate", "url": f"https://x.example/profiles/{quote(alone[0].text, safe='')}"}
    ]
    steps += [
        {"type": "click", "selectors": [["main > a"], [filled(form, secret)]]}
        for secret in alone
        for form in SELECTORS
    ]
    steps += [
        {"type": "click", "selectors": [["main > a"], [f"aria/{secret.words}"], [f"#a-{css(secret)}"]]}
        for secret in worded
    ]
    return [*alone, *worded], {"title": "t", "steps": steps}


@settings(REPEATABLE, max_examples=12)
@given(files())
def test_no_part_of_a_secret_in_a_file_is_imported(given_: tuple[list[Secret], dict[str, Any]]) -> None:
    secrets, data = given_
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file.json"
        path.write_text(json.dumps(data), "utf-8")
        (imported,) = import_trace(path)
    assert leaked(secrets, json.loads(imported.trace.model_dump_json())) == {}
