"""Waiting for a page to rest: long enough for what follows an action, and not for what never ends."""

from __future__ import annotations

import time

import pytest

from tests.actions_support import Hands, hands, sites
from tests.kept_tab import borrowed_tab
from websp_gym.actions import webvoyager
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs

__all__ = ["hands", "sites"]

BUTTON = '<button id="go" onclick="go_()">Go</button><p id="out"></p>'


def took(hands: Hands) -> float:
    began = time.monotonic()
    settle(hands.tabs)
    return time.monotonic() - began


def clicked(hands: Hands, script: str) -> str:
    """The text of a page right after a click that started ``script`` has settled."""
    page = hands.show(f"{BUTTON}<script>async function go_() {{ {script} }}</script>")
    hands.click("Go")
    return str(page.evaluate("out.textContent"))


def test_an_idle_page_is_left_after_two_frames(hands: Hands) -> None:
    page = hands.show("<button>Idle</button>" * 200)
    times, frames = [], []
    for _ in range(15):
        times.append(took(hands))
        began = time.monotonic()
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        frames.append(time.monotonic() - began)
    # The quickest of each: a busy machine slows down both.
    assert min(times) < 10 * min(frames)


WORK = (
    "await fetch('/quick'); out.textContent = 'done'",
    "for (let n = 0; n < 4; n++) { await (await fetch('/quick?' + n)).text(); } out.textContent = 'done'",
    "await fetch('/late'); await Promise.resolve(); requestAnimationFrame(() => { out.textContent = 'done' })",
    "await fetch('/late', {method: 'POST', body: 'x'}); out.innerHTML = 'wait'; setTimeout(() => { out.innerHTML = 'done' }, 10)",
    "const x = new XMLHttpRequest(); x.open('GET', '/late'); x.onload = () => { out.textContent = 'done' }; x.send()",
    "setTimeout(() => { out.textContent = 'done' }, 0)",
    "let n = 0; const t = setInterval(() => { out.textContent = ++n < 12 ? n : 'done'; if (n === 12) clearInterval(t) }, 15)",
    "const s = document.createElement('script'); s.src = '/late.js'; document.body.append(s)",
)


def test_work_started_by_a_click_is_waited_for(hands: Hands) -> None:
    hands.site.put("/quick", "ok")
    hands.site.put("/late", "ok", delay=0.3)
    hands.site.put(
        "/late.js", "out.textContent = 'done'", delay=0.2, headers={"content-type": "text/javascript"}
    )
    for script in WORK:
        # A starved browser may fire a timer of 15 ms after the page has been at rest for long: three tries.
        assert "done" in (clicked(hands, script) for _ in range(3)), script


NAVIGATING = (
    "<a href=/next>Go</a>",
    "<form action=/next method=post><button>Go</button></form>",
    "<form action=/next><button>Go</button></form>",
    "<a href=/moved>Go</a>",
    "<a href=/refresh>Go</a>",
    "<a href=/script>Go</a>",
    "<button onclick=\"setTimeout(() => { location = '/next' }, 0)\">Go</button>",
    "<button onclick=\"fetch('/moved').then(() => location.assign('/next'))\">Go</button>",
    "<button onclick='location.reload()'>Go</button><script>if (performance.navigation.type === 1) location.replace('/next')</script>",
    "<iframe srcdoc='<a href=/next target=_top>Go</a>'></iframe>",
)


def test_a_navigation_to_a_slow_page_is_waited_for(hands: Hands) -> None:
    site = hands.site
    site.put(
        "/next",
        "<p id=out>new</p><script>fetch('/data').then(() => { out.textContent = 'done' })</script>",
        delay=0.3,
    )
    site.put("/data", "ok", delay=0.2)
    site.put("/moved", status=302, headers={"location": "/moved-again"}, delay=0.1)
    site.put("/moved-again", status=303, headers={"location": "/next"}, delay=0.1)
    site.put("/refresh", "<meta http-equiv=refresh content='0; url=/next'>Please wait")
    site.put("/script", "<body onload=\"location.href = '/next'\">Please wait")
    for body in NAVIGATING:
        hands.show(body)
        hands.click("Go")
        assert hands.page.url.rstrip("?") == f"{site.url}/next", body
        assert hands.page.evaluate("out.textContent") == "done", body


