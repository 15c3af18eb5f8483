"""The action space of the environment."""

from __future__ import annotations

from typing import Any

from websp_gym.observation.spaces import Unicode


class ActionText(Unicode):
    """The space of action texts. It contains any string; a sample is always a valid action."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Draw a valid action that needs no mark. ``mask`` and ``probability`` are ignored."""
        choices = ("Wait", "Scroll [WINDOW]; down", "Scroll [WINDOW]; up", "GoBack")
        return choices[int(self.np_random.integers(len(choices)))]
