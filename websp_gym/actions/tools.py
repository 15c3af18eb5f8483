"""The actions as tools with named arguments, for agents that call tools instead of writing actions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from websp_gym.actions.grammar import (
    ACTIONS,
    ANSWER_TEXT,
    DIALOG_ANSWER,
    DIRECTION,
    DIRECTIONS,
    MARK,
    MARK_AND_TEXT,
    PLACE_AND_DIRECTION,
    QUESTION,
    REPORT_TEXT,
    UNLISTED,
    URL,
    USER_ACTIONS,
    Action,
    ActionSpec,
    Arguments,
    format_action,
    parse_action,
)
from websp_gym.actions.question import KINDS, question_text
from websp_gym.actions.spoken import REPORT_FORM, SpokenForm
from websp_gym.errors import ActionError

TOOL_NAMES = {
    "Click": "click",
    "Hover": "hover",
    "Type": "type_text",
    "Scroll": "scroll",
    "Scroll_to_end": "scroll_to_end",
    "Scroll_within_popup": "scroll_within_popup",
    "Switch_tab": "switch_tab",
    "Wait": "wait",
    "GoBack": "go_back",
    "Google": "google",
    "ANSWER": "answer",
    "Next_dialog": "next_dialog",
    "ASK": "ask",
    "REPORT": "report",
}
"""The name of each action's tool."""
_ELEMENT = {"type": "integer", "minimum": 0, "description": "Number of the element."}
_TEXT = {"type": "string"}
_DIRECTION = {"type": "string", "enum": list(DIRECTIONS)}
_TYPES = {"string": str, "boolean": bool, "array": list}
_MOST_DIGITS = 10
"""Maximum number of digits of a number written as a text."""
_FORMS: dict[Arguments, SpokenForm] = {REPORT_TEXT: REPORT_FORM}
"""Messages that may be given in fields instead of a text."""
_OPTIONAL = {
    DIALOG_ANSWER: {"text"},
    PLACE_AND_DIRECTION: {"element"},
    REPORT_TEXT: {"text", *REPORT_FORM.fields},
    QUESTION: {"text", "consent", "what", "to"},
}
_ARGUMENTS: dict[Arguments, dict[str, Any]] = {
    MARK: {"element": _ELEMENT},
    MARK_AND_TEXT: {"element": _ELEMENT, "text": _TEXT},
    PLACE_AND_DIRECTION: {
        "element": {**_ELEMENT, "description": "Number of the element; leave it out for the window."},
        "direction": _DIRECTION,
    },
    DIRECTION: {"direction": _DIRECTION},
    URL: {"url": _TEXT},
    ANSWER_TEXT: {"text": _TEXT},
    DIALOG_ANSWER: {"accept": {"type": "boolean"}, "text": _TEXT},
    REPORT_TEXT: {
        **{
            name: {**_TEXT, "description": f"{what[:1].upper()}{what[1:]}."}
            for name, what in REPORT_FORM.fields.items()
        },
        "text": {**_TEXT, "description": f"In place of {' and '.join(REPORT_FORM.fields)}: a free text."},
    },
    QUESTION: {
        "text": {
            **_TEXT,
            "description": "A question in words; leave it out where the others say what you want.",
        },
        "consent": {**_TEXT, "enum": list(KINDS), "description": "What you want to do."},
        "what": {
            "type": ["string", "array"],
            "items": _TEXT,
            "description": "The name of the thing, or several.",
        },
        "to": {
            "type": ["string", "boolean"],
            "description": "The new value: true, false or the name of a choice.",
        },
    },
}


