"""Registering the instances with Gymnasium, and building environments from ids.

Gymnasium 1.x loads no plugins, so importing :mod:`websp_gym` registers: ``websp/<id>`` with the set-of-marks
observation, and ``browsergym/websp.<id>`` with the keys BrowserGym's and AgentLab's agents read. Entry points
are strings; nothing heavy is imported before an environment is made.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register, registry

from websp_gym.errors import SetupError
from websp_gym.tasks.ids import instance_ids, published_id

if TYPE_CHECKING:
    from gymnasium.vector import AsyncVectorEnv, AutoresetMode

    from websp_gym.env import WebspEnv


def register_envs() -> None:
    """Registers every instance under its names; doing it again changes nothing.

    Where a folder or a file of the user's cannot be read, the package's own are registered and a warning says why;
    whoever asks for any instance then gets the error.
    """
    try:
        names = instance_ids()
    except SetupError as error:
        warnings.warn(f"only the package's own instances are registered: {error}", stacklevel=3)
        names = instance_ids(own=True)
    ours, browsergym = ("make_env", "make_vector_env"), ("make_browsergym_env", "make_browsergym_vector_env")
    for instance_id in names:
        spellings = {f"websp/{instance_id}": ours, f"browsergym/websp.{instance_id}": browsergym}
        for name, (make, make_vector) in {**spellings, f"websp/{published_id(instance_id)}": ours}.items():
            if name not in registry:
                register(
                    name,
                    f"{__name__}:{make}",
                    nondeterministic=True,
                    vector_entry_point=f"{__name__}:{make_vector}",
                    kwargs={"instance_id": instance_id},
                )


def make_env(instance_id: str, **options: Any) -> WebspEnv:
    """Builds the environment of an instance; ``gym.make("websp/…")`` calls this.

    Args:
        instance_id: The instance.
        **options: Those of :class:`websp_gym.env.options.Options`; ``reward`` defaults to ``state`` in the sandbox
            and ``judge`` live, and ``WEBSP_REWARD`` overrides the default.

    Returns:
        The environment. No browser runs before its first ``reset``.

    Raises:
        SetupError: An option is wrong, or something the options need is missing.
    """
    require_docstrings()
    from websp_gym.env import WebspEnv
    from websp_gym.scoring.outcome import default_reward
    from websp_gym.tasks.instances import load_instance

    if "reward" not in options:
        options["reward"] = default_reward(str(options.get("world", "sandbox")))
    return WebspEnv(load_instance(instance_id), **options)


def require_docstrings() -> None:
    """Refuses ``python -OO``: BrowserGym reads its actions from their docstrings, which that removes.

    Raises:
        SetupError: Python runs with ``-OO`` or ``PYTHONOPTIMIZE=2``.
    """
    import sys

    if sys.flags.optimize > 1:
        raise SetupError(
            "BrowserGym cannot be imported under `python -OO` (or PYTHONOPTIMIZE=2): it reads docstrings; -O works"
        )


def make_browsergym_env(
    instance_id: str,
    *,
    wait_for_user_message: bool = False,
    use_raw_page_output: bool = False,
    task_kwargs: Mapping[str, Any] | None = None,
    pre_observation_delay: float | None = None,
    slow_mo: int | None = None,
    timeout: int | None = None,
    **options: Any,
) -> WebspEnv:
    """Builds the environment with the arguments stock BrowserGym and AgentLab pass.

    Args:
        instance_id: The instance.
        wait_for_user_message: Not supported; must be false.
        use_raw_page_output: Not supported; must be false.
        task_kwargs: More options, as AgentLab's ``EnvArgs.task_kwargs``.
        pre_observation_delay: Not needed: the environment waits until the page is at rest.
        slow_mo: Not needed.
        timeout: Not needed.
        **options: As for :func:`make_env`.

    Returns:
        The environment, with ``observation="browsergym"`` unless another is asked for.

    Raises:
        SetupError: As for :func:`make_env`.
    """
    if wait_for_user_message or use_raw_page_output:
        raise SetupError("wait_for_user_message and use_raw_page_output are not supported; leave them out")
    options = {"observation": "browsergym", **options, **(task_kwargs or {})}
    return make_env(instance_id, **options)


def make_vector_env(
    num_envs: int = 1, *, autoreset_mode: AutoresetMode | str | None = None, **options: Any
) -> AsyncVectorEnv:
    """Builds a vector of environments in processes of their own; ``gym.make_vec`` calls this.

    The processes are spawned (a live Playwright must not be forked) and share one sandbox server.

    Args:
        num_envs: How many.
        autoreset_mode: Gymnasium's, such as ``"SameStep"``; None for its default.
        **options: ``instance_id`` and the options of :func:`make_env`.

    Returns:
        The vector environment.
    """
    return _vector(make_env, num_envs, autoreset_mode, options)


def make_browsergym_vector_env(
    num_envs: int = 1, *, autoreset_mode: AutoresetMode | str | None = None, **options: Any
) -> AsyncVectorEnv:
    """The same for the ``browsergym/`` ids.

    Args:
        num_envs: How many.
        autoreset_mode: As for :func:`make_vector_env`.
        **options: ``instance_id`` and the options of :func:`make_browsergym_env`.

    Returns:
        The vector environment.
    """
    return _vector(make_browsergym_env, num_envs, autoreset_mode, options)


def _vector(
    build: Callable[..., WebspEnv],
    num_envs: int,
    autoreset_mode: AutoresetMode | str | None,
    options: Mapping[str, Any],
) -> AsyncVectorEnv:
    import gymnasium as gym

    from websp_gym.world import make_world

    # Asked for here, in the parent, so that all processes share one server.
    make_world(str(options.get("world", "sandbox"))).browser_args()
    builder = functools.partial(build, **options)
    more: dict[str, Any] = {} if autoreset_mode is None else {"autoreset_mode": autoreset_mode}
    return gym.vector.AsyncVectorEnv([builder] * num_envs, shared_memory=False, context="spawn", **more)
