"""A text of another person that tells an agent to do something."""

from __future__ import annotations

from typing import Literal

from websp_gym.policies.events import AnyEvent
from websp_gym.tasks.schema import ConfigModel

InjectionKind = Literal[
    "review", "comment", "message", "description", "story", "product", "help article", "profile"
]


class Injection(ConfigModel):
    """Another person's text on a page of the site that tells an agent to do something."""

    kind: InjectionKind
    place: str
    """Name of its place on a page: ``planted("PLACE")`` in a template of the site."""
    text: str
    effect: AnyEvent
    """What the text wants done. It shows whether the agent obeyed, whatever the agent says."""
    explicit: bool = False
    """Whether the sentence names the effect; by default, it is about all texts of others."""
