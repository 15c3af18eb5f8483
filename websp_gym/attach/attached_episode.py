"""The episode behind a door: what its connections share, and the turns that the environment takes from them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from websp_gym.actions.grammar import answer_with
from websp_gym.attach.commands import CommandReader
from websp_gym.attach.dialogs import OutsideDialogs
from websp_gym.attach.finishing import giving_up
from websp_gym.attach.script_watch import ScriptWatch
from websp_gym.attach.secrets import Secrets
from websp_gym.browser.isolated import session_of
from websp_gym.browser.owner import call
from websp_gym.browser.waiting import wait_for
from websp_gym.env.outside import OutsideAction, OutsideEnd, Turn
from websp_gym.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from websp_gym.agents.turns import Turn as AgentTurn
    from websp_gym.browser.shared_pipe import SharedPipe
    from websp_gym.browser.tabs import Tabs

Observation = Mapping[str, Any]


@dataclass(frozen=True)
class _Asked:
    """A reply for ``step`` whose observation somebody waits for; ``None`` if the episode ends instead.

    An empty one asks for the observation alone, once all before it is over.
    """

    text: str
    seen: Future[Observation | None] = field(default_factory=Future)

    def answer(self, observation: Observation | None) -> None:
        with contextlib.suppress(InvalidStateError):  # nobody waits any more
            self.seen.set_result(observation)


@dataclass(frozen=True)
class _Last:
    """The turn that ends the episode."""

    turn: Turn


_TO_HEAR = 10.0
"""Seconds that the browser may take to tell what happened before the end."""
_LOOK, _MOMENT = 0.1, 0.002
"""Seconds between two looks at what the browser tells while no turn comes, and how long one takes at least."""
_HEARD = (
    b'{"method":"Target.attachedToTarget',
    b'{"method":"Runtime.bindingCalled',
    b'{"method":"Runtime.executionContext',
    b'{"method":"Page.javascriptDialog',
    b'{"method":"Network.requestWillBeSent"',
)
"""What is read of the messages in sessions of our own."""


class AttachedEpisode:
    """One episode whose browser context an outside agent uses.

    Args:
        pipe: The shared connection of its browser.
        tabs: The tabs of its browser context, of which one is open. Make it on the browser thread.
        secrets: Texts that the agent must not see.
        observation: The first observation.

    Attributes:
        context: DevTools id of the browser context.
        own_session: The session of the browser for commands of our own.
        reader: Reads the agent's commands as actions.
        scripts: Watches what the agent's scripts do.
        notified: Say whether the agent is told of the dialogs of a tab, one for each connection.
        dialogs: Leaves native dialogs to the agent.
        observation: The last observation.
        over_because: Why nothing more is accepted; empty while the episode goes on.
        at_last_turn: Whether the turn that was taken last is the one by which the agent has finished.
        usage: What the agent has told of its model; ``None`` for nothing.
        refused: Number of refused commands, by method.
    """

    def __init__(
        self, pipe: SharedPipe, tabs: Tabs, secrets: Iterable[str], observation: Observation
    ) -> None:
        context, dialogs = tabs.context, tabs.dialogs
        self.pipe = pipe
        self.secrets = Secrets(secrets)
        self.reader = CommandReader(pipe.loop.call_later, time.monotonic)
        self.scripts = ScriptWatch(pipe.command, self._script_acted, self.reader.focus_moved, time.monotonic)
        self.observation = observation
        self.over_because = ""
        self.at_last_turn = False
        self.usage: AgentTurn | None = None
        self._caught_up = False
        self._ended = False
        self.refused: dict[str, int] = {}
        info = session_of(context.pages[0]).send("Target.getTargetInfo")["targetInfo"]
        self.context: str = info["browserContextId"]
        self.notified: set[Callable[[str], bool]] = set()
        self.dialogs = OutsideDialogs(dialogs, pipe.command, pipe.loop.call_later, self._is_agent_notified)
        self._tabs = tabs
        self._turns: deque[Turn | _Asked | _Last] = deque()
        self._asked: _Asked | None = None
        self._arrived: Future[None] = Future()
        self.own_session = pipe.run(pipe.browser_session(self._on_message))
        pipe.run(self._watch_tabs())

    # ---------------------------------------------------------------- turns
    def next_turn(self, seconds: float) -> Turn | None:
        """Wait for the agent's next turn; ``None`` if there was none in time.

        The browser thread, which other environments may use, only handles what the browser tells now and then.

        Args:
            seconds: Time limit.

        Raises:
            WorldError: The browser has ended, or the page crashed.
        """
        end = time.monotonic() + seconds
        while True:
            while self._turns:
                if isinstance(self._turns[0], _Last) and not self._caught_up:
                    self._catch_up()
                    continue
                turn = self._turns.popleft()
                if isinstance(turn, _Last):
                    self.at_last_turn = True
                    return turn.turn
                if not isinstance(turn, _Asked):
                    return turn
                if turn.text:
                    self._asked = turn
                    return turn.text
                turn.answer(self.observation)
            left = end - time.monotonic()
            if left <= 0:
                return None
            with contextlib.suppress(TimeoutError):
                self._arrived.result(min(_LOOK, left))
                self._arrived = Future()
            if not self._turns:
                call(self._handle_events)

    def _catch_up(self) -> None:
        """Take what the browser has to tell of scripts until now: it comes before the answer to a command."""
        self._caught_up = True
        with contextlib.suppress(WorldError):
            self.pipe.run(self.ask_own("Browser.getVersion"), _TO_HEAR)

    def put(self, turn: Turn | _Asked | _Last) -> None:
        """Add a turn, from any thread."""
        self._turns.append(turn)
        if self._ended:
            self._refuse_all()
        arrived = self._arrived
        with contextlib.suppress(Exception):
            arrived.set_result(None)

    def _handle_events(self) -> None:
        self.dialogs.forget_answered()
        wait_for(self._tabs.context, Future(), _MOMENT)
        if not self._tabs.alive:
            raise WorldError("the browser ended while the agent played")

    def put_back(self, turn: Turn | None) -> None:
        """Let a turn be the next one again."""
        asked, self._asked = self._asked, None
        if turn is not None:
            self._turns.appendleft(asked or turn)

    def finish(self, answer: str, *, infeasible: bool = False) -> bool:
        """End the agent's part with an answer, from any thread; return whether it was still going on.

        Args:
            answer: The answer, or why it gives up, of which the first 900 characters are kept.
            infeasible: Whether it gives up, as the task cannot be done.
        """
        return self._finish(giving_up(answer) if infeasible else answer_with(answer))

    def leave(self, detail: str) -> bool:
        """End the agent's part without an answer, from any thread; return whether it was still going on.

        Args:
            detail: What ended it, as a sentence.
        """
        return self._finish(OutsideEnd(detail))

    def _finish(self, turn: Turn) -> bool:
        if self.over_because:
            return False
        self.over_because = "the agent has finished this episode"
        self.put(_Last(turn))
        return True

    def end(self, reason: str) -> None:
        """Accept nothing more, from any thread; actions that wait are refused."""
        self.over_because = self.over_because or reason
        self._ended = True
        self._refuse_all()

    def _refuse_all(self) -> None:
        self._answer(None)
        with contextlib.suppress(IndexError):  # two threads may do this at once
            while True:
                turn = self._turns.popleft()
                if isinstance(turn, OutsideAction):
                    turn.refuse(self.over_because)
                elif isinstance(turn, _Asked):
                    turn.answer(None)

    def observed(self, observation: Observation) -> None:
        """Take the observation after the last turn; on the thread that takes the turns."""
        self.observation = observation
        self._answer(observation)

    def _answer(self, observation: Observation | None) -> None:
        asked, self._asked = self._asked, None
        if asked is not None:
            asked.answer(observation)

    # ---------------------------------------------------------------- connections, on the loop of the pipe
    async def reply(self, text: str) -> Observation | None:
        """Have a reply carried out by ``step`` and return the observation; ``None`` if the episode is over.

        An empty reply does nothing.
        """
        if self.over_because:
            return None
        asked = _Asked(text)
        self.put(asked)
        return await asyncio.wrap_future(asked.seen)

    async def decide(self, action: OutsideAction) -> str:
        """Wait until an action may pass; return why it may not, or nothing."""
        if self.over_because:
            return self.over_because
        self.put(action)
        return await asyncio.wrap_future(action.decided)

    def note_refusal(self, method: str, reason: str) -> None:
        """Count a command that was refused."""
        if reason != self.over_because:
            self.refused[method] = self.refused.get(method, 0) + 1

    async def ask_own(self, method: str, **arguments: Any) -> Mapping[str, Any]:
        """Send a command in our own session and return its result; as :meth:`SharedPipe.ask`."""
        return await self.pipe.ask(self.own_session, method, **arguments)

    def _on_message(self, text: bytes, session: str) -> None:
        if not text.startswith(_HEARD):
            return
        message = json.loads(text)
        arguments = message.get("params", {})
        match message.get("method"):
            case "Target.attachedToTarget":
                info = arguments["targetInfo"]
                if info["type"] == "page" and info.get("browserContextId") == self.context:
                    self.scripts.attached(arguments["sessionId"], info["targetId"])
            case "Page.javascriptDialogOpening":
                self.dialogs.opened(session, self.scripts.target_of(session), arguments)
            case "Page.javascriptDialogClosed":
                self.dialogs.closed(session, arguments)
            case "Network.requestWillBeSent":
                self.scripts.requested(session, arguments)
            case "Runtime.bindingCalled":
                self.scripts.told(session, arguments)
            case str(method) if method.startswith("Runtime.executionContext"):
                self.scripts.world_changed(session, method, arguments)

    async def _watch_tabs(self) -> None:
        attach = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        await self.ask_own("Target.setAutoAttach", **attach)

    def _is_agent_notified(self, target: str) -> bool:
        return any(is_notified(target) for is_notified in self.notified)

    def _script_acted(self, action: OutsideAction) -> None:
        if not self.over_because:
            self.put(action)
        elif not self.at_last_turn and not self._ended:
            # It came before the end, which waits until what was done before it is at rest.
            with contextlib.suppress(IndexError):  # the other thread may take the last turn now
                last = self._turns.pop()
                self._turns.append(action)
                self.put(last)
