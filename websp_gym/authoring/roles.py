"""Check that the role of a ground-truth step's target fits its action."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from websp_gym.errors import nearest
from websp_gym.tasks.ground_truth import GroundTruthStep

_STATEFUL = frozenset({"checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio", "option", "tab"})
_FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
_CLICKABLE = frozenset(
    {
        "button",
        "link",
        "menuitem",
        "treeitem",
        "row",
        "cell",
        "gridcell",
        "listitem",
        "img",
        "heading",
        "generic",
    }
)
_PICKERS = frozenset({"combobox", "listbox", "button"})
OPERABLE = _STATEFUL | _FIELDS | _CLICKABLE | _PICKERS | {"slider"}
"""The roles of marks that a person can operate."""

_FITTING = {"turn": _STATEFUL | {"button"}, "type": _FIELDS, "select": _PICKERS}


def role_problems(steps: Iterable[GroundTruthStep]) -> Iterator[str]:
    """Yield one sentence per ground-truth step whose target has a role that its action does not fit."""
    for number, step in enumerate(steps, 1):
        role = step.target.role
        if role not in OPERABLE:
            yield f'step {number}: a "{role}" cannot be operated{nearest(role, sorted(OPERABLE))}'
        elif role not in _FITTING.get(step.action, OPERABLE):
            fitting = ", ".join(sorted(_FITTING[step.action]))
            yield f"step {number}: {step.action} does not fit a {role}; it fits {fitting}"
