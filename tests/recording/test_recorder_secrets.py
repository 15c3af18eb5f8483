"""What a recording must never hold: rules one by one, and a sign-in page searched for what was typed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.kept_tab import borrowed_tab
from tests.recorder_support import (
    ACCOUNT,
    PASSWORD,
    PATIENCE,
    Record,
    Server,
    facts,
    opened_studio,
    record,
    recorded,
    rest,
    server,
    studio,
)
from tests.window_support import until
from websp_gym.paths import data_dir
from websp_gym.recording import RecorderBrowser
from websp_gym.replay import Fingerprint, replay
from websp_gym.replay.trace import Trace

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.usefixtures("browser_thread")

__all__ = ["opened_studio", "record", "server", "studio"]

OTP = "918273"
CARD = "4242 4242 4242 4242"
SECRETS = (
    PASSWORD,
    OTP,
    CARD,
    CARD.replace(" ", ""),
    "HIDDEN-7c1fa9",
    "CAPTCHA-03ad",
    "LINKTOKEN-55aa",
    "FRAGTOKEN-66bb",
    "secret-file",
)


FIELDS: tuple[tuple[dict[str, Any], str | None], ...] = (
    ({"type": "password"}, "password"),
    ({"type": "password", "hints": ["userPassword"]}, "password"),
    ({"type": "password", "hints": ["Verification code"]}, "secret"),
    ({"type": "text", "autocomplete": "one-time-code"}, "secret"),
    ({"type": "text", "autocomplete": "billing cc-number"}, "secret"),
    ({"type": "text", "autocomplete": "cc-name"}, None),
    ({"type": "text", "hints": ["otpCode"]}, "secret"),
    ({"type": "tel", "hints": ["Enter the 6-digit code"]}, "secret"),
    ({"type": "text", "hints": ["2FA"]}, "secret"),
    ({"type": "text", "hints": ["Card number"]}, "secret"),
    ({"type": "text", "hints": ["user_pwd"]}, "secret"),
    ({"type": "text", "hints": ["API key"]}, "secret"),
    ({"type": "textarea", "hints": ["g-recaptcha-response"]}, "secret"),
    ({"type": "text", "digits": True}, "secret"),
    ({"type": "text", "hints": ["Passport number"]}, None),
    ({"type": "text", "hints": ["Promo code"]}, None),
    ({"type": "text", "hints": ["Postal code", "zip"]}, None),
    ({"type": "search", "hints": ["Search privacy settings"]}, None),
    ({"type": "email", "autocomplete": "username"}, None),
)
"""What is known of a field, and what it asks for."""
TEXTS = (
    ("text", "Mail CAROL.JONES@Example.org now", "Mail {{account.email}} now"),
    ("text", "Signed in as carolj (Carol Jones)", "Signed in as {{account.username}} ({{account.name}})"),
    ("text", "carolju and Carol Joneses stay", "carolju and Carol Joneses stay"),
    (
        "url",
        "/u/carolj/mail?to=carol.jones%40example.org",
        "/u/{{account.username}}/mail?to={{account.email}}",
    ),
    ("path", "#carol\\.jones\\@example\\.org", "#{{account.email}}"),
    ("text", "x" * 110 + " carol.jo", "x" * 110),
    ("text", "template {{account.password}} {{x}}", "template { {account.password}} { {x}}"),
    ("text", "{{{x}} braces {{& {} of }} {", "{{ {x}} braces {{& {} of }} {"),
)
"""Kind and text of what is recorded, and the text with placeholders for the account's values."""


@pytest.fixture
def rules(opened_studio: RecorderBrowser) -> Iterator[Page]:
    """A page with the rules loaded."""
    page = opened_studio.context.new_page()
    for name in ("secret_rules.js", "secret_texts.js", "secrets.js"):
        page.evaluate((data_dir("extension") / name).read_text("utf-8"))
    yield page
    page.close()


def test_fields_are_told_apart_by_what_they_ask_for(rules: Page) -> None:
    bare = {"type": "", "autocomplete": "", "hints": [], "digits": False}
    found = rules.evaluate(
        "fields => fields.map(facts => __webspSecrets.kindOf(facts))",
        [{**bare, **facts} for facts, _ in FIELDS],
    )
    assert list(zip([facts for facts, _ in FIELDS], found, strict=True)) == list(FIELDS)


