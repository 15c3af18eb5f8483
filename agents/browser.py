"""The agent of Anthropic's browser toolset: a model reads pages as text, sees screenshots, and acts on both."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from websp_gym.agents.computer import ComputerAgent
from websp_gym.browsergym import require
from websp_gym.models.messages import ToolResult

if TYPE_CHECKING:
    from websp_gym.agents.history import PastLook
    from websp_gym.models import Model
    from websp_gym.models.messages import Function, ToolCall
    from websp_gym.models.spec import OwnTool

_MOST_KEPT = 40
"""Answers that are shown as they came."""
_MOST_CHARACTERS = 120_000
"""Characters of what their calls returned: what was read stays, so that its references can be used."""
_SCREEN = """\
The screen is the page of one tab, without the browser's window. You see it at the start and after each action; what \
you read of a page comes as text. find looks for the words of roles, names and values.

* Each action counts; looking, reading, moving the pointer, scrolling and waiting are free on the active tab. An \
action for another tab makes it the active one, and counts."""
_READING = ("read_page", "get_page_text", "find", "list_tabs")
"""Members that return a text and no picture."""


class BrowserAgent(ComputerAgent):
    """An agent that uses a browser.

    Args:
        model: A model made with ``tool="browser"``.
        name: Name of the agent in results.
        screenshots: Number of screenshots shown, including the current one.
        repairs: Number of times to ask again after a reply that is cut, filtered or empty.

    Raises:
        SetupError: BrowserGym, which reads the accessibility tree, is not installed.
    """

    tool: ClassVar[OwnTool] = "browser"

    def __init__(self, model: Model, *, name: str = "", screenshots: int = 3, repairs: int = 2) -> None:
        require("an agent browser:MODEL")
        super().__init__(model, name=name, screenshots=screenshots, repairs=repairs)

    def _result(self, call: ToolCall, look: PastLook) -> ToolResult:
        if not call.action:
            return super()._result(call, look)
        if not look.result:
            return ToolResult(call=call, text=self._seen(look), failed=True)
        before = {tab["id"] for tab in self._last.inventory} if self._last else set()
        return ToolResult(
            call=call,
            text=self._seen(look, tabs=False),
            picture=None if call.action["name"] in _READING else look.picture,
            tabs=look.inventory,
            opened=tuple(tab["id"] for tab in look.inventory if tab["id"] not in before),
        )

    def _left_out(self, call: ToolCall, look: PastLook) -> ToolResult:
        return replace(super()._left_out(call, look), picture=None, failed=bool(call.action))

    def _is_too_long(self) -> bool:
        returned = sum(len(each.text) for exchange in self._kept for each in exchange.results)
        return len(self._kept) > _MOST_KEPT or (returned > _MOST_CHARACTERS and len(self._kept) > 1)

    def _own(self) -> tuple[Function, ...]:
        return ()

    def _screen(self) -> str:
        return _SCREEN
