"""Read back what a replay has set: load the pages once more, and compare every switch, radio button and list."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.errors import ReplayError
from websp_gym.replay.expectations import is_choice
from websp_gym.replay.fields import Field
from websp_gym.replay.located_element import CannotActError, LocatedElement
from websp_gym.replay.trace import TraceEvent, fill

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs

_PATIENCE = 3.0
"""Seconds to look for a target on a page that was loaded once more."""


@dataclass(frozen=True)
class Kept:
    """A state that a replay has set and a page should have kept."""

    number: int
    """Number of the event."""
    event: TraceEvent
    url: str
    """The page of the target."""
    on: bool | None = None
    """The state of a switch, check box or radio button."""
    option: str | None = None
    """The option of a list, by value or label."""

    def __str__(self) -> str:
        state = repr(self.option) if self.on is None else "on" if self.on else "off"
        what = self.event.target.short() if self.event.target else self.event.type
        return f"event {self.number} ({what}) should be {state}"


def kept_state(
    number: int, event: TraceEvent, url: str, on: bool | None, account: Mapping[str, str]
) -> list[Kept]:
    """Return the state that the page should keep after an event, in a list; an empty list where there is none.

    Args:
        number: Number of the event.
        event: The event, carried out.
        url: The page it was carried out on.
        on: The state of its target after it; None where it has none.
        account: The account's values for the placeholders.
    """
    if event.popup or event.target is None:
        return []
    if event.type == "change" and event.value is not None and event.target.tag == "select":
        return [Kept(number, event, url, option=fill(event.value, account))]
    return [Kept(number, event, url, on=on)] if on is not None and is_choice(event) else []


def last_states(kept: Iterable[Kept]) -> list[Kept]:
    """Return the last state of every target; a radio button is replaced by a later one of its group."""
    last: dict[tuple[object, ...], Kept] = {}
    for one in kept:
        last.pop(_identity(one), None)
        last[_identity(one)] = one
    return list(last.values())


def read_back(
    kept: list[Kept], tabs: Tabs, locate: Callable[[Kept, float], LocatedElement], *, timeout: float
) -> tuple[str, ...]:
    """Load the pages of all states once more, and compare.

    Args:
        kept: The states, the last of every target.
        tabs: The browser's open tabs.
        locate: Locates the target of a state within some seconds.
        timeout: Seconds to wait for a page.

    Returns:
        Descriptions of the targets that are not on the loaded page, because it opens in another view.

    Raises:
        ReplayError: A page did not keep a state, or did not load; names every target that differs.
    """
    unverified, differing = [], []
    for url in dict.fromkeys(one.url for one in kept):
        _load(url, tabs, timeout)
        for one in (one for one in kept if one.url == url):
            try:
                element = locate(one, min(_PATIENCE, timeout))
                found = _is_kept(one, element)
            except (ReplayError, CannotActError, PlaywrightError):
                found = None
            if found is None:
                unverified.append(str(one))
            elif not found:
                differing.append(one)
    if differing:
        raise ReplayError(
            f"the page did not keep what the replay set: {'; '.join(map(str, differing))}. Each was right after its "
            "event, and is not after the page was loaded once more; does the recording lack a click on Save?",
            event=differing[0].number,
            reason="not kept",
        )
    return tuple(unverified)


def _is_kept(one: Kept, element: LocatedElement) -> bool | None:
    """Whether a target is as it was set; None where its state cannot be read."""
    if one.option is not None:
        return bool(Field(element).has_option(one.option))
    seen = element.look()
    return None if seen.on is None else seen.is_(bool(one.on))


def _load(url: str, tabs: Tabs, timeout: float) -> None:
    try:
        tabs.current.goto(url, wait_until="commit", timeout=timeout * 1000)
        with contextlib.suppress(PlaywrightError):
            # A page that differs only in its fragment is not loaded by goto.
            tabs.current.reload(wait_until="commit", timeout=timeout * 1000)
    except PlaywrightError as error:
        reason = str(error).split("\n", 1)[0]
        raise ReplayError(
            f"{url.split('?', 1)[0]} could not be read back: {reason}", reason=reason
        ) from error
    settle(tabs, cap=timeout)


def _identity(one: Kept) -> tuple[object, ...]:
    target = one.event.target
    assert target is not None
    page = one.url.split("#", 1)[0]
    if target.type_attr == "radio" and target.name_attr:
        return (page, target.frame_path, target.form, target.name_attr)
    return (page, target.frame_path, target.css, target.name if target.css is None else None)
