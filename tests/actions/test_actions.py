"""Clicking and hovering in a real browser: what is hit, what is refused, and what a refusal leaves alone."""

from __future__ import annotations

from tests.actions_support import Hands, hands, sites
from tests.pages_support import in_our_world

__all__ = ["hands", "sites"]

DONE = "onclick=\"this.textContent += ' done'\""


# ------------------------------------------------------------------------------------- what a click reaches


def test_an_element_in_nested_shadow_roots_is_clicked(hands: Hands) -> None:
    hands.show(
        """<div id=host></div><script>
        const outer = host.attachShadow({mode: 'open'}); outer.innerHTML = '<section></section>';
        outer.firstChild.attachShadow({mode: 'open'}).innerHTML =
          `<button onclick="this.textContent = 'Accepted'">Accept</button>`;
        </script>"""
    )
    hands.click("Accept")
    assert hands.names() == ["Accepted"]


def test_elements_in_iframes_are_clicked_and_typed_into_where_the_page_shows_them(hands: Hands) -> None:
    hands.open("actions_frames.html")
    for label in ("Same", "Nested", "Scaled"):
        hands.click(label)
        assert f"{label} done" in hands.names()
        hands.type(f"{label} field", "hello")
        assert hands.mark(f"{label} field").value == "hello"


def test_an_element_of_an_iframe_that_was_scrolled_away_is_brought_back(hands: Hands) -> None:
    page = hands.open("actions_frames.html")
    page.evaluate("scrollTo(0, 1900)")
    hands.look()
    page.evaluate("scrollTo(0, 0)")
    hands.click("Far")
    assert "Far done" in hands.names()
    frame = hands.marks.frames[hands.mark("Far done").frame]
    in_our_world(frame, "() => scrollTo(0, 400)")
    hands.do("Hover", "Far done")
    assert in_our_world(frame, "() => scrollY") < 100


def test_an_overlay_on_an_iframe_is_named(hands: Hands) -> None:
    page = hands.open("actions_frames.html")
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<div role=dialog aria-label=Wall style=\"position:fixed;inset:0\">')"
    )
    assert 'is covered by <dialog> "Wall"' in hands.refused("Click", "Nested")


def test_a_visually_hidden_checkbox_is_operated_through_its_label(hands: Hands) -> None:
    hands.show(
        """<style>input { position: absolute; opacity: 0; width: 0; height: 0 }</style>
        <label><input type=checkbox> Share data</label>
        <input type=radio id=r name=r><label for=r><i style="display:inline-block;width:40px;height:20px"></i>Only me</label>"""
    )
    hands.click("Share data")
    hands.click("Only me")
    assert hands.mark("Share data").checked is True
    assert hands.mark("Only me").checked is True


def test_a_link_that_runs_over_two_lines_is_hit_on_its_text(hands: Hands) -> None:
    hands.show(
        f"""<div style="width:300px"><span style="display:inline-block;width:260px">text</span>
        <a href=#x {DONE}>a link of several words that wraps</a></div>"""
    )
    hands.click("a link of several words that wraps")
    assert hands.names() == ["a link of several words that wraps done"]


def test_an_element_that_moved_since_the_observation_is_still_hit(hands: Hands) -> None:
    page = hands.show(f"<p id=p></p><button {DONE}>Save</button> <button>Delete</button>")
    page.evaluate("p.style.marginTop = '2000px'")
    hands.click("Save")
    assert "Save done" in hands.names()


def test_an_element_that_was_removed_is_reported(hands: Hands) -> None:
    page = hands.show("<button id=a>Save</button><button id=b>Other</button>")
    page.evaluate("a.remove()")
    assert hands.refused("Click", "Save") == "[0] is no longer on the page; nothing was changed"


def test_an_element_of_a_page_that_was_left_is_reported(hands: Hands) -> None:
    page = hands.show("<iframe srcdoc='<button>In</button>'></iframe><button>Out</button>")
    page.evaluate("document.querySelector('iframe').remove()")
    assert "no longer on the page" in hands.refused("Click", "In")
    page.goto(hands.site.put("/next", "<button>Out</button>"))
    assert "no longer on the page" in hands.refused("Click", "Out")


def test_an_overlay_on_an_element_is_named_and_not_clicked(hands: Hands) -> None:
    page = hands.show(f"<button {DONE}>Save</button><input aria-label=Note>")
    page.evaluate(
        """document.body.insertAdjacentHTML('beforeend',
        `<div style="position:fixed;inset:0"><button style="width:100%;height:100%" onclick="window.hit = 1">Accept all</button></div>`)"""
    )
    assert 'covered by <button> "Accept all"' in hands.refused("Click", "Save")
    assert page.evaluate("[window.hit, document.activeElement.localName]") == [None, "body"]


def test_a_field_behind_a_modal_is_not_typed_into(hands: Hands) -> None:
    page = hands.show(
        "<input aria-label=Note value=old><select aria-label=Who><option>A</option><option>B</option></select>"
    )
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<div id=wall style=\"position:fixed;inset:0\">')"
    )
    assert "covered by" in hands.refused("Type", "Note", "; new")
    page.evaluate("wall.style.display = 'none'")
    hands.look()
    page.evaluate("wall.style.display = ''")
    assert "covered by" in hands.refused("Type", "Who", "; B")
    assert page.evaluate(
        "[document.querySelector('input').value, document.querySelector('select').value]"
    ) == ["old", "A"]


