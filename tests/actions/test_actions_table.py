"""The table of actions: one registration adds an action everywhere, and docs list what the table has."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.actions_support import Hands, hands, sites
from tests.paths import ROOT
from websp_gym.actions import ACTIONS, Action, ActionSpec, format_action, parse_action, register_action
from websp_gym.actions.grammar import MARK, NOTHING, spec_of
from websp_gym.actions.target import Target
from websp_gym.agents.history import PastLook
from websp_gym.agents.mllm import MllmAgent
from websp_gym.agents.prompt import Prompter
from websp_gym.agents.text import TextAgent
from websp_gym.errors import ActionError
from websp_gym.models import Text

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs
    from websp_gym.observation.marks import Marks

__all__ = ["hands", "sites"]


@pytest.fixture
def twelfth() -> Iterator[ActionSpec]:
    """One more action, registered for one test."""

    @register_action("Double_click", MARK, meaning="click the element twice", example="Double_click [4]")
    def double_click(action: Action, tabs: Tabs, marks: Marks) -> None:
        target = Target(marks, marks[action.number or 0])
        target.page.mouse.dblclick(*target.on_page(target.ask("reach")))

    yield double_click
    ACTIONS.remove(double_click)


def rules(agent: type[MllmAgent | TextAgent]) -> str:
    """The system prompt of an agent's model."""
    look = PastLook(
        page="a page", tabs=(), error="", elements="", picture=None, actions_left=20, seconds_left=9.0
    )
    (part,) = Prompter(agent.manner, "a task").messages([], look)[0].parts
    assert isinstance(part, Text)
    return part.text


@pytest.mark.parametrize("agent", [MllmAgent, TextAgent])
def test_a_registered_action_is_in_the_prompt(
    agent: type[MllmAgent | TextAgent], twelfth: ActionSpec
) -> None:
    assert "Double_click [Numerical_Label]: click the element twice. Example: Double_click [4]" in rules(
        agent
    )


def test_a_registered_action_is_parsed_formatted_and_named_in_errors(twelfth: ActionSpec) -> None:
    action = parse_action("Thought: twice\nAction: double_click [12]")
    assert action == Action("Double_click", 12)
    assert format_action(action) == "Double_click [12]"
    assert not action.free
    with pytest.raises(ActionError, match=r'did you mean "Double_click"\?.*ANSWER, Double_click'):
        parse_action("Doubleclick [12]")
    with pytest.raises(ActionError, match=r"expected: Double_click \[Numerical_Label\]"):
        parse_action("Double_click it")


def test_a_registered_action_is_performed(hands: Hands, twelfth: ActionSpec) -> None:
    hands.show("<button ondblclick=\"document.title = 'twice'\">Press</button>")
    hands.do("Double_click", "Press")
    assert hands.page.title() == "twice"


def test_an_action_that_is_not_registered_is_refused() -> None:
    with pytest.raises(ActionError, match="no such action: 'Double_click'"):
        spec_of(Action("Double_click", 4))


@pytest.mark.parametrize(
    ("kind", "example", "said"),
    [
        ("click", "click", 'there is already an action named "Click"'),
        ("Reload", "Reload now", "'Reload now' is not an example of Reload"),
        ("Reload", "Wait", "'Wait' is not an example of Reload"),
        ("Re load", "Re load", "'Re load' is not an example of Re load"),
    ],
)
def test_a_wrong_registration_is_refused_and_leaves_no_trace(kind: str, example: str, said: str) -> None:
    before = list(ACTIONS)
    with pytest.raises(ValueError, match=re.escape(said)):
        register_action(kind, NOTHING, meaning="load the page again", example=example)(lambda *_: None)
    assert before == ACTIONS


@pytest.mark.parametrize("page", ["docs/reference/agents.md", "docs/environment.md"])
def test_the_documented_table_is_the_table(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    rows = [f"| `{one.syntax}` | {one.meaning} | {'free' if one.free else 'yes'} |" for one in ACTIONS]
    assert "\n".join(["|---|---|---|", *rows, ""]) in text


def test_the_first_episode_shows_every_action_as_it_is_read() -> None:
    text = (ROOT / "docs/start/first-episode.md").read_text("utf-8")
    table = text[text.index("| action | effect |") :].split("\n\n", 1)[0]
    shown = [
        cell for line in table.splitlines()[2:] for cell in re.findall(r"`([^`]+)`", line.replace("\\|", "|"))
    ]
    words = [one.replace("up|down|left|right", "up").replace("WINDOW or 3", "3") for one in shown]
    assert {parse_action(one).kind for one in words} == {spec.kind for spec in ACTIONS}


def test_the_table_is_read_without_a_browser() -> None:
    code = "import sys, websp_gym.actions; print([name for name in sys.modules if name.startswith('playwright')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
