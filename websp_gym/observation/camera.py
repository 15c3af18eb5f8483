"""Fast screenshots of a page over the DevTools protocol."""

from __future__ import annotations

import base64
import io
import math
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from PIL import Image
from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser import VIEWPORT
from websp_gym.browser.isolated import session_of
from websp_gym.errors import WorldError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from playwright.sync_api import Page

    from websp_gym.browser.internals import Session

# Lossless; optimizeForSpeed halves the browser's encoding time.
_PICTURE = {"format": "png", "optimizeForSpeed": True}
_MOST_ENLARGED = 8.0
Region = tuple[float, float, float, float]
"""A part of a viewport: left, top, right and bottom in CSS pixels."""


def picture_size(viewport: tuple[int, int], scale: float) -> tuple[int, int]:
    """Return width and height of a screenshot of a viewport at a scale, rounded as Chromium does."""
    width, height = (max(1, math.floor(side * scale + 0.5)) for side in viewport)
    return width, height


def part_of(picture: NDArray[np.uint8], region: Region, scale: float) -> NDArray[np.uint8]:
    """Return a part of a screenshot of this scale, enlarged to its size."""
    height, width, _ = picture.shape
    whole = Image.fromarray(picture)
    part = whole.crop(tuple(round(side * scale) for side in region))  # type: ignore[arg-type]
    factor = _factor(region, width, height)
    size = [max(1, round(side * factor)) for side in (region[2] - region[0], region[3] - region[1])]
    return _on_black(part.resize((size[0], size[1]), Image.Resampling.LANCZOS), width, height)


def _factor(region: Region, width: int, height: int) -> float:
    """Return the scale at which a region fits into a picture."""
    left, top, right, bottom = region
    return min(width / (right - left), height / (bottom - top), _MOST_ENLARGED)


def _on_black(picture: Image.Image, width: int, height: int) -> NDArray[np.uint8]:
    whole = Image.new("RGB", (width, height))
    whole.paste(picture, ((width - picture.width) // 2, (height - picture.height) // 2))
    return np.asarray(whole)


class Camera:
    """Screenshots over one DevTools session per page, which stays open.

    Chromium loses the size of the viewport if a session is opened and detached for every screenshot, or never
    overrides the device metrics. This class sets the size once per page and keeps the session.

    Args:
        scale: Size of the pictures in relation to the viewport. The browser draws the page at this size, so text is
            sharper than in a picture that is scaled down, and the page does not notice.
    """

    def __init__(self, scale: float = 1.0) -> None:
        self._scale = scale
        self._claimed: WeakKeyDictionary[Page, tuple[int, int]] = WeakKeyDictionary()

    def screenshot(self, page: Page) -> NDArray[np.uint8]:
        """Return a screenshot of the viewport: height x width x 3 (:func:`picture_size`), uint8, read-only.

        Raises WorldError if the page closed or crashed.
        """
        return self.decode(self.png(page))

    def png(self, page: Page) -> bytes:
        """Return a screenshot of the viewport as PNG bytes; raise WorldError if the page closed or crashed."""
        return self._shot(page, (0, 0, *_viewport(page)), self._scale)

    def enlarged(self, page: Page, region: Region) -> NDArray[np.uint8]:
        """Return a part of the viewport, drawn by the browser at the size of a screenshot, with black around it.

        Raises WorldError if the page closed or crashed.
        """
        width, height = picture_size(_viewport(page), self._scale)
        png = self._shot(page, region, _factor(region, width, height))
        with Image.open(io.BytesIO(png)) as picture:
            return _on_black(picture.convert("RGB"), width, height)

    def _shot(self, page: Page, region: Region, scale: float) -> bytes:
        try:
            session = self._session(page)
            whole = region == (0, 0, *_viewport(page))
            wanted = {**_PICTURE, **({} if whole and scale == 1 else _clip(session, region, scale))}
            data: str = session.send("Page.captureScreenshot", wanted)["data"]
        except PlaywrightError as error:
            self._claimed.pop(page, None)
            reason = str(error).splitlines()[0]
            raise WorldError(f"no screenshot of {page.url}: {reason}", url=page.url) from error
        return base64.b64decode(data)

    @staticmethod
    def decode(png: bytes) -> NDArray[np.uint8]:
        """Decode PNG bytes to a read-only array: height x width x 3, uint8."""
        with Image.open(io.BytesIO(png)) as picture:
            # Chromium writes RGB; skip the slow conversion.
            return np.asarray(picture if picture.mode == "RGB" else picture.convert("RGB"))

    def _session(self, page: Page) -> Session:
        wanted = _viewport(page)
        session = session_of(page)
        if self._claimed.get(page) != wanted:
            metrics = {"width": wanted[0], "height": wanted[1], "deviceScaleFactor": 1, "mobile": False}
            session.send("Emulation.setDeviceMetricsOverride", metrics)
            self._claimed[page] = wanted
        return session


def _clip(session: Session, region: Region, scale: float) -> dict[str, Any]:
    """Return what makes the browser draw a part of the viewport at a scale."""
    scrolled = session.send("Page.getLayoutMetrics")["cssLayoutViewport"]
    left, top, right, bottom = region
    origin = {"x": scrolled["pageX"] + left, "y": scrolled["pageY"] + top}
    return {"clip": {**origin, "width": right - left, "height": bottom - top, "scale": scale}}


def _viewport(page: Page) -> tuple[int, int]:
    size = page.viewport_size
    return (size["width"], size["height"]) if size else VIEWPORT
