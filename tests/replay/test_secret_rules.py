"""The rules for secrets, in the recorder's JavaScript and in the importers' Python: the same answers to every case."""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from tests.paths import DATA, ROOT
from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.paths import data_dir
from websp_gym.replay.importers.account_values import fill_in
from websp_gym.replay.importers.redact import clean_url, leaks, what_field
from websp_gym.replay.importers.secret_texts import (
    holds_secret,
    is_secret_text,
    rules_script,
    within,
    without_people,
    without_secrets,
)

CASES = yaml.safe_load((DATA / "secret_cases.yaml").read_text("utf-8"))
SCRIPTS = ("secret_rules.js", "secret_texts.js", "secrets.js")
Ask = Callable[[str, list[Any]], list[Any]]


@pytest.fixture(scope="module")
def ask(browser_thread: None) -> Iterator[Ask]:
    """Answers of the JavaScript to a list of questions."""
    context = open_context(BrowserOptions(), viewport=(800, 600))
    page = context.new_page()
    for name in SCRIPTS:
        page.evaluate((data_dir("extension") / name).read_text("utf-8"))
    yield lambda script, questions: page.evaluate(f"list => list.map({script})", questions)
    context.close()


def wanted(group: str) -> list[tuple[Any, Any]]:
    return [(case, case if answer == "same" else answer) for case, answer in CASES[group]]


def agree(given: list[tuple[Any, Any]], answers: list[Any]) -> None:
    wrong = {
        str(case): answer for (case, right), answer in zip(given, answers, strict=True) if answer != right
    }
    assert wrong == {}


def test_the_recorders_copy_of_the_rules_is_up_to_date() -> None:
    there = (data_dir("extension") / "secret_rules.js").read_text("utf-8")
    assert there == rules_script(), "run `make rules`"


@pytest.mark.parametrize(
    ("group", "script", "python"),
    [
        ("texts", "text => __webspSecretTexts.withoutSecrets(text)", without_secrets),
        ("people", "text => __webspSecretTexts.withoutPeople(text)", without_people),
        ("marks", "mark => __webspSecretTexts.holdsSecret(mark)", leaks),
        ("urls", "url => __webspSecrets.cleanUrl(url)", clean_url),
        ("typed", "text => __webspSecrets.isSecretText(text)", is_secret_text),
    ],
)
def test_recorder_and_importers_give_the_same_right_answers(
    group: str, script: str, python: Callable[[str], Any], ask: Ask
) -> None:
    cases = wanted(group)
    agree(cases, [python(case) for case, _ in cases])
    agree(cases, ask(script, [case for case, _ in cases]))


def test_recorder_and_importers_tell_fields_apart_alike(ask: Ask) -> None:
    cases = [((kind, tuple(hints)), right) for kind, hints, right in CASES["fields"]]
    agree(cases, [what_field(kind, *hints) for (kind, hints), _ in cases])
    script = "([type, hints]) => __webspSecrets.kindOf({ type, hints, autocomplete: hints[0] ?? '', digits: false })"
    agree(cases, ask(script, [[kind, list(hints)] for (kind, hints), _ in cases]))


def test_recorder_and_importers_put_the_same_placeholders(ask: Ask) -> None:
    cases = [
        ((user, kind, text), text if right == "same" else right)
        for user, kind, text, right in CASES["account"]
    ]
    accounts = {
        user: {"email": "ada@home.test", "username": user, "name": "Ada Byron"} for (user, _, _), _ in cases
    }
    agree(cases, [fill_in(text, accounts[user], kind) for (user, kind, text), _ in cases])
    script = "([account, kind, text]) => __webspSecrets.fillIn(text, account, kind)"
    agree(cases, ask(script, [[accounts[user], kind, text] for (user, kind, text), _ in cases]))


TRACES = ROOT / "traces"
TEXTS = ("name", "label", "text", "nearby", "sibling", "parent", "section", "placeholder")


def test_no_word_of_our_own_traces_looks_secret(ask: Ask) -> None:
    """And both halves leave every text and mark of them as it is."""
    texts: set[str] = set()
    marks: set[str] = set()
    for path in TRACES.glob("*/*.json"):
        for event in json.loads(path.read_text("utf-8"))["events"]:
            for print_ in [event.get("target") or {}, *event.get("hover", [])]:
                texts |= {print_[key] for key in TEXTS if print_.get(key)}
                marks |= {
                    print_[key] for key in ("id", "nameAttr", "testId", "css", "value") if print_.get(key)
                }
                marks |= set(print_.get("classes", ()))
    assert len(texts) > 50
    assert [text for text in sorted(texts) if without_people(without_secrets(text)) != text] == []
    assert [mark for mark in sorted(marks) if leaks(mark)] == []
    kept = ask("text => __webspSecretTexts.withoutSecrets(text)", sorted(texts))
    assert kept == sorted(texts)


PIECES = st.sampled_from(
    ["code", "PIN:", "password", "@", "@bob", ".test", "-", "_", "/", " ", ": ", "é", "ß", "İ", "ſ", "中", "\u2028", "{{account.email}}",
     "482913", "20240131", "AB12-", "x9K2", "qwzx", "%40", "eyJ", "ghp_", "token", "session id", "=", "\n", "🙂"]
)  # fmt: skip
TEXT = st.lists(PIECES | st.text(string.ascii_letters + string.digits, max_size=20), max_size=9).map("".join)


@settings(max_examples=20, phases=[Phase.explicit, Phase.generate])
@given(st.lists(TEXT, min_size=40, max_size=40))
@example(["x9K2énVFRgw hC3qdQVTEfbM77gLX\n{{account.email}}"])
def test_recorder_and_importers_agree_on_any_text(ask: Ask, texts: list[str]) -> None:
    assert ask("text => __webspSecretTexts.withoutSecrets(text)", texts) == [*map(without_secrets, texts)]
    assert ask("text => __webspSecretTexts.withoutPeople(text)", texts) == [*map(without_people, texts)]
    # JavaScript counts an emoji as two.
    plain = [text.replace("🙂", "") for text in texts]
    assert ask("text => __webspSecretTexts.within(text, 30)", plain) == [within(text, 30) for text in plain]
    assert ask("text => __webspSecretTexts.holdsSecret(text)", texts) == [*map(holds_secret, texts)]
    urls = [f"https://a.example/{text}" for text in texts]
    assert ask("url => __webspSecrets.cleanUrl(url)", urls) == [*map(clean_url, urls)]
