"""BrowserGym on our environment: its observation keys, and what its actions do, on which tab, and which are refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from browsergym.core import observation as stock
from playwright.sync_api import Route

from tests.conftest import MakeEnv
from websp_gym.browser.owner import call
from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env
from websp_gym.observation.browsergym import KEYS, extract

INSTANCE = "Steam-task-191-OFF"
SITE = "https://form.example"

FORM = """<!doctype html><body style="margin:0">
<input id=name aria-label=Name> <select id=who><option>Everyone</option><option>Nobody</option></select>
<input type=checkbox id=tick> <button id=go onclick="this.textContent = 'Done'">Go</button>
<a id=tab href=/tab target=_blank>Tab</a> <a id=next href=/next>Next</a> <button id=ask onclick="ask.textContent = confirm('Sure?')">Ask</button>
<div id=menu onmouseenter="hint.hidden = false" style="width:100px">Menu<p id=hint hidden>Hint</p></div>
<div id=box style="width:100px;height:100px;overflow:auto"><div style="height:900px">Long</div></div><p style="height:3000px"></p></body>"""


class Bench:
    """An environment that shows a page of the test.

    Args:
        env: The environment, reset.
    """

    def __init__(self, env: WebspEnv) -> None:
        self.env = env
        self.observation: dict[str, Any] = {}

    def do(self, *calls: str) -> str:
        """Takes one action; ``{id}`` stands for the bid of the element with this id; returns the error."""
        text = "\n".join(calls)
        ids = "Object.fromEntries([...document.querySelectorAll('[id]')].map(el => [el.id, el.getAttribute('bid')]))"
        for name, bid in self.env.page.evaluate(ids).items():
            text = text.replace(f"{{{name}}}", repr(bid))
        self.observation, *_ = self.env.step(text)
        return str(self.observation["last_action_error"])

    def look(self, script: str) -> Any:
        """Evaluates a script on the current tab."""
        return self.env.page.evaluate(script)

    def path(self) -> str:
        """Path of the current tab's URL."""
        return self.env.page.url.removeprefix(SITE)


PAGES = {
    "/form": FORM,
    "/tab": "<button id=close onclick='window.close()'>Close</button>",
    "/next": "<p>Next</p>",
}


def answer(route: Route) -> None:
    """Serves the pages of the test: the sandbox lets no request out to a server of its own."""
    route.fulfill(body=PAGES[route.request.url.removeprefix(SITE)], content_type="text/html")


@pytest.fixture(scope="module")
def env() -> Iterator[WebspEnv]:
    """An environment for the whole file: no test ends its episode."""
    env = make_env(INSTANCE, initial_state="snapshot", observation="browsergym", max_actions=1000)
    env.reset(seed=1)
    assert env.context is not None
    env.context.route(f"{SITE}/**", answer)
    yield env
    env.close()


@pytest.fixture
def bench(env: WebspEnv) -> Bench:
    """The environment on the form above, in its only tab."""
    page = env.page
    for other in env.tabs.pages:
        if other != page:
            other.close()
    page.goto(f"{SITE}/form")
    env.tabs.forget_history()
    bench = Bench(env)
    bench.do("noop(1)")
    return bench


def test_elements_are_operated_by_their_bids(bench: Bench) -> None:
    assert bench.do("fill({name}, 'Ada')") == ""
    assert bench.do("select_option({who}, 'Nobody')") == ""
    assert bench.do("check({tick})") == ""
    assert bench.do("click({go})") == ""
    assert bench.look("[document.getElementById('name').value, who.value, tick.checked, go.textContent]") == [
        "Ada",
        "Nobody",
        True,
        "Done",
    ]
    assert bench.do("uncheck({tick})\nclear({name})\nfocus({name})\npress({name}, 'x')\nhover({menu})") == ""
    assert bench.look("[document.getElementById('name').value, tick.checked, hint.hidden]") == [
        "x",
        False,
        False,
    ]
    assert bench.observation["focused_element_bid"] == bench.look(
        "document.getElementById('name').getAttribute('bid')"
    )


