"""Following a published list of steps literally: labels are looked up among the marks, and no step is added."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, Literal

from tests.wording_support import plain
from websp_gym.env import WebspEnv
from websp_gym.env.walker import is_on
from websp_gym.replay import fill

Seen = Mapping[str, Any]

VIEWPORT = (1280, 8000)
"""Tall enough that nothing has to be scrolled for, but in boxes that scroll themselves."""
_STATEFUL = {"switch", "checkbox", "radio", "option", "menuitemradio", "menuitemcheckbox", "button"}
_FIELDS = {"textbox", "searchbox", "combobox", "spinbutton"}
_LISTS = {"combobox", "listbox", "button"}
_CHOICES = {"option", "menuitemradio", "menuitem", "radio"}
_SAME = 0.9
"""Similarity of labels of which one holds the other."""
_ENOUGH = (0.8, 0.62)
"""Similarity from which a label of one word, and of several, counts as spelled otherwise and not as another label."""
_MOST = 60
"""Controls that one step may move."""


@dataclass(frozen=True)
class Step:
    """One step of a published list.

    Args:
        action: The listed action, or the state that it claims.
        which: ``all``, ``others``, ``except``, ``first`` or ``each`` where the list names several controls at once.
        kind: What the list calls the control.
        label: Its label in the list.
        within: The row or section that the list names with it.
        value: What to enter or to choose.
        control: The name of the control on the page, where the list describes it (an icon) and does not name it.
    """

    action: Literal[
        "click", "on", "off", "is on", "is off", "enter", "choose", "scroll", "back", "close", "holds"
    ]
    which: Literal["", "all", "others", "except", "first", "each"]
    kind: str
    label: str
    within: str = ""
    value: str = ""
    control: str = ""

    @property
    def wanted(self) -> bool | None:
        """The state that the step reaches or claims; None for a step without one."""
        return {"on": True, "is on": True, "off": False, "is off": False}.get(self.action)


@dataclass(frozen=True)
class Followed:
    """The outcome of a list: the numbers of the steps that could not be followed, counted from 1, and the reward.

    What was seen before the first step that could not be followed, and at the end, explains an outcome, and is no part of it.
    """

    missed: tuple[int, ...]
    paid: float
    seen: str = field(default="", compare=False)


class Follower:
    """Follows a list of steps in an environment.

    Args:
        env: The environment.
        steps: The list.
    """

    def __init__(self, env: WebspEnv, steps: Sequence[Step]) -> None:
        self._env, self._steps = env, steps
        self._seen, _info = env.reset(seed=0)
        assert env.task is not None
        self._account = env.task.world_episode.account
        self._named: list[str] = []
        self._at: Sequence[float] = (0.0, 0.0)

    def follow(self) -> Followed:
        """Carry out every step that can be, and answer."""
        missed, before = [], None
        for number, step in enumerate(self._steps, 1):
            shown = self._seen
            if not self._carry_out(step):
                missed.append(number)
                before = before or shown
        told = (
            self._told(self._seen)
            if before is None
            else f"{self._told(before)}\nthen {self._told(self._seen)}"
        )
        _seen, reward, *_ = self._env.step("ANSWER; done")
        return Followed(tuple(missed), float(reward), told)

    @staticmethod
    def _told(seen: Seen) -> str:
        names = [mark["name"] for mark in seen["elements"]]
        return f"{seen['url']} {names} {seen['last_action_error']}"

    def _act(self, action: str) -> bool:
        self._seen, *_ = self._env.step(action)
        return not self._seen["last_action_error"]

    def _carry_out(self, step: Step) -> bool:
        if step.action == "scroll":
            return True
        if step.action == "back":
            return self._act("GoBack")
        if step.which in ("all", "others", "except"):
            return self._set_many(step)
        if step.which == "each":
            return self._click_each(step)
        if step.wanted is not None:
            return self._set_one(step)
        if step.action == "choose":
            return self._choose(step)
        mark = self._find(step, _FIELDS if step.kind == "input" else None)
        if mark is None or step.action == "holds":
            return mark is not None
        number = mark["number"]
        if step.action == "enter":
            return self._act(f"Type [{number}]; {step.value}")
        opens_by_hovering = step.kind == "dropdown" and mark["role"] == "link"
        return self._act(f"{'Hover' if opens_by_hovering else 'Click'} [{number}]")

    def _set_one(self, step: Step) -> bool:
        mark = self._find(
            step, None if step.kind == "setting" else _STATEFUL, stateful=step.kind != "setting"
        )
        if mark is None:
            return False
        self._named.append(mark["name"])
        if step.action.startswith("is"):
            # What the list calls a setting has buttons, and its state is told by a text beside them.
            return step.kind == "setting" or is_on(mark) == step.wanted
        return is_on(mark) == step.wanted or self._act(f"Click [{mark['number']}]")

    def _set_many(self, step: Step) -> bool:
        left_alone = [step.label] if step.which == "except" else self._named if step.which == "others" else []
        tried: set[str] = set()
        for _ in range(_MOST):
            marks = [
                mark
                for mark in self._seen["elements"]
                if mark["role"] in ("switch", "checkbox")
                or (mark["role"] == "button" and mark["checked"] is not None)
            ]
            marks = [mark for mark in marks if not any(_alike(each, mark) >= _SAME for each in left_alone)]
            wrong = [mark for mark in marks if not mark["disabled"] and is_on(mark) != step.wanted]
            if step.action.startswith("is"):
                return bool(marks) and not wrong
            wrong = [mark for mark in wrong if mark["name"] not in tried]
            if not wrong:
                return bool(marks)
            tried.add(wrong[0]["name"])
            self._act(f"Click [{wrong[0]['number']}]")
        return False

    def _click_each(self, step: Step) -> bool:
        for clicks in range(_MOST):
            marks = [
                each for each in self._seen["elements"] if plain(each["name"]).startswith(plain(step.label))
            ]
            if not marks:
                return clicks > 0
            self._act(f"Click [{marks[0]['number']}]")
        return False

    def _choose(self, step: Step) -> bool:
        opener = self._find(step, _LISTS) if step.kind == "dropdown" else None
        if opener is not None:
            self._act(f"Click [{opener['number']}]")
        choice = Step("choose", "", step.kind, step.value)
        mark = self._find(choice, _CHOICES)
        return mark is not None and self._act(f"Click [{mark['number']}]")

    def _find(self, step: Step, roles: Iterable[str] | None, *, stateful: bool = False) -> Seen | None:
        """Return the mark that the step means, looking further down in boxes that scroll."""
        for _ in range(_MOST):
            mark = self._look(step, roles, stateful=stateful)
            if mark is not None:
                self._at = mark["box"][:2]
                return mark
            if not self._act("Scroll_within_popup; down"):
                return None
        return None

    def _look(self, step: Step, roles: Iterable[str] | None, *, stateful: bool) -> Seen | None:
        wanted = fill(step.control, self._account) or step.label
        marks = [mark for mark in self._seen["elements"] if roles is None or mark["role"] in roles]
        if stateful:
            marks = [mark for mark in marks if is_on(mark) is not None]
        if step.which == "first":
            return next((mark for mark in marks if plain(mark["name"]).startswith(plain(wanted))), None)
        best = max((_alike(wanted, mark) for mark in marks), default=0.0)
        if best < (_SAME if step.action == "choose" else _ENOUGH[" " in plain(wanted)]):
            return None
        found = [mark for mark in marks if _alike(wanted, mark) == best]
        if step.kind == "icon":
            found = [mark for mark in found if mark["role"] == "button"] or found
        return self._within(step, found) if step.within else min(found, key=self._distance)

    def _distance(self, mark: Seen) -> float:
        """Return how far a mark is from the control before, which decides between two of one name."""
        return math.hypot(*(here - there for here, there in zip(mark["box"][:2], self._at, strict=True)))

    def _within(self, step: Step, found: Sequence[Seen]) -> Seen | None:
        both = [mark for mark in found if plain(step.within) in plain(mark["name"])]
        if both:
            return both[0]
        anchors = [mark for mark in self._seen["elements"] if plain(step.within) in plain(mark["name"])]
        if not anchors:
            return None
        return min(found, key=lambda mark: abs(mark["box"][1] - anchors[0]["box"][1]))


def _alike(label: str, mark: Seen) -> float:
    """Return how much the name or the text of a mark is the label: 1.0 the same, 0.9 one in the other, less a misspelling."""
    return max(_likeness(plain(label), plain(mark[field])) for field in ("name", "text"))


def _likeness(label: str, name: str) -> float:
    if not label or not name:
        return 0.0
    if label == name:
        return 1.0
    if re.search(rf"\b{label}\b", name):
        return 0.95
    if len(name) > len(label) / 2 and re.search(rf"\b{name}\b", label):
        return 0.9
    return 0.89 * SequenceMatcher(None, label, name).ratio()


def follow(make: Callable[..., WebspEnv], instance_id: str, steps: Sequence[Step]) -> Followed:
    """Follow a list from S0 of its instance."""
    env = make(instance_id, observation="text", viewport=VIEWPORT, max_actions=200)
    return Follower(env, steps).follow()
