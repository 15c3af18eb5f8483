"""Finding recorded elements again and replaying what was done to them, in a real Chromium."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from playwright.sync_api import ElementHandle, Page

from tests.replay_support import HOME, ON, Bench, bench
from websp_gym.errors import ReplayError, SetupError
from websp_gym.replay import Found, NotFound, locate
from websp_gym.replay.trace import Fingerprint

__all__ = ["bench"]

# ---------------------------------------------------------------- finding


def found(page: Page, target: dict[str, Any], element: ElementHandle) -> str:
    """The rung that finds exactly this element."""
    result = locate(page, Fingerprint.model_validate(target))
    assert isinstance(result, Found), [str(rung) for rung in result.rungs]
    assert element.evaluate("(a, b) => a === b", result.handle)
    return result.rung


DROP_IDS = "el => { for (const name of ['data-testid', 'id', 'name']) el.removeAttribute(name); }"
RENAME = "el => el.setAttribute('aria-label', 'Tailored adverts')"
MUTE = "el => { el.removeAttribute('aria-label'); el.removeAttribute('id'); }"
RETELL = "el => { el.previousElementSibling.textContent = 'Mailing lists'; }"
NEW_IDS = "el => { document.querySelector('#privacy').id = 'section-2'; }"
WRAP = """() => {
  const box = document.createElement('div');
  const main = document.querySelector('main');
  main.replaceWith(box);
  box.append(main);
}"""


RUNGS: tuple[tuple[str, list[str], str], ...] = (
    ("#ads", [], "attributes"),
    ("#ads", [DROP_IDS], "role+name"),
    ("#ads", [DROP_IDS, RENAME], "label"),
    ("#location", [MUTE], "text"),
    (".gear", [RETELL], "css"),
    (".gear", [RETELL, NEW_IDS], "xpath"),
    (".gear", [RETELL, NEW_IDS, WRAP], "index"),
)


def test_each_rung_finds_the_element_when_the_rungs_above_are_gone(bench: Bench) -> None:
    for css, changes, rung in RUNGS:
        page = bench.open("rungs")
        target = bench.target(css)
        element = page.query_selector(css)
        assert element is not None
        for change in changes:
            element.evaluate(change)
        assert found(page, target, element) == rung


def test_like_named_elements_are_told_apart_by_what_stands_near(bench: Bench) -> None:
    page = bench.open("rungs")
    target = bench.target("#devices .row:nth-of-type(2) button")
    page.evaluate("() => devices.append(document.querySelectorAll('#devices .row')[0])")
    page.evaluate("() => devices.prepend(document.querySelectorAll('#devices .row')[1])")
    phone = page.query_selector("#devices .row:has-text('Phone') button")
    assert phone is not None
    assert found(page, target, phone) == "role+name"


def test_an_element_that_is_gone_is_not_replaced_by_its_neighbour(bench: Bench) -> None:
    page = bench.open("rungs")
    target = Fingerprint.model_validate(bench.target("#devices .row:nth-of-type(2) button"))
    page.evaluate("() => document.querySelectorAll('#devices .row')[1].remove()")
    assert isinstance(locate(page, target), NotFound)
    page.evaluate("() => document.querySelectorAll('#devices .row')[1].remove()")
    assert isinstance(locate(page, target), NotFound)


def test_an_id_that_moved_to_something_else_is_not_believed(bench: Bench) -> None:
    page = bench.open("rungs")
    target = bench.target("#ads")
    page.evaluate(
        """() => {
          const box = ads;
          for (const name of ['data-testid', 'id', 'name']) box.removeAttribute(name);
          danger.id = 'ads';
        }"""
    )
    box = page.query_selector("input[type=checkbox]")
    assert box is not None
    assert found(page, target, box) == "role+name"


def test_a_mark_that_every_button_to_send_a_form_has_tells_nothing(bench: Bench) -> None:
    submit = "<input type=submit id=submit name=submit value={}>"
    bench.show(f"<form action=/edit>{submit.format('Add')}</form>")
    event = bench.event("click", "#submit")
    for hidden in ("", "hidden"):
        logout = f"<form action=/exit {hidden}>{submit.format('Logout')}</form>"
        bench.show(f"<form action=/edit><button>Save</button></form>{logout}")
        with pytest.raises(ReplayError, match="contradicts the recording"):
            bench.play(event, timeout=1.0)
    bench.show(
        f"<form action=/exit>{submit.format('Logout')}</form><form action=/edit><input type=submit value=Add>"
    )
    bench.page.evaluate(
        """() => addEventListener('submit', (event) => {
          event.preventDefault();
          document.title = event.submitter.value;
        })"""
    )
    bench.play(event)
    assert bench.page.title() == "Add"


def test_a_relabelled_element_with_its_old_id_is_still_found(bench: Bench) -> None:
    page = bench.open("rungs")
    target = bench.target("#location")
    page.evaluate("() => document.querySelector('#location').setAttribute('aria-label', 'Whereabouts')")
    switch = page.query_selector("#location")
    assert switch is not None
    assert found(page, target, switch) == "attributes"


def test_twins_that_nothing_tells_apart_are_an_error_not_a_guess(bench: Bench) -> None:
    row = "<div><button class=x>Mute</button></div>"
    bench.show(f"<main><h1>Rooms</h1>{row * 3}</main>")
    target = bench.target("main > div:nth-of-type(2) > button")
    event = {"type": "click", "url": bench.page.url, "target": target}
    bench.show(f"<main><h1>Rooms</h1><p>New</p><section>{row * 3}</section></main>")
    with pytest.raises(ReplayError, match="several alike") as caught:
        bench.play(event, timeout=0.3)
    assert caught.value.facts["event"] == 1
    assert {rung["rung"] for rung in caught.value.facts["rungs"]} >= {"role+name", "css", "index"}


def test_a_hidden_twin_does_not_make_an_element_ambiguous(bench: Bench) -> None:
    page = bench.show(
        "<nav style='display:none'><a href='/p'>Privacy</a></nav><main><a href='/p'>Privacy</a></main>"
    )
    target = bench.target("main > a")
    link = page.query_selector("main > a")
    assert link is not None
    assert found(page, target, link) == "attributes"


def test_a_class_selector_the_browser_cannot_read_finds_nothing(bench: Bench) -> None:
    page = bench.open("rungs")
    target = {"tag": "b", "role": "generic", "css": "b:[[", "xpath": "//b[[["}
    assert isinstance(locate(page, Fingerprint.model_validate(target)), NotFound)


# ---------------------------------------------------------------- set on and off

SWITCHES = ["#ads", "#history", "#location", "#sharing", "input[name=far]"]


def test_set_on_off_on_lands_in_the_same_verified_state(bench: Bench) -> None:
    bench.open("settings")
    for css in SWITCHES:
        event = bench.event("change", css, stateful=True)
        states = []
        for wanted in ("on", "off", "off", "on"):
            report = bench.play(event, set_=wanted).events[0]
            states.append(bench.checked(css))
            assert report.after is bench.checked(css)
            assert report.action == ("skipped" if report.before is report.after else "clicked")
        assert states == [True, False, False, True]


def test_recorded_states_are_reached_from_either_side(bench: Bench) -> None:
    bench.open("settings")
    after = {"checked": True}
    ads = bench.event("click", "#ads", stateful=True, before={"checked": False}, after=after)
    history = bench.event("click", "#history", stateful=True, before={"checked": False}, after=after)
    report = bench.play(ads, history)
    assert [event.action for event in report.events] == ["clicked", "skipped"]
    assert bench.checked("#ads")
    assert bench.checked("#history")


DISOBEYING = ("#untrusting", "#keyboard", "#hidden-box", "#mixed", "#slow")


def test_controls_that_do_not_obey_the_pointer_are_brought_there_too(bench: Bench) -> None:
    for wanted in ("on", "off"):
        bench.open("awkward")
        for css in DISOBEYING if wanted == "on" else ("#mixed",):
            bench.play(bench.event("change", css, stateful=True), set_=wanted)
            assert bench.checked(css) is (wanted == "on"), css
            assert not bench.page.evaluate("css => __websp.stateOf(document.querySelector(css)).mixed", css)


def test_a_control_that_never_gets_there_is_an_error(bench: Bench) -> None:
    bench.open("awkward")
    event = bench.event("change", "#stuck", stateful=True)
    assert bench.play(event, set_="off").events[0].action == "skipped"
    with pytest.raises(ReplayError, match="should be on, but is off") as caught:
        bench.play(event, set_="on")
    assert "Never moves" in caught.value.facts["fingerprint"]
    assert "websp record" in caught.value.message


def test_a_state_that_only_a_class_shows_is_read_by_the_sites_rule(bench: Bench) -> None:
    page = bench.open("awkward")
    event = bench.event("click", "#classy", stateful=True)
    with pytest.raises(ReplayError, match="class rule"):
        bench.play(event, set_="on")
    rules = [{"on": ".a-switch-active", "off": ".a-switch"}]
    for wanted in ("on", "on", "off"):
        bench.play(event, set_=wanted, class_rules=rules)
        assert page.evaluate("classy.classList.contains('a-switch-active')") is (wanted == "on")


def test_a_list_that_is_rendered_anew_under_the_pointer_is_followed(bench: Bench) -> None:
    page = bench.open("awkward")
    events = [
        bench.event("change", f"[aria-label={name}]", stateful=True)
        for name in ("Likes", "Follows", "Mentions")
    ]
    page.reload()
    bench.play(*events, set_="off")
    assert page.evaluate("Object.values(items)") == [False, False, False]
    bench.play(*events, set_="on")
    assert page.evaluate("Object.values(items)") == [True, True, True]


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=[Phase.generate],
)
@given(
    boxes=st.lists(
        st.tuples(st.booleans(), st.sampled_from(["native", "switch", "pressed"])), min_size=1, max_size=5
    ),
    wanted=st.booleans(),
    shuffle=st.randoms(use_true_random=False),
)
def test_set_brings_every_box_of_any_page_to_the_state(
    bench: Bench, boxes: Any, wanted: bool, shuffle: Any
) -> None:
    def row(number: int) -> str:
        on, kind = boxes[number]
        label = f"Setting {names[number]}"
        if kind == "native":
            return f"<div><label><input type=checkbox {'checked' if on else ''}> {label}</label></div>"
        name, role = ("aria-checked", "role=switch") if kind == "switch" else ("aria-pressed", "")
        flip = f"this.setAttribute('{name}', this.getAttribute('{name}') === 'false')"
        return f'<div><button {role} {name}={str(on).lower()} onclick="{flip}">{label}</button></div>'

    names = ["alpha", "beta", "gamma", "delta", "epsilon"]
    order = list(range(len(boxes)))
    bench.show("".join(row(number) for number in order))
    events = [
        bench.event("change", f"div:nth-of-type({n + 1}) :is(input, button)", stateful=True) for n in order
    ]
    shuffle.shuffle(order)
    page = bench.show("".join(row(number) for number in order))
    report = bench.play(*events, set_="on" if wanted else "off")
    assert [element.evaluate(ON) for element in page.query_selector_all("input, button")] == [wanted] * len(
        boxes
    )
    assert [event.action for event in report.events] == [
        "skipped" if on is wanted else "clicked" for on, _ in boxes
    ]


# ---------------------------------------------------------------- other events


def test_a_switch_of_unknown_state_is_not_turned_blindly(bench: Bench) -> None:
    bench.open("awkward")
    event = bench.event("change", "#hidden-box", stateful=True)
    was = bench.checked("#hidden-box")
    with pytest.raises(ReplayError, match="does not say whether it was turned on or off"):
        bench.play(event)
    assert bench.checked("#hidden-box") == was
    bench.play(event | {"before": {"checked": False}})
    assert bench.checked("#hidden-box") is True
    bench.play(event, set_="off")
    assert bench.checked("#hidden-box") is False


def test_radios_are_chosen_as_recorded_whatever_is_set(bench: Bench) -> None:
    bench.open("settings")
    event = bench.event("change", "input[value=never]", stateful=True, after={"checked": True})
    assert bench.play(event, set_="off").events[0].action == "clicked"
    assert bench.page.evaluate("document.querySelector('input[name=often]:checked').value") == "never"
    assert bench.play(event, set_="on").events[0].action == "skipped"


def test_a_menu_that_closes_with_the_choice_is_no_error(bench: Bench) -> None:
    items = "".join(
        f"<div role=menuitemradio tabindex=0 aria-checked=false>{name}</div>" for name in ("Light", "Dark")
    )
    menu = (
        "<button onclick='menu.innerHTML = items'>Theme</button><div role=menu id=menu></div><p id=out></p>"
    )
    choose = "menu.onclick = (e) => { out.textContent += e.target.textContent; menu.innerHTML = ''; }"
    page = bench.show(f"{menu}<script>const items = {items!r}; {choose}</script>")
    theme = bench.event("click", "button")
    page.click("button")
    dark = bench.event("click", "[role=menuitemradio]:nth-of-type(2)", stateful=True)
    page.evaluate("menu.innerHTML = ''")
    report = bench.play(theme, dark, set_="off")
    assert page.evaluate("out.textContent") == "Dark"
    assert report.events[1].after is None


def test_a_button_that_comes_with_a_change_only_may_be_missing(bench: Bench) -> None:
    box = "<label><input type=checkbox checked onchange='bar.hidden = false'> Alerts</label>"
    page = bench.show(
        f"{box}<div id=bar hidden><button onclick='this.textContent = `Saved`'>Keep changes</button></div>"
    )
    page.evaluate("bar.hidden = false")
    events = [
        bench.event("change", "input", stateful=True),
        bench.event("click", "button", follows_change=True),
    ]
    page.evaluate(
        "() => { const kept = bar; kept.remove(); document.querySelector('input').onchange = null; }"
    )
    assert [done.action for done in bench.play(*events, set_="on", timeout=0.3).events] == [
        "skipped",
        "skipped",
    ]
    with pytest.raises(ReplayError, match="not found"):
        bench.play(*events, set_="off", timeout=0.3)


def test_a_button_that_was_there_before_every_change_may_not_be_missing(bench: Bench) -> None:
    bench.show("<label><input type=checkbox checked> Alerts</label><button>Clear all history</button>")
    box, button = bench.event("change", "input", stateful=True), bench.event("click", "button")
    bench.show("<label><input type=checkbox checked> Alerts</label><button>Erase</button>")
    with pytest.raises(ReplayError, match="not found in time"):
        bench.play(box, {**button, "follows_change": False}, set_="on", timeout=0.3)
    with pytest.raises(ReplayError, match='"follows_change": true'):
        bench.play(box, button, set_="on", timeout=0.3)


def test_a_dropdown_takes_a_value_or_a_label(bench: Bench) -> None:
    for value in ("de", "German", " german "):
        bench.open("settings")
        event = bench.event("change", "select", value=value)
        assert [bench.play(event).events[0].action for _ in range(2)] == ["chosen", "skipped"]
        assert bench.page.evaluate("document.querySelector('select').value") == "de"


def test_a_dropdown_takes_its_first_option(bench: Bench) -> None:
    bench.show("<select aria-label=Colour><option>Red<option selected>Green</select>")
    assert bench.play(bench.event("change", "select", value="Red")).events[0].action == "chosen"
    assert bench.page.evaluate("document.querySelector('select').value") == "Red"


def test_an_option_that_is_not_there_is_an_error_with_those_that_are(bench: Bench) -> None:
    bench.open("settings")
    with pytest.raises(ReplayError, match="English, German"):
        bench.play(bench.event("change", "select", value="fr"))


def test_typed_placeholders_become_the_accounts_values(bench: Bench) -> None:
    bench.open("settings")
    event = bench.event("type", "[name=contact]", value="{{account.email}}")
    report = bench.play(event, {"type": "key", "key": "Tab", "url": bench.page.url})
    assert bench.page.evaluate("document.querySelector('[name=contact]').value") == "ada@example.com"
    assert [done.action for done in report.events] == ["typed", "pressed"]
    assert "ada@" not in str(report)
    with pytest.raises(SetupError, match="no email"):
        bench.play(event, account={})


KEYED = {
    "Save waits for a key": """<label>Nick <input id=f></label><button disabled>Save</button><script>
        f.onkeyup = () => { document.querySelector('button').disabled = !f.value; };</script>""",
    "the value is taken from keys": """<label>Nick <input id=f></label><script>
        let typed = ''; f.onkeydown = (event) => { if (event.key.length === 1) typed += event.key; };
        document.onkeydown = (event) => { if (event.key === 'Enter') log.push(typed); };</script>""",
    "an editor": """<label id=l>Nick</label><div id=f contenteditable role=textbox aria-labelledby=l>old</div><script>
        f.onkeydown = (event) => { if (event.key === 'Enter') { event.preventDefault(); log.push(f.innerText); } };</script>""",
}


def test_a_page_that_listens_to_keys_hears_what_is_typed(bench: Bench) -> None:
    for page in KEYED:
        bench.show("<script>var log = [];</script>" + KEYED[page])
        field = bench.target("#f")
        bench.play({"type": "type", "target": field, "value": "ada"})
        if page.startswith("Save"):
            assert bench.page.is_enabled("text=Save")
            continue
        bench.play({"type": "key", "target": field, "key": "Enter"})
        assert bench.page.evaluate("log") == ["ada"]


def test_a_field_that_does_not_keep_its_text_is_an_error(bench: Bench) -> None:
    bench.show("<label>Nick <input id=f oninput=\"setTimeout(() => { f.value = 'taken'; })\"></label>")
    with pytest.raises(ReplayError, match="did not keep the text"):
        bench.play({"type": "type", "target": bench.target("#f"), "value": "ada"})


def test_a_field_that_goes_when_it_is_filled_is_no_error(bench: Bench) -> None:
    bench.show("<label>Code <input id=f oninput=\"if (f.value === 'abc') f.remove()\"></label>")
    bench.play({"type": "type", "target": bench.target("#f"), "value": "abc"})
    assert bench.page.locator("#f").count() == 0


def test_a_password_goes_into_password_fields_only(bench: Bench) -> None:
    bench.open("settings")
    bench.play(bench.event("type", "[name=password]", value="{{account.password}}"))
    assert bench.page.evaluate("document.querySelector('[name=password]').value") == "s3cret"
    with pytest.raises(ReplayError, match="password fields only"):
        bench.play(bench.event("type", "[name=contact]", value="{{account.password}}"))


def test_a_plain_click_happens_exactly_once(bench: Bench) -> None:
    page = bench.open("awkward")
    once = bench.event("click", "#once")
    bench.play(once)
    assert page.evaluate("count") == 1
    page.evaluate("() => { cover.style.display = 'block'; }")
    bench.play(once)
    assert page.evaluate("count") == 2


def test_a_target_that_is_rendered_late_is_waited_for(bench: Bench) -> None:
    page = bench.open("awkward")
    event = bench.event("click", "#once")
    page.evaluate(
        "() => { window.kept = once; once.remove(); setTimeout(() => document.body.append(kept), 400); }"
    )
    bench.play(event, timeout=30)
    assert page.evaluate("count") == 1


def test_a_trace_starts_at_its_start_url_and_goes_only_where_the_page_is_not(bench: Bench) -> None:
    bench.open("settings")
    events = [{"type": "navigate", "url": f"{HOME}/settings"}, {"type": "navigate", "url": f"{HOME}/rungs"}]
    report = bench.play(*events, start="settings")
    assert [event.action for event in report.events] == ["skipped", "navigated"]
    assert bench.page.title() == "Rungs"


def test_a_start_url_that_differs_in_its_fragment_is_loaded(bench: Bench) -> None:
    bench.open("settings")
    bench.page.evaluate("document.title = 'Left by what was done before'")
    bench.play(start="settings#top")
    assert (bench.page.title(), bench.page.url) == ("Settings", f"{HOME}/settings#top")


def test_a_click_that_leads_to_another_page_is_followed(bench: Bench) -> None:
    bench.open("rungs")
    danger = bench.event("click", "#danger")
    page = bench.open("settings")
    bench.play(bench.event("click", "nav a"), danger)
    assert page.title() == "Rungs"


def test_a_click_lands_on_a_target_that_slides_in_or_not_at_all(bench: Bench) -> None:
    page = bench.open("awkward")
    event = bench.event("click", "#once")
    page.evaluate("""() => {
      const other = document.createElement('button');
      other.textContent = 'Delete everything';
      other.onclick = () => { count = -100; };
      once.before(other);
      once.animate([{ transform: 'translateY(300px)' }, { transform: 'none' }], 400);
    }""")
    bench.play(event)
    assert page.evaluate("count") == 1


def test_targets_inside_shadow_roots_and_iframes_are_reached(bench: Bench) -> None:
    page = bench.open("awkward")
    frame = page.frames[1]
    shadow = bench.event("click", "x-toggle ::shadow button", stateful=True)
    target = bench.target("#measure", frame, ("iframe",))
    inner = {"type": "change", "url": page.url, "stateful": True, "target": target}
    bench.play(shadow, inner, set_="on")
    assert bench.checked("x-toggle ::shadow button")
    assert frame.evaluate("measure.checked")
    # The frame has moved in the page: its path leads nowhere, and all frames are searched.
    lost = inner | {"target": target | {"framePath": ["#old > iframe"]}}
    bench.play(lost, set_="off")
    assert not frame.evaluate("measure.checked")


def test_a_popup_becomes_the_tab_and_gives_way_to_its_opener(bench: Bench) -> None:
    page = bench.open("awkward")
    with page.expect_popup() as caught:
        page.click("#open-popup")
    popup = caught.value
    popup.wait_for_load_state()
    events = [
        bench.event("type", "input", value="{{account.username}}@example.com"),
        bench.event("click", "button"),
    ]
    popup.close()
    opening, counting = bench.event("click", "#open-popup"), bench.event("click", "#once")
    bench.play(opening, *events, counting)
    assert bench.page is page
    assert page.title() == "hello ada@example.com"
    assert page.evaluate("count") == 1


def test_a_click_may_close_its_own_window(bench: Bench) -> None:
    page = bench.open("settings")
    popup: Page
    # It closes while the browser still waits for the end of the click.
    bench.tabs.context.route("**/bye", lambda route: popup.close())
    ask = "const asked = new XMLHttpRequest(); asked.open('GET', '/bye', false); asked.send();"
    for moment in ("mousedown", "mouseup", "click"):
        with page.expect_popup() as caught:
            page.evaluate("() => { open('/empty'); }")
        popup = caught.value
        popup.wait_for_load_state()
        popup.set_content(f"<button on{moment}=\"opener.document.title = '{moment}'; {ask}\">Allow</button>")
        bench.tabs.activate(popup)
        (report,) = bench.play(bench.event("click", "button", popup=True)).events
        assert (report.action, popup.is_closed(), page.title()) == ("clicked", True, moment)


def test_a_save_button_that_is_dead_because_nothing_changed_is_passed_over(bench: Bench) -> None:
    page = bench.open("settings")
    events = [bench.event("change", "#history", stateful=True), bench.event("click", "#save")]
    page.evaluate("() => { save.disabled = true; }")
    assert [event.action for event in bench.play(*events, set_="on").events] == ["skipped", "skipped"]
    with pytest.raises(ReplayError, match="disabled"):
        bench.play(*events, set_="off", timeout=0.3)


def test_an_element_that_is_gone_is_an_error_with_all_the_facts(bench: Bench) -> None:
    page = bench.open("settings")
    save = bench.event("click", "#save")
    page.evaluate("() => save.remove()")
    with pytest.raises(ReplayError) as caught:
        bench.play(bench.event("change", "#ads", stateful=True), save, set_="on", timeout=0.3)
    error = caught.value
    assert error.facts["event"] == 2
    assert error.facts["url"] == f"{HOME}/settings"
    assert "Save changes" in error.facts["fingerprint"]
    assert [rung["rung"] for rung in error.facts["rungs"]][:2] == ["attributes", "role+name"]
    assert "event 2" in error.message
    assert "websp record" in error.message


def test_a_page_on_another_site_is_waited_for_and_then_named(bench: Bench) -> None:
    bench.open("settings")
    event = bench.event("click", "#save", url="https://accounts.elsewhere.org/consent")
    with pytest.raises(ReplayError, match=r"never came to accounts\.elsewhere\.org"):
        bench.play(event, timeout=0.3)
