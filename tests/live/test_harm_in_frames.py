"""The harm guard looks into frames and shadow roots: at the element under a point, and at the one with the focus."""

from __future__ import annotations

import pytest

from tests.actions_support import Hands, hands, sites
from websp_gym.actions.computer.action import Screen
from websp_gym.actions.harm import HarmGuard
from websp_gym.browser.deadline import Watch
from websp_gym.browser.focus import DEEPEST
from websp_gym.browser.internals import loop_of
from websp_gym.env.chat import MemoryChat
from websp_gym.env.harm_hooks import HarmHooks
from websp_gym.env.turns import AgentTurns
from websp_gym.observation.observe import Observer
from websp_gym.records.hooks import CurrentStep
from websp_gym.tasks.instances import load_instance

__all__ = ["hands", "sites"]

HARMFUL, HARMLESS = "Delete my account", "Show more"
FRAME = "margin:40px 0 0 60px;border:7px solid;padding:11px;width:400px;height:200px"
BUTTON = (
    "<!doctype html><body style='margin:0;height:3000px'><p style='height:90px'>Text</p>"
    "<button bid=a1 style='margin-left:30px' onclick='top.postMessage(0, \"*\")'>{name}</button>"
    "<script>scrollTo(0, 50)</script>"
)
# In which the frame {src} stands; what scrolls or moves it must not lead the look astray.
AROUND = {
    "plain": "{frame}",
    "scrolled": "<p style='height:700px'>Text</p>{frame}<p style='height:3000px'></p><script>scrollTo(0, 650)</script>",
    "scaled": "<div style='transform:scale(0.5);transform-origin:30px 20px'>{frame}</div>",
    "turned": "<div style='transform:rotate(30deg) translate(250px, 120px)'>{frame}</div>",
    "zoomed": "<div style='zoom:1.5'>{frame}</div>",
    "in a shadow root": "<div><template shadowrootmode=open>{frame}</template></div>",
}
WAYS = {
    "point": "mouse_click({x}, {y})",
    "right": "mouse_click({x}, {y}, 'right')",
    "double": "mouse_dblclick({x}, {y})",
    "down": "mouse_down({x}, {y})",
    "Enter": "keyboard_press('Enter')",
    "Space": "keyboard_down('Space')",
    "line end": "keyboard_type('\\n')",
    "bid": "click('a1')",
}
KEYS = (
    "click('a1')", "press('a1', 'Enter')", "press('a1', ' ')", "press('a1', 'Shift+Enter')", "keyboard_press('Enter')",
    "keyboard_press('Space')", "keyboard_press('Control+Enter')", "keyboard_press('\\r')", "keyboard_type('\\n')",
    "keyboard_type('a b')", "mouse_click({x}, {y})",
)  # fmt: skip


class Pages:
    """Shows a button in a frame.

    Args:
        hands: The browser, and two origins.
    """

    def __init__(self, hands: Hands) -> None:
        self.hands = hands

    def show(self, name: str, *, around: str = "{frame}", kind: str = "other", inner: str = BUTTON) -> None:
        """Shows a page with a frame with a button, which has the focus."""
        inner = inner.format(name=name)
        home = self.hands.site
        # Another site, and not only another port of this one.
        src = self.hands.other.put("/inner", inner).replace("127.0.0.1", "localhost")
        nested = home.put(
            "/nested", f"<body style='transform:scale(0.8)'><iframe bid=a style='{FRAME}' src={src}></iframe>"
        )
        srcdoc = inner.replace("&", "&amp;").replace('"', "&quot;")
        frame = {
            "own": f"<iframe style='{FRAME}' src={home.put('/own', inner)}></iframe>",
            "other": f"<iframe bid=a style='{FRAME}' src={src}></iframe>",
            "srcdoc": f'<iframe style="{FRAME}" srcdoc="{srcdoc}"></iframe>',
            "object": f"<object style='{FRAME}' type=text/html data={src}></object>",
            "nested": f"<iframe style='{FRAME};width:600px;height:400px' src={nested}></iframe>",
        }[kind]
        page = self.hands.show(
            "<script>n = 0; addEventListener('message', () => n++)</script>" + around.format(frame=frame)
        )
        self.button = page.frames[-1].get_by_role("button")
        self.button.focus()

    def act(self, way: str) -> CurrentStep:
        """Acts on the button, behind the guard."""
        box = self.button.bounding_box()
        assert box is not None
        # Playwright leaves out the zoom of the frame, which is the ratio that it has.
        zoom = self.hands.page.frames[-1].evaluate("devicePixelRatio")
        x, y = (box["x"] + box["width"] / 2) * zoom, (box["y"] + box["height"] / 2) * zoom
        text = WAYS.get(way, way).format(x=x, y=y)
        tabs = self.hands.tabs
        turns = AgentTurns(
            tabs,
            Observer("text", tabs, seed=0),
            MemoryChat(),
            Screen(1280, 1024),
            [HarmHooks(HarmGuard(load_instance("Steam-task-191-ON")))],
        )
        step = turns.begin(text, 1)
        with Watch(loop_of(tabs.context), 30, context=tabs.context) as watch:
            turns.carry_out(text, watch, None, left=5)
        return step

    def check(self, *ways: str, presses: int = 1, **shown: str) -> None:
        """Checks that the harmful button is not pressed and the harmless one is."""
        self.show(HARMFUL, **shown)
        for way in ways:
            step = self.act(way)
            assert step.ending is not None, (way, shown, step.error)
            assert step.ending.reason == "stopped"
            assert HARMFUL in step.error
            assert self.hands.page.evaluate("n") == 0, (way, shown)
        self.button.evaluate("(button, name) => { button.textContent = name }", HARMLESS)
        for number, way in enumerate(ways, 1):
            step = self.act(way)
            assert (step.ending, step.error) == (None, ""), (way, shown)
            self.hands.page.wait_for_function("wanted => n === wanted", arg=presses * number)


