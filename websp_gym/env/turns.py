"""Carrying out what an agent replies: an action or calls on the pages, or a message to the user."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

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
from websp_gym.actions.computer import find_computer, read_computer
from websp_gym.actions.computer.perform import perform_computer
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
from websp_gym.records.trajectory import ActionRecord
from websp_gym.texts import shortened

if TYPE_CHECKING:
    from websp_gym.actions import Action
    from websp_gym.actions.calls import Call
    from websp_gym.actions.computer import ComputerAction, Screen
    from websp_gym.actions.harm import HarmGuard
    from websp_gym.browser.tabs import Tabs
    from websp_gym.browser.watch import Watch
    from websp_gym.env.chat import MemoryChat
    from websp_gym.observation.marks import Marks
    from websp_gym.observation.observe import Observer
    from websp_gym.policies.watch import PolicyWatch
    from websp_gym.records.trajectory import View

_KEYS = ("press", "keyboard_press", "keyboard_down", "keyboard_type")
_ENTER = {"Enter", "NumpadEnter", "Return", "\n", "\r"}
_PRESSING_KEYS = _ENTER | {" ", "Space"}
_PRESSING = ("click", "dblclick", "mouse_click", "mouse_dblclick", "mouse_down")
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
        policy_watch: Records the facts of each action; ``None`` in an episode without policies.
        guard: Holds back actions that would harm the account; ``None`` for no guard.

    Attributes:
        last_action: The last reply, as it is stored.
        last_error: Why it failed; empty if it did not.
        last_result: What it returned; empty if it failed or is of those that return nothing.
        understood: The last action as understood; ``None`` if the reply could not be parsed.
        ending: How the agent ended the episode; ``None`` if it did not.
    """

    def __init__(
        self,
        tabs: Tabs,
        observer: Observer,
        chat: MemoryChat,
        screen: Screen,
        policy_watch: PolicyWatch | None,
        guard: HarmGuard | None = None,
    ) -> None:
        self.last_action = ""
        self.last_error = self.last_result = ""
        self.understood: ActionRecord | None = None
        self.ending: Ending | None = None
        self._tabs = tabs
        self._observer = observer
        self._chat = chat
        self._screen = screen
        self._about: Call | None = None
        self._policy_watch = policy_watch
        self._guard = guard

    def begin(self, reply: Turn) -> None:
        """Start the turn of a reply."""
        self.last_action, self.understood = kept(str(reply)), None
        self.last_error = self.last_result = ""
        if self._policy_watch is not None:
            self._policy_watch.begin_step()

    def carry_out(self, reply: Turn, watch: Watch, before: View | None, *, left: int) -> int:
        """Carry out a reply. What the agent did wrong is in :attr:`last_error`.

        Args:
            reply: The reply, or an action that the agent takes itself.
            watch: The watch of the step.
            before: What the agent saw.
            left: Number of actions it has left.

        Returns:
            Number of actions it counts as.

        Raises:
            WorldError: The website or the browser did not respond during an action.
        """
        counted, to_user = 1, self._policy_watch is not None
        try:
            if isinstance(reply, OutsideAction):
                self._let_pass(reply)
                return counted
            if isinstance(reply, OutsideEnd):
                self.ending = Ending("exit", detail=reply.detail)
                return 0
            # A call quoted inside an ANSWER is text: what begins with one of our actions is not a call.
            if looks_like_calls(reply):
                calls = parse_calls(reply, left=left, to_user=to_user)
                counted = actions_in(calls)
                self.understood = ActionRecord(kind="calls", text=self.last_action)
                self._make_calls(calls, watch)
            elif (written := find_computer(reply)) is not None:
                computer = read_computer(written, self._screen)
                counted = int(not computer.free)
                self.understood = ActionRecord(kind="computer", text=kept(written))
                self._use_computer(computer, _LONGEST_SHARE * watch.seconds)
            else:
                action = parse_action(reply, to_user=to_user)
                counted = int(not action.free)
                self.understood = ActionRecord.of(action, before)
                self._perform(action)
        except HarmError as error:
            self.last_error = str(error)
            self.ending = Ending("stopped", detail=str(error))
        except ActionError as error:
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
            self.last_error = shortened(str(error), _LONGEST_ERROR)
        return counted

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
                if self._policy_watch is not None:
                    marks = self._policy_watch.action(action, marks)
                if self._guard is not None:
                    marks = self._guarded(marks)
                perform(action, self._tabs, marks)

    def _make_calls(self, calls: list[Call], watch: Watch) -> None:
        listener = Listener(self._say, self._give_up, self._ask, self._report)
        self._about = calls[0] if len(calls) == 1 else None
        perform_calls(calls, self._tabs, listener, noting=self._before_call, clock=lambda: watch.own)

    def _use_computer(self, action: ComputerAction, longest: float) -> None:
        if action.reads is not None and self._observer.kind != "pixels":
            raise ActionError(f'{action.name} returns a text, which observation="pixels" has only')
        self._about = action.about
        self.last_result = perform_computer(
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
        self.last_action = kept(str(action))
        kind = "script" if action.by_script else "calls"
        self.understood = ActionRecord(
            kind=kind, text=self.last_action, role=met.get("role"), name=met.get("name")
        )

    def _note_call(self, action: OutsideAction) -> None:
        if self._policy_watch is not None:
            self._policy_watch.call(action.call, action.met, by_script=bool(action.by_script))

    def _before_call(self, call: Call) -> None:
        """Take the facts of a call before it is made; raise an error if it must not be."""
        if call != self._about and self._policy_watch is None and self._guard is None:
            return
        met = element_of_call(call, self._tabs)
        if call == self._about and met and self.understood is not None:
            self.understood.role, self.understood.name = met["role"], met["name"]
        if self._policy_watch is not None:
            self._policy_watch.call(call, met or {})
        if self._guard is not None:
            keys = _keys_of(call)
            if "\t" in keys and not _PRESSING_KEYS.isdisjoint(keys[keys.index("\t") :]):
                raise ActionError(
                    "with the harm guard, a text cannot contain a space or Enter after a Tab; press Tab by itself"
                )
            sends = not _ENTER.isdisjoint(keys)
            if call[0] in _PRESSING or not _PRESSING_KEYS.isdisjoint(keys):
                self._check_harm(met, sends=sends)

    def _guarded(self, marks: Marks) -> Marks:
        """Return the marks to perform an action with, which check the element it meets before anything is pressed."""
        before = marks.noting

        def noting(element: dict[str, str]) -> None:
            if before is not None:
                before(element)
            self._check_harm(element, sends=False)

        return replace(marks, noting=noting)

    def _check_harm(self, element: dict[str, str] | None, *, sends: bool) -> None:
        assert self._guard is not None
        if element is None:  # a frame that is being replaced, or has content that no script can read
            raise ActionError(
                "the element there could not be read, so the harm guard allowed no press; try again, or try "
                "another way"
            )
        kind = self._guard.harm(element, sends=sends)
        if kind is not None:
            raise HarmError(
                f'{element["role"]} "{element["name"]}" was not pressed: according to the harm guard, it {kind}'
            )

    def _ask(self, text: str) -> None:
        assert self._policy_watch is not None
        self._policy_watch.ask(text)
        self._chat.add_message("assistant", text)
        self._chat.add_message("user", self._policy_watch.reply)

    def _report(self, text: str) -> None:
        assert self._policy_watch is not None
        self._policy_watch.report(text)
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
        self.ending = ending
        if self._policy_watch is not None:
            self._policy_watch.answered(ending.answer)


def _is_cut_off(cause: BaseException | None) -> bool:
    """Whether an operation of the browser took too long without a reason by the page."""
    return isinstance(cause, PlaywrightTimeoutError) and not is_refused(str(cause))


def _keys_of(call: Call) -> list[str]:
    """Return the keys that a call presses: the characters of a text, the parts of a combination."""
    name, positional, named = call
    if name not in _KEYS:
        return []
    texts = [str(each) for each in (*positional, *named.values())]
    return [key for text in texts for key in (text if name == "keyboard_type" else text.split("+"))]
