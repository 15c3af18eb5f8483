"""Make the pictures of README.md and docs/ from episodes played for them: ``python docs/pictures.py [NAME]...``.

Names: episode, marks, trajectory, report, sites. ``popup.png`` is taken by hand: it shows the recorder's popup.
"""

import sys
import tempfile
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path

from PIL import Image

from websp_gym.authoring.contact_sheet import contact_sheet
from websp_gym.browser.launch import BrowserOptions, open_context, shared_browser
from websp_gym.browser.owner import call
from websp_gym.cli.demo import run_demo
from websp_gym.cli.leaderboard import PAGE, run_leaderboard
from websp_gym.recording.dry_run import site_of
from websp_gym.records.load import load_trajectory
from websp_gym.records.pictures import marked_picture
from websp_gym.report.film import write_film
from websp_gym.tasks.instances import all_instances
from websp_gym.world import make_world

TARGET = Path(__file__).resolve().parent / "images"
INSTANCE = "Steam-task-191-ON"


def episode(work: Path) -> None:
    """The oracle's episode as a moving picture: what it saw, where it pressed, and below it what it did."""
    write_film(_played(work), TARGET / "episode.gif", width=720)


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


PICTURES: dict[str, Callable[[Path], None]] = {
    "episode": episode, "marks": marks, "trajectory": trajectory, "report": report, "sites": sites
}  # fmt: skip

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or PICTURES:
            PICTURES[name](Path(folder))