@dataclass(frozen=True)
class Tool:
    """The tool of one action.

    Args:
        name: Its name.
        description: What it does.
        schema: JSON schema of its arguments.
        kind: Name of the action.
        form: The fields in which its text can be given; None if it has none.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    kind: str
    form: SpokenForm | None = None

    def action(self, arguments: Mapping[str, Any]) -> Action:
        """Return the action of a call.

        Args:
            arguments: The arguments; numbers may also be texts, as models write them.

        Raises:
            ActionError: An argument is missing, unknown or of another type.
        """
        known: Mapping[str, Mapping[str, Any]] = self.schema["properties"]
        wrong = [name for name in arguments if name not in known]
        wrong += [name for name in self.schema["required"] if arguments.get(name) is None]
        if wrong:
            raise ActionError(f"{self.name}: {wrong[0]}: expected the arguments {', '.join(known) or 'none'}")
        given = {
            name: _typed(self.name, name, value, known[name])
            for name, value in arguments.items()
            if value is not None
        }
        text = given.get("text", given.get("url"))
        if self.form is not None:
            text = self.form.written(text, {name: given.get(name) for name in self.form.fields})
        if "consent" in known:
            text = question_text(text, **{name: given.get(name) for name in ("consent", "what", "to")})
        return Action(
            self.kind,
            number=given.get("element"),
            text=text,
            direction=given.get("direction"),
            accept=given.get("accept"),
        )

    def written(self, arguments: Mapping[str, Any]) -> str:
        """Return the action of a call as a text for ``step``. Whitespace around a text is stripped.

        Raises:
            ActionError: As for :meth:`action`, or the text would be read as another action.
        """
        action = self.action(arguments)
        if action.text is not None:
            action = replace(action, text=action.text.strip())
        written = format_action(action)
        if parse_action(written, to_user=True) != action:
            raise ActionError(
                f"{self.name}: this text is not allowed, because it would be read as another action"
            )
        return written


def list_tools(*, to_user: bool = False) -> dict[str, Tool]:
    """Return the tools of all actions by name.

    Args:
        to_user: Whether there is a user to speak to, as in an episode with policies.
    """
    specs = [*ACTIONS, *UNLISTED, *(USER_ACTIONS if to_user else ())]
    return {tool.name: tool for tool in map(_tool, specs)}


def call_text(tools: Mapping[str, Tool], name: str, arguments: Mapping[str, Any]) -> tuple[str, str]:
    """Return a call as a text for ``step``, and why it cannot be carried out; empty if it can.

    The text of one that cannot is no action, so that it counts as one that the page cannot carry out does.
    """
    if name not in tools:
        # In quotes: it might be an action.
        name, wrong = json.dumps(name), f"there is no tool named {name!r}"
    else:
        try:
            return tools[name].written(arguments), ""
        except ActionError as error:
            wrong = str(error)
    return f"{name} {json.dumps(arguments)}", wrong


def arguments_of(action: Action) -> dict[str, Any]:
    """Return the arguments with which its tool carries out an action."""
    text = "url" if action.kind == "Switch_tab" else "text"
    given = {
        "direction": action.direction,
        "element": action.number,
        text: action.text,
        "accept": action.accept,
    }
    return {name: value for name, value in given.items() if value is not None}


def _tool(spec: ActionSpec) -> Tool:
    properties = _ARGUMENTS.get(spec.arguments, {})
    optional = _OPTIONAL.get(spec.arguments, set())
    schema = {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }
    free = " Free: it does not count as an action." if spec.free else ""
    meaning = f"{spec.meaning[:1].upper()}{spec.meaning[1:]}.{free}"
    return Tool(
        TOOL_NAMES.get(spec.kind, spec.kind.lower()), meaning, schema, spec.kind, _FORMS.get(spec.arguments)
    )


def _typed(tool: str, name: str, value: object, schema: Mapping[str, Any]) -> Any:
    match schema["type"]:
        case [*types] if any(isinstance(value, _TYPES[each]) for each in types):
            return value
        case "integer" if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
            if len(value.strip()) > _MOST_DIGITS:
                raise ActionError(f"{tool}: {name}: expected a number of at most {_MOST_DIGITS} digits")
            return int(value)
        case "integer" if isinstance(value, int) and not isinstance(value, bool):
            return value
        case "integer" if isinstance(value, float) and value.is_integer():
            return int(value)
        case "boolean" if isinstance(value, bool):
            return value
        case "string" if isinstance(value, str) and value in schema.get("enum", [value]):
            return value
    kinds = schema["type"] if isinstance(schema["type"], str) else " or ".join(schema["type"])
    expected = ", ".join(schema.get("enum", ())) or f"a value of type {kinds}"
    raise ActionError(f"{tool}: {name}: expected {expected}")
