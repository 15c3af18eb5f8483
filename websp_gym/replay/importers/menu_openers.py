"""Recognizing events that only open a menu for the next one, such as a click on a check box behind a user picture.

Replay must leave such a menu open, whatever state is requested.
"""

from __future__ import annotations

import re
from itertools import pairwise

from websp_gym.replay.importers.event_builder import Draft
from websp_gym.replay.trace import ElementState, Fingerprint

_ITEMS = frozenset({"link", "menuitem", "menuitemradio", "menuitemcheckbox", "option", "tab"})
_MENU = re.compile(
    r"(?<![a-z])(?:menu|nav|navbar|navigation|drawer|drop-?down|sidebar|burger|hamburger|flyout)"
    r"(?:[-_ ]?(?:toggle|toggler|button|btn|check|checkbox|trigger|open|opener|state|control|switch))?(?![a-z])",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?:(?:open|toggle|show|main|user|account|profile|the) ){0,3}(?:menu|navigation|drawer)", re.IGNORECASE
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def fix_openers(drafts: list[Draft]) -> list[Draft]:
    """Set the final state of events that open a menu, and return the events.

    A check box opens a menu if its marks say so (``menu-toggle``), it is not a field of a form, and the next
    event is a click on a link or an entry of the same page. An element that the file says was folded is opened.
    """
    for draft, following in pairwise(drafts):
        if not _is_entry(draft, following):
            continue
        target = draft.target
        if draft.type == "change" and draft.stateful and target is not None and _names_a_menu(target):
            after = draft.after.on if draft.after else None
            draft.stateful, draft.set = False, "off" if after is False else "on"
        elif draft.type == "click" and draft.opens and draft.before is None:
            draft.before, draft.after = ElementState(expanded=False), ElementState(expanded=True)
    return drafts


def _is_entry(draft: Draft, following: Draft) -> bool:
    """Whether the following event is a click on a link or entry, on the same page."""
    target = following.target
    entry = following.type == "click" and target is not None and target.role in _ITEMS
    return entry and draft.url == following.url


def _names_a_menu(target: Fingerprint) -> bool:
    if target.role != "checkbox" or target.form or (target.name_attr and target.value):
        return False
    marks = (target.id, target.test_id, target.name_attr, *target.classes)
    return _NAME.fullmatch(target.name or "") is not None or any(
        _MENU.search(_CAMEL.sub("-", mark)) for mark in marks if mark
    )
