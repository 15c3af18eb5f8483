"""What can stand between a replay and its target: menus, lists, layers, dialogs, windows."""

from __future__ import annotations

import pytest

from tests.replay_support import Bench, bench
from websp_gym.errors import ReplayError, SetupError
from websp_gym.tasks.instances import Site
from websp_gym.tasks.schema import ClassRule

__all__ = ["bench"]

STYLE = """<style>
  nav li { list-style: none; width: 120px; } nav ul ul { display: none; }
  nav li:hover > ul { display: block; }
  .cover { position: fixed; inset: 0; background: #fffc; }
</style>"""
CSS_MENU = f"""{STYLE}<h1>Site</h1><nav><ul><li id=top><a href="#">Account</a><ul><li id=sub><a href="#">More</a>
  <ul><li><button id=leave onclick="document.title = 'left'">Sign out everywhere</button></li></ul></li></ul></li></ul></nav>"""
JS_MENU = """<h1>Site</h1><div><button id=options aria-haspopup=true>Options</button>
  <div id=menu role=menu hidden><button role=menuitem onclick="document.title = 'muted'">Mute</button></div></div>
  <script>options.onmouseenter = () => setTimeout(() => { menu.hidden = false; }, 50)</script>"""


# ---------------------------------------------------------------- menus


def test_a_menu_in_a_menu_that_opens_under_the_pointer_is_gone_through(bench: Bench) -> None:
    for recorded in (True, False):
        page = bench.show(CSS_MENU)
        chain = [bench.target("#top"), bench.target("#sub")] if recorded else []
        page.hover("#top")
        page.hover("#sub")
        event = bench.event("click", "#leave", hover=chain)
        page.mouse.move(700, 500)
        bench.play(event)
        assert page.title() == "left"


def test_a_menu_that_a_script_opens_under_the_pointer_is_opened(bench: Bench) -> None:
    page = bench.show(JS_MENU)
    page.hover("#options")
    page.wait_for_selector("#menu", state="visible")
    event = bench.event("click", "[role=menuitem]")
    page.evaluate("menu.hidden = true")
    page.mouse.move(700, 500)
    page.evaluate(
        "document.querySelector('[role=menuitem]').addEventListener('click', (e) => { window.trusted = e.isTrusted; })"
    )
    bench.play(event)
    assert page.title() == "muted"
    assert page.evaluate("trusted")


def test_a_menu_that_is_open_for_good_by_now_needs_no_hovering(bench: Bench) -> None:
    page = bench.show(CSS_MENU)
    page.hover("#top")
    page.hover("#sub")
    event = bench.event("click", "#leave", hover=[bench.target("#top")])
    bench.show("<h1>Site</h1><button onclick=\"document.title = 'left'\">Sign out everywhere</button>")
    bench.play(event)
    assert page.title() == "left"


# ---------------------------------------------------------------- lists

VIRTUAL = """<h1>People</h1><div id=box style="height: 200px; overflow: auto"><div id=all style="height: 6000px; position: relative"></div></div>
<script>
  const off = [];
  const draw = () => {
    const first = Math.floor(box.scrollTop / 40);
    all.innerHTML = [...Array(7).keys()].map((i) => i + first).filter((i) => i < 150).map((i) =>
      `<div style="position: absolute; top: ${i * 40}px"><span>Person ${NAMES[i % 10]} ${NAMES[Math.floor(i / 10)]}</span>
       <button onclick="off.push(${i})">Remove</button></div>`).join('');
  };
  const NAMES = ['Ada', 'Bo', 'Cy', 'Dee', 'Eli', 'Flo', 'Gus', 'Hal', 'Ida', 'Jo', 'Kit', 'Lou', 'May', 'Ned', 'Ola'];
  box.onscroll = draw;
  draw();
</script>"""


def test_a_row_that_is_not_rendered_yet_is_scrolled_to(bench: Bench) -> None:
    page = bench.show(VIRTUAL)
    page.evaluate("box.scrollTop = 4000; draw()")
    event = bench.event("click", "#all > div:nth-of-type(3) button")
    page.evaluate("box.scrollTop = 0; draw()")
    bench.play(event)
    assert page.evaluate("off") == [102]


def test_a_row_that_is_not_there_at_all_is_an_error_and_the_list_goes_back(bench: Bench) -> None:
    page = bench.show(VIRTUAL)
    event = bench.event("click", "#all > div:nth-of-type(3) button")
    target = event["target"]
    for key in ("nearby", "sibling", "parent"):
        target[key] = target[key].replace("Cy Ada", "Zora Zamora")
    page.evaluate("box.scrollTop = 80; draw()")
    with pytest.raises(ReplayError, match="not found"):
        bench.play(event, timeout=1)
    assert page.evaluate("off") == []
    assert page.evaluate("box.scrollTop") == 80


