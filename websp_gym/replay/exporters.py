"""Export traces as user flows of the Chrome DevTools Recorder.

A flow can be imported and replayed in DevTools or with ``@puppeteer/replay``, within the limits of that
format: the selectors are those of the recording, frames are identified only by their position, and controls
have no state, so every switch is clicked. Placeholders such as ``{{account.email}}`` are kept. Each step also
contains the original event under the key ``websp``, which these tools ignore; importing an exported trace
restores the same trace. If an input was left out, these tools stop at a step that waits for ``false``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any
from urllib.parse import urldefrag

from websp_gym.replay.trace import SCHEMA, Fingerprint, Trace, TraceEvent

OUR_KEY = "websp"
"""The key of a step that contains the original event."""
_OFFSET = 5
"""Click position in an element, in pixels from its top left corner; inside even the smallest check box."""
_LONGEST_TEXT = 64
"""Longest text selector that Chrome writes, in characters."""
_SHADOW = " ::shadow "


def to_devtools(trace: Trace) -> dict[str, Any]:
    """Return a trace as a user flow of the Chrome DevTools Recorder, as plain data for ``json.dumps``.

    :func:`websp_gym.replay.importers.import_trace` restores an equal trace from it.
    """
    head = trace.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"name", "events"})
    steps: list[dict[str, Any]] = [
        {
            "type": "setViewport",
            "width": trace.viewport.width,
            "height": trace.viewport.height,
            "deviceScaleFactor": 1,
            "isMobile": False,
            "hasTouch": False,
            "isLandscape": False,
            OUR_KEY: None,
        },
        {**_navigation(trace.start_url), OUR_KEY: None},
    ]
    for event, following in zip_longest(trace.events, trace.events[1:]):
        steps += _steps(event, following)
    return {"title": trace.name, "steps": steps, OUR_KEY: {"schema": SCHEMA, **head}}


def _steps(event: TraceEvent, following: TraceEvent | None) -> Iterator[dict[str, Any]]:
    where = {"target": event.url if event.popup and event.url else "main"}
    for ancestor in event.hover:
        yield {"type": "hover", **where, **_element(ancestor), OUR_KEY: None}
    ours = {OUR_KEY: event.model_dump(mode="json", by_alias=True, exclude_defaults=True)}
    led_to = _led_to(event, following)
    if event.type == "navigate":
        yield {**_navigation(event.url), **ours}
    elif event.type == "omitted":
        yield {**_stop(event), **where, **ours}
    elif event.type == "key" or event.target is None:
        if event.target is not None:
            # A key step has no selectors; this one waits for the element that has the focus, and names it.
            yield {"type": "waitForElement", **where, **_element(event.target), OUR_KEY: None}
        yield from _keys(event.key or "", where, {**led_to, **ours})
    elif event.value is not None and event.type != "click":
        yield {"type": "change", **where, **_element(event.target), "value": event.value, **led_to, **ours}
    else:
        offset = {"offsetX": _OFFSET, "offsetY": _OFFSET}
        yield {"type": "click", **where, **_element(event.target), **offset, **led_to, **ours}


def _stop(event: TraceEvent) -> dict[str, Any]:
    """Return a step that no page ever passes, as other tools have no value for what was left out either."""
    why = f"{event.describe()} was left out of the recording".replace("*/", "* /")
    return {"type": "waitForExpression", "expression": f"false /* {why} */", "timeout": 1_000}


def _navigation(url: str) -> dict[str, Any]:
    return {
        "type": "navigate",
        "url": url,
        "assertedEvents": [{"type": "navigation", "url": url, "title": ""}],
    }


def _led_to(event: TraceEvent, following: TraceEvent | None) -> dict[str, Any]:
    """Return the navigation that an event caused, inferred from the URL of the following event."""
    if following is None or following.type == "navigate" or not (event.url and following.url):
        return {}
    if following.popup != event.popup or urldefrag(following.url)[0] == urldefrag(event.url)[0]:
        return {}
    return {"assertedEvents": [{"type": "navigation", "url": following.url, "title": ""}]}


def _keys(pressed: str, where: dict[str, Any], rest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the steps that press and release a key with modifiers; ``rest`` is added to the key's step."""
    *modifiers, key = pressed[:-1].split("+")
    key += pressed[-1:]
    for name in modifiers:
        yield {"type": "keyDown", **where, "key": name, OUR_KEY: None}
    yield {"type": "keyDown", **where, "key": key, **rest}
    for name in [key, *reversed(modifiers)]:
        yield {"type": "keyUp", **where, "key": name, OUR_KEY: None}


def _element(target: Fingerprint) -> dict[str, Any]:
    """Return the selectors of an element, in the order in which Chrome writes them."""
    found = [_aria(target), _css(target), _xpath(target), _pierce(target), _text(target)]
    selectors = [alternative for alternative in found if alternative]
    # The recording does not contain positions of frames; guess the first frame on each level.
    frame = {"frame": [0] * len(target.frame_path)} if target.frame_path else {}
    return {"selectors": selectors or [[target.tag]], **frame}


def _aria(target: Fingerprint) -> list[str]:
    if not target.name or "[" in target.name:  # Chrome would parse it as an attribute
        return []
    role = f'[role="{target.role}"]' if target.role and target.role != "generic" else ""
    return [f"aria/{target.name}{role}"]


def _css(target: Fingerprint) -> list[str]:
    return target.css.split(_SHADOW) if target.css else []


def _xpath(target: Fingerprint) -> list[str]:
    return [f"xpath/{target.xpath}"] if target.xpath and _SHADOW not in target.xpath else []


def _pierce(target: Fingerprint) -> list[str]:
    return [f"pierce/{target.css.split(_SHADOW)[-1]}"] if target.css else []


def _text(target: Fingerprint) -> list[str]:
    return [f"text/{target.text}"] if target.text and len(target.text) <= _LONGEST_TEXT else []
