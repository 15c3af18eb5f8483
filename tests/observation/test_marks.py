"""Set-of-marks in a real browser: what gets a mark, where, in which state, and how it is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from tests.pages_support import OpenPage, ShowHtml, blank_page, in_our_world, open_page, origins, show
from websp_gym.errors import ActionError
from websp_gym.observation.camera import Camera
from websp_gym.observation.draw import draw_marks
from websp_gym.observation.marks import Mark, Marks, collect_marks, marks_from_dicts, to_page

pytestmark = pytest.mark.usefixtures("browser_thread")

__all__ = ["blank_page", "open_page", "origins", "show"]

RULES = """\
[0] <button> "In the header"
[1] <checkbox> "Proxied by its label" (checked)
[2] <checkbox> "Not drawn at all" (not checked)
[3] <switch> "Drawn by a slider" (not checked)
[4] <switch> "ARIA switch" (not checked)
[5] <div> "Click handler"
[6] <link> "its link"
[7] <div> "Card alone no link"
[8] <radio> "Adopted radio" (not checked)
[9] <button> "Disabled" (disabled)
[10] <button> "Disabled, lets the pointer through" (disabled)
[11] <button> "Disabled by ARIA" (disabled)
[12] <button> "Closed details" (collapsed)
[13] <button> "Open details" (expanded)
[14] <button> "In open details"
[15] <textbox> "Editable" value="Rich text"
[16] <combobox> "Colour" value="Green"
[17] <textbox> "Day" value="2026-01-31"
[18] <spinbutton> "Count" value="3"
[19] <slider> "Volume" value="50"
[20] <textbox> "Secret" value="•••"
[21] <link> "First"
[22] <link> "A link that is so long that it runs over several lines"
[23] <button> "Before the slot"
[24] <link> "Slotted link"
[25] <button> "Deep in two shadows"
[26] <button> "On the cover\""""


def named(marks: Marks, name: str) -> Mark:
    found = [mark for mark in marks.marks if mark.name == name]
    assert len(found) == 1, f"{name}: {marks.text()}"
    return found[0]


def test_every_operable_element_in_view_has_a_mark_and_nothing_else(open_page: OpenPage) -> None:
    assert collect_marks(open_page("rules.html")).text() == RULES


def test_the_box_of_a_hidden_checkbox_is_its_labels(open_page: OpenPage) -> None:
    page = open_page("rules.html")
    _, _, width, height = named(collect_marks(page), "Proxied by its label").box
    assert width > 100
    assert height >= 15


def test_clicking_the_point_of_every_mark_reaches_that_element(open_page: OpenPage) -> None:
    page = open_page("rules.html")
    marks = collect_marks(page)
    for mark in marks.marks:
        point = in_our_world(page, "i => __websp.point(i)", mark.index)
        reached = in_our_world(
            page,
            """([i, x, y]) => { const hit = __websp.topAt(x, y), el = __websp.element(i);
               return __websp.operable(hit) === el || __websp.operable(hit).contains(el) || el.matches(':disabled') }""",
            [mark.index, point["x"], point["y"]],
        )
        assert reached, mark.line()


def test_clicking_a_proxied_checkbox_toggles_it(open_page: OpenPage) -> None:
    page = open_page("rules.html")
    for name in ("Proxied by its label", "Not drawn at all", "Drawn by a slider"):
        before = named(collect_marks(page), name)
        point = in_our_world(page, "i => __websp.point(i)", before.index)
        page.mouse.click(point["x"], point["y"])
        assert named(collect_marks(page), name).checked is not before.checked, name


def test_a_point_on_a_multi_line_link_lies_on_one_of_its_lines(open_page: OpenPage) -> None:
    page = open_page("rules.html")
    mark = named(collect_marks(page), "A link that is so long that it runs over several lines")
    point = in_our_world(page, "i => __websp.point(i)", mark.index)
    page.mouse.click(point["x"], point["y"])
    assert page.evaluate("location.hash") == "#long"


