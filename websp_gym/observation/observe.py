"""Build observations: marks, screenshot, tabs and, on request, BrowserGym's keys."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from websp_gym.browser.isolated import is_gone, is_replaced
from websp_gym.browser.settle import settle
from websp_gym.errors import WorldError
from websp_gym.observation import WITHOUT_PICTURE
from websp_gym.observation.browsergym import extract
from websp_gym.observation.camera import Camera, part_of, picture_size
from websp_gym.observation.draw import draw_marks, mark_seed
from websp_gym.observation.marks import Marks, collect_marks
from websp_gym.observation.spaces import AnyBox, AnyDict, Float, Integer, Unicode

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from playwright.sync_api import Page

    from websp_gym.browser.tabs import Tabs
    from websp_gym.observation import ObservationKind
    from websp_gym.observation.camera import Region
    from websp_gym.observation.veil import Veil

_TREE = ("axtree_object", "extra_element_properties")
_LOOKS = 3
"""Maximum number of attempts if tabs open or close during the observation."""


def observation_space(
    kind: ObservationKind, viewport: tuple[int, int], picture_scale: float = 1.0, *, policies: bool = False
) -> gym.spaces.Dict:
    """Return the space of an observation.

    Args:
        kind: ``marks`` (set-of-marks screenshot, elements, tabs), ``pixels`` (the plain screenshot, tabs and what an
            action of a browser toolset returned, no elements), ``text`` (as ``marks`` without the screenshot),
            ``axtree`` (the same as ``text``, with BrowserGym's accessibility tree), ``browsergym`` (the keys of
            stock BrowserGym) or ``all`` (both; ``screenshot`` is then BrowserGym's plain screenshot and
            ``screenshot_marks`` the one with marks).
        viewport: Width and height in pixels.
        picture_scale: Size of a screenshot in relation to the viewport.
        policies: Whether the episode has policies: an observation then has them and the user's last reply.
    """
    width, height = picture_size(viewport, picture_scale)
    picture = gym.spaces.Box(0, 255, (height, width, 3), np.uint8)
    spaces: dict[str, gym.Space[Any]] = {
        "goal": Unicode(),
        "url": Unicode(),
        "last_action": Unicode(),
        "last_action_error": Unicode(),
    }
    if kind in ("marks", "pixels", "all"):
        spaces["screenshot"] = picture
    if kind == "pixels":
        spaces["last_action_result"] = Unicode()
    if kind not in ("pixels", "browsergym"):
        spaces |= {"elements": gym.spaces.Sequence(AnyDict()), "elements_text": Unicode()}
    if kind != "browsergym":
        spaces |= {
            "tabs": gym.spaces.Sequence(AnyDict()),
            "actions_left": Integer(),
            "seconds_left": Float(),
        }
    if kind == "axtree":
        spaces |= {name: AnyDict() for name in _TREE}
    if policies:
        spaces |= {"policies": gym.spaces.Sequence(AnyDict()), "user_reply": Unicode()}
    if kind in ("browsergym", "all"):
        spaces |= _browsergym_spaces()
    if kind == "all":
        spaces["screenshot_marks"] = picture
    return gym.spaces.Dict(spaces)


def whole_seconds(left: float) -> float:
    """Return the seconds left, rounded up, so that two episodes with the same seed begin with equal observations."""
    return float(max(math.ceil(left), 0))


def _browsergym_spaces() -> dict[str, gym.Space[Any]]:
    message = gym.spaces.Dict({"role": Unicode(), "timestamp": Float(), "message": Unicode()})
    return {
        "chat_messages": gym.spaces.Sequence(message),
        "goal_object": gym.spaces.Sequence(AnyDict()),
        "open_pages_urls": gym.spaces.Sequence(Unicode()),
        "open_pages_titles": gym.spaces.Sequence(Unicode()),
        "active_page_index": gym.spaces.Box(low=0, high=255, shape=(1,), dtype=int),
        "screenshot": AnyBox(low=0, high=255, shape=(-1, -1, 3), dtype=np.uint8),
        "dom_object": AnyDict(),
        "axtree_object": AnyDict(),
        "extra_element_properties": AnyDict(),
        "focused_element_bid": Unicode(),
        "elapsed_time": gym.spaces.Box(low=0, high=np.finfo(float).max, shape=(1,), dtype=float),
    }


@dataclass(frozen=True)
class PageView:
    """Data of one observation, independent of its kind.

    Args:
        url: URL of the current tab.
        title: Title of the current tab.
        tabs: URLs of all tabs.
        marks: Marked elements (:meth:`websp_gym.observation.marks.Mark.as_dict`).
        png: Screenshot without marks, as encoded by the browser; empty if none was taken.
    """

    url: str
    title: str
    tabs: tuple[str, ...]
    marks: tuple[dict[str, Any], ...]
    png: bytes


class Observer:
    """Observer of the current tab of one episode.

    Args:
        kind: Kind of observation, which decides its keys.
        tabs: The browser's open tabs.
        seed: Seed of the box colours.
        scale: Size of a screenshot in relation to the viewport.
        recorded: Whether a record keeps the screenshots; for ``axtree``, they are taken only then.

    Attributes:
        veil: Hides the account's secrets; None hides nothing.
    """

    def __init__(
        self,
        kind: ObservationKind,
        tabs: Tabs,
        *,
        seed: int,
        scale: float = 1.0,
        recorded: bool = False,
    ) -> None:
        self.kind: ObservationKind = kind
        self._recorded = recorded
        self.picture: Any = None
        """The last screenshot; None if observations have none."""
        self._tabs = tabs
        self._seed = seed
        self._scale = scale
        self.veil: Veil | None = None
        self._camera = Camera(scale)
        self._marks: Marks | None = None
        self._png = b""
        self._index = -1
        self._titles: list[dict[str, Any]] = []
        self._region: Region | None = None
        self._next_region: Region | None = None

    def enlarge(self, region: Region | None) -> None:
        """Have the next observation's picture show an enlarged part of the page; the record keeps the whole page.

        Args:
            region: Left, top, right and bottom in CSS pixels of the window; None for all of it.
        """
        self._next_region = region

    def known_marks(self) -> Marks:
        """Return the marks of the last observation, or collect them now if there are none."""
        if self._marks is None:
            self._marks = collect_marks(self._tabs.current)
        return self._marks

    def observe(
        self,
        *,
        goal: str,
        chat: list[dict[str, Any]],
        last_action: str,
        last_action_error: str,
        last_action_result: str = "",
        actions_left: int,
        elapsed: float,
        max_seconds: float,
    ) -> dict[str, Any]:
        """Return an observation of the current tab, which must have settled; all of its parts show the same tab.

        Args:
            goal: Instruction of the task.
            chat: Messages so far.
            last_action: Action before this observation.
            last_action_error: Error of that action; empty if it succeeded.
            last_action_result: What that action returned, for an agent that reads ``pixels``.
            actions_left: Number of actions the agent has left.
            elapsed: Seconds since the first observation.
            max_seconds: Time limit in seconds.
        """
        self._index += 1
        self._region, self._next_region = self._next_region, None
        observation: dict[str, Any] = {
            "goal": goal,
            "last_action": last_action,
            "last_action_error": last_action_error,
        }
        if self.kind == "pixels":
            observation["last_action_result"] = last_action_result
        left = {"actions_left": actions_left, "seconds_left": whole_seconds(max_seconds - elapsed)}
        looks = 0
        while True:
            page = self._tabs.current
            try:
                observation |= self._look(page, left, goal, chat, elapsed)
            except (PlaywrightError, WorldError) as error:
                # A page that never stops this runs into the deadline of the step.
                if not (self._tabs.alive and (page.is_closed() or _moved_on(error))):
                    raise
            else:
                looks += 1
                if looks == _LOOKS or page is self._tabs.current:
                    return observation if self.veil is None else self.veil.over(observation)
            # Another tab became the current one, or this one closed or went on to another document.
            settle(self._tabs)

    def _look(
        self, page: Page, left: dict[str, Any], goal: str, chat: list[dict[str, Any]], elapsed: float
    ) -> dict[str, Any]:
        observation: dict[str, Any] = {"url": page.url}
        # Collect marks for every kind (3 % of the time): the record lists the elements in view.
        self._marks = collect_marks(page)
        self._titles = [
            {
                "id": self._tabs.number_of(tab),
                "url": tab.url,
                "title": self._marks.title if tab is page else self._tabs.title_of(tab),
                "active": tab is page,
            }
            for tab in self._tabs.pages
        ]
        if self.kind not in ("pixels", "browsergym"):
            observation |= {
                "elements": tuple(mark.as_dict() for mark in self._marks.marks),
                "elements_text": self._marks.text(),
            }
        if self.kind != "browsergym":
            observation |= {"tabs": tuple(self._titles), **left}
        if self.kind == "axtree" and self._recorded:
            self._png = self._shot(page)
        if self.kind in WITHOUT_PICTURE:
            found = extract(page) if self.kind == "axtree" else {}
            return observation | {name: found[name] for name in _TREE if name in found}
        plain = marked = self._shoot(page)
        if self._region is not None:
            plain = marked = self._enlarged(page, self._region)
        elif self.kind in ("marks", "all"):
            seed = mark_seed(self._seed, self._index)
            marked = draw_marks(plain, self._marks.marks, seed=seed, scale=self._scale)
        self.picture = marked if self.kind == "marks" else plain
        if self.kind in ("marks", "pixels"):
            return observation | {"screenshot": self.picture}
        if self.kind == "all":
            observation["screenshot_marks"] = marked
        return observation | self._browsergym(page, plain, goal, chat, elapsed)

    def view(self) -> PageView:
        """Return the data of the last observation."""
        active: dict[str, Any] = next((tab for tab in self._titles if tab["active"]), {})
        return PageView(
            url=active.get("url", ""),
            title=active.get("title", ""),
            tabs=tuple(tab["url"] for tab in self._titles),
            marks=tuple(mark.as_dict() for mark in self._marks.marks) if self._marks is not None else (),
            png=self._png,
        )

    def _shoot(self, page: Page) -> Any:
        self._png = self._shot(page)
        return self._camera.decode(self._png)

    def _enlarged(self, page: Page, region: Region) -> NDArray[np.uint8]:
        if self.veil is None:
            return self._camera.enlarged(page, region)
        # What covers the secrets is in the picture of the whole only.
        return part_of(self._camera.decode(self._png), region, self._scale)

    def _shot(self, page: Page) -> bytes:
        png = self._camera.png(page)
        return png if self.veil is None else self.veil.over_picture(png, page, self._scale)

    def _browsergym(
        self, page: Page, plain: Any, goal: str, chat: list[dict[str, Any]], elapsed: float
    ) -> dict[str, Any]:
        return {
            "screenshot": plain,
            "chat_messages": tuple(copy.deepcopy(chat)),
            "goal_object": ({"type": "text", "text": goal},),
            "open_pages_urls": tuple(tab["url"] for tab in self._titles),
            "open_pages_titles": tuple(tab["title"] for tab in self._titles),
            "active_page_index": np.asarray([[tab["active"] for tab in self._titles].index(True)]),
            "elapsed_time": np.asarray([elapsed]),
            **extract(page),
        }


def _moved_on(error: Exception) -> bool:
    """Whether a look failed because the document was replaced, again and again, or a tab closed meanwhile."""
    cause = error if isinstance(error, PlaywrightError) else error.__cause__
    if cause is None or isinstance(cause, PlaywrightTimeoutError):
        return True  # each try met another document, or waited for one
    return isinstance(cause, PlaywrightError) and (is_replaced(cause) or is_gone(cause))
