"""A person at a streamed window: a real browser that shows its page."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PATIENCE = 150.0
"""Seconds after which a wait is given up; only what never comes takes as long."""
_DIFFERENCE = """async (other) => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + other;
  await image.decode();
  const [one, two] = [image, document.querySelector('#screen')].map((source) => {
    const small = new OffscreenCanvas(160, 128).getContext('2d');
    small.imageSmoothingQuality = 'high';
    small.drawImage(source, 0, 0, 160, 128);
    return small.getImageData(0, 0, 160, 128).data;
  });
  return one.filter((value, at) => Math.abs(value - two[at]) > 40).length / one.length;
}"""
"""The part of a picture in which another one differs."""


def until(page: Page, holds: Callable[[], object], what: str = "") -> None:
    """Wait until something holds, while the browsers go on."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, what or "it did not come to hold"
        page.wait_for_timeout(5)


@dataclass
class Person:
    """Who looks at the viewer's page.

    Args:
        page: The viewer's page.
    """

    page: Page

    def open(self, url: str) -> None:
        """Open the window and wait for its first picture."""
        self.page.goto(url)
        self.page.wait_for_selector("#screen[data-frame]", timeout=PATIENCE * 1000)

    @property
    def url(self) -> str:
        """The address that the window shows."""
        return self.page.inner_text("#url")

    @property
    def tabs(self) -> list[str]:
        """The titles of the tabs."""
        return self.page.locator("#tabs .name").all_inner_texts()

    @property
    def pictures(self) -> int:
        """Number of the picture that was drawn last."""
        return int(self.page.get_attribute("#screen", "data-frame") or 0)

    def sees(self, page: Page) -> bool:
        """Whether the window shows what another browser shows, except for a caret or an outline."""
        picture = base64.b64encode(page.screenshot()).decode()
        return bool(self.page.evaluate(_DIFFERENCE, picture) < 0.005)

    def place(self, target: Locator) -> tuple[float, float]:
        """Where the middle of an element of a page lies in the window that shows the page."""
        target.scroll_into_view_if_needed()
        box, screen = target.bounding_box(), self.page.locator("#screen").bounding_box()
        size = target.page.viewport_size
        assert box is not None
        assert screen is not None
        assert size is not None
        across, down = screen["width"] / size["width"], screen["height"] / size["height"]
        return (
            screen["x"] + (box["x"] + box["width"] / 2) * across,
            screen["y"] + (box["y"] + box["height"] / 2) * down,
        )

    def click(self, target: Locator) -> None:
        """Click where an element is in the picture."""
        self.page.mouse.click(*self.place(target))

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