def test_a_disabled_element_is_refused_as_it_is_now(hands: Hands) -> None:
    page = hands.show(f"<button id=a disabled {DONE}>Save</button><button id=b {DONE}>Send</button>")
    page.evaluate("a.disabled = false; b.disabled = true")
    numbers = [hands.mark(name).number for name in ("Save", "Send")]
    hands.click("Save")
    assert "Save done" in hands.names()
    assert hands.refused(f"Click [{numbers[1]}]") == "[1] is disabled; nothing was changed"


def test_a_number_without_an_element_is_refused_with_the_range(hands: Hands) -> None:
    hands.show("<button>One</button>")
    assert "[0] to [0]" in hands.refused("Click [7]")


def test_a_button_inside_a_modal_dialog_is_clicked(hands: Hands) -> None:
    page = hands.show(f"<button>Behind</button><dialog id=d><button {DONE}>Agree</button></dialog>")
    page.evaluate("d.showModal()")
    hands.look()
    hands.click("Agree")
    assert hands.names() == ["Agree done"]


# ------------------------------------------------------------------------------------------------- hovering


def test_a_menu_opened_by_hovering_stays_open_for_the_click_on_an_item(hands: Hands) -> None:
    hands.show(
        f"""<style>ul {{ display: none; margin: 0 }} li.menu:hover ul {{ display: block }}</style>
        <ul style="display:block"><li class=menu style="width:200px"><a href=#>Account</a>
        <ul><li><a href=#p {DONE}>Privacy</a></li></ul></li></ul>"""
    )
    assert hands.names() == ["Account"]
    hands.do("Hover", "Account")
    assert hands.names() == ["Account", "Privacy"]
    hands.click("Privacy")
    assert "Privacy done" in hands.names()


def test_a_menu_that_a_script_closes_when_the_pointer_leaves_stays_open_too(
    hands: Hands,
) -> None:
    hands.show(
        """<div id=m style="width:200px"><button>Account</button><div id=i hidden><button onclick="this.textContent='Went'">Log out</button></div></div>
        <script>m.onmouseenter = () => { i.hidden = false }; m.onmouseleave = () => { i.hidden = true }</script>"""
    )
    hands.do("Hover", "Account")
    hands.click("Log out")
    assert "Went" in hands.names()


# ------------------------------------------------------------------------------------------------ dropdowns


def test_a_dropdown_opens_in_the_page_and_an_option_is_chosen_with_trusted_events(hands: Hands) -> None:
    page = hands.open("actions_select.html")
    hands.click("Who")
    assert hands.mark("Who").expanded is True
    assert hands.mark("Staff", "option").disabled is True
    assert "is disabled" in hands.refused("Click", "Staff")
    hands.click("Nobody")
    assert page.evaluate("seen") == [["input", True, "Nobody"], ["change", True, "Nobody"]]
    assert hands.mark("Who").value == "Nobody"
    assert not [mark for mark in hands.marks if mark.name == "Friends"]


def test_a_dropdown_closes_by_a_click_elsewhere_and_its_options_are_gone(hands: Hands) -> None:
    page = hands.open("actions_select.html")
    hands.click("Who")
    hands.click("Elsewhere")
    assert hands.mark("Who").value == "Everyone"
    assert "Friends" not in hands.names()
    hands.click("Who")
    page.keyboard.press("Escape")
    assert "list that has closed" in hands.refused("Click", "Nobody")


def test_a_dropdown_in_a_shadow_root_and_in_an_iframe_opens_too(hands: Hands) -> None:
    hands.open("actions_select.html")
    hands.click("Theme")
    hands.click("Dark")
    assert hands.mark("Theme").value == "Dark"
    hands.show(
        f"<iframe src='{hands.other.url}/actions_select.html' style='width:900px;height:700px'></iframe>"
    )
    hands.click("Who")
    hands.click("Friends")
    assert hands.mark("Who").value == "Friends"


def test_the_options_of_a_long_dropdown_are_reached_by_scrolling(hands: Hands) -> None:
    page = hands.open("actions_select.html")
    hands.click("Country")
    first = [mark.name for mark in hands.marks if mark.role == "option" and mark.name.startswith("Country")]
    hands.do("Scroll", first[1], "; down")
    second = [mark.name for mark in hands.marks if mark.role == "option" and mark.name.startswith("Country")]
    assert second[0] in first, "two thirds, so that nothing is skipped"
    assert second[-1] not in first
    hands.do("Scroll_within_popup; down")
    third = [mark.name for mark in hands.marks if mark.role == "option" and mark.name.startswith("Country")]
    assert third[-1] not in second
    hands.click(third[-2])
    assert hands.mark("Country").value == third[-2]
    assert page.evaluate("scrollY") == 0


def test_in_a_list_of_several_choices_a_click_changes_one(hands: Hands) -> None:
    page = hands.open("actions_select.html")
    hands.click("Wed")
    assert page.evaluate("[...days.selectedOptions].map(o => o.value)") == ["Tue", "Wed"]
    hands.click("Tue")
    assert page.evaluate("[...days.selectedOptions].map(o => o.value)") == ["Wed"]
    hands.click("M")
    hands.click("L")
    assert page.evaluate("size.value") == "L"
    assert "click one of its options" in hands.refused("Click", "Days")
    assert all(trusted for _, trusted, _ in page.evaluate("seen"))
