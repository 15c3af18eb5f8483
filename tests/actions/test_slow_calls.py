"""BrowserGym's calls on a machine that is slow: what the page does not refuse is done, as by our own actions."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

import psutil
import pytest

from tests.actions_support import Hands, hands, sites
from websp_gym.actions.browsergym import Listener, parse_calls, perform_calls
from websp_gym.errors import ActionError

__all__ = ["hands", "sites"]

FORM = """
<input bid=1 aria-label=Name>
<a bid=2 href=javascript:void(0) style="position:absolute;top:3000px" onclick="this.textContent += '!'">Far</a>"""


@contextlib.contextmanager
def slowed() -> Iterator[None]:
    """A machine that lets pages run for 4 % of the time."""
    pages = [
        process
        for process in psutil.Process().children(recursive=True)
        if any("--type=renderer" in word for word in process.cmdline())
    ]
    over = threading.Event()

    def slow() -> None:
        while not over.is_set():
            for number, seconds in ((signal.SIGSTOP, 0.7), (signal.SIGCONT, 0.03)):
                for page in pages:
                    with contextlib.suppress(psutil.NoSuchProcess):
                        page.send_signal(number)
                over.wait(seconds)
        for page in pages:
            with contextlib.suppress(psutil.NoSuchProcess):
                page.resume()

    thread = threading.Thread(target=slow)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def make(hands: Hands, text: str) -> None:
    perform_calls(parse_calls(text), hands.tabs, Listener(*[lambda text: None] * 4), clock=lambda: 0.0)


def test_calls_are_made_once_however_slow_the_machine_is(hands: Hands) -> None:
    page = hands.show(FORM)
    with slowed():
        make(hands, "click('2')\nfill('1', 'Ada')\npress('1', 'Shift+x')")
    assert page.get_by_text("Far").inner_text() == "Far!"
    assert page.get_by_label("Name").input_value() == "AdaX"


@pytest.mark.parametrize("how", ["disabled", "style='display:none'"])
def test_what_the_page_refuses_is_refused_and_not_waited_for(hands: Hands, how: str) -> None:
    """After as many looks as on a machine that is quick."""
    hands.show(f"<input bid=1 {how}>")
    with pytest.raises(ActionError, match=r"clear\(\) failed: .*Timeout 500ms"):
        make(hands, "clear('1')")


def test_an_element_that_the_page_takes_away_is_not_waited_for(hands: Hands) -> None:
    page = hands.show("<input bid=1 disabled>")
    page.evaluate("() => { setTimeout(() => document.querySelector('input').remove(), 200); }")
    with pytest.raises(ActionError, match=r"clear\(\) failed"):
        make(hands, "clear('1')")
