"""Recording the facts of each step as they happen, and passing on what the agent says to the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.actions.browsergym import actions_in
from websp_gym.actions.element_facts import argument_of, element_of_call
from websp_gym.actions.question import read_question
from websp_gym.actions.spoken import REPORT_FORM
from websp_gym.browser.inputs import inputs_of
from websp_gym.errors import ActionError
from websp_gym.policies.in_view import look_at
from websp_gym.policies.operating import operations
from websp_gym.policies.outflow import Outflow
from websp_gym.policies.provenance import Provenance
from websp_gym.policies.reports import says_that_it_failed
from websp_gym.policies.user.base import MOST_QUESTIONS
from websp_gym.records.hooks import EpisodeHooks
from websp_gym.records.step_facts import ActionFacts, FaultReport, StepFacts, Typed
from websp_gym.texts import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from websp_gym.actions.calls import Call
    from websp_gym.actions.grammar import Action
    from websp_gym.browser.inputs import Input
    from websp_gym.browser.tabs import Tabs
    from websp_gym.observation.marks import Marks
    from websp_gym.policies.events import Event
    from websp_gym.policies.sets import Policies
    from websp_gym.policies.user.base import User
    from websp_gym.records.hooks import CurrentStep
    from websp_gym.world import WorldEpisode

_VALUES = {
    "fill": (1, "value"),
    "keyboard_type": (0, "text"),
    "keyboard_insert_text": (0, "text"),
    "select_option": (1, "options"),
    "goto": (0, "url"),
    "press": (1, "key_comb"),
    "keyboard_press": (0, "key_comb"),
    "keyboard_down": (0, "key"),
}
"""The calls with a value, each with the position and the name of that argument."""
_TYPING = ("Type", "fill", "keyboard_type", "keyboard_insert_text", "keyboard_press", "press", "script")

_FILLING = ("Type", "fill")
_CHOOSING = ("select_option", "Click", "click", "mouse_click", *_FILLING)


class PolicyWatch(EpisodeHooks):
    """Records the facts of an episode with policies, and passes on what the agent says to the user.

    Args:
        policies: The policies.
        user: The user who may be asked.
        episode: The episode in the world. On the live web, without a server of ours, steps have no event numbers.
        tabs: The open tabs.
        instruction: The instruction that the agent has.
        site: Slug of the site of the task.
    """

    def __init__(
        self,
        policies: Policies,
        user: User,
        episode: WorldEpisode,
        tabs: Tabs,
        instruction: str,
        site: str,
    ) -> None:
        self.reply = ""
        """What the user replied in the last step; empty if nothing was asked."""
        self.begun: int | None = None
        """Number of the last event in the world's log before the first action; ``None`` where there is no log."""
        self._user = user
        self._episode = episode
        self._tabs = tabs
        self._site = site
        self._asked = 0
        self._facts = StepFacts()
        self._by_script = self._last_is_free = False
        self._seen = ""
        self._last_seq: Callable[[], int | None] | None = None
        self._policies = policies
        self._inputs = inputs_of(tabs.context)
        self._outflow = Outflow(
            tabs.context,
            {secret.name: secret.places for secret in policies.secrets},
            policies.names.hosts,
            instruction,
        )
        self._texts = {secret.name: secret.text for secret in policies.secrets}
        self._known = Provenance(instruction)
        # A policy may demand a value, such as a word in a subject.
        self._known.learn("task", [each.sentence for each in policies.shown])
        self._shown: object = None
        self._at_start: list[str] = []
        self._not_offered: dict[str, Event] = {
            event.key: event for policy in policies.policies for event in policy.rule.events
        }

    def begin_step(self) -> None:
        """Forget what the user said, and begin the facts of a step."""
        self._facts = StepFacts(operated=[], offered=self._at_start, carried_out=0)
        self._at_start = []
        self._by_script = False
        self.reply = ""

    def before_action(self, action: Action, marks: Marks) -> None:
        """Record the facts of an action of the grammar."""
        facts = ActionFacts(kind=action.kind, before=self._tabs.current.url, value=action.text or "")
        if action.number is not None and 0 <= action.number < len(marks):
            mark = marks[action.number]
            facts = facts.model_copy(update={"role": mark.role, "name": mark.name})
        self._add(facts, free=action.free)

    def before_press(self, element: Mapping[str, str]) -> None:
        """Record the element that the action meets."""
        self._facts.actions[-1] = self._facts.actions[-1].model_copy(update=_kept(element))

    def before_call(self, call: Call, element: Mapping[str, str] | None) -> None:
        """Record the facts of a call that is about to be made."""
        self._add_call(call, element or {}, by_script=False)

    def called(self, call: Call, element: Mapping[str, str] | None, *, by_script: bool) -> None:
        """Record the facts of a call that an outside agent has made."""
        met = element if element is not None else element_of_call(call, self._tabs) or {}
        self._add_call(call, met, by_script=by_script)

    def _add_call(self, call: Call, met: Mapping[str, str], *, by_script: bool) -> None:
        name, positional, named = call
        self._by_script |= by_script
        value = str(argument_of(call, *_VALUES[name]) or "") if name in _VALUES else ""
        facts = ActionFacts(kind=name, before=self._tabs.current.url, value=value, **_kept(met))
        if name == "goto":
            self._outflow.opens(value)
        elif by_script:
            self._outflow.says("\n".join(map(str, (*positional, *named.values()))), "script")
        self._add(facts, free=not actions_in([call]))

    def ask(self, text: str) -> None:
        """Put a question to the user. Raise ActionError for an empty question, wrong JSON, or more than five
        questions."""
        if not text.strip():
            raise ActionError(
                "a question needs words, for example: ASK; may I delete the token?", action="ASK"
            )
        read_question(text)
        if self._asked == MOST_QUESTIONS:
            raise ActionError(
                f"the user answers at most {MOST_QUESTIONS} questions; nothing was asked", action="ASK"
            )
        self._asked += 1
        self._outflow.says(text, "question")
        state = None
        if self._begun() is not None:
            state = self._episode.state().sites.get(self._site)
        self._facts.question = self._user.reply(text, state)
        self.reply = self._facts.question.reply
        self._known.learn("user", [self.reply])

    def report(self, text: str) -> None:
        """Tell the user about an obstacle. Raise ActionError for a report that names none."""
        fields = REPORT_FORM.read(text)
        if not text.strip():
            raise ActionError(
                "a report needs words, for example: REPORT; the changes were not saved", action="REPORT"
            )
        if fields and not says_that_it_failed(fields["what"]):
            raise ActionError(
                f'what: "{shortened(fields["what"], 100)}" does not say what failed; expected, for example: '
                "not saved, not available, an error, something is missing; nothing was reported",
                action="REPORT",
            )
        self._outflow.says(" ".join(fields.values()) if fields else text, "report")
        self._facts.reports.append(FaultReport(**fields) if fields else FaultReport(text=text))

    def answered(self, text: str) -> None:
        """Note what the agent answered at the end, or why it gave up."""
        self._outflow.says(text, "answer")

    def begin(self, marks: Marks) -> None:
        """Look at the start page, and take the number of the last event before the first action, if it is known."""
        self._inputs.take()
        self._look(marks)
        self._at_start, self._facts = self._facts.offered, StepFacts()
        self.begun = self._begun()

    def _begun(self) -> int | None:
        return self._episode.log_position()()

    def _look(self, marks: Marks) -> None:
        """Take what the page in view says and offers, if it shows something else than the last time."""
        page = self._tabs.current
        shown = (page.url, frozenset((mark.role, mark.name, mark.text, mark.value) for mark in marks.marks))
        if shown == self._shown:
            return
        self._shown, self._seen = shown, page.url
        view = look_at(page, marks)
        self._known.learn("page", view.texts)
        self._facts.frames = dict(view.titles)
        for key, event in list(self._not_offered.items()):
            if event.offered_by(view, self._policies.names, self._values):
                self._facts.offered.append(key)
                del self._not_offered[key]

    def at_rest(self) -> None:
        """Start asking the world for its last event now that the page is at rest; observing takes longer than
        that."""
        self._last_seq = self._episode.log_position()

    def end_step(self, step: CurrentStep, marks: Marks) -> None:
        """Add the facts of the step, after the observation."""
        facts, after = self._facts, self._tabs.current.url
        failed = bool(step.error)
        if facts.actions:
            last = {"after": after, "dialogs": list(self._tabs.notices.texts), "failed": failed}
            facts.actions[-1] = facts.actions[-1].model_copy(update=last)
            facts.carried_out = (facts.carried_out or 0) - (failed and not self._last_is_free)
        if self._last_seq is not None:
            facts.seq = self._last_seq()
        self._take_inputs()
        self._look(marks)
        step.facts = facts

    def cut_off(self, step: CurrentStep) -> None:
        """Add the facts of a step whose page stopped responding: what was done until then."""
        self._facts.seq = self._begun()
        self._take_inputs()
        step.facts = self._facts

    def _take_inputs(self) -> None:
        """Take what the pages told of the step, and what left in it."""
        told = [each for each in self._inputs.take() if self._is_of_agent(each)]
        typed: dict[str, tuple[int, Input]] = {}
        for number, each in enumerate(told):
            if each.field and each.event in ("input", "change"):
                self._outflow.stands(each)
                if not each.chosen:
                    typed[each.field] = number, each
        for text in self._tabs.dialogs.drain_written():
            self._outflow.says(text, "dialog")
        self._facts.operated = operations(told)
        self._facts.typed = [
            Typed(
                field=field,
                name=each.name,
                value=each.value,
                source=self._known.of(each.value),
                left=each.event == "change" or any(after.field != field for after in told[number + 1 :]),
            )
            for field, (number, each) in typed.items()
        ]
        self._facts.carried = self._outflow.take(self._values, by_script=self._by_script)

    def _is_of_agent(self, told: Input) -> bool:
        """Whether an event is what the agent did, and not what a script of the page made of it."""
        if self._by_script:
            return True
        # Playwright and we choose in a list by a script, because its menu is a window of the system, and fill in what
        # cannot be typed, such as a date. A form that a button sends is told by the press of the button; one that a
        # script of the page sends is not the agent's.
        kinds = _CHOOSING if told.chosen else _FILLING if told.field else ()
        return any(action.kind in kinds for action in self._facts.actions) or (
            told.trusted and told.event != "submit"
        )

    def _values(self, name: str) -> Iterator[str]:
        if name != "token":
            yield self._texts.get(name) or self._episode.account[name]
            return
        yield from self._episode.token_texts(self._site)

    def _add(self, facts: ActionFacts, *, free: bool) -> None:
        """Add the facts of an action. What is typed on a page that no observation showed may come from there."""
        self._facts.actions.append(facts)
        self._last_is_free = free
        self._facts.carried_out = (self._facts.carried_out or 0) + (not free)
        if facts.before != self._seen and facts.kind in _TYPING:
            self._seen = facts.before
            self._known.learn("page", look_at(self._tabs.current).texts)


def _kept(element: Mapping[str, str]) -> dict[str, str]:
    """Return the facts of an element that a record has; the harm guard reads more."""
    return {name: element[name] for name in ("role", "name", "form", "frame") if name in element}
