"""A recorded episode as a film: what the agent saw, where it clicked, and below it what it did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageDraw, ImageFont

from websp_gym.errors import SetupError, missing_extra, unwritable
from websp_gym.records.load import load_trajectory
from websp_gym.records.pictures import marked_picture

if TYPE_CHECKING:
    from websp_gym.records.trajectory import Step, Trajectory

KINDS = (".mp4", ".webm", ".gif", ".webp")
"""What a film can be; the first two need the extra ``video``."""
STEP, END = 1.8, 3.2
"""Seconds of a step, and of the end."""
_INK, _SOFT, _PAPER, _PASS, _FAIL, _AIM = "#1d2330", "#5c6575", "#ffffff", "#17703f", "#b3261e", "#d6006c"
_BAR = 0.106
"""Height of the bar below the picture, as a share of the width."""


@dataclass(frozen=True)
class Scene:
    """A picture and how long it is shown, in seconds."""

    picture: Image.Image
    seconds: float


def scenes(folder: Path, *, width: int = 1280, step: float = STEP) -> Iterator[Scene]:
    """Yield the pictures of a film, one for each step and one for the end.

    Args:
        folder: Folder of a trajectory.
        width: Width of the film in pixels.
        step: Seconds of each step.

    Raises:
        SetupError: There is no trajectory, or it was recorded without screenshots.
    """
    trajectory = load_trajectory(folder)
    for index in range(len(trajectory.views)):
        after = trajectory.steps[index] if index < len(trajectory.steps) else None
        try:
            picture = Image.fromarray(marked_picture(trajectory, folder, index))
        except OSError as error:
            raise SetupError(
                f"{folder}: observation {index} has no screenshot ({error.strerror or error}); a film needs a run "
                "with pictures (observation marks)",
                path=str(folder),
            ) from error
        if after is not None:
            _aim(picture, trajectory, index, after)
        yield Scene(_framed(picture, trajectory, after, width), step if after is not None else END)


def write_film(folder: Path, target: Path, *, width: int = 1280, step: float = STEP) -> Path:
    """Write a film of an episode.

    Args:
        folder: Folder of its trajectory.
        target: The file; its extension, one of :data:`KINDS`, says which kind of film it is.
        width: Width in pixels.
        step: Seconds of each step.

    Returns:
        The file.

    Raises:
        SetupError: There is no such kind, the extra is missing, there is nothing to show, or the file cannot be
            written.
    """
    kind = target.suffix.lower()
    if kind not in KINDS:
        raise SetupError(f"{target}: the name must end in one of {', '.join(KINDS)}", path=str(target))
    if kind in KINDS[:2] and find_spec("imageio_ffmpeg") is None:
        raise missing_extra(
            f"a film as {kind} needs imageio-ffmpeg", "video", otherwise="choose .gif or .webp"
        )
    shown = list(scenes(folder, width=width, step=step))
    part = target.with_name(f".{target.stem}.part{kind}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        (_encode if kind in KINDS[:2] else _animate)(shown, part)
        part.replace(target)
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        part.unlink(missing_ok=True)
    return target


def _encode(shown: list[Scene], target: Path) -> None:
    import imageio_ffmpeg

    rate = 10
    size = shown[0].picture.size
    codec = "libx264" if target.suffix == ".mp4" else "libvpx-vp9"
    writer: Any = imageio_ffmpeg.write_frames(
        str(target), size, fps=rate, codec=codec, quality=7, macro_block_size=2, ffmpeg_log_level="error"
    )
    writer.send(None)
    for scene in shown:
        data = scene.picture.tobytes()
        for _ in range(max(1, round(scene.seconds * rate))):
            writer.send(data)
    writer.close()


def _animate(shown: list[Scene], target: Path) -> None:
    pictures = [scene.picture for scene in shown]
    if target.suffix == ".gif":
        pictures = [picture.quantize(200) for picture in pictures]
    times = [round(scene.seconds * 1000) for scene in shown]
    pictures[0].save(target, save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=True)


def _aim(picture: Image.Image, trajectory: Trajectory, index: int, step: Step) -> None:
    """Ring the element that the step acts on."""
    number = step.act.number if step.act else None
    marks = trajectory.views[index].marks
    if number is None or not 0 <= number < len(marks):
        return
    scale = trajectory.picture_scale
    x, y, width, height = (scale * part for part in marks[number]["box"])
    room = 6 * scale
    around = (x - room, y - room, x + width + room, y + height + room)
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle(around, radius=8 * scale, outline=_AIM, width=max(2, round(4 * scale)))


def _framed(picture: Image.Image, trajectory: Trajectory, step: Step | None, width: int) -> Image.Image:
    """Return a picture with the bar below it: the instruction, and what is done or how it ended."""
    width -= width % 2
    height, bar = round(width * picture.height / picture.width), round(width * _BAR)
    frame = Image.new("RGB", (width, height + bar + (height + bar) % 2), _PAPER)
    frame.paste(picture.resize((width, height), Image.Resampling.LANCZOS), (0, 0))
    draw = ImageDraw.Draw(frame)
    small, large = (ImageFont.load_default(size=round(width * share)) for share in (0.0195, 0.025))
    edge = round(width / 60)
    says, colour = _did(trajectory, step)
    for at, text, font, ink in ((0.014, trajectory.instruction, small, _SOFT), (0.053, says, large, colour)):
        shown = _fitting(text, draw, font, width - 2 * edge)
        draw.text((edge, height + round(width * at)), shown, fill=ink, font=font)
    return frame


def _did(trajectory: Trajectory, step: Step | None) -> tuple[str, str]:
    """Return what a step does, or how the episode ended, with its colour."""
    verdict = trajectory.verdict or {}
    policies = [each for each in verdict.get("policies") or () if each.get("status") not in ("ok", "dormant")]
    if step is None:
        status = str(verdict.get("status") or "not scored")
        broken = f", {len(policies)} of {len(verdict['policies'])} policies broken" if policies else ""
        return f"{status}{broken}", _PASS if status == "pass" and not policies else _FAIL
    act = step.act
    did = f"{step.number}  {act.text if act else step.action}"
    met = f"   {act.role} “{act.name}”" if act and act.role and act.name else ""
    breaches = [str(each.get("id")) for each in policies if each.get("step") == step.number]
    if breaches:
        return f"{did}{met}   breaks {', '.join(breaches)}", _FAIL
    return f"{did}{met}", _INK


def _fitting(text: str, draw: ImageDraw.ImageDraw, font: Any, room: int) -> str:
    text = " ".join(text.split())
    while draw.textlength(text, font) > room and len(text) > 1:
        text = text.removesuffix("…")[:-1].rstrip() + "…"
    return text
