"""Shrink screenshots to embed them in one HTML file."""

from __future__ import annotations

import hashlib
import io
import math
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from PIL import Image

from websp_gym.files import MAX_PICTURE, UnfitFileError, read_file
from websp_gym.observation.draw import mark_svg

BYTES_PER_PICTURE = 110_000
"""Largest encoded picture: 21 of them, base64 included, stay below 3.2 MB."""
BYTES_PER_EPISODE = 175_000
"""Encoded pictures of an episode in a report, shared among them; with all else such an episode takes 0.3 MB."""
_LEAST = 14_000
"""Bytes of a picture whose text can still be read, in long episodes too."""

_THUMBNAIL = (168, 134)
_QUALITIES = (82, 60, 40)
_MAX_PIXELS = 40_000_000


@dataclass(frozen=True)
class Picture:
    """A screenshot as ``data:`` URIs, with its original size in pixels."""

    src: str
    thumbnail: str
    width: int
    height: int


def layer_uri(
    size: tuple[int, int], marks: Sequence[tuple[int, Sequence[float]]], seed: int, scale: float
) -> str:
    """Return the marks of one observation, drawn as for the agent, as a transparent layer over the screenshot.

    Args:
        size: Width and height of the screenshot.
        marks: Number and box of each mark.
        seed: Seed of the box colours.
        scale: Pixels of the screenshot per CSS pixel of the viewport.

    Returns:
        A ``data:`` URI; empty if there are no marks or the size is too large for a screenshot.
    """
    if not marks or size[0] * size[1] > _MAX_PIXELS:
        return ""
    # As text, which compresses; base64 hides what repeats.
    return "data:image/svg+xml," + quote(mark_svg(size, marks, seed, scale=scale), safe=" =:/'<>,()")


class Album:
    """The pictures of one episode; equal screenshots (after a refused action or a wait) are kept once.

    Args:
        folder: Folder of the screenshots.
        most: Most bytes of one encoded picture.
    """

    def __init__(self, folder: Path, most: int = BYTES_PER_PICTURE) -> None:
        self.pictures: list[Picture] = []
        self._folder = folder
        self._most = most
        self._known: dict[bytes, int] = {}

    @classmethod
    def within(cls, total: int, folder: Path, names: Iterable[str | None]) -> Album:
        """Return an album for the screenshots of these names that shares `total` bytes among the different ones."""
        different = {digest for name in names if name and (digest := _digest(folder / name))}
        share = total // max(1, len(different))
        return cls(folder, min(BYTES_PER_PICTURE, max(_LEAST, share)))

    def add(self, name: str | None) -> tuple[int | None, str]:
        """Add a screenshot by file name; return its index in :attr:`pictures`, or None and why it is missing."""
        if not name:
            return None, "recorded without a screenshot"
        if Path(name).name != name:
            return None, f"{name} is not a file of this folder"
        try:
            data = read_file(self._folder / name, MAX_PICTURE)
        except UnfitFileError as error:
            return None, f"{name}: {error.strerror}"
        except (OSError, ValueError):
            return None, f"{name} is missing"
        key = hashlib.sha256(data).digest()
        if key not in self._known:
            try:
                picture = _picture(data, self._most)
            except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
                return None, f"{name} is not a readable picture"
            self._known[key] = len(self.pictures)
            self.pictures.append(picture)
        return self._known[key], ""


def _digest(file: Path) -> bytes | None:
    try:
        return hashlib.sha256(read_file(file, MAX_PICTURE)).digest()
    except (OSError, ValueError):
        return None  # said when it is added


def _picture(data: bytes, most: int) -> Picture:
    with Image.open(io.BytesIO(data), formats=["PNG", "JPEG", "WEBP"]) as opened:
        if opened.width * opened.height > _MAX_PIXELS:
            raise ValueError(f"{opened.width}×{opened.height} is not a screenshot")
        image = opened.convert("RGB")
    small = image.copy()
    small.thumbnail(_THUMBNAIL, Image.Resampling.LANCZOS, reducing_gap=2.0)
    return Picture(_uri(_squeeze(image, most)), _uri(_webp(small, 70)), image.width, image.height)


def _squeeze(image: Image.Image, most: int) -> bytes:
    """Reduce quality first and resolution last."""
    for quality in _QUALITIES:
        data = _webp(image, quality)
        if len(data) <= most:
            return data
        if len(data) > 2 * most:
            break  # lower quality alone is not enough
    # The size is proportional to the area; small pictures need more bytes per pixel, which lower quality offsets.
    scale = min(0.9, max(0.2, 1.2 * math.sqrt(most / len(data))))
    smaller = (max(1, int(image.width * scale)), max(1, int(image.height * scale)))
    return _squeeze(image.resize(smaller, Image.Resampling.BILINEAR), most)


def _webp(image: Image.Image, quality: int) -> bytes:
    buffer = io.BytesIO()
    # Method 2 of 6 is a third of the default's time for a few per cent more bytes.
    image.save(buffer, "WEBP", quality=quality, method=2)
    return buffer.getvalue()


def _uri(data: bytes) -> str:
    return "data:image/webp;base64," + b64encode(data).decode()
