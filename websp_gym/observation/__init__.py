"""What an agent sees: marks, screenshots, BrowserGym's keys."""

from typing import Literal

ObservationKind = Literal["marks", "text", "browsergym", "all"]
