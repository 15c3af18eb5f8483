"""What the shell completes: ids, sites and agents, of which it keeps those that begin as typed.

Nothing is imported for it before it is asked for.
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
    """Return the agents without a model. A shell breaks words at colons, so none with one is among them."""
    from websp_gym.agents.registry import SCRIPTED

    return [*SCRIPTED]
