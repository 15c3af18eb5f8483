"""Facts from the browser's accessibility tree that the DOM of an element lacks.

A custom element may get its role, name and states from ``ElementInternals``, which no outside script can read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from websp_gym.browser.isolated import session_of
from websp_gym.texts import encodable

if TYPE_CHECKING:
    from websp_gym.browser.isolated import Frame

_LONGEST = 300
_NO_ROLES = {"none", "generic", "presentation", "paragraph"}
_STATES = {"checked": "checked", "pressed": "checked", "expanded": "expanded", "selected": "selected"}


def described(frame: Frame, function: str, *arguments: Any) -> list[dict[str, Any]]:
    """Return the accessibility facts of the elements that a page script function returns.

    Args:
        frame: The frame.
        function: Name of the function; it is called once, and each element costs one call (about 1 ms).
        *arguments: Its arguments.

    Returns:
        For each element some of ``role``, ``name``, ``value`` (texts), ``checked``, ``expanded``, ``selected``,
        ``disabled`` and ``mixed`` (booleans); nothing for an element that is gone or ignored by the tree.

    Raises:
        playwright.sync_api.Error: The frame or the page is gone.
    """
    session = session_of(frame.page)
    found = []
    for node in frame.nodes(function, *arguments):
        tree = session.send(
            "Accessibility.getPartialAXTree",
            {"backendNodeId": node["backendNodeId"], "fetchRelatives": False},
        )
        found.append(facts(tree["nodes"][0]) if tree["nodes"] else {})
    return found


def facts(node: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a node of the accessibility tree as fields of a mark."""
    said: dict[str, Any] = {}
    if node["ignored"]:
        return said
    role = node["role"]
    if role["type"] == "role" and role["value"] not in _NO_ROLES:
        said["role"] = str(role["value"])
    for text in ("name", "value"):
        if (shown := node.get(text, {}).get("value", "")) != "":
            said[text] = encodable(" ".join(str(shown).split())[:_LONGEST])
    for each in node.get("properties", ()):
        name, value = each["name"], each["value"].get("value")
        if name in _STATES:
            said[_STATES[name]] = value in (True, "true")
            if value == "mixed":
                said["mixed"] = True
        elif name == "disabled":
            said["disabled"] = bool(value)
    return said
