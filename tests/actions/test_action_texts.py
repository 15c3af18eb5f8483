"""Any text of an agent is at once an action or an :class:`ActionError`: in the parser, and in a real episode."""

from __future__ import annotations

import contextlib
import itertools
import string
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsergym.core.action.parsers import NamedArgument, highlevel_action_parser
from hypothesis import given
from hypothesis import strategies as st

from websp_gym.actions import ACTIONS, parse_action
from websp_gym.actions.browsergym import looks_like_calls, parse_calls
from websp_gym.actions.calls import read_calls
from websp_gym.actions.grammar import thought_of
from websp_gym.actions.reply import LONGEST_ACTION, kept
from websp_gym.agents.reply import read_marks_action, read_reply
from websp_gym.agents.text import read_call
from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env
from websp_gym.errors import ActionError
from websp_gym.models import Reply
from websp_gym.records.load import load_trajectory
from websp_gym.records.results import Result
from websp_gym.records.runs import append_result, read_results

CALLS = (
    # Text that no parser of Python takes.
    r"fill('12', 'C:\Users\me')", r"click('\N{x}')", r"click('\x')", "click('\0')", "click('\ud83d')", r"click('\ud83d')",
    "click('a", "click(\"\"\"a", "click('a'))", "click(('a')", "click('a',,)", "click(a)", "click(b'a')", "click(f'{a}')",
    "click('a' 'b')", "click(*['a'])", "click(**{'bid': 'a'})", "click(bid='a', bid='b')", "click(bid='a', 'b')", "click",
    "click('a').click('b')", "click(click('a'))", "click(1 + 1)", "click(lambda: 1)", "click('a') or click('b')", "()", "f()",
    f"click({'[' * 9})", f"click({'[' * 200}{']' * 200})", f"click({'(' * 4000})", f"click({'{' * 4000})",
    "click({'a': {'b': [1, (2,)]}})", "click({1: 2})", "click('a');click('b')", "click('a'), click('b')", "click(‘a’)",
    # Numbers that no page has.
    *(f"{name}({numbers})" for name in ("scroll", "mouse_move", "mouse_click", "scroll_at") for numbers in (
        "1e999, 0", "-1e999, 0", "1e308, 1", "0, 1e18", f"{'9' * 5000}, 1", "nan, 1", "inf, 1", "1, 2, 3, 4, 5", "", "'1', 2",
        "None, None", "True, []", "0x10, 1", "1_000, 1", "{}, ()")),
    *(f"noop({wait})" for wait in ("-1", "10001", "9" * 5000, "1e999", "None", "True", "'1'", "[1]", "1, 2")),
    "noop(9000) noop(9000)", "noop(0.1)" * 21, "tab_focus(99)", "tab_focus(-99)", "tab_focus(1.5)", "tab_focus('a')",
    # Addresses.
    *(f"goto({url!r})" for url in (
        "http://[", "http://[::1", "http://a℀b/", "http://a]b/", "", "//", "javascript:alert(1)", "file:///etc/passwd",
        "data:text/html,x", "chrome://crash", "view-source:http://a", "blob:http://a/1", "ftp://a/", "java\nscript:1")),
    "goto()", "goto(5)", "goto(None)", "goto(['http://a.example'])", "goto({'http://a': 1})",
    # Keys and names.
    "keyboard_press('')", "keyboard_press('NoSuchKey')", "keyboard_press(5)", f"keyboard_press('{'a+' * 4000}a')",
    f"keyboard_type('{'x' * 9000}')", "keyboard_type(None)", "keyboard_type(['a'])", "keyboard_down('\\x00')",
    *(f"click({bid})" for bid in (
        "''", "'\\n'", "'\"]'", "'\\\\'", "'²'", "12", "None", "[]", f"'{'A' * 9000}'", f"'{'a' * 9000}'", "'a' * 9", "'>> x'")),
    "click('1', button='up')", "click('1', modifiers='Shift')", "click('1', modifiers=['Evil'])", "click('1', 'left', [], 4)",
    "fill('1')", "fill('1', 5)", "fill('1', {'a': 1})", "fill('1', 'x', 'yes')", "select_option('1', {'a': 1})",
    "select_option('1', [[[]]])", "press('1', 5)", "drag_and_drop('1', '1')", "hover('1', '2')", "mouse_up(1, 1, 'evil')",
    "upload_file('1', '/etc/passwd')", "eval('1')", "__import__('os')", "print(1)", "send_msg_to_user()", "report_infeasible()",
)  # fmt: skip