def test_mouse_and_keyboard_work_on_coordinates(bench: Bench) -> None:
    box = bench.env.page.locator("#name").bounding_box()
    assert box is not None
    x, y = box["x"] + 10, box["y"] + 10
    assert bench.do(f"mouse_click({x}, {y})", "keyboard_type('ab')", "keyboard_press('Backspace')") == ""
    assert (
        bench.do(
            "keyboard_insert_text('ö')",
            "keyboard_down('Shift')",
            "keyboard_press('KeyZ')",
            "keyboard_up('Shift')",
        )
        == ""
    )
    assert bench.look("document.getElementById('name').value") == "aöZ"
    assert (
        bench.do(
            f"mouse_move({x}, {y})",
            f"mouse_down({x}, {y})",
            f"mouse_up({x}, {y})",
            f"mouse_dblclick({x}, {y})",
        )
        == ""
    )
    assert bench.do("mouse_move(1000, 900)", "scroll(0, 400)") == ""
    bench.env.page.wait_for_function("scrollY === 400")


def test_pages_and_tabs_are_followed(bench: Bench) -> None:
    assert bench.do(f"goto('{SITE}/next')") == ""
    assert bench.path() == "/next"
    assert bench.do("go_back()") == ""
    assert bench.path() == "/form"
    assert bench.do("go_forward()") == ""
    assert bench.do("new_tab()", f"goto('{SITE}/tab')") == ""
    assert bench.path() == "/tab"
    assert bench.observation["open_pages_urls"] == (f"{SITE}/next", f"{SITE}/tab")
    assert bench.observation["active_page_index"].tolist() == [1]
    assert bench.do("tab_focus(0)") == ""
    assert (bench.path(), bench.observation["active_page_index"].tolist()) == ("/next", [0])
    assert bench.do("tab_focus(1)", "tab_close()") == ""
    assert (bench.path(), len(bench.observation["open_pages_urls"])) == ("/next", 1)
    assert bench.do("tab_close()") == ""
    assert bench.observation["url"] == "about:blank"


def test_a_tab_that_a_click_opens_becomes_the_current_one_also_within_a_list(bench: Bench) -> None:
    assert bench.do("click({tab})") == ""
    assert bench.path() == "/tab"
    assert bench.do("click({close})") == ""
    assert bench.path() == "/form"
    assert bench.do("click({tab})", "noop(1000)", "keyboard_press('Tab')", "keyboard_press('Enter')") == ""
    assert bench.path() == "/form", "the keys went to the new tab and closed it"


IMPOSSIBLE = (
    ("click('zzz')", 'Could not find element with bid "zzz"'),
    ("click('99999')", "Could not find element"),
    ("click()", "missing"),
    ("click({go}, button='up')", "click() failed"),
    ("fill({go}, 'x')", "fill() failed"),
    ("select_option({who}, 'Maybe')", "select_option() failed"),
    ("tab_focus(9)", "tab_focus() failed"),
    ("goto('file:///etc/passwd')", "only http and https"),
    ("goto(url='chrome://version')", "only http and https"),
    ("goto('about:blank')", "only http and https"),
    ("upload_file({name}, '/etc/passwd')", "upload_file() is not an action"),
    ("noop(60000)", "waits at most 10000 milliseconds"),
    ("noop(6000) noop(6000)", "waits at most 10000 milliseconds"),
    ("noop(-1)", "noop() takes a number of milliseconds"),
    ("scroll(1e999, 0)", "expected a number from -1,000,000 to 1,000,000"),
    ("mouse_move(1e308, 1)", "expected a number from"),
    ("fill({name}, '\\ud83d')", "a lone surrogate"),
    ("fill({name}, 'C:\\Users\\me')", "write a backslash twice"),
    ("goto('http://[')", "goto('http://[') is refused"),
    ("goto('http://a\u2100b/')", "is refused"),
    ("keyboard_type('" + "x" * 3000 + "')", "a key counts as 5"),
    ("keyboard_press('" + "a+" * 3000 + "a')", "a key counts as 5"),
    ("noop() " * 21, "expected at most 20"),
    ("page.evaluate('1')", "no such action"),
    ("click({go}); import os", "not a list of BrowserGym calls"),
    ("dance('a')", "dance() is not an action"),
)


def test_an_impossible_call_is_explained_and_changes_nothing(bench: Bench) -> None:
    for text, hint in IMPOSSIBLE:
        assert hint in bench.do(text)
        values = bench.look("[go.textContent, document.getElementById('name').value, who.value]")
        assert (bench.path(), *values) == ("/form", "Go", "", "Everyone"), text


def test_a_list_with_one_call_that_is_refused_is_refused_as_a_whole(bench: Bench) -> None:
    assert "upload_file() is not an action" in bench.do("click({go})", "upload_file({name}, 'x')")
    assert bench.look("go.textContent") == "Go"


