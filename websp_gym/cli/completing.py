"""Shell completion of ids, sites and agents; the shell keeps those that begin with what was typed.

Nothing is imported until the shell asks.
"""

from __future__ import annotations


def complete_id() -> list[str]:
    """Return the ids of the instances."""
    from websp_gym.tasks.ids import instance_ids

    return instance_ids()


def complete_site() -> list[str]:
    """Return the slugs of the sites with tasks."""
    from websp_gym.tasks.ids import config_files

    return [path.stem for path in config_files()]


def complete_agent() -> list[str]:
    """Return the agents without a model. Shells break words at colons, so none contains one."""
    from websp_gym.agents.registry import SCRIPTED

    return [*SCRIPTED]
