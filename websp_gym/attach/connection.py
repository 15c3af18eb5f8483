"""One connection of an outside agent to the browser: passes on what it may send, cuts out what it must not see."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeGuard

from websp_gym.attach.rules import RUNS_A_SCRIPT, RefusedCommandError, check, check_address, rule_of
from websp_gym.browser.devtools import CommandError, Message, dumped, id_of

if TYPE_CHECKING:
    from websp_gym.attach.attached_episode import AttachedEpisode

_OWN_WORLD = "outside:"
"""What the names of an agent's isolated worlds begin with in the browser: it sees those only, without this."""
_REFUSED = -32000
_ID_END = 2**31
"""The browser does not answer a message with such an id or a larger one."""
_WITH_CONTEXT = ("Storage.getCookies", "Target.createTarget")
_OF_STREAMS = ("IO.read", "IO.close")
_ATTACHING = ("Target.attachToTarget", "Target.setAutoAttach", "Target.autoAttachRelated")
_CREATED = ("url", "browserContextId", "background", "forTab")
"""The arguments of ``Target.createTarget`` that are passed on."""
_CONTEXTS = ("contextId", "executionContextId", "uniqueContextId")
_READ = (
    b'"method":"Target.',
    b'"method":"Runtime.executionContext',
    b'"method":"Runtime.consoleAPICalled',
    b'"method":"Runtime.bindingCalled',
)


