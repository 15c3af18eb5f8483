"""This environment: marks as text, and ``step``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from playwright.sync_api import Page, Route

from benchmarks.ways import INSTANCE
from tests.awkward_pages.cases import PAGES, Act
from tests.awkward_pages.system import Answer, System
from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env
from websp_gym.project import VERSION
from websp_gym.world.sandbox import SandboxWorld

HOST = "https://pages.example/"


class Ours(System):
    """The environment, with the observation ``text``."""

    name = f"websp-gym {VERSION}"
    press = field = r"\[(\d+)\] <"
    on = r"\(checked\)"

    def __init__(self, env: WebspEnv) -> None:
        self._env = env
        self._page: Page | None = None
        self._home = ""

    def open(self, url: str) -> str:
        self._env.reset(seed=0)
        self._env.page.context.route(f"{HOST}**", self._serve)
        self._page, self._home = self._env.page, HOST + url.rpartition("/")[2]
        self._page.goto(self._home)
        return self._step("Wait").observation

    def act(self, act: Act, element: str) -> Answer:
        if act.do == "first tab":
            return self._step(f"Switch_tab [{self._home}]")
        return self._step(f"Click [{element}]" if act.do == "click" else f"Type [{element}]; {act.text}")

    def wait(self) -> str:
        return self._step("Wait").observation

    def scroll(self) -> str:
        return self._step("Scroll [WINDOW]; down").observation

    def run(self, script: str) -> Any:
        assert self._page is not None
        return self._page.evaluate(script)

    def _step(self, action: str) -> Answer:
        seen = self._env.step(action)[0]
        tabs = "\n".join(f"Tab {tab['url']} {tab['title']}" for tab in seen["tabs"])
        return Answer(seen["last_action_error"], "", f"{seen['elements_text']}\n{tabs}")

    def _serve(self, route: Route) -> None:
        route.fulfill(path=PAGES / route.request.url.partition("#")[0].rpartition("/")[2])


@contextmanager
def ours(url: str = "") -> Iterator[Ours]:
    """Yield the environment.

    Pages of the sandbox react at once; these are pages that nobody knows, as those of the live world are.
    """
    with patch.object(SandboxWorld, "reacts_at_once", new=False):
        env = make_env(INSTANCE, observation="text", initial_state="snapshot", max_actions=10_000)
        try:
            yield Ours(env)
        finally:
            env.close()
