"""Fast screenshots of a page over the DevTools protocol."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING
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

    from websp_gym.browser.light_playwright import Session

# Lossless; optimizeForSpeed halves the browser's encoding time.
_PICTURE = {"format": "png", "optimizeForSpeed": True}


class Camera:
    """Screenshots over one DevTools session per page, which stays open.

    If a session is opened and detached for every screenshot, or never overrides the device metrics, Chromium
    loses the size of the viewport. This class sets the size once per page and keeps the session.
    """

    def __init__(self) -> None:
        self._claimed: WeakKeyDictionary[Page, tuple[int, int]] = WeakKeyDictionary()

    def screenshot(self, page: Page) -> NDArray[np.uint8]:
        """Return a screenshot of the viewport: height x width x 3, uint8, one pixel per CSS pixel, read-only.

        Raises WorldError if the page closed or crashed.
        """
        return self.decode(self.png(page))

    def png(self, page: Page) -> bytes:
        """Return a screenshot of the viewport as PNG bytes; raise WorldError if the page closed or crashed."""
        try:
            data: str = self._session(page).send("Page.captureScreenshot", _PICTURE)["data"]
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
        size = page.viewport_size
        wanted = (size["width"], size["height"]) if size else VIEWPORT
        session = session_of(page)
        if self._claimed.get(page) != wanted:
            metrics = {"width": wanted[0], "height": wanted[1], "deviceScaleFactor": 1, "mobile": False}
            session.send("Emulation.setDeviceMetricsOverride", metrics)
            self._claimed[page] = wanted
        return session