def test_the_accounts_values_become_placeholders(rules: Page) -> None:
    given = [[text, ACCOUNT, kind] for kind, text, _ in TEXTS]
    found = rules.evaluate("texts => texts.map(given => __webspSecrets.fillIn(...given))", given)
    assert found == [filled for _, _, filled in TEXTS]


def _sign_in(page: Page, folder: Path) -> None:
    page.click("[name=mail]")
    page.keyboard.type("carol.jones@example.org")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.click("text=Show password")
    page.click("#pw")
    page.click("[name=otp]")
    page.keyboard.type(OTP)
    page.click("#echo")
    page.click("[aria-label='Digit 1']")
    for digit, box in zip("7391", range(1, 5), strict=True):
        page.focus(f"[aria-label='Digit {box}']")
        page.keyboard.type(digit)
    page.click("[name=card]")
    page.keyboard.type(CARD)
    page.click("[name=any]")
    page.keyboard.type(CARD)
    upload = folder / "secret-file.txt"
    upload.write_text("x")
    page.set_input_files("[name=file]", upload)
    page.evaluate("document.getElementById('g-recaptcha-response').value = 'CAPTCHA-03ad'")
    page.click("#g-recaptcha-response")
    page.keyboard.type("CAPTCHA-03ad")
    page.click("h1")


def test_a_sign_in_page_leaves_no_secret_anywhere(
    studio: RecorderBrowser, record: Record, tmp_path: Path, server: Server
) -> None:
    page = record("secrets.html", screenshots=True)
    _sign_in(page, tmp_path)
    page.click("text=Continue")
    page.wait_for_url("**/secrets_next.html*")
    page.click("button")
    trace = studio.stop()
    everything = json.dumps([trace.model_dump(mode="json"), studio.call("recent", 50), _storage(studio)])
    assert [secret for secret in SECRETS if secret in everything] == []
    assert "carol.jones" not in everything.lower()
    assert facts(trace)[:3] == [
        ("type", ("textbox", "E-mail"), "{{account.email}}"),
        ("key", ("textbox", "E-mail"), "Tab"),
        ("type", ("textbox", "Password"), "{{account.password}}"),
    ]
    assert trace.omitted >= 7
    assert facts(trace)[-1] == ("click", ("button", "{{account.email}}"), None)
    assert trace.events[-1].url == f"{server.base}/secrets_next.html?next=1"
    link = trace.events[-2].target
    assert link is not None
    assert link.href == "secrets_next.html?next=1"


def _storage(studio: RecorderBrowser) -> Any:
    """Everything the extension keeps, but for what lies in memory only."""
    return studio.context.service_workers[-1].evaluate(
        """async () => {
          const request = indexedDB.open('recording');
          await new Promise(done => { request.onsuccess = done; });
          const all = request.result.transaction('events').objectStore('events').getAll();
          await new Promise(done => { all.onsuccess = done; });
          return [all.result, await chrome.storage.local.get(null)];
        }"""
    )


def test_no_file_of_ours_holds_a_secret_and_the_profile_goes(server: Server, tmp_path: Path) -> None:
    studio = RecorderBrowser()
    try:
        studio.page.goto(server.url("secrets.html"))
        studio.start("sign in", "local", account=ACCOUNT, screenshots=True)
        _sign_in(studio.page, tmp_path)
        studio.page.click("text=Continue")
        studio.page.wait_for_url("**/secrets_next.html*")
        studio.stop()
        out = tmp_path / "out"
        studio.save(out / "sign_in.json")
        # The profile as the browser leaves it on disk, searched before it is deleted.
        studio.context.close()
        mine = [path for path in out.rglob("*") if path.is_file()]
        theirs = [path for path in studio.profile.rglob("*") if path.is_file()]
        assert len(mine) >= 1
        assert len(theirs) > 10
        found = {
            (path.relative_to(studio.profile if path in theirs else out).as_posix(), secret)
            for path in [*mine, *theirs]
            for secret in SECRETS
            if (data := path.read_bytes()) and (secret.encode() in data or secret.encode("utf-16-le") in data)
        }
    finally:
        studio.close()
    assert found == set()
    assert not studio.profile.exists()