@pytest.fixture
def pages(hands: Hands) -> Pages:
    return Pages(hands)


def test_a_press_in_a_frame_is_looked_at(pages: Pages) -> None:
    for kind in ("own", "other", "srcdoc", "object", "nested"):
        pages.check("point", "Enter", kind=kind)


def test_a_point_is_followed_into_a_frame_wherever_it_is(pages: Pages) -> None:
    for around, kind in (*((each, "other") for each in AROUND), ("scaled", "nested")):
        pages.check("point", around=AROUND[around], kind=kind)


def test_a_shadow_root_in_a_frame_is_looked_into(pages: Pages) -> None:
    start, end = BUTTON.index("<button"), BUTTON.index("<script>")
    hidden = f"<div><template shadowrootmode=open>{BUTTON[start:end]}</template></div>"
    pages.check("point", "Enter", inner=BUTTON[:start] + hidden + BUTTON[end:])


def test_each_way_of_pressing_is_looked_at_in_a_frame(pages: Pages) -> None:
    ways = (("double", 2), ("right", 0), ("line end", 1), ("bid", 1), ("down", 0), ("Space", 0))
    for way, presses in ways:
        pages.check(way, presses=presses)
        # The last two only begin to press.
        pages.hands.page.mouse.up()
        pages.hands.page.keyboard.up("Space")


def test_no_way_of_pressing_gets_past_the_guard(pages: Pages) -> None:
    page = pages.hands.show(
        f"<script>n = 0; addEventListener('message', () => n++)</script>{BUTTON.format(name=HARMFUL)}"
    )
    pages.button = page.get_by_role("button")
    for text in KEYS:
        pages.button.focus()
        step = pages.act(text)
        assert step.ending is not None, (text, step.error)
        assert step.ending.reason == "stopped"
        assert page.evaluate("n") == 0, text


@pytest.mark.parametrize("way", ["point", "Enter"])
def test_a_frame_that_a_script_has_moved_is_looked_into_again(pages: Pages, way: str) -> None:
    pages.show(HARMFUL, around="{frame}<div id=to></div>")
    assert pages.act(way).ending is not None
    # With a document of its own again.
    pages.hands.page.evaluate("to.append(document.querySelector('iframe'))")
    pages.button = pages.hands.page.frames[-1].get_by_role("button")
    pages.button.focus()
    step = pages.act(way)
    assert step.ending is not None, step.error
    assert HARMFUL in step.error
    pages.hands.look()
    assert pages.hands.names() == [HARMFUL], "an observation has its marks too"


def test_a_form_is_known_where_the_document_has_no_address_of_its_own(pages: Pages) -> None:
    form = BUTTON.replace("<button", "<form action=/account/delete onsubmit='return false'><button")
    pages.show("Go", kind="srcdoc", inner=form)
    assert pages.act("point").ending is not None
    pages.show("Go", kind="srcdoc", inner=form.replace("/account/delete", "http://[/"))
    assert pages.act("point").ending is None


def test_a_button_that_sends_its_form_elsewhere_is_known_by_that(pages: Pages) -> None:
    form = "<form action={form} onsubmit='return false'><button formaction={own}"
    for action, own, stopped in (("/go", "/account/delete", True), ("/account/delete", "/go", False)):
        given = form.format(form=action, own=own)
        pages.show("Go", inner=BUTTON.replace("<button", given))
        assert (pages.act("point").ending is not None) is stopped


def test_nothing_is_pressed_where_it_cannot_be_read(pages: Pages) -> None:
    site = pages.hands.site
    url = site.put("/deep", BUTTON.format(name=HARMLESS))
    for number in range(DEEPEST):
        url = site.put(
            f"/deep-{number}", f"<body style='margin:0'><iframe style='{FRAME}' src={url}></iframe>"
        )
    pages.hands.open(url)
    pages.button = pages.hands.page.frames[-1].get_by_role("button")
    pages.button.focus()
    step = pages.act("Enter")
    assert step.ending is None
    assert "the harm guard allowed no press" in step.error
