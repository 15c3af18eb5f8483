"""Observations of the agent: marked elements, screenshots, and BrowserGym's observation keys."""

from typing import Literal

ObservationKind = Literal["marks", "text", "browsergym", "all"]
