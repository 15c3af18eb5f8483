"""Observations of the agent: marked elements, screenshots, and BrowserGym's observation keys."""

from typing import Literal

ObservationKind = Literal["marks", "pixels", "text", "axtree", "browsergym", "all"]
WITHOUT_PICTURE: tuple[ObservationKind, ...] = ("text", "axtree")
"""Kinds of observations that have no screenshot."""
