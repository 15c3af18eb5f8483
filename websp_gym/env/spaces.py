"""Gymnasium spaces of the environment."""

from __future__ import annotations

from typing import Any

from browsergym.core.spaces import Unicode


class ActionText(Unicode):  # type: ignore[misc]
    """Any text; a sample is an action that can always be carried out."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Draws an action.

        Args:
            mask: Not used.
            probability: Not used.

        Returns:
            A valid action text that needs no mark.
        """
        choices = ("Wait", "Scroll [WINDOW]; down", "Scroll [WINDOW]; up", "GoBack")
        return choices[int(self.np_random.integers(len(choices)))]
