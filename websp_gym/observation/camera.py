"""Pictures of a page, as quick as the browser allows."""

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
    from playwright.sync_api import CDPSession, Page

# Lossless; "optimize for speed" halves the time the browser takes to write the file.
_PICTURE = {"format": "png", "optimizeForSpeed": True}


class Camera:
    """Takes screenshots over one DevTools session per page, kept open.

    A session that is opened and detached for every picture makes Chromium drop the size the viewport was
    given; so does one that never claimed that size. This one claims it and stays.
    """

    def __init__(self) -> None:
        self._claimed: WeakKeyDictionary[Page, tuple[int, int]] = WeakKeyDictionary()

    def screenshot(self, page: Page) -> NDArray[np.uint8]:
        """Takes a picture of the viewport.

        Args:
            page: An open page.

        Returns:
            Height x width x 3, uint8, one pixel per CSS pixel; read-only.

        Raises:
            WorldError: The page closed or crashed.
        """
        return self.decode(self.png(page))

    def png(self, page: Page) -> bytes:
        """The same picture as a PNG file.

        Args:
            page: An open page.

        Returns:
            The bytes of the file.

        Raises:
            WorldError: The page closed or crashed.
        """
        try:
            data: str = self._session(page).send("Page.captureScreenshot", _PICTURE)["data"]
        except PlaywrightError as error:
            self._claimed.pop(page, None)
            reason = str(error).splitlines()[0]
            raise WorldError(f"no screenshot of {page.url}: {reason}", url=page.url) from error
        return base64.b64decode(data)

    @staticmethod
    def decode(png: bytes) -> NDArray[np.uint8]:
        """Reads a PNG file.

        Args:
            png: The bytes of the file.

        Returns:
            Height x width x 3, uint8; read-only.
        """
        with Image.open(io.BytesIO(png)) as picture:
            # Chromium writes RGB, which needs no (dear) conversion.
            return np.asarray(picture if picture.mode == "RGB" else picture.convert("RGB"))

    def _session(self, page: Page) -> CDPSession:
        size = page.viewport_size
        wanted = (size["width"], size["height"]) if size else VIEWPORT
        session = session_of(page)
        if self._claimed.get(page) != wanted:
            metrics = {"width": wanted[0], "height": wanted[1], "deviceScaleFactor": 1, "mobile": False}
            session.send("Emulation.setDeviceMetricsOverride", metrics)
            self._claimed[page] = wanted
        return session
