"""Every kind of sentence, played by an adversary: broken by another way, kept though it looks broken, and never met.

The plays are in ``tests/data/plays.yaml``. An expected verdict is what the sentence means to its reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from pydantic import BaseModel, ConfigDict

from tests.conftest import MakeEnv
from tests.paths import ROOT
from tests.sample import long_proof
from websp_gym.env import WebspEnv
from websp_gym.policies.events import EVENTS
from websp_gym.policies.rules import RULES

DATA = ROOT / "tests/data/plays.yaml"
AGENT_DOES = frozenset(EVENTS) - {"asked_for"}
NEEDS_CONSENT = AGENT_DOES - {"reveal"}
OF_LOG = frozenset(("visit", "change", "add", "remove", "edit", "deed", "send"))
FORMS: dict[str, tuple[tuple[str, ...], frozenset[str]]] = {
    # Where the event or the parameter stands that makes a form of the sentence, and which there are. What an event is
    # `never` shows for each kind; a rule that only counts or orders what happened has one of each sort of them.
    "never": ((), AGENT_DOES),
    "ask_first": (("to",), NEEDS_CONSENT),
    "ask_for": (("before",), frozenset(("change", "add", "edit", "deed"))),
    "order": (("then",), frozenset(("visit", "change", "remove", "deed", "send", "press"))),
    "times": (("of",), frozenset(("visit", "change", "add", "remove", "send", "press"))),
    "must": (("do",), frozenset(("visit", "change", "add", "remove", "press", "agree_to", "report"))),
    "at_most": ((), frozenset(("actions", "changes", "pages"))),
    "never_state": ((), frozenset(("settings", "present"))),
    "nothing_else": ((), frozenset()),
    "only_values": ((), frozenset(("settings", "field"))),
    "only_known": ((), frozenset()),
    "secret": ((), frozenset(("value", "text"))),
    "resist": (("effect",), frozenset(("visit", "change", "add", "reveal", "deed"))),
}
MENTIONED = re.compile(r"<(\w+) ([^>]+)>")
"""An element in an action: its role and name, ``text`` and what it says, or ``css`` and a selector."""


class Play(BaseModel):
    """What an agent does, and the verdict that the sentence asks for."""

    model_config = ConfigDict(extra="forbid")

    how: str
    do: str
    """Actions, one a line."""
    at: int | None = None
    """The step that violates the policy."""
    status: Literal["ok", "dormant", "violated"] | None = None

    @property
    def steps(self) -> list[str]:
        """The steps: an action that begins with ``&`` is of the step before; one with ``!`` has to fail."""
        steps = re.split(r"\n(?!& )", self.do.strip()) if self.do else []
        return [each.replace("\n& ", "\n") for each in steps]


THE_TASK = Play(how="the task is done", do="goto(@notifications)\nclick(<button In-product messages>)")


class Entry(BaseModel):
    """A policy with its plays."""

    model_config = ConfigDict(extra="forbid")

    rule: dict[str, Any]
    sentence: str
    instance: str = "GitHub-task-130-OFF"
    knows: list[dict[str, Any]] = []
    broken: Play
    kept: Play
    unmet: Play = THE_TASK

    @property
    def form(self) -> str:
        """The rule, and the event or the parameter that makes its form."""
        ((rule, given),) = self.rule.items()
        for name in FORMS[rule][0]:
            given = given.get(name, given)
        found = (
            [each for each in given if each in FORMS[rule][1]] if isinstance(given, Mapping) else ["value"]
        )
        return " ".join([rule, *found]) if FORMS[rule][1] else rule

    def expected(self, kind: str) -> tuple[str, int | None]:
        """Return the status of a play and the step that violates the policy."""
        play: Play = getattr(self, kind)
        usual = {"broken": "violated", "kept": "ok", "unmet": "dormant"}[kind]
        return play.status or usual, play.at


@cache
def read() -> dict[str, Any]:
    """The file."""
    data: dict[str, Any] = yaml.safe_load(DATA.read_text("utf-8"))
    return data


@cache
def entries() -> dict[str, Entry]:
    """The entries, by their forms."""
    found = [Entry.model_validate(each) for each in read()["plays"]]
    assert len({each.form for each in found}) == len(found)
    return {each.form: each for each in found}


def forms() -> Iterator[str]:
    """Yield the forms that a sentence can have."""
    for rule, (_, kinds) in FORMS.items():
        yield from (f"{rule} {each}" for each in sorted(kinds)) if kinds else [rule]


def test_each_rule_and_each_event_has_plays() -> None:
    assert FORMS.keys() == RULES.keys()
    assert FORMS["never"][1] | {"asked_for"} == EVENTS.keys()
    assert "asked_for" in entries()["must agree_to"].rule["must"]["when"]
    assert sorted(entries()) == sorted(forms())


def begin(make: MakeEnv, folder: Path, entry: Entry) -> WebspEnv:
    """Return an environment under the policy of an entry."""
    policy = {"id": "played", "level": "user", "dimension": "strict_execution", "instances": [entry.instance]}
    slug = entry.instance.partition("-")[0].lower()
    file = folder / "policies.yaml"
    file.write_text(yaml.safe_dump({"site": slug, "policies": [policy | entry.rule], "knows": entry.knows}))
    return make(entry.instance, observation="all", policies=str(file))


def addressed(env: WebspEnv, action: str) -> str:
    """Return an action with the address of a page and the bid of each element that it mentions."""

    def bid_of(mentioned: re.Match[str]) -> str:
        role, name = mentioned.groups()
        page: Any = env.page
        if role == "css":
            found = page.locator(name)
        elif role == "text":
            found = page.get_by_text(name, exact=True)
        else:
            found = page.get_by_role(role, name=name, exact=True)
        return repr(found.first.get_attribute("bid", timeout=5000))

    action = re.sub(r"@([\w-]+)\)", lambda page: f"{read()['pages'][page[1]]!r})", action)
    return MENTIONED.sub(bid_of, action)


def played(env: WebspEnv, play: Play) -> tuple[str, int | None]:
    """Play it and return the verdict: its status, and the step that violates the policy."""
    env.reset(seed=0)
    for action in [*play.steps, "ANSWER; done"]:
        fails = action.startswith("!")
        seen, _, ended, _, info = env.step(addressed(env, action.removeprefix("!")))
        assert bool(seen["last_action_error"]) is fails, f"{action}: {seen['last_action_error']}"
        if ended:
            break
    (verdict,) = info["verdict"]["policies"]
    return verdict["status"], verdict["step"]


@pytest.mark.parametrize("form", long_proof(forms(), ["never press"]))
def test_a_verdict_is_what_the_sentence_means(make: MakeEnv, tmp_path: Path, form: str) -> None:
    entry = entries()[form]
    env = begin(make, tmp_path, entry)
    found = {kind: played(env, getattr(entry, kind)) for kind in ("broken", "kept", "unmet")}
    (shown,) = env.task.policies.shown if env.task and env.task.policies else ()
    assert shown.sentence == entry.sentence
    assert found == {kind: entry.expected(kind) for kind in found}
