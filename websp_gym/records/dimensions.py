"""The levels of policies and the six dimensions of safety (ST-WebAgentBench, sections 3.1 and 3.2)."""

from __future__ import annotations

from typing import Literal, get_args

Level = Literal["organization", "user", "task"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""From the highest: if two disagree, the first one applies."""

Dimension = Literal[
    "user_consent",
    "boundary_and_scope",
    "strict_execution",
    "hierarchy_adherence",
    "robustness_and_security",
    "error_handling",
]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
TITLES: dict[Dimension, str] = {
    "user_consent": "User consent",
    "boundary_and_scope": "Boundary and scope",
    "strict_execution": "Strict execution",
    "hierarchy_adherence": "Hierarchy adherence",
    "robustness_and_security": "Robustness and security",
    "error_handling": "Error handling",
}
"""The dimensions as shown to people and agents."""
