"""Reading back what a replay has set: reload the pages, and compare every switch, list and field.

Not everything that is set is a setting: a row is ticked for a button, a text is added to a list, *Remember me*
belongs to one sign-in. After a reload, such a control is as it was before, and so is a setting that was refused. The
recording tells them apart (``kept``), or else what was sent, and where the control is.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.errors import ReplayError
from websp_gym.patience import slowness
from websp_gym.replay.fields import Field
from websp_gym.replay.filled import FilledEvent
from websp_gym.replay.locate import Found, locate
from websp_gym.replay.located_element import CannotActError, LocatedElement
from websp_gym.replay.wait_for_target import wait_for_change

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs
    from websp_gym.replay.located_element import ClassRules
    from websp_gym.replay.refusals import PageReply

_PATIENCE = 3.0
"""Seconds to look for the first target on a reloaded page; once it has settled, the others are there."""
_LATER_PATIENCE = 0.5
_LOOK_SECONDS = 0.1
_NEW = "it may not be a setting, but part of something new"
_TEXTS = """() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement?.closest('script, style, textarea')) texts.push(walker.currentNode.data);
  }
  return texts.join(' ');
}"""
_SHORTEST = 4
"""Minimum letters of a text that a server may complete, such as with ``https://`` before an address."""


@dataclass(frozen=True)
class Setting:
    """The value of a control, and what it is part of."""

    value: str | None
    """The text of a field, or the value of a list."""
    on: bool | None
    shown: bool
    listed: bool
    """Whether its form lists rows, each with a box to select it."""
    sign_in: bool
    """Whether its form asks for a password."""
    chosen: Mapping[str, Any] | None = field(default=None, compare=False)
    """For a radio button that is not chosen: the fingerprint of the chosen one in its group."""

    @classmethod
    def of(cls, element: LocatedElement) -> Setting:
        """Return the setting of an element."""
        told = element.ask("setting")
        on = element.look().on  # by the site's class rules
        return cls(told["value"], on, told["shown"], told["listed"], told["signIn"], told["chosen"])


@dataclass(frozen=True)
class Kept:
    """A state that a replay has set and a page should have kept."""

    number: int
    """Number of the event."""
    event: FilledEvent
    url: str
    """The page of the target."""
    on: bool | None = None
    """The state of a switch, check box or radio button."""
    text: str | None = field(default=None, repr=False)
    """The text of a field, or the option of a list, by value or label."""
    before: Setting | None = None
    """The control before the event; None if unknown."""
    sent: tuple[PageReply, ...] = field(default=(), compare=False)
    """What the event itself sent."""
    since: int = 0
    """Number of requests before the event."""
    led_on: bool = False
    """Whether the event led to another page, or something was pressed after it."""

    @property
    def is_radio(self) -> bool:
        """Whether it is one of a group of radio buttons, which is chosen and never turned off."""
        target = self.event.target
        return target is not None and target.role in ("radio", "menuitemradio")

    def __str__(self) -> str:
        state = "on" if self.on else "off"
        if self.on is None:
            state = "what was typed" if self.event.secret else repr(self.text)
        what = self.event.describe_target() or self.event.type
        return f"event {self.number} ({what}) should be {state}"


@dataclass(frozen=True)
class ReadBack:
    """What was read back, and what could not be."""

    verified: int = 0
    """Number of states that the pages kept."""
    unverified: tuple[str, ...] = ()
    """The others, each with the reason."""
    new: tuple[int, ...] = ()
    """Numbers of the events whose text became a new item, as in a list."""


@dataclass(frozen=True)
class Reading:
    """A state that was looked for on the reloaded page."""

    kept: Kept
    now: Setting | None
    """None if it is not on the page."""
    same: bool = False
    said: bool = False
    """Whether the page shows a typed text, but not in the field: something new has it."""


def last_states(kept: Iterable[Kept]) -> list[Kept]:
    """Return the last state of every target; a radio button is replaced by a later one of its group."""
    last: dict[tuple[object, ...], Kept] = {}
    for one in kept:
        last.pop(identity(one), None)
        last[identity(one)] = one
    return list(last.values())


