"""Make the pictures of README.md and docs/ from episodes played for them: ``python docs/pictures.py [NAME]...``.

Names: episode, marks, trajectory, report, sites. ``popup.png`` is taken by hand: it shows the recorder's popup.
"""

import sys
import tempfile
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from websp_gym.authoring.contact_sheet import contact_sheet
from websp_gym.browser.launch import BrowserOptions, open_context, shared_browser
from websp_gym.browser.owner import call
from websp_gym.cli.demo import run_demo
from websp_gym.cli.leaderboard import PAGE, run_leaderboard
from websp_gym.recording.dry_run import site_of
from websp_gym.records.load import load_trajectory
from websp_gym.records.pictures import marked_picture
from websp_gym.tasks.instances import all_instances
from websp_gym.world import make_world

TARGET = Path(__file__).resolve().parent / "images"
INSTANCE = "Steam-task-191-ON"
WIDTH, BAR = 720, 76
INK, SOFT, PAPER, PASS = "#1d2330", "#5c6575", "#ffffff", "#17703f"


def episode(work: Path) -> None:
    """The oracle's episode as a moving picture: what it saw, and below it what it did."""
    folder = _played(work)
    trajectory = load_trajectory(folder)
    frames = []
    for index, step in enumerate([*trajectory.steps, None]):
        act = step.act if step else None
        did = (
            f"{step.action}   {act.role} “{act.name}”"
            if step and act and act.role
            else step.action
            if step
            else ""
        )
        verdict = (trajectory.verdict or {}).get("status", "") if step is None else ""
        picture = Image.fromarray(marked_picture(trajectory, folder, index))
        frames.append(
            _frame(
                picture, trajectory.instruction, did or f"{verdict}, read from the server's state", verdict
            )
        )
    made = [frame.quantize(200) for frame in frames]
    times = [1800] * (len(made) - 1) + [3200]
    made[0].save(
        TARGET / "episode.gif", save_all=True, append_images=made[1:], duration=times, loop=0, optimize=True
    )


def marks(work: Path) -> None:
    """The first observation, with its boxes."""
    folder = _played(work)
    picture = Image.fromarray(marked_picture(load_trajectory(folder), folder, 0))
    picture.quantize(200).save(TARGET / "marks.png", optimize=True)


def trajectory(work: Path) -> None:
    """The page of an episode."""
    page = _played(work) / "trajectory.html"
    call(lambda: _photograph(page, "trajectory.png"))


def report(work: Path) -> None:
    """The page of `websp demo --agents`."""
    run_leaderboard(None, work / "agents", processes=2)
    call(lambda: _photograph(work / "agents" / PAGE, "report.png"))


def sites(work: Path) -> None:
    """The front pages of the sites, with their names."""
    taken = call(lambda: _front_pages(work))
    contact_sheet(taken, work / "sites.png", columns=4, width=300)
    Image.open(work / "sites.png").quantize(200).save(TARGET / "sites.png", optimize=True)


def _front_pages(work: Path) -> list[tuple[Path, str]]:
    """Photograph the start page of each site, signed in where its tasks are; return files and names."""
    names = sorted({one.site.slug: one.site.site for one in all_instances()}.items(), key=itemgetter(1))
    world = make_world("sandbox")
    for slug, _ in names:
        site = site_of(slug)
        context = open_context(BrowserOptions(args=world.browser_args()), viewport=(1280, 1024))
        held = world.open_episode(site, signed_in=True)
        held.attach(context)
        page = context.new_page()
        page.goto(site.start_url, wait_until="load")
        page.wait_for_load_state("networkidle")
        page.screenshot(path=work / f"{slug}.png")
        held.close()
        context.close()
    return [(work / f"{slug}.png", name) for slug, name in names]


def _played(work: Path) -> Path:
    folder = work / INSTANCE / "001"
    if not folder.is_dir():
        # The first one starts server and browser, which is no part of a reset.
        run_demo(INSTANCE, work / "first", agent="oracle", headed=False)
        run_demo(INSTANCE, work, agent="oracle", headed=False)
    return folder


def _photograph(page: Path, name: str) -> None:
    context = shared_browser(BrowserOptions()).new_context(
        viewport={"width": 1280, "height": 900}, color_scheme="light"
    )
    shown = context.new_page()
    shown.goto(page.resolve().as_uri())
    shown.wait_for_load_state("networkidle")
    shown.screenshot(path=TARGET / name)
    context.close()
    Image.open(TARGET / name).convert("RGB").quantize(200).save(TARGET / name, optimize=True)


def _frame(picture: Image.Image, instruction: str, did: str, verdict: str) -> Image.Image:
    height = round(WIDTH * picture.height / picture.width)
    frame = Image.new("RGB", (WIDTH, height + BAR), PAPER)
    frame.paste(picture.resize((WIDTH, height), Image.Resampling.LANCZOS), (0, 0))
    draw = ImageDraw.Draw(frame)
    small, large = ImageFont.load_default(size=14), ImageFont.load_default(size=18)
    while draw.textlength(instruction, small) > WIDTH - 24:
        instruction = instruction.removesuffix("…").rpartition(" ")[0] + "…"
    draw.text((12, height + 10), instruction, fill=SOFT, font=small)
    draw.text((12, height + 38), did, fill=PASS if verdict == "pass" else INK, font=large)
    return frame


PICTURES: dict[str, Callable[[Path], None]] = {
    "episode": episode, "marks": marks, "trajectory": trajectory, "report": report, "sites": sites
}  # fmt: skip

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or PICTURES:
            PICTURES[name](Path(folder))