def test_no_picture_is_taken_while_a_secret_can_be_read(studio: RecorderBrowser, record: Record) -> None:
    page = record("secrets.html", screenshots=True)
    page.click("#echo")
    _until(studio, 1)
    page.click("[name=otp]")
    page.keyboard.type(OTP)
    page.click("#echo")
    rest(page)
    page.fill("[name=otp]", "")
    page.click("#echo")
    _until(studio, 2)
    pictures = [(event.type, bool(event.screenshot)) for event in recorded(studio).events]
    assert [taken for type_, taken in pictures if type_ == "click"] == [True, False, True]
    assert ("omitted", True) not in pictures


def _until(studio: RecorderBrowser, pictures: int) -> None:
    until(studio.page, lambda: len(studio.call("pictures")) >= pictures, "no picture was taken")


def _name_a_password(page: Page) -> None:
    for field, text in (
        ("to", "countess.ada@newmail.test"),
        ("owner", "ada"),
        ("confirm", "My mad password"),
        ("new_application_password_name", "My mail client"),
    ):
        page.click(f"[name={field}]")
        page.keyboard.type(text)
    page.click("text=Add")
    page.click("text=Copy")


def _recorded_name(studio: RecorderBrowser, server: Server) -> Trace:
    """The recording in which Ada names a password."""
    studio.page.goto(server.url("app_password.html"))
    studio.start("name it", "local", account={"username": "ada", "email": "ada@home.test"})
    _name_a_password(studio.page)
    server.wait_for(
        studio.page, {"name": "My mail client", "to": "countess.ada@newmail.test", "owner": "ada"}
    )
    return recorded(studio)


def test_the_name_of_a_password_is_recorded_and_the_password_is_not(
    studio: RecorderBrowser, server: Server
) -> None:
    trace = _recorded_name(studio, server)
    assert trace.omitted == 0
    assert [event.value for event in trace.events if event.type == "type"] == [
        "countess.ada@newmail.test",
        "{{account.username}}",
        "{{account.password}}",
        "My mail client",
    ]
    text = trace.model_dump_json()
    assert [part for part in ("Xy7Q", "k2Lm", "9PvR", "tT4z", "mad password") if part in text] == []
    copy = trace.events[-1].target
    assert copy is not None
    # Only the password is cut out of the text, and nothing that was typed on the way to another.
    assert copy.nearby == "Your new password for My mail client is:"


def test_another_account_gives_away_no_other_values_than_its_own(
    studio: RecorderBrowser, server: Server
) -> None:
    trace = _recorded_name(studio, server)
    server.state = {}
    account = {"username": "bob", "email": "bob@home.test", "password": "x", "name": "Bob"}
    with borrowed_tab(with_tabs=True) as tab:
        replay(trace, tab.tabs, set="recorded", account=account, timeout=PATIENCE)
        server.wait_for(
            tab.page, {"name": "My mail client", "to": "countess.ada@newmail.test", "owner": "bob"}
        )


@pytest.mark.parametrize("user", ["me", "test", "ada"])
def test_a_short_user_name_rewrites_no_text_of_the_page(
    user: str, studio: RecorderBrowser, server: Server
) -> None:
    studio.page.goto(server.url("app_password.html"))
    studio.start("short", "local", account={"username": user})
    studio.page.click("h1")
    studio.page.click("a")
    studio.page.click("text=Tell me more")
    trace = recorded(studio)
    texts = [text for event in trace.events if event.target for text in _texts(event.target)]
    assert "Application passwords" in texts
    written = [text for text in texts if "{{" in text]
    assert written == [text for text in written if user == "ada"]
    link = next(event.target for event in trace.events if event.target and event.target.tag == "a")
    assert link.name == ("{{account.username}}" if user == "ada" else "ada")
    assert link.href == ("/users/{{account.username}}" if user == "ada" else "/users/ada")


def test_the_names_of_a_group_hold_the_accounts_values_no_more_than_other_texts(
    studio: RecorderBrowser, server: Server
) -> None:
    studio.page.goto(server.url("account_tabs.html"))
    studio.start("tabs", "local", account=ACCOUNT)
    studio.page.click("text=About")
    studio.page.click("text=Help")
    groups = [event.target.group for event in recorded(studio).events if event.target]
    assert groups == [("About {{account.name}}", "{{account.email}}", "Help")] * 2


def _texts(target: Fingerprint) -> list[str]:
    return [
        text
        for text in (target.name, target.text, target.nearby, target.parent, target.sibling, target.section)
        if text
    ]
