"""Scrolling in a real browser: which box moves, how far, and why none did."""

from __future__ import annotations

import pytest

from tests.actions_support import Hands, hands, sites

__all__ = ["hands", "sites"]

TALL = "<div style='height:4000px;width:4000px'>Text</div>"


def test_the_window_scrolls_by_two_thirds_in_all_four_directions(hands: Hands) -> None:
    page = hands.show(TALL)
    width, height = page.evaluate(
        "[document.documentElement.clientWidth, document.documentElement.clientHeight]"
    )
    assert (width, height) != (1280, 1024), "scroll bars show"
    hands.do("Scroll [WINDOW]; down")
    hands.do("Scroll [WINDOW]; right")
    assert page.evaluate("[scrollX, scrollY]") == [853, 683]
    hands.do("Scroll [WINDOW]; up")
    hands.do("Scroll [WINDOW]; left")
    assert page.evaluate("[scrollX, scrollY]") == [0, 0]


def test_scrolling_without_effect_reports_the_reason(hands: Hands) -> None:
    hands.show(TALL)
    assert "the page is already at its top" in hands.refused("Scroll [WINDOW]; up")
    assert "the page is already at its left end" in hands.refused("Scroll [WINDOW]; left")
    hands.show("<button>Short</button>")
    assert "nothing here scrolls that way" in hands.refused("Scroll [WINDOW]; down")
    assert "nothing here scrolls that way" in hands.refused("Scroll", "Short", "; down")
    assert "already at its bottom" in hands.refused("Scroll_to_end")
    assert "no popup is open" in hands.refused("Scroll_within_popup; down")


def test_a_page_that_does_not_scroll_itself_scrolls_in_its_main_box(hands: Hands) -> None:
    page = hands.open("actions_scroll.html")
    hands.do("Scroll [WINDOW]; down")
    # The window's centre is over the inner box, which moves by two thirds of its own height until its end.
    assert page.evaluate("[box.scrollTop, main.scrollTop]") == [257, 0]
    for _ in range(3):
        hands.do("Scroll [WINDOW]; down")
    assert page.evaluate("main.scrollTop") > 0
    assert page.evaluate("[nav.scrollTop, scrollY]") == [0, 0]


def test_an_element_scrolls_the_nearest_box_and_then_the_ones_around_it(hands: Hands) -> None:
    page = hands.open("actions_scroll.html")
    hands.do("Scroll", "In the box", "; right")
    assert page.evaluate("[box.scrollLeft, main.scrollLeft]") == [390, 0]
    page.evaluate("box.scrollTo(0, 9999); box.firstChild.firstChild.style.cssText = 'position:sticky;top:0'")
    hands.look()
    hands.do("Scroll", "In the box", "; down")
    assert page.evaluate("main.scrollTop") > 600
    hands.do("Scroll", "In the menu", "; down")
    assert page.evaluate("nav.scrollTop") > 600


def test_a_wall_that_stops_the_page_stops_the_agent_too(hands: Hands) -> None:
    page = hands.show(
        f"{TALL}<div style='position:fixed;inset:0;background:#fff'><button>Accept</button></div>"
    )
    page.evaluate("document.body.style.overflow = 'hidden'")
    assert "nothing here scrolls" in hands.refused("Scroll [WINDOW]; down")
    assert "nothing scrolled" in hands.refused("Scroll_to_end")
    assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize("origin", ["site", "other"])
def test_a_window_filled_by_an_iframe_scrolls_inside_it_and_then_around_it(hands: Hands, origin: str) -> None:
    inner = f"{getattr(hands, origin).url}/actions_inner.html?label=Inner"
    page = hands.show(f"<iframe src='{inner}' style='width:1000px;height:800px'></iframe>{TALL}")
    frame = page.frames[1]
    hands.do("Scroll [WINDOW]; down")
    assert frame.evaluate("scrollY") == 100, "it has no more"
    hands.do("Scroll [WINDOW]; down")
    assert page.evaluate("scrollY") > 600
    page.evaluate("scrollTo(0, 0)")
    frame.evaluate("document.body.firstElementChild.style.height = '150px'")
    hands.look()
    hands.do("Scroll", "Inner", "; down")
    assert page.evaluate("scrollY") > 600, "the frame was at its end, what is around it was not"


