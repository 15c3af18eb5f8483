"""The report's page in a real browser, opened from a file: what it counts, finds and shows, and that it cannot act."""

from __future__ import annotations

import json
import re
import sys
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.cli.test_cli import websp_here
from tests.recorded import HOSTILE
from tests.report.test_report_tables import WITH, played, put
from tests.report.test_report_trajectory import JUDGED
from tests.report_support import Watched, episode, save, step, window
from websp_gym.records import verdict
from websp_gym.records.results import Result
from websp_gym.report import PageWritten, make_report, read_report, write_report_html
from websp_gym.report.pages.plots import plots

if TYPE_CHECKING:
    from playwright.sync_api import FrameLocator, Page

__all__ = ["window"]

EVIL = "".join(HOSTILE[1:4]) + "<img src=x onerror=alert(1)>'\"><a href=javascript:alert(1)>a</a>{{ 7*7 }}"
KEPT = "trajectories/{}/001"


def kept(name: str) -> dict[str, str]:
    return {"trajectory": KEPT.format(name)}


def results(agent: str) -> list[Result]:
    """Three wins, a failure and a time-out on Steam, and one episode that never ended."""
    lost: dict[str, Any] = {"failure_kinds": ("state misunderstanding",), "failure_elements": ("Toggle",)}
    return [
        played(agent, "Steam-task-191-ON", actions=9, **kept("a")), played(agent, "Steam-task-192-ON", actions=20),
        played(agent, "Steam-task-191-OFF", "failure", reason="expected False", actions=3, **kept("b"), **lost),
        played(agent, "Steam-task-192-OFF", "time-out", actions=10, side_effects=("wishlist lost an item",)),
        played(agent, "Steam-task-200-ON", "error", error="the sandbox died"), played(agent, "Steam-task-194", actions=5),
        played(agent, "Steam-task-191-OFF", instruction=WITH, **kept("gone")),
        played(agent, "Steam-task-191-OFF", trial=2, actions=4, policies=JUDGED[:2], policy_digest="d"),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> PageWritten:
    """A page of two agents, one of them with a hostile name; two trajectories each."""
    folder = tmp_path_factory.mktemp("report")
    for name, agent in (("tame", "tame"), ("evil", EVIL)):
        run = put(folder / name, results(agent.encode("utf-8", "replace").decode()))
        for at, parts in enumerate((episode(), broken())):
            save(run / "trajectories" / "ab"[at], parts)
    return write_report_html(read_report([folder], compare="paper"), folder / "report.html")


def broken() -> Any:
    """An episode in which all texts of the website and the agent are hostile."""
    steps = [step(1, "Click [3]", thought=EVIL + "needle in a thought", error=EVIL)]
    judged = verdict.failed(
        "judge", EVIL, details={"votes": [{"model": EVIL, "result": "INCORRECT", "reason": EVIL}]}
    )
    return episode(instruction=EVIL, answer=EVIL, steps=steps, verdict=judged.as_dict())


@pytest.fixture
def page(window: Page, written: PageWritten) -> Iterator[Page]:
    """The page, freshly opened; at the end, it must have done nothing but show itself."""
    with Watched(window) as watched:
        watched.own.append(written.path.as_uri())
        window.goto(written.path.as_uri())
        yield window


def shown(page: Page) -> list[str]:
    """The ids in the list."""
    return [text.split()[0] for text in page.locator("#list th").all_inner_texts()]


def trajectory(page: Page) -> FrameLocator:
    frame = page.frame_locator("#frame")
    frame.locator("#badge").wait_for()
    return frame


COUNTS = """() => [...document.querySelectorAll("button[data-filters]")].map(button => {
    button.click();
    const table = button.closest("section").id.split("-")[0];
    return [table, button.textContent, document.querySelector("#count").textContent];
})"""


def test_every_cell_of_a_table_lists_the_episodes_it_counts(page: Page) -> None:
    cells = page.evaluate(COUNTS)
    assert {table for table, _, _ in cells} == {
        "overall", "wording", "sites", "categories", "elements", "states", "kinds", "policies", "effort",
    }  # fmt: skip
    for table, text, count in cells:
        share = text.partition("(")[2] if table == "policies" else text.partition(" ")[0]
        counted, _, of = share.strip(")").partition("/")
        # A share of solved instances lists all of them; a pair is two episodes.
        expected = int(of if table in ("sites", "categories", "elements") else counted)
        expected *= 2 if table in ("wording", "states") else 1
        assert count == f"{expected} of 16", (table, text)


def test_computed_and_published_rates_stand_under_headings_of_their_own(page: Page) -> None:
    groups = page.locator("#overall tbody")
    headings = [groups.nth(at).locator(".apart").all_inner_texts() for at in range(groups.count())]
    assert headings == [[], ["Computed, not played"], ["Published, on the live websites"]]
    computed = groups.nth(1).locator("tr:not(.apart) th").all_inner_texts()
    assert len(computed) == 3
    assert all(name.startswith("computed: ") for name in computed)
    assert "computed" not in groups.nth(2).inner_text()


def test_filters_and_search_narrow_the_list_together(page: Page) -> None:
    assert page.inner_text("#count") == "16 of 16"
    page.select_option("[data-filter=agent]", "tame")
    page.select_option("[data-filter=outcome]", "unsolved")
    assert shown(page) == ["Steam-task-191-OFF", "Steam-task-192-OFF"]
    page.fill("#search", "WISHLIST item")
    assert shown(page) == ["Steam-task-192-OFF"]
    page.select_option("[data-filter=kind]", "state misunderstanding")
    assert shown(page) == []
    page.click("#clear")
    assert page.inner_text("#count") == "16 of 16"
    assert page.input_value("#search") == page.input_value("[data-filter=agent]") == ""
    page.fill("#search", "needle thought")
    assert shown(page) == ["Steam-task-191-OFF"] * 2
    page.keyboard.press("Enter")
    assert page.inner_text("#count") == "2 of 16"


def test_the_list_says_how_policies_came_out(page: Page) -> None:
    outcomes = page.locator("#list .outcome")
    assert outcomes.filter(has_text="policies").all_inner_texts() == ["success\n1 of 2 policies broken"] * 2


def test_the_list_is_sorted_by_any_column_both_ways(page: Page) -> None:
    page.select_option("[data-filter=agent]", "tame")
    page.select_option("[data-filter=trial]", "first")
    page.select_option("[data-filter=outcome]", "scored")
    page.click("[data-sort=actions]")
    numbers = page.locator("#list td:nth-child(6)")
    assert numbers.all_inner_texts() == ["0", "3", "5", "9", "10", "20"]
    page.click("[data-sort=actions]")
    assert numbers.all_inner_texts() == ["20", "10", "9", "5", "3", "0"]
    assert page.get_attribute("[data-column=actions]", "aria-sort") == "descending"
    page.focus("[data-sort=id]")
    page.keyboard.press("Enter")
    assert shown(page)[-1] == "Steam-task-194"


def test_a_trajectory_opens_with_one_click_and_closes_with_escape(page: Page) -> None:
    page.select_option("[data-filter=agent]", "tame")
    page.click("#list a >> nth=0")
    frame = trajectory(page)
    assert frame.locator("#badge").inner_text() == "PASS"
    assert frame.locator("#shot").evaluate("async shot => (await shot.decode(), shot.naturalWidth)") == 320
    page.keyboard.press("j")
    assert frame.locator("#where").inner_text() == "Step 1 of 3"
    assert "Home first." in frame.locator("#done").inner_text()
    page.keyboard.press("Escape")
    page.locator("#viewer").wait_for(state="hidden")
    expect(page.locator(":focus")).to_have_text("Steam-task-191-ON")
    assert page.locator("iframe").count() == 0


def test_the_address_opens_a_trajectory_and_buttons_go_to_its_neighbours(page: Page) -> None:
    page.select_option("[data-filter=agent]", "tame")
    page.click("#list a >> nth=0")
    trajectory(page)
    address = page.url
    assert page.is_disabled("#previous")
    page.click("#next")
    page.frame_locator("#frame").locator("#badge.fail").wait_for()
    assert page.is_disabled("#next")
    assert page.inner_text("#viewer-title") == "tame · Steam-task-191-OFF"
    page.goto("about:blank")
    page.goto(address)
    assert trajectory(page).locator("#badge").inner_text() == "PASS"
    page.click("#close")
    assert not page.is_visible("#viewer")
    page.wait_for_url(re.compile("#episodes$"))


def test_hostile_texts_stay_text_on_the_page_and_in_the_frame(page: Page) -> None:
    name = EVIL.encode("utf-8", "replace").decode()
    assert name in page.locator("#overall tbody th").all_text_contents()
    page.select_option("[data-filter=agent]", name)
    page.fill("#search", "needle")
    assert page.locator("#list .agent").all_text_contents() == [name]
    page.click("#list a")
    frame = trajectory(page)
    assert EVIL[:20] in frame.locator("#reason").inner_text()
    assert frame.locator("[onerror], [href*=javascript]").count() == 0
    assert page.locator("[onerror], [href*=javascript]").count() == 0
    # Neither can the frame reach the page it is in.
    reach = "() => { try { return String(parent.document.title) } catch (error) { return error.name } }"
    assert page.frames[-1].evaluate(reach) == "SecurityError"


CUT = """() => [...document.querySelectorAll(".wide")].flatMap(wide => {
    const edge = wide.getBoundingClientRect().right - (wide.classList.contains("more") ? 36 : 0);
    const hinted = wide.classList.contains("more") && !wide.nextElementSibling.hidden && wide.nextElementSibling.innerText;
    const over = [...wide.querySelectorAll("th, td")].filter(cell => cell.getBoundingClientRect().right > edge + 1);
    return over.length && !hinted ? over.map(cell => cell.innerText) : [];
})"""
SEEN = """() => [...document.querySelectorAll("#overall tbody:first-of-type td:nth-of-type(1)")].map(cell => {
    const box = cell.getBoundingClientRect(), wide = cell.closest(".wide").getBoundingClientRect();
    return [cell.innerText, box.left >= wide.left && box.right <= wide.right - 36];
})"""


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page of three agents, one of which has a long name."""
    agents = ("oracle", "noop", "https://my-server.internal:8000/v1#Qwen/Qwen3-VL-235B-A22B-Instruct")
    both = [
        played(agent, name, reason="x" * 200)
        for agent in agents
        for name in ("Steam-task-194", "Docker-task-1-ON")
    ]
    page = tmp_path_factory.mktemp("wide") / "page.html"
    return write_report_html(make_report(both, compare="paper"), page).path.as_uri()


@pytest.mark.parametrize("width", [1280, 400])
def test_no_cell_is_cut_without_a_hint_and_the_rate_is_always_seen(
    window: Page, wide: str, width: int
) -> None:
    window.set_viewport_size({"width": width, "height": 900})
    window.goto(wide)
    # The hints are put in place when the page has been laid out.
    window.locator(".onward").first.wait_for(state="hidden" if width == 1280 else "visible")
    assert window.evaluate(CUT) == []
    assert {seen for _, seen in window.evaluate(SEEN)} == {True}
    assert (
        window.evaluate(SEEN)[0][0].split("\n") == ["100.0 %", "(34 to 100)"]
        if width == 400
        else ["100.0 % (34 to 100)"]
    )
    assert "`" not in window.inner_text("body")
    # What goes on is reached by scrolling, after which nothing is said to be there.
    window.evaluate("document.querySelectorAll('.wide').forEach(wide => { wide.scrollLeft = 9999; })")
    expect(window.locator(".onward:not([hidden])")).to_have_count(0)


def test_a_cut_column_without_its_hint_would_be_noticed(window: Page, wide: str) -> None:
    window.set_viewport_size({"width": 400, "height": 900})
    window.goto(wide)
    window.locator(".onward").first.wait_for()
    assert window.evaluate(CUT) == []
    window.evaluate("document.querySelectorAll('.onward').forEach(hint => { hint.hidden = true; })")
    assert "2 of 200" in window.evaluate(CUT)


def test_episodes_without_their_trajectory_are_counted_marked_and_found(page: Page) -> None:
    said = page.inner_text("#absent")
    assert "4 of 16 episodes open with a click" in said
    assert "10 recorded none" in said
    assert "2 cannot be read" in said
    assert page.locator("#list th small").count() == 12
    page.select_option("[data-filter=page]", "yes")
    assert page.inner_text("#count") == "4 of 16"
    assert page.locator("#list th small").count() == 0
    page.select_option("[data-filter=page]", "no")
    assert page.inner_text("#count") == "12 of 16"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (700, "dark")])
def test_the_page_itself_never_scrolls_sideways(page: Page, width: int, scheme: Any) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    colours = page.evaluate(
        "[...document.querySelectorAll('figure img')].map(image => image.naturalWidth > 0)"
    )
    assert colours == [True] * 4
    page.emulate_media(color_scheme="light")


# --- without a browser --------------------------------------------------------------------------------


def test_a_trajectory_that_is_gone_is_named(written: PageWritten) -> None:
    assert written.embedded == 4
    assert any("2 trajectories cannot be read" in note for note in written.notes)
    assert written.size == written.path.stat().st_size


def test_trajectories_past_the_limit_are_left_out_with_a_note(
    written: PageWritten, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # plots take longest
    report = read_report([written.path.parent])
    none = write_report_html(report, tmp_path / "none.html", limit=0)
    assert none.embedded == 0
    assert any("4 of 4 trajectories are left out" in note for note in none.notes)
    assert "4 of 4 trajectories are left out" in none.path.read_text("utf-8")
    some = write_report_html(report, tmp_path / "some.html", limit=40_000)
    assert 0 < some.embedded < 4


def test_a_page_without_matplotlib_explains_how_to_get_plots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = write_report_html(make_report([played("a", "Steam-task-194")]), tmp_path / "page.html")
    assert any("the extra “report”" in note for note in page.notes)
    assert "<figure>" not in page.path.read_text("utf-8")


def test_a_plot_shows_the_best_agents_in_their_order() -> None:
    def rows(agent: str, outcome: str) -> list[Result]:
        return [played(agent, f"Steam-task-{task}", outcome, failure_elements=()) for task in (194, 199)]

    agents = {"last": "failure", "b": "success", "a": "success", **dict.fromkeys("cdef", "success")}
    report = make_report([result for agent, outcome in agents.items() for result in rows(agent, outcome)])
    (plot,) = (plot for plot in plots(report) if "UI element" in plot.caption)
    assert "the best 6 of 7 agents" in plot.caption
    drawn = b64decode(plot.light.partition(",")[2]).decode()
    legend = [name for name in re.findall(r">([a-z]+)</text>", drawn) if name in agents]
    assert legend == [name for name in report.agents if name != "last"]


def test_the_command_prints_tables_markdown_and_json_and_writes_the_page(tmp_path: Path) -> None:
    put(tmp_path / "run", [played("[b]x", "Steam-task-191-ON")])
    shown = websp_here("report", str(tmp_path / "run"), "--html", str(tmp_path / "new" / "page.html"))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "[b]x" in shown.stdout
    assert "0 trajectories" in shown.stdout
    assert (tmp_path / "new" / "page.html").stat().st_size > 10_000
    markdown = websp_here("report", str(tmp_path), "--markdown", "--compare", "paper").stdout
    assert markdown.startswith("# WebSP results")
    assert "GPT-5.1 (published)" in markdown
    assert json.loads(websp_here("report", str(tmp_path), "--json").stdout)["agents"] == ["[b]x"]
    assert "websp report runs/" in websp_here("report", "--help").stdout.split("Example")[1]
    wrong = websp_here("report", str(tmp_path / "gone"))
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "no folder" in wrong.stderr