def test_an_iframe_that_loads_late_is_waited_for(hands: Hands) -> None:
    hands.other.put("/slow-frame", "<button>In the frame</button>", delay=0.3)
    hands.show(
        f"<button onclick=\"document.body.insertAdjacentHTML('beforeend', `<iframe src='{hands.other.url}/slow-frame'></iframe>`)\">Go</button>"
    )
    hands.click("Go")
    assert hands.names() == ["Go", "In the frame"]


def test_changes_in_an_iframe_are_waited_for(hands: Hands) -> None:
    page = hands.show(
        """<iframe srcdoc="<button onclick='later()'>Go</button><script>
        let n = 0; function later() { const t = setInterval(() => { document.title = ++n; if (n === 9) { clearInterval(t); document.querySelector('button').textContent = 'done' } }, 12) }
        </script>"></iframe>"""
    )
    hands.click("Go")
    assert page.frames[1].evaluate("document.querySelector('button').textContent") == "done"


def test_a_drawer_that_slides_in_is_at_its_place(hands: Hands) -> None:
    page = hands.show(
        """<style>#d { position: fixed; top: 100px; left: -400px; width: 300px; opacity: 0; transition: all .4s }
        #d.open { left: 0; opacity: 1 }</style>
        <div id=d><button>Inside</button></div><button style="float:right" onclick="d.className = 'open'">Menu</button>
        <script>addEventListener('transitionend', () => { window.ended = true })</script>"""
    )
    hands.click("Menu")
    assert page.evaluate("[getComputedStyle(d).left, getComputedStyle(d).opacity, window.ended]") == [
        "0px",
        "1",
        True,
    ]
    assert hands.mark("Inside").box[0] == 0


@pytest.mark.parametrize(
    "noise",
    [
        "<style>@keyframes k { to { transform: rotate(1turn) } } p { animation: k 1s infinite }</style><p>Spinner</p>",
        "<p id=p></p><script>const f = () => { p.style.opacity = Math.random(); requestAnimationFrame(f) }; f()</script>",
        "<p id=p></p><script>const f = () => { p.textContent = Math.random(); requestAnimationFrame(f) }; f()</script>",
        "<script>const f = () => { fetch('/endless-reply'); }; f()</script>",
        "<script>new EventSource('/events')</script>",
        "<script>const f = () => fetch('/poll').then(f); f()</script>",
        "<script>const f = () => fetch('/short-poll').then(f); f()</script>",
        "<script>const f = () => fetch('/far-poll').then(f); f()</script>",
        # At the pace of a timer: what fails at once is begun again faster than a busy machine can tell us of it.
        "<script>const f = () => fetch('http://127.0.0.1:9/').catch(() => setTimeout(f, 4)); f()</script>",
        "<script>const f = () => fetch('/short-poll?' + Math.random()).then(f); f()</script>",
        "<script>const f = () => fetch('/slow-poll?' + Math.random()).then(f); f()</script>",
        "<img src=/never>",
    ],
)
def test_endless_work_delays_one_step_at_most(hands: Hands, noise: str) -> None:
    hands.site.put("/endless-reply", "x", endless=True)
    hands.site.put("/events", "data: x\n\n", endless=True, headers={"content-type": "text/event-stream"})
    hands.site.put("/poll", "x", delay=0.8)
    hands.site.put("/short-poll", "x")
    hands.site.put("/slow-poll", "x", pause=0.02)  # the next one starts before the last one has ended
    hands.site.put("/far-poll", "x", delay=0.02)
    hands.site.put("/never", "x", delay=60)
    hands.site.put("/noisy", f"<button onclick=\"this.textContent = 'done'\">Go</button>{noise}")
    hands.page.goto(f"{hands.site.url}/noisy", wait_until="commit")
    hands.look()
    hands.click("Go")
    assert hands.names() == ["done"]
    assert hands.rested, "held up again, it was given up on at the cap"