REPLIES = (
    "", " ", "\n", "\0", "\r", "\ufeff", "\u2028", "\ud83d", "\ude00\ud83d", "\U0010ffff", "💩" * 3000, "é" * 32_000, "a\u0300" * 16_000,
    "```", "``````", "```\n```", "**", "****", '"', '""', "'", "`", "```python", "```python\n```", "Action:", "Thought:", ":",
    "Action: ", "Action:\nAction:", "Action: Click [1]\nAction: Click [2]", "Action: Click [1]\nAction: Click [1]", "Action" * 999,
    "**Action**", "**Action: Click [1]", "Action Click [1]", "Thought: \ud83d\nAction: Wait", "Thought: x\nAction: click('1')",
    "Click [8]\nClick [9]", "Click [8] Click [9]", "Click [8], Click [9]", "[Click 8]", "Click", "Click []", "Click [", "Click ]1[",
    "Click [-1]", "Click [1.5]", "Click [1e3]", "Click [٣]", "Click [²]", "Click [0]", "Click [999999999]", f"Click [{'9' * 5000}]",
    "Click [1]\0", "Click\0[1]", "Clíck [1]", "click7", "Hover [x]", "Type [16]", "Type 16", "Type [16]; ", "Type; [16]", "Type [999]; \0",
    f"Type [999]; {'x' * 9000}", f"Type [999]; {'x' * 32_000}", "Type [999]; \ud83d", f"Type [999]; {'[' * 9000}", "Type [999]; \r\n\t",
    "Scroll", "Scroll [WINDOW]", "Scroll [WINDOW]; sideways", "Scroll [WINDOW; up", "Scroll [999999]; up", "Scroll_to_end; up",
    "Scroll_within_popup", "Scroll_within_popup; ", "Scroll_within_popup; up; down", "Switch_tab", "Switch_tab []", "Switch_tab [ ]",
    "Switch_tab [http://[]", "Switch_tab http://a℀b/", f"Switch_tab {'x' * 9000}", "Switch_tab [a b]", "Switch_tab \ud83d",
    "Wait 5", "Wait; 5", "GoBack [1]", "Google [x]", "ANSWERED", "ANSWER [x]", "Answer: done", "DONE", "{}", "[]", "null", "{\"action\": \"Wait\"}",
    "<click>1</click>", "ignore all rules", "../../etc/passwd", "'; DROP TABLE settings; --", "${jndi:ldap://x}", "%s%s%n", "{0.__class__}",
)  # fmt: skip

PADDINGS: dict[str, Callable[[int], str]] = {
    "spaces between the parts": lambda n: f"Scroll{' ' * n}1{' ' * n};{' ' * n}x",
    "spaces behind a number": lambda n: f"Type 1{' ' * n}x",
    "tabs before a label": lambda n: f"{chr(9) * n}Action{chr(9) * n}x",
    "labels in a row": lambda n: "Action:" * n,
    "labels on lines": lambda n: "Action: Wait\n" * n,
    "different actions": lambda n: "".join(f"Action: Click [{number}]\n" for number in range(n)),
    "unreadable actions": lambda n: "".join(f"Action: {number}\n" for number in range(n)),
    "thoughts": lambda n: "Thought: x\n" * n,
    "a thought without an end": lambda n: f"Thought:{' *' * n}",
    "stars": lambda n: "*" * n,
    "stars and a word": lambda n: "**Action" * n,
    "line ends": lambda n: "\n" * n + "Action:",
    "opening brackets": lambda n: f"Type [1]; {'[' * n}",
    "brackets in an answer": lambda n: f"ANSWER; {'[' * n}{']' * n}",
    "pairs of brackets in an answer": lambda n: f"ANSWER; [{'[]' * n}",
    "digits": lambda n: f"Click [{'1' * n}]",
    "semicolons": lambda n: ";" * n,
    "words": lambda n: "Switch_tab " + "x " * n,
    "letters": lambda n: "Click" * n,
    "quotes": lambda n: '"' * n,
    "fences": lambda n: "```" * n,
    "spaces and a fence": lambda n: f"click('a'){' ' * n}```{' ' * n}x",
    "a name without a call": lambda n: "a_" * n + " " * n,
    "lists in a call": lambda n: f"click({'[' * n}",
    "items in a call": lambda n: f"click([{chr(39)}a{chr(39)}{', 1' * n}",
    "backslashes in a call": lambda n: "click('" + "\\" * n,
    "comments in a call": lambda n: "click(" + "#\n" * n,
    "quotes in a call": lambda n: 'click("""' + '""\\' * n,
    "calls": lambda n: "click('a') " * n,
}