def test_marks_inside_iframes_lie_where_the_page_shows_them(open_page: OpenPage) -> None:
    page = open_page("frames.html")
    page.wait_for_load_state("networkidle")
    marks = collect_marks(page)
    assert [mark.name for mark in marks.marks] == [
        "Before",
        "Leaf same",
        "In the other origin",
        "Leaf nested",
        "Leaf scaled",
        "Cover",
        "After",
    ]
    same = page.locator("#same").bounding_box()
    assert same is not None
    # Border 7, padding 5, and the button at (20, 10) of the frame.
    assert named(marks, "Leaf same").box == (
        round(same["x"] + 32),
        round(same["y"] + 22),
        180,
        30,
    )
    scaled = named(marks, "Leaf scaled")
    assert scaled.box[2:] == (90, 15)
    for mark in marks.marks:
        x, y, width, height = mark.box
        frame = marks.frames[mark.frame]
        assert in_our_world(frame, "i => __websp.element(i).textContent", mark.index) == mark.name
        point = in_our_world(frame, "i => __websp.point(i)", mark.index)
        across, down = to_page(frame, point["x"], point["y"])
        assert x <= across <= x + width
        assert y <= down <= y + height
    nested = named(marks, "Leaf nested")
    assert to_page(marks.frames[nested.frame], 0, 0)[0] == pytest.approx(10 + 12 + 2)


def test_a_modal_overlay_takes_the_marks_of_what_it_covers(show: ShowHtml) -> None:
    page = show(
        """<button id=a>Under</button><a href=#>Under too</a>
        <div style="position:fixed;inset:0;background:#0008"><div role=dialog><button>Accept</button></div></div>"""
    )
    assert collect_marks(page).text() == '[0] <button> "Accept"'
    page.evaluate("document.querySelector('[role=dialog]').parentNode.hidden = true")
    page.add_style_tag(content="[hidden] { display: none }")
    assert len(collect_marks(page)) == 2


def test_a_native_modal_dialog_makes_the_rest_inert(show: ShowHtml) -> None:
    page = show("<button>Behind</button><dialog><button>Yes</button></dialog>")
    page.evaluate("document.querySelector('dialog').showModal()")
    assert collect_marks(page).text() == '[0] <button> "Yes"'


def test_point_names_the_element_on_top(show: ShowHtml) -> None:
    page = show("<button id=a style='width:100px;height:40px'>Under</button><div id=cover></div>")
    mark = collect_marks(page)[0]
    page.evaluate(
        "cover.innerHTML = '<button style=\"position:fixed;inset:0;width:100%;height:100%\">Accept</button>'"
    )
    assert in_our_world(page, "i => __websp.point(i)", mark.index) == {
        "error": 'covered by <button> "Accept"'
    }
    page.evaluate("cover.remove(); a.style.visibility = 'hidden'")
    assert in_our_world(page, "i => __websp.point(i)", mark.index) == {"error": "not visible"}
    page.evaluate("a.remove()")
    assert in_our_world(page, "i => __websp.point(i)", mark.index) == {"error": "gone"}


def test_point_scrolls_an_element_into_view(show: ShowHtml) -> None:
    page = show("<button id=a>Far</button><div style='height:5000px'></div>")
    mark = collect_marks(page)[0]
    page.evaluate("scrollTo(0, 3000)")
    point = in_our_world(page, "i => __websp.point(i)", mark.index)
    assert 0 <= point["y"] < 1024
    assert page.evaluate("scrollY") < 1000


def test_the_options_of_a_dropdown_get_marks_while_it_is_open(show: ShowHtml) -> None:
    page = show(
        """<label>Who <select id=s><option>Everyone</option><option>Friends</option><option>Nobody</option></select>
        </label><div style="margin:30px 0 0 60px"><button style="width:30px;overflow:hidden;white-space:nowrap">Covered by the list</button></div>"""
    )
    page.evaluate("s.addEventListener('change', e => { window.trusted = e.isTrusted })")
    select = collect_marks(page)[0]
    assert in_our_world(page, "i => __websp.openPicker(i)", select.index) is True
    point = in_our_world(page, "i => __websp.point(i)", select.index)
    page.mouse.click(point["x"], point["y"])
    opened = collect_marks(page)
    assert [(mark.role, mark.name) for mark in opened.marks] == [
        ("combobox", "Who"),
        ("option", "Everyone"),
        ("option", "Friends"),
        ("option", "Nobody"),
    ]
    assert opened[0].expanded is True
    assert opened[1].selected is True
    point = in_our_world(page, "i => __websp.point(i)", opened[3].index)
    page.mouse.click(point["x"], point["y"])
    closed = collect_marks(page)
    assert closed[0].value == "Nobody"
    assert page.evaluate("window.trusted") is True
    assert page.evaluate("s.hasAttribute('data-websp-picker')") is False
    assert [mark.role for mark in closed.marks] == ["combobox", "button"]


def test_list_boxes_show_their_options(show: ShowHtml) -> None:
    page = show("<select size=3 aria-label=Many><option>A</option><option selected>B</option></select>")
    assert collect_marks(page).text().splitlines()[1:] == ['[1] <option> "A"', '[2] <option> "B" (selected)']


