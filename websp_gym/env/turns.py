"""Carrying out what an agent replies: an action or calls on the pages, or a message to the user."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.actions import parse_action
from websp_gym.actions.browsergym import Listener, actions_in, looks_like_calls, parse_calls, perform_calls
from websp_gym.actions.element_facts import element_of_call
from websp_gym.actions.perform import perform
from websp_gym.actions.reply import kept
from websp_gym.errors import ActionError, HarmError, WorldError
from websp_gym.records.ending import Ending
from websp_gym.records.trajectory import ActionRecord
from websp_gym.texts import shortened

if TYPE_CHECKING:
    from websp_gym.actions import Action
    from websp_gym.actions.calls import Call
    from websp_gym.browser.tabs import Tabs
    from websp_gym.browser.watch import Watch
    from websp_gym.env.chat import MemoryChat
    from websp_gym.observation.marks import Marks
    from websp_gym.observation.observe import Observer
    from websp_gym.policies.watch import PolicyWatch
    from websp_gym.records.trajectory import View
    from websp_gym.world.live.harm import HarmGuard

_KEYS = ("press", "keyboard_press", "keyboard_down", "keyboard_type")
_ENTER, _SPACE = {"Enter", "NumpadEnter", "Return"}, {" ", "Space"}
_PRESSING = ("click", "dblclick", "mouse_click", "mouse_dblclick", "mouse_down")
_LONGEST_ERROR = 1_000
_ABORTED = "net::ERR_ABORTED"
_UNDESERVED = 1.0
"""Seconds without a response in one step after which a failed action is not charged to the agent."""


class AgentTurns:
    """Carries out the replies of one agent.

    Args:
        tabs: The open tabs.
        observer: Has the marks that the agent saw.
        chat: Gets the agent's questions and reports.
        policy_watch: Takes the facts of each action; ``None`` in an episode without policies.
        guard: Holds back what would harm the account; ``None`` for nothing.

    Attributes:
        last_action: The last reply, as it is kept.
        last_error: Why it failed; empty if it did not.
        understood: The last action as understood; ``None`` if the reply could not be parsed.
        ending: How the agent ended the episode; ``None`` if it did not.
    """

    def __init__(
        self,
        tabs: Tabs,
        observer: Observer,
        chat: MemoryChat,
        policy_watch: PolicyWatch | None,
        guard: HarmGuard | None = None,
    ) -> None:
        self.last_action = ""
        self.last_error = ""
        self.understood: ActionRecord | None = None
        self.ending: Ending | None = None
        self._tabs = tabs
        self._observer = observer
        self._chat = chat
        self._policy_watch = policy_watch
        self._guard = guard

    def begin(self, text: str) -> None:
        """Start the turn of a reply."""
        self.last_action, self.last_error, self.understood = kept(text), "", None
        if self._policy_watch is not None:
            self._policy_watch.begin_step()

    def carry_out(self, text: str, watch: Watch, before: View | None, *, left: int) -> int:
        """Carry out a reply. What the agent did wrong is in :attr:`last_error`.

        Args:
            text: The reply.
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
            # A call quoted inside an ANSWER is text: what begins with one of our actions is not a call.
            if looks_like_calls(text):
                calls = parse_calls(text, left=left, to_user=to_user)
                counted = actions_in(calls)
                self.understood = ActionRecord(kind="calls", text=self.last_action)
                self._make_calls(calls)
            else:
                action = parse_action(text, to_user=to_user)
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

    def _make_calls(self, calls: list[Call]) -> None:
        listener = Listener(self._say, self._give_up, self._ask, self._report)
        if self._policy_watch is None and self._guard is None:
            perform_calls(calls, self._tabs, listener)
        else:
            perform_calls(calls, self._tabs, listener, noting=self._before_call)

    def _before_call(self, call: Call) -> None:
        if self._policy_watch is not None:
            self._policy_watch.call(call)
        if self._guard is not None:
            name, positional, named = call
            keys = {str(each) for each in (*positional, *named.values())} if name in _KEYS else set()
            sends = bool(keys & _ENTER) or (name == "keyboard_type" and any("\n" in key for key in keys))
            if sends or keys & _SPACE or name in _PRESSING:
                self._check_harm(element_of_call(call, self._tabs), sends=sends)

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
                "what is there could not be read, so the harm guard let nothing be pressed; try again or another way"
            )
        kind = self._guard.harm(element, sends=sends)
        if kind is not None:
            raise HarmError(
                f'{element["role"]} "{element["name"]}" was not pressed: the harm guard takes it for one that {kind}'
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
        self.ending = Ending("answer", str(message))
        if self._policy_watch is not None:
            self._policy_watch.answered(self.ending.answer)

    def _give_up(self, reason: str) -> None:
        self.ending = Ending("infeasible", str(reason))
