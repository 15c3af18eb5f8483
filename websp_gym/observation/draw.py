"""Draw marks on a screenshot: a box, and its number on a filled label at the top-left corner."""

from __future__ import annotations

import colorsys
import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from websp_gym.observation.marks import Mark

    Pixels = NDArray[np.uint8]
    Boxes = NDArray[np.int64]
    NumberedBox = tuple[int, Sequence[float]]

_FONT_PIXELS = 14
"""Height of the numbers; in a picture of half the size they are seven tenths of it, which is still legible."""
_LUMINANCE = (0.11, 0.17)
"""Range of the relative luminance of a box. Its contrast (WCAG 2) is at least 3.2:1 against black and 4.7:1 against
white, also of its digits, so one palette fits dark and light pages."""
_SMALL = 22
"""Boxes with a side shorter than this, in pixels, get a line of one pixel instead of two."""


def mark_seed(seed: int, index: int) -> int:
    """Return the seed (below 2**32) of an observation's box colours, so that its screenshot can be drawn again later.

    Args:
        seed: The episode's seed.
        index: 0 for the initial observation, n for the one after step n.
    """
    return (seed * 1_000_003 + index) % 2**32


def draw_marks(
    image: NDArray[np.uint8], marks: Sequence[Mark], seed: int | np.random.Generator, *, scale: float = 1.0
) -> NDArray[np.uint8]:
    """Draw marks on a copy of a screenshot.

    Args:
        image: Height x width x 3, uint8.
        marks: Marks to draw.
        seed: Seed of the box colours; the same seed gives the same result.
        scale: Pixels of the image per CSS pixel of the viewport.

    Returns:
        A new array of the same shape.
    """
    out = np.array(image, dtype=np.uint8, order="C", copy=True)
    _draw(out, [(mark.number, mark.box) for mark in marks], seed, scale)
    return out


def mark_svg(size: tuple[int, int], marks: Sequence[NumberedBox], seed: int, *, scale: float = 1.0) -> str:
    """Return the marks as an SVG picture to lay over the screenshot.

    Boxes, labels and colours are those of :func:`draw_marks`; the digits are in the viewer's typeface.

    Args:
        size: Width and height of the screenshot.
        marks: Number and box of each mark.
        seed: As for :func:`draw_marks`.
        scale: As for :func:`draw_marks`.
    """
    placed = _placed(size, marks, seed, scale)
    boxes = "".join(_svg_box(mark) for mark in placed)
    labels = "".join(_svg_label(mark) for mark in placed)
    width, height = size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-weight="bold" font-size="{_font_pixels(scale)}">{boxes}{labels}</svg>'
    )


@dataclass(frozen=True)
class _Placed:
    """A mark on its picture: the corners of its box, and the place of its label, in pixels."""

    number: int
    box: Boxes
    colour: tuple[int, int, int]
    label: NDArray[np.float32]
    place: tuple[int, int]

    @property
    def line(self) -> int:
        """Width of the box's line."""
        x0, y0, x1, y1 = self.box
        return 1 if min(x1 - x0, y1 - y0) < _SMALL else 2


def _draw(out: Pixels, marks: Sequence[NumberedBox], seed: int | np.random.Generator, scale: float) -> None:
    placed = _placed((out.shape[1], out.shape[0]), marks, seed, scale)
    for mark in placed:
        _outline(out, mark)
    for mark in placed:
        _paste(out, mark)


def _placed(
    size: tuple[int, int], marks: Sequence[NumberedBox], seed: int | np.random.Generator, scale: float
) -> list[_Placed]:
    if not marks:
        return []
    boxes = _inside(np.array([box for _, box in marks], dtype=np.float64) * scale, *size)
    colours = _colours(len(marks), np.random.default_rng(seed))
    labels = [_digits(number, _font_pixels(scale)) for number, _ in marks]
    places = _places(boxes, np.array([(label.shape[1], label.shape[0]) for label in labels]), *size)
    numbers = [number for number, _ in marks]
    return [_Placed(*parts) for parts in zip(numbers, boxes, colours, labels, places, strict=True)]


def _font_pixels(scale: float) -> int:
    return round(_FONT_PIXELS * math.sqrt(scale))


def _svg_box(mark: _Placed) -> str:
    x0, y0, x1, y1 = (int(value) for value in mark.box)
    line = mark.line
    # A stroke is centred on its path.
    return (
        f'<rect x="{x0 + line / 2:g}" y="{y0 + line / 2:g}" width="{max(x1 - x0 - line, 0)}" '
        f'height="{max(y1 - y0 - line, 0)}" fill="none" stroke="{_hex(mark)}" stroke-width="{line}"/>'
    )


def _svg_label(mark: _Placed) -> str:
    (x, y), (tall, wide) = mark.place, mark.label.shape[:2]
    return (
        f'<rect x="{x}" y="{y}" width="{wide}" height="{tall}" fill="{_hex(mark)}"/>'
        f'<text x="{x + 2}" y="{y + tall - 2}" textLength="{wide - 4}" lengthAdjust="spacingAndGlyphs" fill="#fff">'
        f"{mark.number}</text>"
    )


def _hex(mark: _Placed) -> str:
    return "#{:02x}{:02x}{:02x}".format(*mark.colour)