@pytest.mark.parametrize("call", ["click", "dblclick"])
def test_a_click_that_the_page_is_slow_to_answer_is_made_once(bench: Bench, call: str) -> None:
    bench.look(
        """() => { globalThis.presses = 0; go.onmousedown = () => { presses++; };
        go.onmouseup = () => { const was = Date.now(); while (Date.now() - was < 550); }; }"""
    )
    assert bench.do(f"{call}({{go}})") == ""
    assert bench.look("presses") == {"click": 1, "dblclick": 2}[call]


def test_native_dialogs_are_reported(bench: Bench) -> None:
    assert "native confirm dialog: 'Sure?'; it was answered with Cancel" in bench.do("click({ask})")
    assert bench.look("ask.textContent") == "false"


@pytest.mark.parametrize(
    ("call", "reason"), [("send_msg_to_user('done')", "answer"), ("report_infeasible('no')", "infeasible")]
)
def test_the_last_word_ends_the_episode(make: MakeEnv, call: str, reason: str) -> None:
    env = make(INSTANCE, observation="browsergym")
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(call)
    assert (terminated, truncated, info["reason"]) == (True, False, reason)
    assert reward == (1.0 if reason == "answer" else 0.0)


def test_each_call_of_a_list_is_an_action_but_waiting_and_scrolling(make: MakeEnv) -> None:
    env = make(INSTANCE, observation="all", max_actions=3)
    observation, _ = env.reset(seed=1)
    for calls, left in [
        ("mouse_move(1, 1)\nnoop(1)\nscroll(0, 9)\nscroll_at(1, 1, 0, -9)\nmouse_move(2, 2)", 1),
        ("noop(1)\nscroll(0, 9)", 1),
    ]:
        observation, *_ = env.step(calls)
        assert (observation["last_action_error"], observation["actions_left"]) == ("", left)
    observation, reward, terminated, truncated, info = env.step("mouse_move(5, 5)\nsend_msg_to_user('done')")
    assert "1 action left, the list has 2; nothing was done" in observation["last_action_error"]
    assert (reward, terminated, truncated, info["reason"]) == (0.0, False, True, "action_limit")
    assert env.task is not None
    assert [step.counted for step in env.task.trajectory.steps] == [2, 0, 1]


def test_our_own_actions_work_alongside(bench: Bench) -> None:
    assert bench.do("Scroll [WINDOW]; down") == ""
    assert bench.look("scrollY") > 600
    assert bench.do("Scroll [WINDOW]; up") == ""
    assert "could not read" in bench.do("Click (3)")


def test_the_clipboard_is_an_episodes_own(make: MakeEnv) -> None:
    mine, other = (make("Steam-task-191-ON") for _ in range(2))
    for env in (mine, other):
        env.reset()
        env.page.set_content("<input id=one value=secret><iframe srcdoc='<input id=two>'></iframe>")
    mine.page.focus("#one")
    mine.step("keyboard_press('Control+a')\nkeyboard_press('Control+c')")
    other.page.focus("#one")
    other.page.keyboard.press("End")
    for keys in ("Control+v", "Shift+Insert"):
        other.step(f"keyboard_press('{keys}')")
    assert other.page.input_value("#one") == "secret"
    mine.page.frames[1].focus("#two")
    mine.step("keyboard_press('Control+v')")
    assert mine.page.frames[1].input_value("#two") == "secret"
    mine.page.focus("#one")
    mine.step("keyboard_press('Control+a')\nkeyboard_press('Control+x')\nkeyboard_press('ControlOrMeta+V')")
    assert mine.page.input_value("#one") == "secret"
    mine.reset()
    mine.page.set_content("<input id=one>")
    mine.page.focus("#one")
    mine.step("keyboard_press('Control+v')")
    assert mine.page.input_value("#one") == ""


def test_the_observation_keys_are_to_the_byte_what_browsergym_gives(make: MakeEnv) -> None:
    env = make(INSTANCE, viewport=(800, 600))
    env.reset()
    # The first call numbers the elements.
    call(lambda: _stock_keys(env))
    ours = call(lambda: extract(env.page))
    assert json.dumps(ours) == json.dumps(call(lambda: _stock_keys(env)))
    assert tuple(ours) == KEYS


def _stock_keys(env: WebspEnv) -> dict[str, Any]:
    page = env.page
    stock._pre_extract(page)
    dom = stock.extract_dom_snapshot(page)
    keys = {
        "dom_object": dom,
        "axtree_object": stock.extract_merged_axtree(page),
        "extra_element_properties": stock.extract_dom_extra_properties(dom, scale_factor=1.0),
        "focused_element_bid": stock.extract_focused_element_bid(page),
    }
    stock._post_extract(page)
    return keys
