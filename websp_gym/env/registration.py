"""Gymnasium registration: every instance as an environment id, and the functions that build environments.

Gymnasium 1.x has no plug-in loading, so importing :mod:`websp_gym` registers the ids: ``websp/<id>`` with
set-of-marks observations, and ``browsergym/websp.<id>`` with the keys that agents of BrowserGym and AgentLab
read. Entry points are strings; no heavy module is imported before an environment is made.
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
    """Register every instance with Gymnasium. Calling it again changes nothing.

    If a folder or file of the user cannot be read, register the package's own instances only and warn.
    Loading any instance then raises the error.
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
    """Build the environment of one instance; ``gym.make("websp/…")`` calls this.

    Args:
        instance_id: The id of the instance, e.g. ``Steam-task-191-ON``.
        **options: Fields of :class:`websp_gym.env.options.Options`. ``reward`` defaults to ``state`` in the
            sandbox and to ``judge`` in the live world; the environment variable ``WEBSP_REWARD`` overrides
            this default.

    Returns:
        The environment. Its browser starts at the first ``reset``.

    Raises:
        SetupError: There is no such instance, an option is wrong, or something that an option needs is
            missing.
    """
    require_docstrings()
    from websp_gym.env import WebspEnv
    from websp_gym.scoring.outcome import default_reward
    from websp_gym.tasks.instances import load_instance

    if "reward" not in options:
        options["reward"] = default_reward(str(options.get("world", "sandbox")))
    return WebspEnv(load_instance(instance_id), **options)


def require_docstrings() -> None:
    """Raise ``SetupError`` under ``python -OO``: it strips the docstrings that BrowserGym needs."""
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
    """Build the environment of one instance from the arguments that BrowserGym and AgentLab pass.

    Args:
        instance_id: The id of the instance.
        wait_for_user_message: Not supported; must be false.
        use_raw_page_output: Not supported; must be false.
        task_kwargs: More options, as in ``EnvArgs.task_kwargs`` of AgentLab.
        pre_observation_delay: Ignored: the environment waits until the page is at rest.
        slow_mo: Ignored.
        timeout: Ignored.
        **options: As for :func:`make_env`.

    Returns:
        The environment, with ``observation="browsergym"`` unless another one is given.

    Raises:
        SetupError: As for :func:`make_env`, or an argument is not supported.
    """
    if wait_for_user_message or use_raw_page_output:
        raise SetupError("wait_for_user_message and use_raw_page_output are not supported; leave them out")
    options = {"observation": "browsergym", **options, **(task_kwargs or {})}
    return make_env(instance_id, **options)


def make_vector_env(
    num_envs: int = 1, *, autoreset_mode: AutoresetMode | str | None = None, **options: Any
) -> AsyncVectorEnv:
    """Build a vector environment with one process per environment; ``gym.make_vec`` calls this.

    The processes are spawned, because a running Playwright must not be forked. They share one sandbox server.

    Args:
        num_envs: Number of environments.
        autoreset_mode: Gymnasium's autoreset mode, such as ``"SameStep"``; ``None`` for its default.
        **options: ``instance_id`` and the options of :func:`make_env`.

    Returns:
        The vector environment.
    """
    return _vector(make_env, num_envs, autoreset_mode, options)


def make_browsergym_vector_env(
    num_envs: int = 1, *, autoreset_mode: AutoresetMode | str | None = None, **options: Any
) -> AsyncVectorEnv:
    """Build a vector environment of a ``browsergym/`` id; arguments as for :func:`make_vector_env`."""
    return _vector(make_browsergym_env, num_envs, autoreset_mode, options)


def _vector(
    build: Callable[..., WebspEnv],
    num_envs: int,
    autoreset_mode: AutoresetMode | str | None,
    options: Mapping[str, Any],
) -> AsyncVectorEnv:
    import gymnasium as gym

    from websp_gym.world import make_world

    # Start the server here, in the parent, so that all processes share it.
    make_world(str(options.get("world", "sandbox"))).browser_args()
    builder = functools.partial(build, **options)
    more: dict[str, Any] = {} if autoreset_mode is None else {"autoreset_mode": autoreset_mode}
    return gym.vector.AsyncVectorEnv([builder] * num_envs, shared_memory=False, context="spawn", **more)
