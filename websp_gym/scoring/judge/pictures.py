"""Screenshots for a judge: with the marks that the agent saw, scaled down until they fit into a request.

:mod:`websp_gym.scoring.judge.fitting` decides what is left out if scaling is not enough.
"""

from __future__ import annotations

import hashlib
import io
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from websp_gym.errors import JudgeError
from websp_gym.files import MAX_PICTURE, read_file

if TYPE_CHECKING:
    from websp_gym.records.trajectory import Trajectory

SCALES = (1.0, 0.8, 0.65, 0.5, 0.4)
"""Scales, tried in this order. Below 0.4 the numbers of the marks (14 pixels high) are not legible."""

_FEW = 20
_SIDE_OF_MANY = 2_000
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class PictureLimits:
    """Limits on one request; the defaults fit all three models of the paper.

    Args:
        pictures: Number of screenshots.
        pixels: Pixels of all screenshots. At about 750 pixels per token, 60 million are 80 000 tokens.
        megabytes: Size of all PNG files.
        characters: Characters of text.
        picture_megabytes: Size of one PNG file. Anthropic takes 5 MiB of base64, which is a third larger.
        side: Pixels of one side of a picture. Anthropic takes 8,000, and 2,000 where a request has more than 20.
    """

    pictures: int = 100
    pixels: int = 60_000_000
    megabytes: float = 20.0
    characters: int = 400_000
    picture_megabytes: float = 3.5
    side: int = 8_000

    def half(self) -> PictureLimits:
        """Return half of each limit of a request, for a model that takes less."""
        return replace(
            self,
            pictures=self.pictures // 2,
            pixels=self.pixels // 2,
            megabytes=self.megabytes / 2,
            characters=self.characters // 2,
        )

    def takes(self, png: bytes, among: int) -> bool:
        """Whether a request takes a picture as one of so many."""
        side = self.side if among <= _FEW else min(self.side, _SIDE_OF_MANY)
        return len(png) <= self.picture_megabytes * 1_000_000 and max(_sides(png)) <= side


def pictures_of(
    trajectory: Trajectory, folder: Path, limits: PictureLimits, shown: Sequence[int]
) -> list[bytes]:
    """Return the screenshots of the observations ``shown`` (from 0) as PNG files, all at the same scale.

    Raises:
        JudgeError: One is missing or is not an image, or they are too many or too large for the limits.
    """
    if trajectory.initial is None:
        raise JudgeError("the trajectory has no first observation", kind="incomplete")
    if len(shown) > limits.pictures:
        raise JudgeError(f"{len(shown)} screenshots, but a request holds {limits.pictures}", kind="too_long")
    sources = [_source(trajectory, folder, index) for index in shown]
    for scale in SCALES:
        drawn = _draw(sources, scale, limits)
        if drawn is not None:
            return drawn
    raise JudgeError(
        f"{len(shown)} screenshots do not fit into a request even at {SCALES[-1]:.0%} of their size",
        kind="too_long",
    )


@dataclass(frozen=True)
class _Source:
    png: bytes
    boxes: tuple[tuple[int, Box], ...]
    seed: int
    recorded_at: float
    """Pixels per CSS pixel of the viewport."""


def _source(trajectory: Trajectory, folder: Path, index: int) -> _Source:
    from websp_gym.observation.draw import mark_seed

    view = trajectory.views[index]
    if not view.screenshot:
        said = (
            ': observation="text" takes none; record with "marks"'
            if trajectory.options.get("observation") == "text"
            else ""
        )
        raise JudgeError(f"observation {index} has no screenshot{said}", kind="incomplete")
    if Path(view.screenshot).name != view.screenshot:
        raise JudgeError(f"observation {index} names a screenshot outside its folder", kind="incomplete")
    try:
        png = read_file(folder / view.screenshot, MAX_PICTURE)
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        reason = error.strerror if isinstance(error, OSError) else error
        raise JudgeError(f"the screenshot {view.screenshot!r}: {reason}", kind="incomplete") from error
    try:
        boxes = tuple((int(mark["number"]), _box(mark["box"])) for mark in view.marks)
    except (KeyError, TypeError, ValueError):
        raise JudgeError(f"the marks of observation {index} cannot be read", kind="incomplete") from None
    return _Source(png, boxes, mark_seed(trajectory.seed, index), trajectory.picture_scale)


def _box(sides: Sequence[float]) -> Box:
    left, top, width, height = sides
    return (left, top, width, height)


def _draw(sources: Sequence[_Source], scale: float, limits: PictureLimits) -> list[bytes] | None:
    """Return all screenshots at one scale; None as soon as they exceed the limits."""
    if sum(_area(source.png) for source in sources) * scale**2 > limits.pixels:
        return None
    drawn: list[bytes] = []
    pixels = size = 0
    for source in sources:
        png, area = _ALBUM.get(source, scale)
        pixels, size = pixels + area, size + len(png)
        if not limits.takes(png, len(sources)):
            return None
        if pixels > limits.pixels or size > limits.megabytes * 1_000_000:
            return None
        drawn.append(png)
    return drawn


def _area(png: bytes) -> int:
    width, height = _sides(png)
    return width * height


def _sides(png: bytes) -> tuple[int, int]:
    """Return width and height of a PNG file in pixels, from its header."""
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


class _Album:
    """A cache of drawn screenshots, for runs that are judged again, by several models or in several edits."""

    def __init__(self, megabytes: int) -> None:
        self._room = megabytes * 1_000_000
        self._size = 0
        self._drawn: OrderedDict[object, tuple[bytes, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, source: _Source, scale: float) -> tuple[bytes, int]:
        """Return a screenshot with its marks, and its number of pixels."""
        key = (hashlib.sha256(source.png).digest(), source.boxes, source.seed, source.recorded_at, scale)
        with self._lock:
            if key in self._drawn:
                self._drawn.move_to_end(key)
                return self._drawn[key]
        drawn = _paint(source, scale)
        with self._lock:
            self._size += 0 if key in self._drawn else len(drawn[0])
            self._drawn[key] = drawn
            while self._size > self._room:
                self._size -= len(self._drawn.popitem(last=False)[1][0])
        return drawn


_ALBUM = _Album(200)


def _paint(source: _Source, scale: float) -> tuple[bytes, int]:
    from PIL import Image

    from websp_gym.observation.camera import Camera
    from websp_gym.observation.draw import draw_marks

    try:
        plain = Camera.decode(source.png)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise JudgeError(f"a screenshot cannot be read: {error}", kind="incomplete") from error
    marked = draw_marks(plain, _marks(source.boxes), source.seed, scale=source.recorded_at)
    picture = Image.fromarray(marked)
    if scale != 1.0:
        width, height = (max(1, round(side * scale)) for side in picture.size)
        picture = picture.resize((width, height), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=3)
    return file.getvalue(), picture.width * picture.height


def _marks(boxes: Sequence[tuple[int, Box]]) -> Any:
    from websp_gym.observation.marks import marks_from_dicts

    blank = {
        "tag": "", "role": "", "name": "", "text": "", "type": "", "checked": None, "expanded": None,
        "disabled": False, "selected": None, "value": "", "href": "", "mixed": False,
    }  # fmt: skip
    return marks_from_dicts([{**blank, "number": number, "box": list(box)} for number, box in boxes])
