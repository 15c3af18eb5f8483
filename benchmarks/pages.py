"""The page on which steps are measured."""

from __future__ import annotations

from typing import Any

from websp_gym.env import WebspEnv

INSTANCE = "Steam-task-196-ON"
"""Instance with two recorded events, on the page where steps are measured."""
PAGE = "https://store.steampowered.com/account/preferences/"
BOX = "General Mature Content Store"


def at_page(env: WebspEnv) -> dict[str, Any]:
    """Reset an environment, go to the page, and return the observation."""
    env.reset(seed=0)
    env.page.goto(PAGE)
    return env.step("Wait")[0]


def number_of(observation: dict[str, Any], name: str) -> int:
    """Return the number of the mark with this name."""
    return int(next(item["number"] for item in observation["elements"] if item["name"] == name))


def bid_of(observation: dict[str, Any], name: str) -> str:
    """Return BrowserGym's id of the element with this name."""
    for node in observation["axtree_object"]["nodes"]:
        if node.get("name", {}).get("value") == name and node.get("browsergym_id"):
            return str(node["browsergym_id"])
    raise LookupError(name)
