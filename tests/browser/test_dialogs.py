"""Native dialogs that an agent answers: what it has read, for one action, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.actions_support import Hands, hands, sites
from tests.check_support import write_checked
from tests.conftest import MakeEnv
from websp_gym.actions import ACTIONS, Action, format_action, parse_action
from websp_gym.agents.text import read_call
from websp_gym.authoring import SearchPaths, check_site
from websp_gym.browser.notices import LONGEST, Notices
from websp_gym.env import WebspEnv
from websp_gym.errors import ActionError
from websp_gym.records.trajectory import ActionRecord

__all__ = ["hands", "sites"]

REVOKE = """<p id=said>-</p><button onclick="said.textContent = confirm('Revoke this key?')">Revoke</button>
<button onclick="said.textContent = confirm('Close the account?')">Close</button>
<button onclick="said.textContent = [confirm('Revoke this key?'), confirm('Also its children?')]">Both</button>
<button onclick="said.textContent = prompt('New name', 'old')">Rename</button>"""


def said(hands: Hands) -> str:
    return hands.page.inner_text("#said")


# ------------------------------------------------------------------------------------------------- the text


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Next_dialog; accept", Action("Next_dialog", accept=True)),
        ("next_dialog ; [Dismiss]", Action("Next_dialog", accept=False)),
        ("Next_dialog; accept; my key; old", Action("Next_dialog", accept=True, text="my key; old")),
        ("Thought: x\nAction: Next_dialog; accept; [key]", Action("Next_dialog", accept=True, text="key")),
        ("Next_dialog; accept;", Action("Next_dialog", accept=True, text="")),
    ],
)
def test_the_answer_to_a_dialog_is_read_written_and_free(text: str, action: Action) -> None:
    assert parse_action(text) == action
    assert parse_action(format_action(action)) == action
    assert action.free
    record = ActionRecord.of(action, None)
    assert (record.kind, record.text) == ("Next_dialog", format_action(action))
    assert read_call(format_action(action)) == format_action(action)


@pytest.mark.parametrize(
    "text", ["Next_dialog", "Next_dialog; yes", "Next_dialog; dismiss; x", "Next_dialog accept"]
)
def test_half_an_answer_is_refused_with_the_right_form(text: str) -> None:
    with pytest.raises(ActionError, match=r"expected: Next_dialog; \[accept or dismiss\]"):
        parse_action(text)


def test_nothing_is_reported_before_there_is_a_dialog() -> None:
    assert "Next_dialog" not in [spec.kind for spec in ACTIONS]
    assert len(ACTIONS) == 11
    with pytest.raises(ActionError) as caught:
        parse_action("Nextdialogue")
    assert "Next_dialog" not in str(caught.value)


# ---------------------------------------------------------------------------------------------- its effect


def test_a_question_that_was_read_is_accepted_when_it_comes_again(hands: Hands) -> None:
    hands.show(REVOKE)
    hands.click("Revoke")
    assert said(hands) == "false"
    hands.do("Next_dialog; accept")
    hands.do("Wait")
    hands.click("Revoke")
    assert said(hands) == "true"
    (note,) = hands.tabs.notices.texts
    assert note.endswith("'Revoke this key?'; it was answered with OK")
    hands.click("Revoke")
    assert said(hands) == "false", "one decision is one answer"


def test_a_text_is_given_to_a_prompt_and_its_own_one_kept_without(hands: Hands) -> None:
    hands.show(REVOKE)
    hands.click("Rename")
    assert "suggesting 'old'" in hands.tabs.notices.texts[0]
    for decision, result in [("accept; new", "new"), ("accept", "old"), ("accept;", ""), ("dismiss", "null")]:
        hands.do(f"Next_dialog; {decision}")
        hands.click("Rename")
        assert hands.page.text_content("#said") == ("" if result == "null" else result)


def test_an_unread_dialog_is_cancelled_and_ends_the_decision(hands: Hands) -> None:
    hands.show(REVOKE)
    hands.click("Revoke")
    hands.do("Next_dialog; accept")
    hands.click("Close")
    assert said(hands) == "false"
    assert "'Close the account?'; it was answered with Cancel" in hands.tabs.notices.texts[0]
    hands.click("Revoke")
    assert said(hands) == "false"


def test_a_decision_holds_for_one_action(hands: Hands) -> None:
    hands.show(REVOKE + "<button onclick=0>Other</button>")
    hands.click("Revoke")
    hands.do("Next_dialog; accept")
    hands.click("Other")
    hands.click("Revoke")
    assert said(hands) == "false"


def test_a_dialog_that_comes_late_still_belongs_to_the_action(hands: Hands) -> None:
    hands.show(
        "<p id=said>-</p><button onclick=\"setTimeout(() => { said.textContent = confirm('Late?') }, 900)\">Go</button>"
    )
    hands.click("Go")
    hands.do("Wait")
    hands.page.wait_for_function("said.textContent === 'false'")
    hands.do("Next_dialog; accept")
    hands.click("Go")
    hands.do("Wait")
    hands.page.wait_for_function("said.textContent === 'true'")


def test_two_questions_of_one_click_take_two_decisions(hands: Hands) -> None:
    hands.show(REVOKE)
    hands.click("Both")
    assert said(hands) == "false,false"
    hands.do("Next_dialog; accept")
    hands.do("Next_dialog; dismiss")
    hands.click("Both")
    assert said(hands) == "true,false"
    hands.do("Next_dialog; accept")
    hands.do("Next_dialog; accept")
    hands.click("Both")
    assert said(hands) == "true,true"


def test_no_decision_applies_before_the_question_was_read(hands: Hands) -> None:
    hands.show(REVOKE + "<button onclick=\"alert('Hi')\">Hello</button>")
    hands.click("Hello")
    assert "has not shown a dialog that can be answered" in hands.refused("Next_dialog; accept")
    hands.tabs.begin_step()
    hands.page.get_by_role("button", name="Revoke").click()
    with pytest.raises(ActionError, match="has not shown"):
        hands.tabs.dialogs.decide(accept=True)


def test_a_question_too_long_to_be_shown_is_never_accepted(hands: Hands) -> None:
    hands.show("<p id=said>-</p><button onclick=\"said.textContent = confirm('x'.repeat(401))\">Ask</button>")
    hands.click("Ask")
    assert "too long to be shown" in hands.tabs.notices.texts[0]
    assert "has not shown a dialog" in hands.refused("Next_dialog; accept")


def test_leaving_a_page_is_never_decided_by_it(hands: Hands) -> None:
    hands.site.put("/away", REVOKE)
    hands.show(
        f"{REVOKE}<a href=/away>Away</a><input aria-label=Note><script>onbeforeunload = (e) => e.preventDefault()</script>"
    )
    hands.click("Revoke")
    hands.type("Note", "x")
    hands.do("Next_dialog; dismiss")
    hands.click("Away")
    assert hands.page.url.endswith("/away")


def test_notices_without_end_are_counted_and_cut() -> None:
    notices = Notices()
    assert all(notices.add(f"{number:03} {'x' * 96}") for number in range(10))
    assert not notices.add("y" * 100)
    assert not notices.add("z" * 100)
    assert notices.add(f"000 {'x' * 96}"), "the same one is told once"
    assert len("".join(notices.texts[:-1])) <= LONGEST
    assert notices.texts[-1] == "and 2 more"
    notices.clear()
    assert notices.texts == []


# ------------------------------------------------------------------------------------------- in an episode


@pytest.fixture
def env(make: MakeEnv) -> WebspEnv:
    env = make("Steam-task-191-ON", initial_state="snapshot", max_actions=9)
    env.reset(seed=1)
    env.page.set_content(f"<!doctype html><body>{REVOKE}")
    env.step("Wait")
    return env


def test_calls_decide_too_and_cost_nothing(env: WebspEnv) -> None:
    pytest.importorskip("browsergym.core", reason="calls are BrowserGym's")
    left = env.step("handle_dialog(accept=True)")[0]
    assert "has not shown a dialog" in left["last_action_error"]
    x, y = env.page.evaluate(
        "(({x, y}) => [x + 5, y + 5])(document.querySelector('button').getBoundingClientRect())"
    )
    click = f"mouse_click({x}, {y})"
    # The question within this very list was not read when the answer to it was chosen.
    blind, *_ = env.step(f"{click}\nhandle_dialog(True)\n{click}")
    assert "has not shown a dialog" in blind["last_action_error"]
    seen, *_ = env.step(f"handle_dialog(accept=True)\n{click}")
    assert env.page.inner_text("#said") == "true"
    assert seen["actions_left"] == blind["actions_left"] - 1
    for wrong in ("handle_dialog('yes')", "handle_dialog(True, 3)"):
        assert "handle_dialog() takes True or False" in env.step(wrong)[0]["last_action_error"]
    assert "missing a required argument: 'accept'" in env.step("handle_dialog()")[0]["last_action_error"]


def test_a_dialog_between_steps_blocks_nothing_and_is_reported_in_the_next(env: WebspEnv) -> None:
    env.page.evaluate(
        "setTimeout(() => { document.getElementById('said').textContent = confirm('Still here?') }, 50)"
    )
    env.page.wait_for_function("said.textContent === 'false'")
    seen, *_ = env.step("Scroll [WINDOW]; up")
    assert "'Still here?'; it was answered with Cancel" in seen["last_action_error"]
    assert "dialog" not in env.step("Wait")[0]["last_action_error"]


ASKS = """<script>
document.querySelector("form").onsubmit = () => confirm("Save these choices?");
</script>"""


@pytest.mark.proof
@pytest.mark.timeout(300)
def test_a_site_that_asks_in_a_native_dialog_passes_its_checks(tmp_path: Path) -> None:
    write_checked(tmp_path, "Asking", home=ASKS)
    places = SearchPaths.below(tmp_path)
    with places.known(), places.served():
        report = check_site("asking")
    assert [finding.line() for finding in report.failures] == []