@pytest.mark.proof
def test_a_list_that_loads_more_at_its_end_is_followed(bench: Bench) -> None:
    page = bench.show("""<h1>Feed</h1><div id=feed></div><script>
      let count = 0;
      const more = () => { for (let i = 0; i < 20 && count < 60; i++, count++) feed.insertAdjacentHTML('beforeend',
        `<div style="height: 60px"><b>Post ${'abcdefgh'[Math.floor(count / 10)]}${'klmnopqrst'[count % 10]}</b> <button onclick="document.title = this.previousElementSibling.textContent">Hide</button></div>`); };
      more();
      onscroll = () => { if (scrollY + innerHeight > document.body.scrollHeight - 50) setTimeout(more, 400); };
    </script>""")
    page.evaluate("() => { more(); more(); }")
    event = bench.event("click", "#feed > div:nth-of-type(55) button")
    page.evaluate("() => { feed.innerHTML = ''; count = 0; more(); scrollTo(0, 0); }")
    bench.play(event, timeout=8)
    assert page.title() == "Post fo"


def test_a_target_that_is_only_late_is_not_scrolled_for(bench: Bench) -> None:
    page = bench.show("<h1>Long</h1><div style='height: 3000px'>Text</div><button id=late>Late</button>")
    event = bench.event("click", "#late")
    page.evaluate("""() => {
      window.scrolls = 0; onscroll = () => { scrolls++; };
      const kept = late; kept.remove();
      setTimeout(() => { document.querySelector('h1').after(kept); }, 700);
    }""")
    bench.play(event)
    assert page.evaluate("scrolls") == 0


# ---------------------------------------------------------------- layers

COVERED = """<h1>Settings</h1><button id=save onclick="clicks.push('save')">Save</button><div id=layer class=cover></div>
<script>const clicks = []</script>"""


def test_a_layer_that_goes_is_waited_for(bench: Bench) -> None:
    page = bench.show(STYLE + COVERED)
    event = bench.event("click", "#save")
    page.evaluate("""() => {
      save.addEventListener('click', (e) => { window.trusted = e.isTrusted; });
      layer.innerHTML = '<button>Stop loading</button>';
      setTimeout(() => layer.remove(), 600);
    }""")
    bench.play(event)
    assert page.evaluate("[clicks, trusted]") == [["save"], True]


LAYERS = (
    '<div role=dialog aria-label="We value your privacy"><button onclick="clicks.push(1)">Accept</button></div>',
    '<div style="position: fixed; inset: 0">We value your privacy <a href="#">Read more</a></div>',
)


def test_a_consent_layer_that_was_not_recorded_is_named_and_never_clicked(bench: Bench) -> None:
    page = bench.show(STYLE + COVERED)
    event = bench.event("click", "#save")
    for layer in LAYERS:
        page.evaluate(
            "html => { layer.innerHTML = html; layer.onclick = () => clicks.push('layer'); }", layer
        )
        with pytest.raises(ReplayError, match=r"covered by .*We value your privacy") as caught:
            bench.play(event, timeout=0.4)
        assert page.evaluate("clicks") == []
        assert caught.value.facts["event"] == 1


def test_a_layer_of_the_page_over_an_iframe_is_seen_from_inside(bench: Bench) -> None:
    page = bench.open("awkward")
    target = bench.target("#measure", page.frames[1], ("iframe",))
    event = {"type": "change", "url": page.url, "stateful": True, "target": target}
    page.evaluate("""() => {
      document.body.insertAdjacentHTML('beforeend',
        '<div role=dialog aria-label="Cookies here" style="position: fixed; inset: 0; background: #fff"><button>OK</button></div>');
    }""")
    with pytest.raises(ReplayError, match=r"covered by .*Cookies here"):
        bench.play(event, set_="on", timeout=0.4)
    assert not page.frames[1].evaluate("measure.checked")


def test_a_consent_banner_that_is_optional_may_be_there_or_not(bench: Bench) -> None:
    page = bench.show("<div id=bar><button onclick='bar.remove()'>Accept all</button></div>")
    event = bench.event("click", "button", optional=True)
    assert bench.play(event).events[0].action == "clicked"
    assert bench.play(event, timeout=0.3).events[0].action == "skipped"
    assert page.query_selector("#bar") is None