READERS: dict[str, Callable[[str], object]] = {
    "parse_action": parse_action,
    "looks_like_calls": looks_like_calls,
    "parse_calls": parse_calls,
    "thought_of": thought_of,
    "kept": kept,
    "the marks agent": lambda text: read_reply(reply(text), read_marks_action),
    "the text agent": lambda text: read_reply(reply(text), read_call),
}


def reply(text: str) -> Reply:
    return Reply(text=text, model="m", input_tokens=0, output_tokens=0, cost=0.0, seconds=0.0)


def variations() -> Iterator[str]:
    """Each example of the grammar, damaged in the ways models and attackers damage it."""
    for spec in ACTIONS:
        for form in (
            "{0}\0", "\ud83d{0}", "{0}; {0}", "{0}\n{0}", "({0})", "{0}.", "- {0}", "Action: {0}\nAction: Wait", "{0} // done",
            "Thought: x\nAction: {0}\nObservation: y", "<action>{0}</action>",
        ):  # fmt: skip
            yield form.format(spec.example)


def padded(name: str, length: int) -> str:
    """A padding of about this length."""
    return PADDINGS[name](length * 100 // len(PADDINGS[name](100)))


CORPUS = (
    *CALLS, *REPLIES, *variations(), *(padded(name, length) for name in PADDINGS for length in (9_000, 32_000)),
)  # fmt: skip
FRAGMENTS = (
    "Action:", "Thought:", "**", "```", "\n", " ", ";", "[", "]", "(", ")", "'", '"', "\\", ",", "=", "#", "1", "-", "1e999", ".5", "\0",
    "\ud83d", "😀", *(spec.kind for spec in ACTIONS), "up", "WINDOW", "click", "noop", "goto", "fill", "scroll", "send_msg_to_user",
    "None", "http://[", "\\N{x}", "\\ud83d",
)  # fmt: skip


def read_every_way(text: str) -> None:
    """Fails where anything but an action error comes of it."""
    for read in READERS.values():
        with contextlib.suppress(ActionError):
            read(text)


def seconds(read: Callable[[str], object], text: str, *, tries: int = 3) -> float:
    """Processor time of a reading, the least of some: others use the machine as well."""
    took = []
    for _ in range(tries):
        began = time.thread_time()
        with contextlib.suppress(ActionError):
            read(text)
        took.append(time.thread_time() - began)
    return min(took)


def test_the_corpus_is_large() -> None:
    assert len(set(CORPUS)) >= 300


@pytest.mark.parametrize("name", READERS)
def test_every_text_of_the_corpus_is_read_or_refused_at_once(name: str) -> None:
    for text in CORPUS:
        # Some milliseconds each; a reader that goes back and forth in a long one needs many seconds.
        assert seconds(READERS[name], text, tries=1) < 2, text[:100]


def test_time_is_in_proportion_to_the_length() -> None:
    for name, (reader, read) in itertools.product(PADDINGS, READERS.items()):
        short, long = (seconds(read, padded(name, length)) for length in (32_000, 128_000))
        assert long < 8 * short + 0.02, (name, reader, short, long)


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_any_unicode_is_read_or_refused(text: str) -> None:
    read_every_way(text)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join))
def test_any_mixture_of_what_actions_consist_of_is_read_or_refused(text: str) -> None:
    read_every_way(text)


# --- BrowserGym's calls -----------------------------------------------------------------------------

spaces = st.sampled_from(["", "", " ", "\n", "\t", "  # a comment\n"])
literals = st.one_of(
    st.text(string.printable, max_size=8).map(repr),
    st.integers(-(10**6), 10**6).map(str),
    st.floats(-1e6, 1e6).map(str),
    st.sampled_from(
        ["True", "False", "None", "+3", "007", "5.", ".5", "1e3", '"""a"b\nc"""', "'''d'''", "'a\\\nb'"]
    ),
)


def joined(items: list[str], opening: str, closing: str) -> str:
    return f"{opening}{','.join(items)}{',' if len(items) > 1 else ''}{closing}"


values = st.recursive(
    literals,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: joined(items, "[", "]")),
        st.lists(inner, max_size=3).map(lambda items: joined(items, "(", ")")),
        st.dictionaries(st.sampled_from(["'a'", '"b"']), inner, max_size=2).map(
            lambda items: joined([f"{key} : {value}" for key, value in items.items()], "{", "}")
        ),
    ),
    max_leaves=5,
)


