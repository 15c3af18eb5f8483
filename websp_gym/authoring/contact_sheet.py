"""Combine many screenshots into one picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

_WIDTH = 420
_GAP = 16
_CAPTION = 26
_PAPER = (238, 240, 243)
_INK = (40, 44, 52)


def contact_sheet(
    pictures: Sequence[tuple[Path, str]], target: Path, *, columns: int = 0, width: int = _WIDTH
) -> None:
    """Write a PNG of pictures in a grid, with captions; 0 columns means 4 or 8, depending on their number."""
    if not pictures:
        return
    columns = min(columns or (4 if len(pictures) <= 24 else 8), len(pictures))
    height = round(width * 0.8)
    rows = -(-len(pictures) // columns)
    cell = (width + _GAP, height + _CAPTION + _GAP)
    sheet = Image.new("RGB", (columns * cell[0] + _GAP, rows * cell[1] + _GAP), _PAPER)
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=15)
    for number, (path, caption) in enumerate(pictures):
        left, top = _GAP + number % columns * cell[0], _GAP + number // columns * cell[1]
        with Image.open(path) as picture:
            full = picture.convert("RGB")
        # Show only the top of a page that is taller than the screen.
        full = full.crop((0, 0, full.width, min(full.height, round(full.width * 0.8))))
        full = full.resize((width, round(width * full.height / full.width)), Image.Resampling.LANCZOS)
        sheet.paste(full, (left, top))
        draw.text((left, top + height + 5), caption[:52], fill=_INK, font=font)
    sheet.save(target)
