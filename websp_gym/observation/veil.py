"""Hiding an account's secrets in texts and pictures that an agent sees or a record keeps."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageDraw

from websp_gym.browser.isolated import ScriptError, worlds_of
from websp_gym.redaction import redact

if TYPE_CHECKING:
    from playwright.sync_api import Page

MASK = "•••"
"""The replacement of a secret."""
_GREY = (200, 200, 200)
_WHERE = """function (secrets) {
  const { walk, raw } = this;
  const has = (text) => typeof text === 'string' && secrets.some((secret) => text.includes(secret));
  const boxes = [];
  const add = (el) => {
    const { left, top, width, height } = raw.rect(el);
    if (width > 0 && height > 0) boxes[boxes.length] = [left, top, left + width, top + height];
  };
  // The innermost element with the whole text: a secret may be written in several parts.
  const look = (root) => walk(root, (el) => {
    const shadow = raw.shadowOf(el);
    if (shadow) look(shadow);
    if (has(el.value)) add(el);
    else if (has(el.textContent) && ![...el.children].some((child) => has(child.textContent))) add(el);
  });
  look(document);
  return boxes;
}"""


class Veil:
    """Hides texts that neither an agent's model nor a record may contain.

    Args:
        secrets: The texts.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(secret for secret in secrets if secret)

    def over(self, observation: dict[str, Any]) -> dict[str, Any]:
        """Return the observation with each secret replaced by :data:`MASK`."""
        return {name: self._clean(value) for name, value in observation.items()}

    def over_picture(self, png: bytes, page: Page, scale: float) -> bytes:
        """Return a screenshot with the secrets covered.

        Args:
            png: The screenshot.
            page: The page that it shows.
            scale: Its size in relation to the viewport. A secret in a frame inside the page hides all of it.
        """
        boxes = self._boxes(page)
        if boxes is not None and not boxes:
            return png
        with Image.open(io.BytesIO(png)) as opened:
            picture = opened.convert("RGB")
        draw = ImageDraw.Draw(picture)
        for box in boxes or [(0, 0, picture.width / scale, picture.height / scale)]:
            # Not blurred: large letters can be read again.
            draw.rectangle([round(side * scale) for side in box], fill=_GREY)
        kept = io.BytesIO()
        picture.save(kept, "PNG")
        return kept.getvalue()

    def _boxes(self, page: Page) -> list[tuple[float, ...]] | None:
        """Return where the page shows secrets; None where a frame inside it does, or it cannot be read."""
        worlds = worlds_of(page)
        try:
            if any(frame.run(_WHERE, self._secrets) for frame in worlds.children()):
                return None
            return [tuple(box) for box in worlds.main.run(_WHERE, self._secrets)]
        except ScriptError:
            return None

    def _clean(self, value: Any) -> Any:
        if isinstance(value, str):
            return redact(value, self._secrets, mask=MASK, parts=False)
        if isinstance(value, dict):
            return {self._clean(key): self._clean(each) for key, each in value.items()}
        if isinstance(value, tuple):
            return tuple(map(self._clean, value))
        return [self._clean(each) for each in value] if isinstance(value, list) else value