def test_a_page_that_breaks_the_built_ins_is_still_read(open_page: OpenPage) -> None:
    marks = collect_marks(open_page("hostile.html"))
    assert [mark.name for mark in marks.marks] == ["Clobber", "", "Send"]


def test_a_page_opened_without_the_scripts_gets_them_late(blank_page: object) -> None:
    from websp_gym.browser.launch import BrowserOptions, shared_browser

    context = shared_browser(BrowserOptions()).new_context()
    try:
        page = context.new_page()
        page.set_content("<button>Late</button>")
        assert collect_marks(page).text() == '[0] <button> "Late"'
    finally:
        context.close()


def test_a_wrong_number_is_answered_with_the_valid_range(show: ShowHtml) -> None:
    marks = collect_marks(show("<button>A</button><button>B</button>"))
    with pytest.raises(ActionError, match=r"no element \[7\].*\[0\] to \[1\]"):
        marks[7]
    with pytest.raises(ActionError, match="none is in view"):
        collect_marks(show("nothing"))[0]


def test_marks_survive_the_trip_through_plain_data(open_page: OpenPage) -> None:
    marks = collect_marks(open_page("rules.html"))
    again = marks_from_dicts([mark.as_dict() for mark in marks.marks])
    assert [mark.line() for mark in again] == [mark.line() for mark in marks.marks]
    assert [mark.box for mark in again] == [mark.box for mark in marks.marks]


def test_nested_click_handlers_and_whole_cards_are_distinguished(show: ShowHtml) -> None:
    page = show(
        """<div onclick="0" style="cursor:pointer;width:400px;height:90px">Row <button>Menu</button></div>
        <div style="cursor:pointer"><p>Only <span tabindex=0>this</span></p></div>
        <div role=tabpanel tabindex=0><p>Text</p></div><label>Text <input></label>"""
    )
    assert [mark.name for mark in collect_marks(page).marks] == ["Row Menu", "Menu", "this", "Text"]


# -------------------------------------------------------------------------------------------- scrolling


def test_scrolling_moves_the_topmost_box_at_the_point(open_page: OpenPage) -> None:
    page = open_page("scroll.html")
    assert in_our_world(page, "() => __websp.scrollAt(200, 200, 'down', 0.5)") == {
        "moved": True,
        "what": '<region> "Pane"',
    }
    assert page.evaluate("[pane.scrollTop, scrollY]") == [150, 0]
    assert in_our_world(page, "() => __websp.scrollAt(900, 600, 'down', 0.5)") == {
        "moved": True,
        "what": "the page",
    }
    assert page.evaluate("[pane.scrollTop, scrollY]") == [150, 512]
    assert in_our_world(page, "() => __websp.scrollAt(900, 600, 'right', 0.5)")["moved"] is False


def test_scrolling_an_element_moves_the_box_around_it(open_page: OpenPage) -> None:
    page = open_page("scroll.html")
    mark = named(collect_marks(page), "Inside the pane")
    assert in_our_world(page, "i => __websp.scrollElement(i, 'down', 0.5)", mark.index)["moved"] is True
    assert page.evaluate("[pane.scrollTop, scrollY]") == [150, 0]
    outside = named(collect_marks(page), "Outside")
    assert (
        in_our_world(page, "i => __websp.scrollElement(i, 'down', 0.5)", outside.index)["what"] == "the page"
    )
    assert page.evaluate("scrollY") == 512


def test_scrolling_within_a_popup_moves_only_the_popup(open_page: OpenPage) -> None:
    page = open_page("scroll.html")
    assert in_our_world(page, "() => __websp.scrollPopup('down', 0.5)") == {
        "moved": False,
        "what": "no popup is open",
    }
    page.evaluate("dialog.showModal()")
    assert in_our_world(page, "() => __websp.scrollPopup('down', 0.5)")["moved"] is True
    assert page.evaluate("[document.getElementById('body').scrollTop, scrollY]") == [150, 0]


def test_scroll_to_end_reaches_the_end_once(open_page: OpenPage) -> None:
    page = open_page("scroll.html")
    assert in_our_world(page, "() => __websp.scrollToEnd()") == {"moved": True, "what": "the page"}
    assert page.evaluate("scrollY + innerHeight") == 4000


# -------------------------------------------------------------------------------------------- quiet


