"""Holding back presses that would harm an account, and ending the episode of whoever tries one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from websp_gym.errors import ActionError, HarmError
from websp_gym.records.hooks import EpisodeHooks

if TYPE_CHECKING:
    from websp_gym.actions.calls import Call
    from websp_gym.actions.harm import HarmGuard

_KEYS = ("press", "keyboard_press", "keyboard_down", "keyboard_type")
_ENTER = {"Enter", "NumpadEnter", "Return", "\n", "\r"}
_PRESSING_KEYS = _ENTER | {" ", "Space"}
_PRESSING = ("click", "dblclick", "mouse_click", "mouse_dblclick", "mouse_down")


class HarmHooks(EpisodeHooks):
    """Asks a harm guard about each element before it is pressed.

    Args:
        guard: The guard.
    """

    def __init__(self, guard: HarmGuard) -> None:
        self._guard = guard

    def before_press(self, element: Mapping[str, str]) -> None:
        """Raise ``HarmError`` if the press would harm the account."""
        self._check(element, sends=False)

    def before_call(self, call: Call, element: Mapping[str, str] | None) -> None:
        """Raise ``HarmError`` if the call would harm the account, or ``ActionError`` if that cannot be known."""
        keys = _keys_of(call)
        # A Tab moves the focus to an element that nobody has looked at.
        if "\t" in keys and not _PRESSING_KEYS.isdisjoint(keys[keys.index("\t") :]):
            raise ActionError(
                "with the harm guard, a text cannot contain a space or Enter after a Tab; press Tab by itself"
            )
        if call[0] not in _PRESSING and _PRESSING_KEYS.isdisjoint(keys):
            return
        if element is None:  # a frame that is being replaced, or has content that no script can read
            raise ActionError(
                "the element there could not be read, so the harm guard allowed no press; try again, or try "
                "another way"
            )
        self._check(element, sends=not _ENTER.isdisjoint(keys))

    def _check(self, element: Mapping[str, str], *, sends: bool) -> None:
        kind = self._guard.harm(element, sends=sends)
        if kind is not None:
            raise HarmError(
                f'{element["role"]} "{element["name"]}" was not pressed: according to the harm guard, it {kind}'
            )


def _keys_of(call: Call) -> list[str]:
    """Return the keys that a call presses: the characters of a text, the parts of a combination."""
    name, positional, named = call
    if name not in _KEYS:
        return []
    texts = [str(each) for each in (*positional, *named.values())]
    return [key for text in texts for key in (text if name == "keyboard_type" else text.split("+"))]