def test_requests_in_rounds_are_waited_for_to_the_last_round(hands: Hands) -> None:
    """As a queue is seen on a busy machine: the ends of a round are told before the next one starts."""
    hands.site.put("/item", "x", delay=0.08)
    hands.show(
        """<p id=p></p><script>let n = 0; (async () => { for (let round = 0; round < 6; round++) {
        await Promise.all([1, 2, 3].map(async () => { await (await fetch('/item?' + n++)).text(); p.textContent += 'x' }));
        await new Promise(over => setTimeout(over, 20)) } })()</script>"""
    )
    assert hands.page.inner_text("p") == 18 * "x"


def test_a_queue_of_requests_is_waited_for_to_its_end(hands: Hands) -> None:
    hands.site.put("/item", "x", delay=0.08)
    hands.show(
        """<p id=p></p><script>let n = 0; const next = async () => { if (n >= 15) return;
        await (await fetch('/item?' + n++)).text(); p.textContent += 'x'; await next() };
        next(); next(); next()</script>"""
    )
    assert hands.page.inner_text("p") == 15 * "x"


def test_a_page_whose_every_element_changes_is_taken_as_it_is_after_a_second(hands: Hands) -> None:
    hands.show(
        """<script>const f = () => { const e = document.createElement('i'); document.body.append(e);
        setTimeout(() => { e.title = 'x'; f() }, 8) }; f()</script>"""
    )
    began = time.monotonic()
    settle(hands.tabs, cap=100)
    assert time.monotonic() - began < 50, "it was waited for to the cap"


def test_waiting_ends_early_on_an_idle_page_and_outlasts_timers(
    hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webvoyager, "WAIT_SECONDS", 100)
    hands.show(
        f"{BUTTON}<script>function go_() {{ setTimeout(() => {{ out.textContent = 'done' }}, 300) }}</script>"
    )
    hands.click("Go")
    began = time.monotonic()
    hands.do("Wait")
    assert hands.page.evaluate("out.textContent") == "done"
    assert time.monotonic() - began < 50


def test_a_request_that_every_click_repeats_is_never_taken_for_a_poll(hands: Hands) -> None:
    hands.site.put("/save", "ok", delay=0.05)
    page = hands.show(
        f"{BUTTON}<script>async function go_() {{ out.textContent = 'saving'; await fetch('/save'); out.textContent = 'saved' }}</script>"
    )
    for _ in range(8):
        hands.click("Go")
        assert page.evaluate("out.textContent") == "saved"


def test_suggestions_that_each_key_asks_for_are_waited_for_too(hands: Hands) -> None:
    """Where keys are slower than the answers, as on a busy machine, they look like a poll."""
    hands.site.put("/suggest", "x")
    page = hands.show(
        """<input id=field aria-label=Name><p id=out></p><script>field.oninput = async () => {
        const said = field.value; await (await fetch('/suggest?' + said)).text(); out.textContent = said }</script>"""
    )
    for key in "abcdefgh":
        page.type("#field", key)
        page.wait_for_timeout(60)
    hands.site.put("/suggest", "x", delay=0.5)
    page.type("#field", "i")
    hands.look()
    assert page.inner_text("p") == "abcdefghi"


def test_requests_of_other_tabs_are_not_waited_for(hands: Hands) -> None:
    hands.site.put("/never", "x", delay=60)
    hands.show("<button>Quiet</button>")
    busy = hands.tabs.context.new_page()
    busy.goto(hands.site.put("/busy", "<script>fetch('/never')</script>"))
    hands.tabs.activate(hands.tabs.pages[0])
    assert settle(hands.tabs)


SHORT_TIMERS = (
    "setTimeout(() => { out.textContent = 'done' }, 400)",
    "setTimeout(() => { fetch('/quick').then(() => { out.textContent = 'done' }) }, 250)",
    "setTimeout(() => setTimeout(() => setTimeout(() => { out.textContent = 'done' }, 120), 120), 120)",
    "clearTimeout(setTimeout(() => {}, 100)); setTimeout(text => { out.textContent = text }, 300, 'done')",
    "await fetch('/quick'); setTimeout(() => { out.textContent = 'done' }, 300)",
)


def test_a_short_timer_that_a_click_started_is_waited_for(hands: Hands) -> None:
    hands.site.put("/quick", "ok")
    for script in SHORT_TIMERS:
        assert clicked(hands, script) == "done", script