def _inside(boxes: NDArray[np.float64], width: int, height: int) -> Boxes:
    """Return left, top, right and bottom (exclusive) of each box, in whole pixels inside the image."""
    corners = np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1).round().astype(np.int64)
    corners[:, [0, 2]] = corners[:, [0, 2]].clip(0, width)
    corners[:, [1, 3]] = corners[:, [1, 3]].clip(0, height)
    return corners


def _colours(count: int, rng: np.random.Generator) -> list[tuple[int, int, int]]:
    """Return saturated colours of random hue; neighbours in the list differ much (golden ratio steps)."""
    hues = (rng.random() + np.arange(count) * 0.618034 + rng.uniform(-0.05, 0.05, count)) % 1.0
    lights = rng.uniform(*_LUMINANCE, count)
    return [_colour(hue, light) for hue, light in zip(hues, lights, strict=True)]


def _colour(hue: float, luminance: float) -> tuple[int, int, int]:
    """Return a colour of about this hue (48 steps) and relative luminance (4 steps)."""
    low, high = _LUMINANCE
    step = int((luminance - low) / (high - low) * 3.999)
    return _palette(int(hue * 48) % 48, step)


@cache
def _palette(hue: int, step: int) -> tuple[int, int, int]:
    low, high = _LUMINANCE
    wanted = low + (high - low) * (step + 0.5) / 4
    saturated = np.array(colorsys.hsv_to_rgb(hue / 48, 1.0, 1.0))
    linear = saturated**2.2
    light = float(linear @ (0.2126, 0.7152, 0.0722))
    if light >= wanted:
        linear = linear * (wanted / light)
    else:
        # Pure blue is darker than this: mix it with white.
        part = (wanted - light) / (1.0 - light)
        linear = linear * (1.0 - part) + part
    red, green, blue = (int(value) for value in (linear ** (1 / 2.2) * 255).round())
    return red, green, blue


def _outline(out: Pixels, mark: _Placed) -> None:
    x0, y0, x1, y1 = (int(value) for value in mark.box)
    line = mark.line
    out[y0 : y0 + line, x0:x1] = mark.colour
    out[max(y1 - line, y0) : y1, x0:x1] = mark.colour
    out[y0:y1, x0 : x0 + line] = mark.colour
    out[y0:y1, max(x1 - line, x0) : x1] = mark.colour


@cache
def _digits(number: int, pixels: int) -> NDArray[np.float32]:
    """Return how much the digits cover each pixel of a number's label (0 to 1), including its margins."""
    font = ImageFont.load_default(size=pixels)
    left, top, right, bottom = font.getbbox(str(number), stroke_width=0)
    size = (int(right - left) + 5, int(bottom - top) + 4)
    mask = Image.new("L", size, 0)
    draw = ImageDraw.Draw(mask)
    # Draw twice, about half a pixel apart, as a substitute for bold, which the bundled font lacks.
    for shift in (0.0, 0.6):
        draw.text((2 - left + shift, 2 - top), str(number), fill=255, font=font)
    return np.asarray(mask, dtype=np.float32)[:, :, None] / np.float32(255)


def _paste(out: Pixels, mark: _Placed) -> None:
    (x, y), (height, width) = mark.place, mark.label.shape[:2]
    target = out[y : y + height, x : x + width]
    cover = mark.label[: target.shape[0], : target.shape[1]]
    colour = np.array(mark.colour, dtype=np.float32)
    target[:] = (colour + (255.0 - colour) * cover).astype(np.uint8)


def _places(boxes: Boxes, sizes: Boxes, width: int, height: int) -> list[tuple[int, int]]:
    """Return the position of each label: at the top-left corner of its box, where it hides least.

    Positions in order of preference: above the corner, left of it, above and left, inside the box. The cost
    of a position is the area of placed labels (most costly) and of boxes, its own included, that the label
    would hide.
    """
    taken = np.zeros((0, 4), dtype=np.int64)
    places = []
    for box, (wide, tall) in zip(boxes, sizes, strict=True):
        x0, y0 = int(box[0]), int(box[1])
        spots = np.array([(x0, y0 - tall), (x0 - wide, y0), (x0 - wide, y0 - tall), (x0, y0)], dtype=np.int64)
        fitted = spots.clip(0, [max(width - wide, 0), max(height - tall, 0)])
        area = np.concatenate([fitted, fitted + np.array([wide, tall])], axis=1)
        moved = np.abs(fitted - spots).sum(axis=1)
        cost = 6.0 * _hidden(area, taken) + _hidden(area, boxes) + 3.0 * moved + (0, 12, 24, 30)
        best = int(np.argmin(cost))
        taken = np.concatenate([taken, area[best : best + 1]])
        places.append((int(fitted[best, 0]), int(fitted[best, 1])))
    return places


def _hidden(areas: Boxes, others: Boxes) -> NDArray[np.float64]:
    """Return for each area how many pixels of the other rectangles it overlaps, summed over all of them."""
    low = np.maximum(areas[:, None, :2], others[None, :, :2])
    high = np.minimum(areas[:, None, 2:], others[None, :, 2:])
    hidden: NDArray[np.float64] = (high - low).clip(0).prod(axis=2).sum(axis=1).astype(np.float64)
    return hidden
