"""The text-only agent: reads BrowserGym's accessibility tree of the whole page and acts by element IDs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from websp_gym.actions import ACTIONS, format_action, parse_action
from websp_gym.actions.browsergym import looks_like_calls, parse_calls
from websp_gym.agents.history import PastLook, look_at
from websp_gym.agents.llm_agent import LLMAgent
from websp_gym.agents.prompt import ELEMENTS_CHARACTERS, PromptStyle, list_actions
from websp_gym.agents.reply import ParsedReply
from websp_gym.browsergym import flatten_axtree
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from websp_gym.models import Model
    from websp_gym.observation import ObservationKind

CALLS = {
    "click": (
        "click('ID')",
        "click the element; a link may open a new tab, which then is current",
        "click('a51')",
    ),
    "hover": (
        "hover('ID')",
        "move the pointer over the element, for menus that open that way",
        "hover('237')",
    ),
    "fill": (
        "fill('ID', 'content')",
        "replace a text field's content; '' clears it",
        "fill('45', 'privacy')",
    ),
    "select_option": (
        "select_option('ID', 'option')",
        "choose from a list",
        "select_option('c48', 'Only me')",
    ),
}
"""BrowserGym's calls in the prompt: syntax, meaning and example."""

_INSTEAD = {"click": "click", "hover": "hover", "type": "fill"}
"""Calls that replace actions of the grammar."""
_NUMBERED = re.compile(
    r"(?P<kind>Click|Hover|Type)\s*\[\s*(?P<id>[a-zA-Z]*\d+)\s*\]\s*(?:;[ \t]?(?P<text>.*))?",
    re.IGNORECASE | re.DOTALL,
)

_SENSES = """\
* The accessibility tree of the current page: one element a line, indented under what contains it, with an ID in \
brackets, role, name and state. The tree has the whole page, also what would have to be scrolled to; a very long \
page is cut to the part in view. The IDs of a page may change when it changes.
* The current page and, if there are several, all open tabs.
* What the browser said if your last action could not be done, and how much you have left."""

_NOTES = """
An ID is what stands in brackets before an element, without the brackets. Text without an ID cannot be operated. \
Actions marked (free) do not count against the number of actions you have. Scrolling is needed only where a page was \
cut or loads more as one scrolls.
"""

_IGNORED_ROLES = ("LineBreak", "InlineTextBox")
_IGNORED_PROPERTIES = (
    "editable", "readonly", "level", "settable", "multiline", "invalid", "focusable", "url",
)  # fmt: skip


def _actions() -> str:
    calls = "\n".join(f"* {how}: {what}. Example: {example}" for how, what, example in CALLS.values())
    others = list_actions(spec for spec in ACTIONS if spec.kind.lower() not in _INSTEAD)
    return f"{calls}\n{others.replace('Numerical_Label or WINDOW', 'WINDOW')}"


class TextAgent(LLMAgent):
    """An agent that decides by the accessibility tree; no picture is sent.

    Args:
        model: Any model.
        name: Name of the agent in results; by default ``text:`` and the model's string.
        repairs: Number of times to ask again after an unusable reply.
    """

    observation: ObservationKind = "axtree"
    manner: ClassVar[PromptStyle] = PromptStyle(
        senses=_SENSES,
        actions=_actions,
        notes=_NOTES,
        elements="the accessibility tree",
        pictures=False,
    )

    def __init__(self, model: Model, *, name: str = "", repairs: int = 2) -> None:
        super().__init__(model, name=name or f"text:{model.spec}", repairs=repairs)

    def _look(self, observation: Mapping[str, Any]) -> PastLook:
        return look_at(observation, flatten(observation), None)

    def _read(self, text: str, *, to_user: bool) -> str:
        return read_call(text, to_user=to_user)

    def _say(self, said: ParsedReply) -> str:
        # The environment does not parse a call after a thought.
        return said.action if looks_like_calls(said.action) else super()._say(said)


def read_call(text: str, *, to_user: bool = False) -> str:
    """Return one call, or one grammar action without an element, in the form that the environment takes."""
    if looks_like_calls(text):
        calls = parse_calls(text, to_user=to_user)
        if len(calls) > 1:
            raise ActionError(f"it has {len(calls)} calls, and one can be made at a time", action=text[:200])
        return text
    if found := _NUMBERED.fullmatch(text):
        # The MLLM agent's syntax, but the IDs are of the accessibility tree: this agent sees no marks.
        kind = found["kind"].lower()
        if kind == "type" and found["text"] is None:
            raise ActionError(
                "Type needs a semicolon followed by the text (which may be empty)", action=text[:200]
            )
        arguments = [found["id"], found["text"]][: 2 if kind == "type" else 1]
        call = f"{_INSTEAD[kind]}({', '.join(map(repr, arguments))})"
        parse_calls(call)
        return call
    action = parse_action(text, to_user=to_user)
    if action.number is not None:
        raise ActionError("this agent can scroll the WINDOW only", action=text[:200])
    return format_action(action)


def flatten(observation: Mapping[str, Any], limit: int = ELEMENTS_CHARACTERS) -> str:
    """Return the accessibility tree as text, one element per line.

    Args:
        observation: An observation of kind ``axtree``, ``all`` or ``browsergym``.
        limit: Most characters; a longer tree is reduced to the part in view.
    """
    whole = _flat(observation, visible_only=False)
    return whole if len(whole) <= limit else _flat(observation, visible_only=True)


def _flat(observation: Mapping[str, Any], *, visible_only: bool) -> str:
    return flatten_axtree(
        observation["axtree_object"],
        extra_properties=observation["extra_element_properties"],
        filter_visible_only=visible_only,
        ignored_roles=_IGNORED_ROLES,
        ignored_properties=_IGNORED_PROPERTIES,
    )
