"""Carrying out what an agent replies: an action or calls on the pages, or a message to the user."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from websp_gym.actions import parse_action
from websp_gym.actions.browsergym import (
    Listener,
    actions_in,
    is_refused,
    looks_like_calls,
    parse_calls,
    perform_calls,
)
from websp_gym.actions.computer.find import find_computer
from websp_gym.actions.element_facts import element_of_call
from websp_gym.actions.perform import perform
from websp_gym.actions.reply import kept
from websp_gym.browser.focus import leave_field
from websp_gym.browser.settle import settle
from websp_gym.browser.waiting import wait_for
from websp_gym.env.outside import LONGEST_WAIT, OutsideAction, OutsideEnd, Turn
from websp_gym.errors import ActionError, HarmError, WorldError
from websp_gym.patience import slowness
from websp_gym.records.ending import Ending
from websp_gym.records.hooks import CurrentStep
from websp_gym.records.trajectory import ActionRecord
from websp_gym.texts import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from websp_gym.actions import Action
    from websp_gym.actions.calls import Call
    from websp_gym.actions.computer.action import Screen
    from websp_gym.browser.deadline import Watch
    from websp_gym.browser.tabs import Tabs
    from websp_gym.env.chat import MemoryChat
    from websp_gym.observation.observe import Observer
    from websp_gym.records.hooks import EpisodeHooks
    from websp_gym.records.trajectory import View

_FIELDS = ("textbox", "searchbox", "combobox", "spinbutton")
"""Roles of elements that take typed text."""
_LONGEST_ERROR = 1_000
_LONGEST_SHARE = 2 / 3
"""Share of a step's seconds that an action may take itself; the rest is for the page and the observation."""
_ABORTED = "net::ERR_ABORTED"
_UNDESERVED = 1.0
"""Seconds without a response in one step after which a failed action is not charged to the agent."""