def test_scroll_to_end_reaches_the_end_of_what_is_there_and_then_of_what_came(hands: Hands) -> None:
    page = hands.show(
        f"""{TALL}<script>let left = 1; addEventListener('scroll', () => {{
        if (left-- > 0) fetch('/actions_inner.html').then(() => document.body.insertAdjacentHTML('beforeend', '<p style="height:900px">More</p>'))
        }})</script>"""
    )
    hands.do("Scroll_to_end")
    first = page.evaluate("scrollY")
    assert first > 2900
    hands.do("Scroll_to_end")
    assert page.evaluate("scrollY") > first + 800
    assert "already at its bottom" in hands.refused("Scroll_to_end")


def test_scroll_to_end_finds_the_main_box_and_a_full_page_iframe(hands: Hands) -> None:
    page = hands.open("actions_scroll.html")
    hands.do("Scroll_to_end")
    assert page.evaluate("main.scrollTop + main.clientHeight") == page.evaluate("main.scrollHeight")
    page = hands.show(
        f"<iframe src='{hands.other.url}/actions_inner.html' style='width:900px;height:700px'></iframe>"
    )
    hands.do("Scroll_to_end")
    assert page.frames[1].evaluate("scrollY") == 200


# --------------------------------------------------------------------------------------------------- popups


def opened(hands: Hands, *names: str) -> None:
    page = hands.open("actions_popups.html")
    for name in names:
        page.evaluate("id => { document.getElementById(id).hidden = false }", name)
    hands.look()


def test_the_topmost_of_several_dialogs_scrolls(hands: Hands) -> None:
    opened(hands, "first", "second")
    hands.do("Scroll_within_popup; down")
    assert hands.page.evaluate("[first.scrollTop, list.scrollTop, scrollY]") == [0, 200, 0]
    hands.page.evaluate("second.hidden = true")
    hands.do("Scroll_within_popup; down")
    assert hands.page.evaluate("[first.scrollTop, scrollY]") == [333, 0]
    hands.do("Scroll_within_popup; up")
    assert "already at its top" in hands.refused("Scroll_within_popup; up")


def test_a_dialog_taller_than_the_window_scrolls_with_its_layer(hands: Hands) -> None:
    opened(hands, "layer")
    hands.do("Scroll_within_popup; down")
    assert hands.page.evaluate("[layer.scrollTop > 600, scrollY]") == [True, 0]


def test_a_consent_iframe_of_another_origin_scrolls(hands: Hands) -> None:
    opened(hands, "consent")
    hands.do("Scroll_within_popup; down")
    assert hands.page.evaluate("scrollY") == 0
    assert hands.page.frames[1].evaluate("scrollY") == 200


def test_a_dialog_inside_a_full_page_iframe_scrolls(hands: Hands) -> None:
    page = hands.show(
        f"<iframe src='{hands.other.url}/actions_popups.html' style='position:fixed;inset:0;width:100%;height:100%'></iframe>"
    )
    page.frames[1].evaluate("second.hidden = false")
    hands.do("Scroll_within_popup; down")
    assert page.frames[1].evaluate("[list.scrollTop, scrollY]") == [200, 0]


def test_a_dialog_in_a_shadow_root_scrolls(hands: Hands) -> None:
    opened(hands)
    hands.page.evaluate("root.firstChild.hidden = false")
    hands.do("Scroll_within_popup; down")
    assert hands.page.evaluate("[root.querySelector('div div').scrollTop, scrollY]") == [267, 0]


def test_a_native_dialog_without_a_scroll_area_is_reported(hands: Hands) -> None:
    page = hands.show(f"{TALL}<dialog id=d aria-label=Small><button>OK</button></dialog>")
    page.evaluate("d.showModal()")
    assert '<dialog> "Small" does not scroll that way' in hands.refused("Scroll_within_popup; down")
    assert page.evaluate("scrollY") == 0