def test_quiet_waits_for_the_dom_to_rest(show: ShowHtml) -> None:
    page = show("<div id=a></div>")
    assert in_our_world(page, "() => __websp.quiet(20, 2000)")["quiet"] is True
    page.evaluate("""() => {
      const change = () => { a.textContent = performance.now() };
      for (let i = 0; i < 15; i++) setTimeout(change, 10 * i);
    }""")
    result = in_our_world(
        page,
        """async () => {
          const { quiet } = await __websp.quiet(60, 9000);
          return { quiet, rested: performance.now() - Number(document.getElementById("a").textContent) };
        }""",
    )
    assert result["quiet"] is True
    assert result["rested"] >= 59  # a page's clock is rounded


def test_quiet_gives_up_at_the_cap_on_a_page_that_never_rests(show: ShowHtml) -> None:
    page = show("<div id=a></div><script>setInterval(() => { a.textContent = Math.random() }, 5)</script>")
    result = in_our_world(page, "() => __websp.quiet(50, 200)")
    assert result["quiet"] is False
    assert result["waited"] >= 190


# -------------------------------------------------------------------------------------------- pictures


def test_a_screenshot_has_the_size_of_the_viewport_and_leaves_the_page_as_it_was(show: ShowHtml) -> None:
    page = show("<body style='margin:0;background:rgb(10,20,30)'>")
    camera = Camera()
    for _ in range(2):
        picture = camera.screenshot(page)
        assert picture.shape == (1024, 1280, 3)
        assert picture.dtype == np.uint8
        assert picture[0, 0].tolist() == [10, 20, 30]
        assert picture[1023, 1270].tolist() == [10, 20, 30]
        assert page.evaluate("[innerWidth, innerHeight]") == [1280, 1024]


def test_the_colours_of_the_boxes_follow_from_the_seed(open_page: OpenPage) -> None:
    page = open_page("rules.html")
    marks, picture = collect_marks(page), Camera().screenshot(page)
    before = picture.copy()
    first = draw_marks(picture, marks.marks, seed=7)
    assert np.array_equal(first, draw_marks(picture, marks.marks, seed=7))
    assert not np.array_equal(first, draw_marks(picture, marks.marks, seed=8))
    assert np.array_equal(picture, before)
    assert first.shape == picture.shape


def test_boxes_and_labels_stay_inside_the_picture() -> None:
    corners = [(0, 0, 5, 5), (1275, 1019, 5, 5), (-20, -20, 60, 60), (1270, 0, 40, 12), (0, 1020, 300, 40)]
    plain = np.full((1024, 1280, 3), 255, dtype=np.uint8)
    marks = [_mark(100 + n, box) for n, box in enumerate(corners)]
    drawn = draw_marks(plain, marks, seed=1)
    for n, box in enumerate(corners):
        alone = draw_marks(plain, [_mark(100 + n, box)], seed=1)
        # A three-digit label is about 30 by 14 pixels, wherever it had to go.
        assert (alone != 255).any(axis=2).sum() > 250
    assert drawn.shape == plain.shape


def test_a_label_stands_on_the_top_left_corner_outside_the_box_where_there_is_room() -> None:
    plain = np.full((1024, 1280, 3), 255, dtype=np.uint8)
    drawn = draw_marks(plain, [_mark(3, (200, 300, 150, 40))], seed=1)
    changed = np.argwhere((drawn != 255).any(axis=2))
    top, left = changed.min(axis=0)
    assert left == 200
    assert 282 <= top < 300
    assert (drawn[303:337, 203:347] == 255).all()


@pytest.mark.parametrize("ground", [0, 255])
def test_boxes_contrast_with_black_and_with_white_pages(ground: int) -> None:
    plain = np.full((200, 300, 3), ground, dtype=np.uint8)
    for seed in range(40):
        drawn = draw_marks(plain, [_mark(1, (100, 100, 60, 30))], seed=seed)
        assert _contrast(drawn[129, 130], plain[0, 0]) >= 3.0


def _contrast(one: np.ndarray, two: np.ndarray) -> float:
    def luminance(colour: np.ndarray) -> float:
        part = colour.astype(float) / 255
        linear = np.where(part <= 0.03928, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
        return float(linear @ (0.2126, 0.7152, 0.0722))

    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


def _mark(number: int, box: tuple[float, float, float, float]) -> Mark:
    return Mark(
        number=number,
        tag="button",
        role="button",
        name="",
        text="",
        type="",
        box=box,
        checked=None,
        expanded=None,
        disabled=False,
        selected=None,
        value="",
        href="",
        frame=0,
        index=number,
    )
