"""The tasks of gitlab, by template."""

from __future__ import annotations

from collections.abc import Mapping

from websp_gym.datasets.stwab.plays import Player

PLAYERS: Mapping[int, Player] = {}
"""How the tasks of each template are played."""