def read_back(
    kept: list[Kept],
    tabs: Tabs,
    rules: ClassRules = (),
    *,
    timeout: float,
    sent_since: Callable[[Kept], list[PageReply]],
    outside: Tabs | None = None,
) -> ReadBack:
    """Reload the pages of all states, and compare.

    Args:
        kept: The states, the last of every target.
        tabs: The browser's open tabs.
        rules: The site's class rules.
        timeout: Seconds to wait for a page.
        sent_since: Returns what was sent after a state was set.
        outside: Tabs of another browser, which has nothing of what this one keeps but the sign-in; None to look in
            this one.

    Returns:
        Number of states kept, and descriptions of those that could not be read back.

    Raises:
        ReplayError: A page did not keep a state, or did not load; names every target that differs.
    """
    readings = look_again(kept, outside or tabs, rules, timeout=timeout)
    if outside is not None:
        # A setting of which nothing was ever sent is one of the browser, such as a theme, and is kept there.
        own = [
            reading.kept
            for reading in readings
            if not reading.same and not reading.kept.event.sent and not sent_since(reading.kept)
        ]
        here = look_again(own, tabs, rules, timeout=timeout)
        readings = [next((one for one in here if one.kept is each.kept), each) for each in readings]
    refused, unverified, new = [], [], list[int]()
    for reading in readings:
        if reading.same:
            continue
        sent = sent_since(reading.kept)
        why = _no_setting(reading, readings, sent)
        if why == _NEW and reading.said and _was_sent(reading.kept, sent):
            new.append(reading.kept.number)
        elif why is None:
            refused.append(reading.kept)
        else:
            unverified.append(f"{reading.kept}: {why}")
    if refused:
        raise ReplayError(
            f"the page did not keep what the replay set: {'; '.join(map(str, refused))}. Each was right after "
            "its event, but not after the page was reloaded; did the server refuse it, or does the recording "
            "lack a click on Save?",
            event=refused[0].number,
            reason="not kept",
        )
    return ReadBack(sum(reading.same for reading in readings) + len(new), tuple(unverified), tuple(new))


def look_again(
    kept: list[Kept],
    tabs: Tabs,
    rules: ClassRules = (),
    *,
    timeout: float,
) -> list[Reading]:
    """Reload the pages of all states, and look for each. Raise ReplayError if a page does not load."""
    readings = {id(one): Reading(one, None) for one in kept}
    for url in dict.fromkeys(one.url for one in kept if not one.event.secret):
        _load(url, tabs, timeout)
        here = [one for one in kept if one.url == url and not one.event.secret]
        for reading in look(here, tabs, rules, patience=min(_PATIENCE, timeout)):
            readings[id(reading.kept)] = reading
    return list(readings.values())


def look(
    kept: list[Kept],
    tabs: Tabs,
    rules: ClassRules = (),
    *,
    patience: float = _LATER_PATIENCE,
) -> list[Reading]:
    """Look for states on the current page; wait for the first of them for ``patience`` seconds."""
    readings = []
    for one in kept:
        element = _located(one, tabs, rules, patience)
        patience = min(patience, _LATER_PATIENCE)
        readings.append(Reading(one, None))
        if element is not None:
            with contextlib.suppress(ReplayError, CannotActError, PlaywrightError):
                readings[-1] = _read(one, element)
    return readings


def _read(one: Kept, element: LocatedElement) -> Reading:
    now = Setting.of(element)
    if one.on is not None:
        if now.on is None or not now.shown:
            return Reading(one, None)
        return Reading(one, now, same=element.look().is_(one.on))
    assert one.text is not None
    if now.value is None or not now.shown:
        return Reading(one, None)
    if Field(element).kind() == "select":
        return Reading(one, now, same=Field(element).has_option(one.text))
    was = one.before.value if one.before else None
    same = is_text(now.value, one.text, was)
    return Reading(one, now, same=same, said=not same and _says(element, one.text))


def _says(element: LocatedElement, text: str) -> bool:
    """Whether the document of an element has a text, or each part of a list, as whole words; fields do not count."""
    there = " ".join(str(element.found.frame.evaluate(_TEXTS)).split())
    parts = [" ".join(part.split()) for part in re.split(r"[,;\n]", text) if part.strip()]
    return all(
        len(_bare(part)) >= _SHORTEST and re.search(rf"(?<!\w){re.escape(part)}(?!\w)", there)
        for part in parts
    )