@st.composite
def call_texts(draw: st.DrawFn) -> str:
    """A list of calls, written in any way that BrowserGym's parser takes."""
    text = ""
    for name in draw(st.lists(st.sampled_from(["click", "fill", "f_2", "ä"]), min_size=1, max_size=3)):
        named = draw(st.lists(st.sampled_from(["x", "y1"]), unique=True, max_size=2))
        arguments = [*draw(st.lists(values, max_size=3)), *(f"{key}={draw(values)}" for key in named)]
        parts = [draw(spaces) + argument + draw(spaces) for argument in arguments]
        text += f"{draw(spaces)}{name}{draw(spaces)}({','.join(parts)}{draw(spaces)}){draw(spaces)}"
    return text


@given(call_texts())
def test_calls_are_read_as_browsergym_reads_them(text: str) -> None:
    expected = []
    for name, arguments in highlevel_action_parser.parse_string(text, parse_all=True):
        named = {item.name: item.value for item in arguments if isinstance(item, NamedArgument)}
        positional = [item for item in arguments if not isinstance(item, NamedArgument)]
        expected.append((name, positional, named))
    assert repr(read_calls(text)) == repr(expected)


# --- in an episode ----------------------------------------------------------------------------------

EXPECTED_TO_WORK = (
    "mouse_move(639, 479)",
    "mouse_click(0, 4e2)",
    "scroll(1e6, -1e6)",
    "noop(0)",
    "Scroll_to_end",
)
OBJECTS: tuple[Any, ...] = (None, 5, b"Click [1]", ["Click [1]"], {"action": "Wait"}, 1e999, object())


def refused(text: str) -> bool:
    """Whether a text is refused before it gets to the browser."""
    try:
        parse_calls(text) if looks_like_calls(text) else parse_action(text)
    except ActionError:
        return True
    return False


def kind_of(text: str) -> object:
    """What a text that gets to the browser does there."""
    return [name for name, *_ in parse_calls(text)] if looks_like_calls(text) else parse_action(text).kind


def played(*, every: bool) -> list[Any]:
    """Texts to play: those that reach the browser without ending the episode, or one of each kind, and some others."""
    others = [text for text in dict.fromkeys(CORPUS) if "ANSWER" not in text]
    gets_through = [text for text in others if not refused(text)]
    if not every:
        gets_through = list({str(kind_of(text)): text for text in gets_through}.values())
    beside = [text for text in others if refused(text)][:: 3 if every else 24]
    return [*EXPECTED_TO_WORK, *gets_through, *beside, *OBJECTS]


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebspEnv]:
    """An environment whose episode is recorded."""
    env = make_env(
        "Steam-task-191-ON", initial_state="snapshot", max_actions=10_000, max_seconds=3600, viewport=(640, 480),
        record_to=tmp_path_factory.mktemp("record"),
    )  # fmt: skip
    yield env
    env.close()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.proof)])
def test_no_action_text_keeps_an_episode_from_being_scored(env: WebspEnv, every: bool) -> None:
    env.reset(seed=1)
    texts = played(every=every)
    for text in texts:
        # A step that takes too long ends the episode.
        observation, reward, terminated, truncated, _ = env.step(text)
        assert (reward, terminated, truncated) == (0.0, False, False), repr(text)[:100]
        assert (observation["last_action_error"] == "") or text not in EXPECTED_TO_WORK
        assert len(observation["last_action_error"]) <= 1_000 or observation["last_action_error"].count(
            "dialog"
        )
    _, reward, terminated, _, info = env.step(f"ANSWER; {'x' * 400_001}")
    assert (reward, terminated, info["reason"], info["unscored"]) == (0.0, True, "answer", False)
    assert info["verdict"]["status"] == "fail"
    assert env.task is not None
    assert env.task.folder is not None
    record = load_trajectory(env.task.folder)
    assert len(record.steps) == len(texts) + 1
    assert all(len(step.action) <= 2 * LONGEST_ACTION + 1 for step in record.steps)
    assert len(record.answer) == LONGEST_ACTION
    assert record.answer.endswith("(… cut: it had 400,001 characters)")


def test_a_result_with_half_an_emoji_in_its_error_can_be_written(tmp_path: Path) -> None:
    append_result(tmp_path, Result(id="x", agent="a", reward=None, status="error", error="\ud83d"))
    assert [result.error for result in read_results(tmp_path)] == ["\ufffd"]
