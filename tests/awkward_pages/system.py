"""What a system has to do for the comparison, and how one page is played and judged under it."""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

from tests.awkward_pages.cases import Act, Case

PATIENCE = 2.0
"""Most seconds until the page has done what an action that is over has caused."""
Outcome = Literal["done", "error", "no effect", "other", "not shown"]


@dataclass(frozen=True)
class Answer:
    """What an agent gets for an action.

    Args:
        error: What the system calls an error or tells as a notice; empty for none.
        result: Its text for the action.
        observation: The observation after it.
    """

    error: str
    result: str
    observation: str


@dataclass(frozen=True)
class Cell:
    """What came of a page under a system.

    Args:
        outcome: ``done`` (what was seen got the effect, and nothing else did), ``other`` (something else got one),
            ``error`` (no effect, and an error), ``no effect`` (and no error), or ``not shown``.
        told: Whether the answer says truthfully if it was done.
        answer: The answer; None if nothing was done.
    """

    outcome: Outcome
    told: bool
    answer: Answer | None = None

    def __str__(self) -> str:
        if self.outcome in ("error", "not shown") or (self.told and self.outcome == "done"):
            return self.outcome
        false_alarm = self.outcome == "done" and self.answer is not None and self.answer.error
        return f"{self.outcome}, {'told' if self.told else 'false alarm' if false_alarm else 'not told'}"


class System(ABC):
    """A system under which an agent uses a page, in its own default way.

    Attributes:
        name: As its makers write it.
        press: Pattern of a line of its observations for an element that can be pressed; the first group is its id.
        field: The same, for one that can be filled in.
        on: Pattern of such a line where the element is switched on.
    """

    name: str
    press: str
    field: str
    on: str

    @abstractmethod
    def open(self, url: str) -> str:
        """Open a page in a browser without a history; return the observation."""

    @abstractmethod
    def act(self, act: Act, element: str) -> Answer:
        """Act on the element with this id of the last observation."""

    @abstractmethod
    def wait(self) -> str:
        """Wait as an agent may; return the observation."""

    @abstractmethod
    def scroll(self) -> str:
        """Scroll down as an agent may; return the observation."""

    @abstractmethod
    def run(self, script: str) -> Any:
        """Run a script in the page that was opened, past the system, and wait for its promise."""

    def find(self, observation: str, act: Act) -> str | None:
        """Return the id of the element that an observation shows under this name, or None."""
        line = self.line(observation, act)
        found = re.search(self._pattern(act), line) if line else None
        return found[1] if found else None

    def line(self, observation: str, act: Act) -> str | None:
        """Return the line of this element: the name is in it or, in some lists, on the lines beside it."""
        lines = observation.splitlines()
        lines = lines[next((at for at, line in enumerate(lines) if act.near in line), len(lines)) :]
        named = re.compile(rf"(?<![\w-]){re.escape(act.label)}(?![\w-])")
        elements = [at for at, line in enumerate(lines) if re.search(self._pattern(act), line)]
        labels = [at for at, line in enumerate(lines) if named.search(line)]
        if inside := [at for at in labels if at in elements]:
            return lines[inside[0]]
        if not labels or not elements:
            return None
        above = [at for at in elements if at < labels[0]] if act.do == "click" else []
        below = [at for at in elements if at > labels[0]]
        return lines[above[-1] if above else below[0]] if above or below else None

    def _pattern(self, act: Act) -> str:
        return self.press if act.do == "click" else self.field


def play(system: System, case: Case, url: str) -> Cell:
    """Play a page under a system.

    Args:
        system: The system.
        case: The page.
        url: Address of the folder of pages.
    """
    observation = system.open(f"{url}{case.name}.html")
    for act in case.acts:
        element = "" if act.do == "first tab" else system.find(observation, act)
        for more in (system.wait, system.scroll):
            if element is None:
                observation = more()
                element = system.find(observation, act)
        if element is None:
            return Cell("not shown", told=False)
        if case.changes:
            system.run("change()")
        before, answer = observation, system.act(act, element)
        observation = answer.observation
    outcome = _outcome(system)
    if outcome == "no effect" and answer.error:
        return Cell("error", told=True, answer=answer)
    told = _done_is_told(case, before, answer) if outcome == "done" else _other_is_told(system, case, answer)
    return Cell(outcome, told, answer)


def _outcome(system: System) -> Outcome:
    until = time.monotonic() + PATIENCE
    while (outcome := system.run("outcome()")) == "no effect" and time.monotonic() < until:
        time.sleep(0.05)
    known: Outcome = outcome
    return known


def _done_is_told(case: Case, before: str, answer: Answer) -> bool:
    if not case.notice:
        return not answer.error or bool(case.aside and re.search(case.aside, answer.error))
    said = f"{answer.error}\n{answer.result}\n{answer.observation}"
    return bool(re.search(case.notice, said)) and not re.search(case.notice, before)


def _other_is_told(system: System, case: Case, answer: Answer) -> bool:
    if answer.error:
        return True
    if case.switches:
        own, other = (system.line(answer.observation, Act("click", name)) for name in case.switches)
        return bool(own and other and re.search(system.on, other) and not re.search(system.on, own))
    if not case.shows:
        return False
    return bool(re.search(case.shows, answer.observation)) and not re.search(case.lacks, answer.observation)