class AgentTurns:
    """Carries out the replies of one agent.

    Args:
        tabs: The open tabs.
        observer: Has the marks that the agent saw.
        chat: Gets the agent's questions and reports.
        screen: The picture that the agent sees.
        hooks: Are called before each action; may forbid it.
        user: Gets questions and reports; ``None`` in an episode without policies.
    """

    def __init__(
        self,
        tabs: Tabs,
        observer: Observer,
        chat: MemoryChat,
        screen: Screen,
        hooks: Sequence[EpisodeHooks] = (),
        user: AskedUser | None = None,
    ) -> None:
        self._step = CurrentStep()
        self._tabs = tabs
        self._observer = observer
        self._chat = chat
        self._screen = screen
        self._about: Call | None = None
        self._hooks = hooks
        self._user = user

    def begin(self, reply: Turn, number: int) -> CurrentStep:
        """Begin the step of a reply, and return it."""
        self._step = CurrentStep(number, kept(str(reply)))
        for each in self._hooks:
            each.begin_step()
        return self._step

    def carry_out(self, reply: Turn, watch: Watch, before: View | None, *, left: int) -> None:
        """Carry out the reply of the step that has begun; what comes of it is noted there.

        Args:
            reply: The reply, or an action that the agent takes itself.
            watch: The watch of the step.
            before: What the agent saw.
            left: Number of actions it has left.

        Raises:
            WorldError: The website or the browser did not respond during an action.
        """
        step = self._step
        step.counted = 1
        try:
            self._carry_out(reply, watch, before, left)
        except HarmError as error:
            step.error = str(error)
            step.ending = Ending("stopped", detail=str(error))
        except ActionError as error:
            self._check_blame(error, watch)
            step.error = shortened(str(error), _LONGEST_ERROR)

    def _carry_out(self, reply: Turn, watch: Watch, before: View | None, left: int) -> None:
        step, to_user = self._step, self._user is not None
        if isinstance(reply, OutsideAction):
            self._let_pass(reply)
        elif isinstance(reply, OutsideEnd):
            step.counted = 0
            step.ending = Ending("exit", detail=reply.detail)
        # A call quoted inside an ANSWER is text: what begins with one of our actions is not a call.
        elif looks_like_calls(reply):
            calls = parse_calls(reply, left=left, to_user=to_user)
            step.counted = actions_in(calls)
            step.act = ActionRecord(kind="calls", text=step.action)
            self._make_calls(calls, watch)
        elif (written := find_computer(reply)) is not None:
            self._use_computer(written, _LONGEST_SHARE * watch.seconds)
        else:
            action = parse_action(reply, to_user=to_user)
            step.counted = int(not action.free)
            step.act = ActionRecord.of(action, before)
            self._perform(action)

    def _check_blame(self, error: ActionError, watch: Watch) -> None:
        """Raise ``WorldError`` if an action failed for a reason that is not the agent's."""
        if isinstance(error.__cause__, PlaywrightError) and watch.stuck > _UNDESERVED:
            raise WorldError(
                f"the website or the browser did not respond for {watch.stuck:.0f} seconds "
                f"during an action ({error})"
            ) from error
        if _is_cut_off(error.__cause__) and watch.forgiven > watch.own:
            raise WorldError(
                f"the machine kept the browser waiting for {watch.forgiven:.0f} seconds of an action ({error})"
            ) from error
        if _ABORTED in str(error):
            self._check_browser(watch)

    def _perform(self, action: Action) -> None:
        match action.kind:
            case "ANSWER":
                self._say(action.text or "")
            case "ASK":
                self._ask(action.text or "")
            case "REPORT":
                self._report(action.text or "")
            case _:
                marks = self._observer.known_marks()
                for each in self._hooks:
                    each.before_action(action, marks)
                if self._hooks:
                    marks = replace(marks, noting=self._before_press)
                perform(action, self._tabs, marks)

    def _make_calls(self, calls: list[Call], watch: Watch) -> None:
        listener = Listener(self._say, self._give_up, self._ask, self._report)
        self._about = calls[0] if len(calls) == 1 else None
        perform_calls(calls, self._tabs, listener, noting=self._before_call, clock=lambda: watch.own)

    def _use_computer(self, written: str, longest: float) -> None:
        # Four vocabularies, which agents that use none of them do not need.
        from websp_gym.actions.computer.perform import perform_computer
        from websp_gym.actions.computer.read import read_computer

        action = read_computer(written, self._screen)
        self._step.counted = int(not action.free)
        self._step.act = ActionRecord(kind="computer", text=kept(written))
        if action.reads is not None and self._observer.kind != "pixels":
            raise ActionError(f'{action.name} returns a text, which observation="pixels" has only')
        self._about = action.about
        self._step.result = perform_computer(
            action, self._tabs, self._screen, longest=longest, noting=self._before_call
        )
        self._observer.enlarge(action.region)

    def _let_pass(self, action: OutsideAction) -> None:
        """Let an outside action happen, and wait until it is over."""
        try:
            page = self._tabs.of_target(action.target)
            if page is not None and page is not self._tabs.current:
                self._tabs.activate(page)
            met = action.met if action.met is not None else element_of_call(action.call, self._tabs) or {}
            action.types = action.call[0] == "keyboard_type" and met.get("role") in _FIELDS
            if action.met is not None:
                self._note_call(action)
            elif not action.types:
                self._before_call(action.call)
        except BaseException as error:
            action.refuse(str(error))
            raise
        action.let_pass()
        wait_for(self._tabs.context, action.over, LONGEST_WAIT * slowness())
        if action.types:
            self._note_call(action)
        step = self._step
        step.action = kept(str(action))
        kind = "script" if action.by_script else "calls"
        step.act = ActionRecord(kind=kind, text=step.action, role=met.get("role"), name=met.get("name"))

    def _note_call(self, action: OutsideAction) -> None:
        for each in self._hooks:
            each.called(action.call, action.met, by_script=bool(action.by_script))

    def _before_call(self, call: Call) -> None:
        if call != self._about and not self._hooks:
            return
        element = element_of_call(call, self._tabs)
        act = self._step.act
        if call == self._about and element and act is not None:
            act.role, act.name = element["role"], element["name"]
        for each in self._hooks:
            each.before_call(call, element)

    def _before_press(self, element: Mapping[str, str]) -> None:
        for each in self._hooks:
            each.before_press(element)

    def _ask(self, text: str) -> None:
        assert self._user is not None
        self._user.ask(text)
        self._chat.add_message("assistant", text)
        self._chat.add_message("user", self._user.reply)

    def _report(self, text: str) -> None:
        assert self._user is not None
        self._user.report(text)
        self._chat.add_message("assistant", text)

    def _check_browser(self, watch: Watch) -> None:
        """Check that the browser can still open pages; without its zygote it aborts every navigation."""
        watch.suspect = "browser"
        self._tabs.context.new_page().close()
        watch.suspect = "page"

    def _say(self, message: str) -> None:
        # The state of this moment is scored: a text that a page saves when its field is left is saved before.
        if self._tabs.alive and leave_field(self._tabs.current):
            settle(self._tabs)
        self._end(Ending("answer", str(message)))

    def _give_up(self, reason: str) -> None:
        self._end(Ending("infeasible", str(reason)))

    def _end(self, ending: Ending) -> None:
        self._step.ending = ending
        for each in self._hooks:
            each.answered(ending.answer)


class AskedUser(Protocol):
    """The user, as an agent reaches them."""

    reply: str
    """What they replied in the last step; empty if nothing was asked."""

    def ask(self, text: str) -> None:
        """Put a question to them. Raise ``ActionError`` if it cannot be put."""

    def report(self, text: str) -> None:
        """Tell them about an obstacle. Raise ``ActionError`` if the text names none."""


def _is_cut_off(cause: BaseException | None) -> bool:
    """Whether an operation of the browser took too long without a reason by the page."""
    return isinstance(cause, PlaywrightTimeoutError) and not is_refused(str(cause))