def test_a_control_that_is_disabled_for_a_while_is_waited_for(bench: Bench) -> None:
    page = bench.show(
        "<label><input type=checkbox id=box> Alerts</label> <button id=save onclick='clicks++'>Save</button><script>let clicks = 0</script>"
    )
    events = [bench.event("change", "#box", stateful=True), bench.event("click", "#save")]
    page.evaluate("""() => {
      box.disabled = save.disabled = true;
      setTimeout(() => { box.disabled = false; }, 300);
      box.onchange = () => setTimeout(() => { const fresh = save.cloneNode(true); fresh.disabled = false; save.replaceWith(fresh); }, 300);
    }""")
    bench.play(*events, set_="on")
    assert page.evaluate("[box.checked, clicks]") == [True, 1]


def test_what_does_not_open_by_the_pointer_is_opened_by_the_keyboard(bench: Bench) -> None:
    page = bench.show("<div role=button tabindex=0 id=fold aria-expanded=false>Details</div>")
    event = bench.event("click", "#fold", before={"expanded": False}, after={"expanded": True})
    page.evaluate(
        "() => { fold.onkeydown = (e) => { if (e.key === 'Enter') fold.setAttribute('aria-expanded', 'true'); }; }"
    )
    assert bench.play(event).events[0].after is True
    assert bench.play(event).events[0].action == "skipped"
    page.evaluate("() => { fold.setAttribute('aria-expanded', 'false'); fold.onkeydown = null; }")
    with pytest.raises(ReplayError, match="did not open"):
        bench.play(event)


# ---------------------------------------------------------------- native dialogs


ANSWERS: tuple[tuple[dict[str, str], str], ...] = (
    ({"modal": "accept", "modal_text": "{{account.username}} 2"}, "true ada 2"),
    ({"modal": "accept"}, "true old"),
    ({"modal": "dismiss"}, "false null"),
    ({}, "false null"),
)
ASK = """late => { leave.onclick = () => setTimeout(
    () => { const sure = confirm('Sure?'); document.title = `${sure} ${prompt('Who?', 'old')}`; }, late); }"""


@pytest.mark.parametrize("late", [0, 300])
def test_native_dialogs_are_answered_as_recorded(bench: Bench, late: int) -> None:
    for answer, title in ANSWERS:
        page = bench.show("<button id=leave>Delete</button>")
        event = bench.event("click", "#leave", **answer)
        page.evaluate(ASK, late)
        bench.play(event)
        page.wait_for_function("document.title")
        assert page.title() == title
        page.evaluate("document.title = ''; leave.click()")
        page.wait_for_function("document.title")
        assert page.title() == "false null", "nothing is agreed to after the event"


# ---------------------------------------------------------------- windows


def test_each_event_goes_to_the_window_it_was_recorded_in(bench: Bench) -> None:
    form = "<h1>Sign in</h1><button onclick='done(this)'>Continue</button><script>const done = (b) => { b.textContent = 'Done'; }</script>"
    page = bench.open("empty")
    page.set_content(form + "<a href='/empty' target=_blank rel=opener>Sign in with Example</a>")
    inside = bench.event("click", "button", popup=True)
    outside = bench.event("click", "button")
    with page.expect_popup() as caught:
        page.click("a")
    popup = caught.value
    popup.wait_for_load_state()
    # The popup is slow: until it shows its button, only the opener has one of that name.
    popup.evaluate(
        "html => { document.body.innerHTML = ''; setTimeout(() => { document.body.innerHTML = html; document.querySelector('button').onclick = (e) => { e.target.textContent = 'Done'; }; }, 400); }",
        form,
    )
    bench.play(inside)
    assert popup.inner_text("button") == "Done"
    assert page.inner_text("button") == "Continue"
    bench.play(outside)
    assert page.inner_text("button") == "Done"
    assert bench.page is page


# ---------------------------------------------------------------- state


def test_an_event_with_a_fixed_state_ends_in_it_whatever_is_set(bench: Bench) -> None:
    bench.open("settings")
    event = bench.event("change", "#ads", stateful=True, set="on")
    bench.play(event, set_="off")
    assert bench.checked("#ads")


def test_a_class_rule_that_is_no_css_is_refused_before_anything_is_done(bench: Bench) -> None:
    bench.open("settings")
    event = bench.event("change", "#ads", stateful=True)
    with pytest.raises(SetupError, match=r"div\[\[.* is not a CSS"):
        bench.play(event, set_="on", class_rules=[{"on": "div[[", "off": ".x"}])
    assert not bench.checked("#ads")


def test_a_sites_class_rules_are_read_from_its_yaml() -> None:
    rules = Site.model_fields["class_rules"]
    assert rules.default == ()
    # YAML 1.1 makes booleans of the bare keys on and off.
    assert ClassRule.model_validate({True: ".is-on", False: ".is-off"}) == ClassRule(
        on=".is-on", off=".is-off"
    )
