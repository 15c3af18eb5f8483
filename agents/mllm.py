"""The WebVoyager-style agent: marked screenshots, a list of elements, and a model that looks at both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from websp_gym.agents.history import Look, encode, look_at
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
    """Decides by marked screenshots.

    Args:
        model: A model that takes pictures.
        name: What results call the agent; the model's string otherwise.
        screenshots: Screenshots shown, the current one included; of older ones a note remains.
        repairs: How often it asks again after a reply that cannot be used.
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

    def _look(self, observation: Mapping[str, Any]) -> Look:
        # Observations of kind "all" have the marks in a picture of their own.
        picture = observation.get("screenshot_marks", observation["screenshot"])
        return look_at(observation, str(observation["elements_text"]), encode(picture))

    def _read(self, text: str) -> str:
        return read_marks_action(text)
