"""Scripts of Playwright's code generator and projects of Selenium IDE become traces that a browser replays.

The files in ``data/scripts/codegen_*.txt`` are what the code generator wrote for one session on ``pages/replay_shop.html``.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.paths import DATA
from tests.replay_support import ACCOUNT, HOME, Bench, bench
from websp_gym.errors import ReplayError, SetupError
from websp_gym.replay import Trace, TraceEvent, replay
from websp_gym.replay.importers import Imported, import_trace

__all__ = ["bench"]

SCRIPTS = DATA / "scripts"
LANGUAGES = ["python", "python_async", "python_pytest"]
PAGE = f"{HOME}/shop"


def play(bench: Bench, trace: Trace, set_: Any = "recorded") -> None:
    replay(trace, bench.tabs, set=set_, account=ACCOUNT, timeout=30.0)


def states(bench: Bench) -> list[dict[str, Any]]:
    return [page.evaluate("state()") for page in bench.page.context.pages]


def imported(folder: Path, text: str, name: str = "script.py") -> Imported:
    path = folder / name
    path.write_text(text, "utf-8")
    return import_trace(path)[0]


def python(folder: Path, *lines: str) -> Imported:
    """The import of these lines after a page was opened."""
    body = "".join(f"    {line}\n" for line in (f'page.goto("{PAGE}")', *lines))
    return imported(
        folder, f"from playwright.sync_api import Page\n\ndef test_it(page: Page) -> None:\n{body}"
    )


def facts(event: TraceEvent) -> dict[str, Any]:
    target = event.target.model_dump(exclude_defaults=True) if event.target else {}
    return {key: value for key, value in target.items() if key != "tag"}


@pytest.mark.parametrize(
    "language", [LANGUAGES[0], *(pytest.param(name, marks=pytest.mark.proof) for name in LANGUAGES[1:])]
)
def test_what_the_code_generator_wrote_is_replayed(bench: Bench, language: str) -> None:
    trace = import_trace(SCRIPTS / f"codegen_{language}.txt")[0].trace
    play(bench, trace, "on")
    first, popup = states(bench)
    assert first == {
        "mail": ACCOUNT["email"],
        "pw": ACCOUNT["password"],
        "search": "it's",
        "news": True,
        "digest": ["false", "true"],
        "r": "b",
        "who": "all",
        "pressed": ["Go", "Go", "Save changes", "Reject all"],
    }
    assert popup["pressed"] == ["Save changes"]


def test_all_languages_of_the_code_generator_give_the_same_events() -> None:
    files = [import_trace(SCRIPTS / f"codegen_{language}.txt")[0] for language in LANGUAGES]
    assert all(one.format == "playwright" and one.left_out == () for one in files)
    events = [[event.model_dump() for event in one.trace.events] for one in files]
    assert events[1:] == events[:-1]
    assert [event["type"] for event in events[0]] == [
        "click", "type", "type", "key", "change", "change", "type", "change", "click", "click", "click", "click", "click",
    ]  # fmt: skip


def test_a_project_of_selenium_ide_is_replayed(bench: Bench) -> None:
    (one,) = import_trace(SCRIPTS / "selenium.side")
    assert (one.format, one.trace.name, one.trace.viewport.width) == ("selenium", "turn on", 1100)
    assert {(each.place, each.kind): each.matters for each in one.left_out} == {
        ("turn on[15]", "assertText"): False,
        ("turn on[16]", "executeScript"): True,
        ("turn on[17]", "dragAndDropToObject"): True,
    }
    with pytest.raises(ReplayError, match=r"omitted step.* the import left this step out"):
        play(bench, one.trace)
    first, popup = states(bench)
    assert (first["mail"], first["pw"], first["news"], first["who"]) == (
        ACCOUNT["email"],
        ACCOUNT["password"],
        True,
        "friends",
    )
    assert first["pressed"] == ["Go", "Save changes", "Reject all"]
    assert popup["pressed"] == ["Save changes"]
    assert bench.page.title() == "Shop"


def test_a_state_that_the_script_sets_is_kept_and_obeys_what_replay_is_asked_for(
    bench: Bench, tmp_path: Path
) -> None:
    lines = ('page.get_by_label("Newsletter").uncheck()', 'page.locator("li").filter(has_text="Weekly digest").get_by_role("switch").check()')  # fmt: skip
    trace = python(tmp_path, *lines).trace
    for set_, wanted in (("recorded", [False, "true"]), ("on", [True, "true"]), ("off", [False, "false"])):
        play(bench, trace, set_)
        (page,) = states(bench)
        assert [page["news"], page["digest"][1]] == wanted
        play(bench, trace, set_)  # what is there already is left


LOCATORS = {
    'get_by_role("button", name="Save", exact=True)': {"role": "button", "name": "Save"},
    'get_by_role("row", name="Order 7").get_by_role("button", name="Cancel")': {"role": "button", "name": "Cancel", "nearby": "Order 7"},
    'get_by_role("listitem").filter(has_text=re.compile(r"^Two words$")).get_by_role("switch")': {"role": "switch", "nearby": "Two words", "css": ':is([role="switch"])'},
    'locator("div").filter(has=page.get_by_text("Ads")).get_by_role("switch")': {"role": "switch", "nearby": "Ads …", "css": ':is([role="switch"])'},
    'get_by_placeholder("Say \\"hi\\"")': {"placeholder": 'Say "hi"', "css": '[placeholder="Say \\"hi\\""]'},
    'get_by_title("Close")': {"name": "Close", "css": '[title="Close"]'},
    'get_by_alt_text("Logo")': {"name": "Logo"},
    'get_by_test_id("go")': {"test_id": "go", "css": '[data-testid="go"]'},
    'locator("#main").locator("input[name=\\"news\\"]")': {"name_attr": "news", "css": '#main input[name="news"]'},
    'locator("//main/a[2]")': {"xpath": "//main/a[2]"},
    'locator("xpath=//button[@id=\\"x\\"]")': {"xpath": '//button[@id="x"]'},
    'locator("text=Save all")': {"text": "Save all"},
    'locator("a:has-text(\\"Terms\\")")': {"text": "Terms", "css": "a"},
    'locator("form >> #save")': {"id": "save", "css": "form #save"},
    'frame_locator("#outer").frame_locator("iframe").get_by_text("Yes")': {"text": "Yes", "frame_path": ("#outer", "iframe")},
    'locator("#outer").content_frame.get_by_text("Yes")': {"text": "Yes", "frame_path": ("#outer",)},
}  # fmt: skip


def test_a_locator_is_read(tmp_path: Path) -> None:
    for locator in LOCATORS:
        (event,) = python(tmp_path, f"page.{locator}.click()").trace.events
        assert facts(event) == LOCATORS[locator]


LEFT_OUT = {
    'page.get_by_role("button").click(button="right")': True,
    'page.get_by_role("button").click(modifiers=["Shift"])': True,
    'page.get_by_role("button").click(delay=900)': True,
    'page.locator("#file").set_input_files("a.txt")': True,
    'page.locator("#a").drag_to(page.locator("#b"))': True,
    'page.evaluate("document.forms[0].submit()")': True,
    'page.locator("#a").evaluate("e => e.click()")': True,
    'page.mouse.click(10, 10)': True,
    'page.keyboard.type("abc")': True,
    "page.reload()": True,
    "page.go_back()": True,
    'page.get_by_label(name).fill("x")': True,
    'page.get_by_label("Name").fill(os.environ["NAME"])': True,
    'page.get_by_label("Who").select_option(["a", "b"])': True,
    "for each in page.locator('li').all(): each.click()": True,
    "helper(page)": True,
    'page.get_by_role("button", name=re.compile("a|b")).click()': True,
    'expect(page.get_by_text("Saved")).to_be_visible()': False,
}  # fmt: skip


def test_a_step_that_no_trace_can_hold_is_listed_with_its_line(tmp_path: Path) -> None:
    for line in LEFT_OUT:
        one = python(tmp_path, line, 'page.get_by_role("button", name="Save").click()')
        (left,) = one.left_out
        assert (left.place, left.matters) == ("line 5", LEFT_OUT[line])
        assert left.why
        stops = [event.type for event in one.trace.events]
        assert stops == ["omitted", "click"] if left.matters else stops == ["click"]


def test_replay_stops_where_a_step_was_left_out(bench: Bench, tmp_path: Path) -> None:
    lines = ('page.get_by_role("button", name="Save").click(button="right")', 'page.get_by_label("Newsletter").check()')  # fmt: skip
    trace = python(tmp_path, *lines).trace
    with pytest.raises(
        ReplayError, match=r"event 1 \(omitted step\) failed .* remove this event from the trace"
    ):
        play(bench, trace)
    assert states(bench)[0]["news"] is False
    play(bench, trace.model_copy(update={"events": trace.events[1:]}))
    assert states(bench)[0]["news"] is True


def test_a_script_of_steps_that_no_trace_can_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="nothing that could be replayed"):
        python(tmp_path, "page.reload()")


def test_waiting_closing_and_looking_leaves_nothing_out(tmp_path: Path) -> None:
    one = python(
        tmp_path,
        'save = page.get_by_role("button", name="Save")',
        'page.wait_for_load_state("networkidle")',
        "save.wait_for()",
        'page.screenshot(path="a.png")',
        "save.click()",
        "page.close()",
    )
    assert one.left_out == ()
    assert [facts(event) for event in one.trace.events] == [{"role": "button", "name": "Save"}]


def test_nothing_of_a_script_is_executed(tmp_path: Path) -> None:
    """Neither when it is read nor by what it defines, imports or computes."""
    bait = tmp_path / "bait"
    text = f"from pathlib import Path\nPath({str(bait)!r}).touch()\n" + (
        "import playwright\n"
        f"def test_it(page):\n    page.goto('{PAGE}')\n    page.get_by_text(Path({str(bait)!r}).touch() or 'x').click()\n"
        f"    page.get_by_text('Save').click()\n"
    )
    one = imported(tmp_path, text)
    assert not bait.exists()
    assert [event.target.text for event in one.trace.events if event.target] == ["Save"]


def test_passwords_and_tokens_of_a_script_are_not_kept(tmp_path: Path) -> None:
    one = python(
        tmp_path,
        'page.get_by_label("E-mail").fill("carol@mail.test")',
        'page.get_by_label("Password").fill("Tr0ub4dor&3")',
        'page.get_by_label("Verification code").fill("482913")',
        'page.get_by_label("Note").fill("ghp_16C7e42F292c6912E7710c838347Ae178B4a")',
        'page.get_by_text("Signed in as carol@mail.test").click()',
        f'page.goto("{HOME}/magic/Zk3Q9xPm2LrT?token=abc")',
    )
    text = one.trace.model_dump_json()
    assert [
        secret for secret in ("Tr0ub4dor", "482913", "ghp_", "carol", "Zk3Q9x", "abc") if secret in text
    ] == []
    assert [event.value for event in one.trace.events[:2]] == ["{{account.email}}", "{{account.password}}"]


def test_a_password_from_outside_the_script_becomes_its_placeholder(tmp_path: Path) -> None:
    one = python(tmp_path, 'page.get_by_label("Password").fill(os.environ["PASSWORD"])')
    assert [event.value for event in one.trace.events] == ["{{account.password}}"]


def test_a_dialog_is_answered_as_the_script_does(tmp_path: Path) -> None:
    click = 'page.get_by_role("button", name="Delete").click()'
    one = python(tmp_path, 'page.once("dialog", lambda dialog: dialog.accept("yes"))', click, click)
    assert [(event.modal, event.modal_text) for event in one.trace.events] == [
        ("accept", "yes"),
        (None, None),
    ]
    two = python(tmp_path, 'page.once("dialog", lambda dialog: dialog.dismiss())', click)
    assert [event.modal for event in two.trace.events] == ["dismiss"]


def test_the_older_way_of_writing_scripts_is_read(tmp_path: Path) -> None:
    text = f"""
