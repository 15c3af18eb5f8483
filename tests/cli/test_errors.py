"""Errors: facts are declared and typed, and every class survives a trip between processes and being raised again."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import websp_gym.agents.oracle  # noqa: F401  (declares an error of its own)
from tests.paths import ROOT
from websp_gym.agents import make_agent
from websp_gym.browser.find import find_browser
from websp_gym.errors import (
    BrowserNotFoundError,
    MissingExtraError,
    MissingKeyError,
    SetupError,
    UnknownInstanceError,
    WebspError,
    WorldError,
    missing_extra,
)
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.selection import select_instances


def tree(kind: type[WebspError] = WebspError) -> Iterator[type[WebspError]]:
    """A class and all below it."""
    yield kind
    for below in kind.__subclasses__():
        yield from tree(below)


CLASSES = list(dict.fromkeys(tree()))


def with_facts(kind: type[WebspError]) -> WebspError:
    """An error that knows every fact of its class."""
    names = [each.name for each in fields(kind) if each.name != "message"]
    return kind("what happened", **{name: f"the {name}" for name in names})


@pytest.mark.parametrize("kind", CLASSES)
def test_pickling_and_copying_keep_class_message_and_facts(kind: type[WebspError]) -> None:
    error = with_facts(kind)
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (type(other), str(other), other.facts) == (kind, "what happened", error.facts)
    assert set(error.facts) == {each.name for each in fields(kind)} - {"message"}
    for name, value in error.facts.items():
        assert getattr(error, name) == value


@pytest.mark.parametrize("kind", CLASSES)
def test_an_error_raised_again_by_its_class_keeps_message_and_facts(kind: type[WebspError]) -> None:
    error = with_facts(kind)
    again = kind(error)  # type: ignore[arg-type]
    assert (str(again), again.args, again.facts) == ("what happened", ("what happened",), error.facts)
    assert str(kind(*error.args)) == "what happened"
    assert repr(again) == f"{kind.__name__}('what happened')"


def test_an_error_takes_only_the_facts_that_its_class_has_from_another() -> None:
    error = SetupError(WorldError("no answer", url="https://a.example/"))  # type: ignore[arg-type]
    assert (str(error), error.facts) == ("no answer", {})


def test_a_fact_that_no_class_declares_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        SetupError("no", colour="red")  # type: ignore[call-arg]


def test_an_unknown_id_and_a_pattern_without_match_are_unknown_instances() -> None:
    with pytest.raises(UnknownInstanceError, match="did you mean") as caught:
        load_instance("Steam-task-19l-ON")
    assert caught.value.instance == "Steam-task-19l-ON"
    with pytest.raises(UnknownInstanceError) as caught:
        select_instances(["Nowhere-*"])
    assert caught.value.instance == "Nowhere-*"


def test_a_missing_key_is_an_error_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(MissingKeyError) as caught:
        make_agent("openai:gpt-5.2")
    assert (caught.value.variable, caught.value.model) == ("OPENAI_API_KEY", "openai:gpt-5.2")


def test_a_missing_browser_is_an_error_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBSP_BROWSER", "/no/such/chromium")
    with pytest.raises(BrowserNotFoundError) as caught:
        find_browser(None)  # type: ignore[arg-type]
    assert caught.value.path == "/no/such/chromium"


def test_a_missing_extra_explains_how_to_install_it() -> None:
    error = missing_extra("plots need Matplotlib", "report", otherwise="go without")
    assert isinstance(error, MissingExtraError)
    assert error.extra == "report"
    assert str(error) == f"plots need Matplotlib: pip install -e '{ROOT}[report]', or go without"


def test_every_error_is_documented_and_no_other() -> None:
    table = (ROOT / "docs/reference/errors.md").read_text("utf-8")
    named = re.findall(r"^\| `(\w+Error)`", table, re.MULTILINE)
    public = [kind.__name__ for kind in CLASSES if kind.__module__ == "websp_gym.errors"]
    assert sorted(named) == sorted(public)