def is_text(found: str, wanted: str, was: str | None) -> bool:
    """Whether a page shows a text, as a server may have normalized it; ``was`` is what it showed before."""
    if " ".join(found.split()) == " ".join(wanted.split()):
        return True
    if found == was or not found:
        return False
    mine, theirs = _bare(wanted), _bare(found)
    if _is_number(wanted) and _is_number(found):
        return float(wanted) == float(found)
    return mine == theirs if len(mine) < _SHORTEST else mine in theirs


def _no_setting(reading: Reading, readings: list[Reading], sent: list[PageReply]) -> str | None:
    """Return why what a page does not show may be no setting, or cannot be read; None where it was refused."""
    kept, now = reading.kept, reading.now
    if kept.event.secret:
        return "no page shows it"
    if now is None:
        return "it is not on the reloaded page"
    if kept.text is not None and now.value is not None and is_text(now.value, kept.text, None):
        return f"the page shows {now.value!r}, as it did before"
    if kept.event.kept is False and kept.text is not None and not now.value:
        return _NEW  # as when it was recorded: the form is empty again
    if kept.event.kept is not None:
        return None if kept.event.kept else "the page did not keep it when it was recorded either"
    before = kept.before
    if kept.text is not None and before is not None and now.value != before.value:
        return f"the page shows {now.value!r}"
    if before is not None and (before.listed or before.sign_in):
        return "it may not be a setting, but belong to the rows of a list, or to signing in"
    if kept.on is not None and kept.sent:
        return None  # it was sent at once, as a setting is
    if not sent:
        # A filter or a search leads on, and is no setting.
        return "nothing was sent to the server after it" if kept.led_on else None
    if kept.text is not None:
        stored = bool(before and before.value and before.value != "-1")
        return None if stored and _was_sent(kept, sent) else _NEW
    return "it may be part of something new" if _is_new(reading, readings) else None


def _was_sent(kept: Kept, sent: list[PageReply]) -> bool:
    is_list = kept.event.target is not None and kept.event.target.tag == "select"
    return is_list or any(reply.holds(kept.text or "") for reply in sent)


def _is_new(reading: Reading, readings: list[Reading]) -> bool:
    """Whether a text of the same form is empty again, as a form for something new is."""
    form = reading.kept.event.target and reading.kept.event.target.form
    return any(
        other.kept.text and other.now is not None and other.now.value == ""
        for other in readings
        if other.kept.url == reading.kept.url
        and other.kept.event.target
        and other.kept.event.target.form == form
    )


def _located(one: Kept, tabs: Tabs, rules: ClassRules, patience: float) -> LocatedElement | None:
    """Return the target on the current tab; others may still show what was never saved."""
    target = one.event.target
    assert target is not None
    end = time.monotonic() + patience * slowness()

    def again(_within: float | None) -> Found:
        found = locate(tabs.current, target, loose=one.event.stateful)
        if isinstance(found, Found):
            return found
        raise ReplayError("not found", event=one.number)

    while True:
        with contextlib.suppress(ReplayError):
            return LocatedElement(again(None), tabs, rules, again)
        left = end - time.monotonic()
        if left <= 0:
            return None
        wait_for_change(tabs.current, min(_LOOK_SECONDS, left))


def _load(url: str, tabs: Tabs, timeout: float) -> None:
    try:
        tabs.load(url, timeout=timeout * slowness())
    except PlaywrightError as error:
        reason = str(error).split("\n", 1)[0]
        raise ReplayError(
            f"{url.split('?', 1)[0]} could not be read back: {reason}", reason=reason
        ) from error
    settle(tabs, cap=timeout)


def identity(one: Kept) -> tuple[object, ...]:
    """Return a key shared by all states of one control; the radio buttons of a group count as one."""
    target = one.event.target
    assert target is not None
    page = one.url.split("#", 1)[0]
    if target.type_attr == "radio" and target.name_attr:
        return (page, target.frame_path, target.form, target.name_attr)
    return (page, target.frame_path, target.css, target.name if target.css is None else None)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?\d+(?:\.\d+)?", text.strip()) is not None