from playwright.sync_api import sync_playwright

def run(playwright):
    browser = playwright.chromium.launch()
    context = browser.new_context(viewport={{"width": 900, "height": 600}})
    page = context.new_page()
    page.goto("{PAGE}")
    page.fill('input[name="mail"]', "x")
    page.set_checked("#news", False)
    with page.expect_event("popup") as opened:
        page.click("text=Help")
    popup = opened.value
    popup.press("#q", "ControlOrMeta+a")
    browser.close()

with sync_playwright() as playwright:
    run(playwright)
"""
    one = imported(tmp_path, text)
    assert one.left_out == ()
    assert one.trace.viewport.width == 900
    assert [
        (event.type, event.value, event.key, event.popup, event.after and event.after.on)
        for event in one.trace.events
    ] == [
        ("type", "x", None, False, None),
        ("change", None, None, False, False),
        ("click", None, None, False, None),
        ("key", None, "Control+a", True, None),
    ]


OTHERS: list[tuple[str, str]] = [
    ("print('hello')", "it is another script"),
    ("from playwright.sync_api import Page\ndef test_a(page):\n  page.goto(", "this is not Python"),
    ("import { test } from '@playwright/test';\ntest('a', async ({ page }) => { await page.goto('", r"a script in JavaScript.*--target python-pytest"),
    ("import playwright\ndef test_a(page): page.goto('https://a.example')\ndef test_b(page): page.goto('https://a.example')", "several tests"),
    ("import playwright\ndef test_a(page): page.get_by_text('x').click()", "nothing before it opens"),
    ("import playwright\ndef test_a(page): page.goto('https://a.example')", "nothing that could be replayed"),
    ("using Microsoft.Playwright;\nawait page.GotoAsync(\"x\");", "a script in C#"),
]  # fmt: skip


def test_a_script_that_is_no_recording_says_what_it_is(tmp_path: Path) -> None:
    for text, says in OTHERS:
        with pytest.raises(SetupError, match=says):
            imported(tmp_path, text)


def test_a_script_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    for deep in ("page" + ".a" * 60_000, "page" + ".a()" * 30_000, "-" * 60_000 + "1", "(" * 60_000):
        with pytest.raises(SetupError, match=r"nested too deeply|not Python"):
            python(tmp_path, deep)


HOSTILE: tuple[Any, ...] = (None, 7, -1.5, True, "", "x" * 50_000, "${x}", "http://[", [], {}, [[]], "handle=${win}", "index=-1", "=", "css=", "\ud800")  # fmt: skip


def test_a_project_with_anything_in_it_is_a_trace_or_a_clear_error(tmp_path: Path) -> None:
    for key in ("command", "target", "targets", "value", "commands", "name", "tests", "url"):
        path = tmp_path / "hostile.side"
        project = json.loads((SCRIPTS / "selenium.side").read_text("utf-8"))
        places = {
            "tests": project,
            "url": project,
            "commands": project["tests"][0],
            "name": project["tests"][0],
        }
        commands = project["tests"][0]["commands"]
        for number, value in enumerate(HOSTILE):
            place = places.get(key, commands[number % len(commands)])
            before = place.get(key)
            place[key] = value
            path.write_text(json.dumps(project), "utf-8")
            place[key] = before
            with contextlib.suppress(SetupError):
                import_trace(path)
