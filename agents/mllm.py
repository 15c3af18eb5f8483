"""The WebVoyager-style agent: a multimodal model sees marked screenshots and a list of elements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from websp_gym.agents.history import PastLook, encode, look_at
from websp_gym.agents.llm_agent import LLMAgent
from websp_gym.agents.prompt import PromptStyle, list_actions
from websp_gym.agents.reply import read_marks_action
from websp_gym.errors import SetupError

if TYPE_CHECKING:
    from websp_gym.models import Model
    from websp_gym.observation import ObservationKind

MOST_SCREENSHOTS = 20

_SENSES = """\
* A screenshot of the part of the page that is in view. Each element that can be operated has a coloured box with \
a number at the box's top left corner. The numbers are new in each screenshot; do not mistake other numbers on the \
page for them.
* The same elements as text: number, role, name, and their state where they have one.
* The current page and, if there are several, all open tabs. A link may open a new tab, which then is the current one.
* What the browser said if your last action could not be done, and how much you have left."""

_NOTES = """
Actions marked (free) do not count against the number of actions you have. Scrolling with WINDOW moves the page; \
where a box inside the page scrolls by itself, name an element in it, and in a dialog or a cookie notice scroll \
within the popup.
"""


class MllmAgent(LLMAgent):
    """An agent that decides by marked screenshots.

    Args:
        model: A model that accepts images.
        name: Name of the agent in results; by default the model's string.
        screenshots: Number of screenshots shown, including the current one; a note replaces older ones.
        repairs: Number of times to ask again after an unusable reply.
    """

    observation: ObservationKind = "marks"
    manner: ClassVar[PromptStyle] = PromptStyle(
        senses=_SENSES,
        actions=list_actions,
        notes=_NOTES,
        elements="the elements in view",
        pictures=True,
    )

    def __init__(self, model: Model, *, name: str = "", screenshots: int = 3, repairs: int = 2) -> None:
        if not 1 <= screenshots <= MOST_SCREENSHOTS:
            raise SetupError(
                f"screenshots={screenshots}: give a whole number from 1 to {MOST_SCREENSHOTS}",
                option="screenshots",
            )
        super().__init__(model, name=name, pictures=screenshots, repairs=repairs)

    def _look(self, observation: Mapping[str, Any]) -> PastLook:
        # Observations of kind "all" have a separate picture with the marks.
        picture = observation.get("screenshot_marks", observation["screenshot"])
        return look_at(observation, str(observation["elements_text"]), encode(picture))

    def _read(self, text: str, *, to_user: bool) -> str:
        return read_marks_action(text, to_user=to_user)