def test_suggestions_that_wait_for_the_end_of_typing_are_seen(hands: Hands) -> None:
    hands.site.put("/suggestions", "<li role=option tabindex=0>Rome")
    hands.show(
        """<input id=q aria-label=City><ul id=list></ul><script>let timer; q.oninput = () => { clearTimeout(timer);
        timer = setTimeout(async () => { list.innerHTML = await (await fetch('/suggestions')).text() }, 280) }</script>"""
    )
    hands.type("City", "Ro")
    assert "Rome" in hands.names()


def test_a_menu_that_opens_a_moment_after_the_pointer_came_is_seen(hands: Hands) -> None:
    hands.show(
        """<div id=m tabindex=0 onmouseenter="setTimeout(() => { d.hidden = false }, 220)">Menu<p id=d hidden><a href=#x>Safety</a></p></div>"""
    )
    hands.do("Hover", "Menu")
    assert "Safety" in hands.names()


@pytest.mark.parametrize("where", ["", " target=_blank"])
def test_a_page_that_attaches_its_handlers_after_the_load_gets_the_next_click(
    hands: Hands, where: str
) -> None:
    hands.site.put(
        "/lazy",
        "<button id=b>Deny</button><script>setTimeout(() => { b.onclick = () => { document.title = 'denied' } }, 320)</script>",
    )
    hands.show(f"<a href=/lazy{where}>Go on</a>")
    hands.click("Go on")
    hands.click("Deny")
    assert hands.page.title() == "denied"


def test_a_timer_in_an_iframe_is_waited_for(hands: Hands) -> None:
    inner = hands.other.put(
        "/timed", "<button onclick=\"setTimeout(() => { textContent = 'done' }, 300)\">Start</button>"
    )
    page = hands.show(f"<iframe src={inner}></iframe>")
    hands.click("Start")
    assert page.frames[1].evaluate("document.querySelector('button').textContent") == "done"


LOOPS = """() => {
  rounds = [0, 0, 0, 0];
  const chain = () => { rounds[0]++; setTimeout(chain, 200) }; chain();
  setInterval(() => { rounds[1]++ }, 50);
  const draw = () => { rounds[2]++; requestAnimationFrame(draw) }; draw();
  setInterval(() => { rounds[3]++; clearTimeout(setTimeout(() => {}, 450)) }, 40);
  setTimeout(() => {}, 100_000);
}"""


def test_loops_and_long_timers_are_not_waited_for(hands: Hands) -> None:
    page = hands.show("<button>Go</button>")
    page.evaluate(LOOPS)
    page.wait_for_function("Math.min(...rounds) > 4")
    began = time.monotonic()
    # None of them would ever end.
    assert settle(hands.tabs, cap=100, patience=100)
    assert time.monotonic() - began < 50


def test_a_page_that_never_stops_starting_timers_costs_the_patience_once(hands: Hands) -> None:
    page = hands.show("<button>Go</button>")
    page.evaluate("() => { setInterval(() => setTimeout(() => {}, 300), 10) }")
    began = time.monotonic()
    settle(hands.tabs, cap=100, patience=0.5)
    settle(hands.tabs, cap=100)
    assert time.monotonic() - began < 50, "it was waited for to the cap"


def test_a_page_sees_the_timers_of_a_browser(hands: Hands) -> None:
    hands.show("<p>First</p>")
    page = hands.show("<p>Second</p>")
    for name in ("setTimeout", "clearTimeout", "clearInterval"):
        text = f"[{name}.name, {name}.length, /native code/.test({name}), Object.keys(Object.getOwnPropertyDescriptor(window, '{name}')).join()]"
        length = {"setTimeout": 1}.get(name, 0)
        assert page.evaluate(text) == [name, length, True, "value,writable,enumerable,configurable"]
    assert page.evaluate(
        "new Promise(done => setTimeout(function (a, b) { done([this === window, a + b]) }, 1, 2, 3))"
    ) == [
        True,
        5,
    ]


def test_pages_that_react_at_once_keep_the_browsers_own_timers(hands: Hands) -> None:
    with borrowed_tab() as tab:
        tabs = Tabs(tab.context, reacts_at_once=True)
        tab.page.goto(hands.site.put("/plain", "<p>Plain</p>"))
        settle(tabs)
        assert tab.page.evaluate("String(setTimeout)") == "function setTimeout() { [native code] }"