class Connection:
    """One connection.

    Args:
        episode: The episode.
        send: Sends a message to the agent.
        page: DevTools id of the one tab that the connection is for; ``None`` for the browser.
        end: Ends the connection once what waits has been sent; it is called when that tab is gone.
    """

    def __init__(
        self,
        episode: AttachedEpisode,
        send: Callable[[bytes], object],
        page: str | None = None,
        end: Callable[[], None] = lambda: None,
    ) -> None:
        self._episode = episode
        self._send = send
        self._page = page
        self._end = end
        self._session = ""
        """The session of the browser, through which all others are opened."""
        self._root = ""
        """The session that messages of the agent without one belong to."""
        self._targets: dict[str, str] = {}
        """DevTools ids of the targets of the sessions."""
        self._worlds: dict[str, dict[int | str, bool]] = {}
        """Whether each execution context that a session knows is the agent's to use."""
        self._edits: dict[tuple[str, int], Callable[[Message], Message]] = {}
        """What is done with the answers to some of the agent's commands, by session and id."""
        self._streams: set[str] = set()
        """Handles of what the browser has made for the agent, which it may read."""
        self._told: set[str] = set()
        """Sessions whose tab tells the agent of its dialogs."""
        self.closed = False

    async def open(self) -> None:
        """Begin. Raises ``WorldError`` if the browser is gone, ``RefusedError`` if there is no such tab."""
        if self._page is not None:
            await self._check_target(self._page)
        pipe = self._episode.pipe
        self._root = self._session = await pipe.browser_session(self._on_message)
        if self._page is not None:
            try:
                attached = await pipe.ask(
                    self._session, "Target.attachToTarget", targetId=self._page, flatten=True
                )
            except CommandError:
                raise RefusedCommandError("there is no such tab") from None
            self._root = attached["sessionId"]
            self._targets[self._root] = self._page

    def close(self) -> None:
        """End the sessions."""
        # First: what the browser still sends on its way must not reach an agent that has left.
        self.closed = True
        self._episode.pipe.close_session(self._session)

    def is_notified(self, target: str) -> bool:
        """Whether the agent is told of the dialogs of a tab."""
        return not self.closed and any(self._targets.get(session) == target for session in self._told)

    # ---------------------------------------------------------------- from the agent
    async def take(self, text: str | bytes) -> None:
        """Take a message of the agent; returns once it has been passed on or answered."""
        number: object = None
        try:
            message = json.loads(text)
            number = message["id"]
            # The agent is not trusted: nothing is passed on that is not made anew from these four values.
            method, arguments = message["method"], message.get("params")
            session = message.get("sessionId", self._root)
            if arguments is None or isinstance(arguments, list):
                # As the browser has it, for which a list has no arguments in it.
                arguments = {}
            if not (
                _is_id(number)
                and isinstance(method, str)
                and isinstance(arguments, dict)
                and isinstance(session, str)
            ):
                raise TypeError
        except (ValueError, TypeError, KeyError, RecursionError):
            why = "a message needs an id (a whole number from 0 to 2147483647), a method and params"
            named = {"id": number} if _is_id(number) else {}
            self._send(dumped({**named, "error": {"code": -32600, "message": why}}))
            return
        of_root = "sessionId" not in message
        try:
            await self._carry_out(session, number, method, arguments)
        except (RefusedCommandError, CommandError) as error:
            if isinstance(error, RefusedCommandError):
                self._episode.note_refusal(method, str(error))
            self._answer(session, number, {"error": {"code": _REFUSED, "message": str(error)}}, root=of_root)

    async def _carry_out(self, session: str, number: int, method: str, arguments: Message) -> None:
        # A session of another client, such as Playwright's, looks to an agent as if it did not exist.
        if session != self._root and session not in self._targets:
            raise RefusedCommandError("Session with given id not found.")
        over = self._episode.over_because
        if over:
            raise RefusedCommandError(over)
        rule = rule_of(method)
        if rule == "ignore":
            self._answer(session, number, {"result": _EMPTY.get(method, {})})
            if method == "Browser.close":
                self.closed = True
            return
        # A handle is a number that could be guessed, so only those that were made for this agent are read.
        if method not in _OF_STREAMS or arguments.get("handle") not in self._streams:
            check(method, arguments)
        arguments = await self._checked(session, method, arguments)
        target = self._targets.get(session, "")
        if method == "Storage.getCookies" and target:
            # The session of a tab has no context to be told, and would show the cookies of another one.
            result = await self._episode.pipe.ask(self._session, method, **arguments)
            self._answer(session, number, {"result": result})
            return
        action = self._episode.reader.read(method, arguments, target, session, number)
        if action is not None:
            # Here the message waits while the step begins on another thread.
            refusal = await self._episode.decide(action)
            if refusal:
                raise RefusedCommandError(refusal)
        if method == "Target.getTargets":
            self._edits[session, number] = self._own_targets
        elif method == "Page.printToPDF":
            self._edits[session, number] = self._note_stream
        elif method == "Page.createIsolatedWorld":
            self._edits[session, number] = lambda answer: self._note_world(session, answer)
        elif method in RUNS_A_SCRIPT:
            self._episode.scripts.begin(session, number)
        elif method in ("Page.enable", "Page.disable"):
            (self._told.add if method == "Page.enable" else self._told.discard)(session)
        self._pass(session, number, method, arguments)

    async def _checked(self, session: str, method: str, arguments: Message) -> Message:
        """Return the arguments with what the episode decides about them."""
        context = self._episode.context
        arguments = dict(arguments)
        # Our scripts run in worlds of the same frames; their ids must be of no use to an agent.
        for name in _CONTEXTS:
            if name in arguments and not self._worlds.get(session, {}).get(_key(arguments[name])):
                raise RefusedCommandError("Cannot find context with specified id")
        for name in ("worldName", "executionContextName"):
            if arguments.get(name):
                arguments[name] = f"{_OWN_WORLD}{arguments[name]}"
        if method == "Target.createTarget":
            arguments = {name: arguments[name] for name in _CREATED if name in arguments}
            arguments.setdefault("url", "about:blank")
        # Whatever it asked for: a tab in another context would be outside the episode.
        if method in _WITH_CONTEXT:
            arguments["browserContextId"] = context
        if method in _ATTACHING:
            arguments["flatten"] = True
        given = arguments.get("targetId")
        if given is not None and given not in self._targets.values():
            await self._check_target(given)
        if method == "Page.navigateToHistoryEntry":
            history = await self._episode.pipe.ask(session, "Page.getNavigationHistory")
            for entry in history["entries"]:
                if entry["id"] == arguments.get("entryId"):
                    check_address(entry.get("url"))
        return arguments

    async def _check_target(self, given: object) -> None:
        """Raise ``RefusedError`` unless a target is one of the episode's."""
        with contextlib.suppress(CommandError):
            if self._is_ours(
                (await self._episode.ask_own("Target.getTargetInfo", targetId=given))["targetInfo"]
            ):
                return
        raise RefusedCommandError("No target with given id found")

    # ---------------------------------------------------------------- from the browser
    def _on_message(self, text: bytes, session: str) -> None:
        """Take a message of the browser, on its loop."""
        if self.closed:
            return
        number = id_of(text)
        if number is not None:
            # Before the agent gets it, so that its next command finds the step over.
            self._episode.reader.answered(session, number)
            self._episode.scripts.end(session, number)
            edit = self._edits.pop((session, number), None)
            if edit is not None:
                text = dumped(edit(json.loads(text)))
        elif any(each in text[:60] for each in _READ):
            event = self._event(json.loads(text), session)
            if event is None:
                return
            text = dumped(event)
        # Last, over the bytes that leave: no way to the agent passes it by.
        text = self._episode.secrets.cut(text)
        if session == self._root:
            text = _without_session(text, session)
        self._send(text)

    def _event(self, event: Message, session: str) -> Message | None:
        """Return an event as the agent is told of it; ``None`` for nothing."""
        arguments = event.get("params", {})
        if self._page is not None and session == self._session:
            return self._event_beside_the_tab(event["method"], arguments)
        match event["method"]:
            case "Target.attachedToTarget":
                info = arguments["targetInfo"]
                child = arguments["sessionId"]
                # The browser attaches to every new target; one of another episode would wait for ever.
                if not (self._is_ours(info) or info["type"] == "browser"):
                    self._let_go(session, child)
                    return None
                self._targets[child] = info["targetId"]
            case "Target.detachedFromTarget":
                self._targets.pop(arguments["sessionId"], None)
                self._told.discard(arguments["sessionId"])
                self._worlds.pop(arguments["sessionId"], None)
            case "Target.targetCreated" | "Target.targetInfoChanged":
                if not self._is_ours(arguments["targetInfo"]):
                    return None
            case "Runtime.executionContextCreated":
                return self._context_created(event, session)
            case "Runtime.executionContextDestroyed":
                known = self._worlds.get(session, {})
                unique = arguments.get("executionContextUniqueId", "")
                seen = known.pop(arguments.get("executionContextId", 0), False)
                known.pop(unique, None)
                return event if seen else None
            case "Runtime.executionContextsCleared":
                self._worlds.pop(session, None)
            case "Runtime.consoleAPICalled":
                if not self._worlds.get(session, {}).get(arguments.get("executionContextId", 0)):
                    return None
            case "Runtime.bindingCalled":
                if self._worlds.get(session, {}).get(arguments["executionContextId"]) is False:
                    return None
        return event

    def _event_beside_the_tab(self, method: str, arguments: Message) -> Message | None:
        """Return what a connection to one tab is told of the browser: only that the tab is gone, and it ends."""
        if method != "Target.detachedFromTarget" or arguments["sessionId"] != self._root:
            return None
        asyncio.get_running_loop().call_soon(self._end)
        return {"method": "Inspector.detached", "params": {"reason": "target_closed"}}

    def _context_created(self, event: Message, session: str) -> Message | None:
        context = event["params"]["context"]
        name = context.get("name", "")
        auxiliary = context.get("auxData", {})
        own = name.startswith(_OWN_WORLD)
        seen = bool(auxiliary.get("isDefault", True)) or own
        known = self._worlds.setdefault(session, {})
        known[context["id"]] = seen
        known[context.get("uniqueId", "")] = seen
        if not seen:
            return None
        if own:
            context["name"] = name[len(_OWN_WORLD) :]
        return event

    def _note_world(self, session: str, answer: Message) -> Message:
        context = answer.get("result", {}).get("executionContextId")
        if context is not None:
            self._worlds.setdefault(session, {})[context] = True
        return answer

    def _note_stream(self, answer: Message) -> Message:
        handle = answer.get("result", {}).get("stream")
        if handle is not None:
            self._streams.add(handle)
        return answer

    def _own_targets(self, answer: Message) -> Message:
        result = answer.get("result", {})
        if "targetInfos" in result:
            result["targetInfos"] = [info for info in result["targetInfos"] if self._is_ours(info)]
        return answer

    def _let_go(self, session: str, child: str) -> None:
        """Detach from a target that is none of the episode's."""
        self._episode.pipe.command(child, "Runtime.runIfWaitingForDebugger", {})
        self._episode.pipe.command(session, "Target.detachFromTarget", {"sessionId": child})

    def _is_ours(self, info: Message) -> bool:
        return info.get("browserContextId") == self._episode.context and info.get("type") != "browser"

    # ---------------------------------------------------------------- messages
    def _pass(self, session: str, number: int, method: str, arguments: Message) -> None:
        message = {"id": number, "method": method, "params": arguments, "sessionId": session}
        self._episode.pipe.send(dumped(message))

    def _answer(self, session: str, number: int, outcome: Message, *, root: bool | None = None) -> None:
        of_root = session == self._root if root is None else root
        self._send(dumped({"id": number, **outcome, **({} if of_root else {"sessionId": session})}))


def _is_id(number: object) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < _ID_END


_EMPTY: dict[str, Message] = {
    "Target.getBrowserContexts": {"browserContextIds": []},
    "Debugger.enable": {"debuggerId": "0.0"},
    "Emulation.setVirtualTimePolicy": {"virtualTimeTicksBase": 0},
}
"""Results of commands that are not carried out, where they are not empty."""


def _key(value: object) -> int | str:
    return value if isinstance(value, int | str) else ""


def _without_session(text: bytes, session: str) -> bytes:
    end = b',"sessionId":"' + session.encode() + b'"}'
    return text[: -len(end)] + b"}" if text.endswith(end) else text
