"""Stock BrowserGym: its default actions, by the ids of the accessibility tree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from benchmarks.stock import stock_env_of
from tests.awkward_pages.cases import Act
from tests.awkward_pages.system import Answer, System


class Stock(System):
    """BrowserGym's own environment."""

    press = r"\[(\w+)\] (?:button|link|switch|checkbox|radio|option|textbox|combobox)\b"
    field = r"\[(\w+)\] (?:textbox|searchbox|combobox)\b"
    on = r"checked='true'"

    def __init__(self, env: Any) -> None:
        self.name = f"BrowserGym {version('browsergym-core')}"
        self._env = env
        self._page: Any = None

    def open(self, url: str) -> str:
        self._env.reset()
        seen = self._step(f"goto({url!r})").observation
        self._page = self._env.page
        return seen

    def act(self, act: Act, element: str) -> Answer:
        calls = {
            "click": f"click({element!r})",
            "type": f"fill({element!r}, {act.text!r})",
            "choose": f"select_option({element!r}, {act.text!r})",
            "first tab": "tab_focus(0)",
        }
        return self._step(calls[act.do])

    def wait(self) -> str:
        return self._step("noop(1000)").observation

    def scroll(self) -> str:
        return self._step("scroll(0, 700)").observation

    def run(self, script: str) -> Any:
        return self._page.evaluate(script)

    def _step(self, action: str) -> Answer:
        from browsergym.utils.obs import flatten_axtree_to_str

        seen = self._env.step(action)[0]
        tabs = "\n".join(map("Tab {} {}".format, seen["open_pages_urls"], seen["open_pages_titles"]))
        tree = flatten_axtree_to_str(seen["axtree_object"])
        return Answer(seen["last_action_error"], "", f"{tree}\n{tabs}")


@contextmanager
def stock(url: str) -> Iterator[Stock]:
    """Yield BrowserGym, in a process that has not started Playwright yet."""
    with stock_env_of(url, (), {}) as env:
        yield Stock(env)
