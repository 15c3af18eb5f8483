"""The user who can be asked: simulated, a language model, or a person at the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.errors import SetupError, nearest
from websp_gym.policies.user.scripted import ScriptedUser

if TYPE_CHECKING:
    from websp_gym.policies.sets import Policies
    from websp_gym.policies.user.base import User

USERS = ("scripted", "console")


def make_user(spec: str, policies: Policies) -> User:
    """Return the user of an episode.

    Args:
        spec: ``scripted`` (what the policy set says), ``console`` (a person at the keyboard), or ``model:`` and a
            model string, such as ``model:openai:gpt-6.2-sol``, which speaks for the user within what the set says.
        policies: The policies of the episode.

    Raises:
        SetupError: There is no such user, or the model's key is missing.
    """
    if spec == "scripted":
        return ScriptedUser(policies)
    if spec == "console":
        from websp_gym.policies.user.console import ConsoleUser

        return ConsoleUser(policies)
    kind, _, model = spec.partition(":")
    if kind == "model" and model:
        from websp_gym.models import make_model
        from websp_gym.policies.user.model import ModelUser

        return ModelUser(policies, make_model(model))
    raise SetupError(
        f'user="{spec}": no such user{nearest(spec, USERS)} (users: {", ".join(USERS)}, model:MODEL)',
        option="user",
    )
