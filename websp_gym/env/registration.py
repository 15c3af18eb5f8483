"""Gymnasium registration: every instance as an environment id, and the functions that build environments.

Gymnasium 1.x has no plug-in loading, so importing :mod:`websp_gym` registers the ids: ``websp/<id>`` with
set-of-marks observations, ``browsergym/websp.<id>`` with the keys that agents of BrowserGym and AgentLab read, and
``websp-v0`` for many instances in one environment. Entry points are strings; no heavy module is imported before an
environment is made.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from gymnasium.envs.registration import EnvSpec, register, registry

from websp_gym.errors import SetupError, nearest
from websp_gym.tasks.ids import all_ids, instance_ids, published_id

if TYPE_CHECKING:
    from gymnasium.vector import AsyncVectorEnv, AutoresetMode

    from websp_gym.env import WebspEnv
    from websp_gym.env.sampled import SampledEnv
    from websp_gym.tasks.splits import SplitBy

SAMPLED = "websp-v0"
"""Id of the environment over many instances."""


def register_envs() -> None:
    """Register every instance with Gymnasium. Calling it again changes nothing.

    If a folder or file of the user cannot be read, register the package's own instances only and warn.
    Loading any instance then raises the error.
    """
    try:
        names = all_ids()
    except SetupError as error:
        warnings.warn(f"only the package's own instances are registered: {error}", stacklevel=3)
        names = instance_ids(own=True)
    ours, browsergym = ("make_env", "make_vector_env"), ("make_browsergym_env", "make_browsergym_vector_env")
    if SAMPLED not in registry:
        register(
            SAMPLED,
            f"{__name__}:make_sampled_env",
            nondeterministic=True,
            vector_entry_point=f"{__name__}:make_sampled_vector_env",
        )
    for instance_id in names:
        spellings = {f"websp/{instance_id}": ours, f"browsergym/websp.{instance_id}": browsergym}
        for name, (make, make_vector) in {**spellings, f"websp/{published_id(instance_id)}": ours}.items():
            if name not in registry:
                # Gymnasium's register() compares each id with all others, which takes 50 ms with all of ours.
                registry[name] = EnvSpec(
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
    from websp_gym.tasks.instances import load_instance

    return WebspEnv(load_instance(instance_id), **_with_reward(options))


def make_sampled_env(
    ids: str | Iterable[str] = "*",
    *,
    site: str | None = None,
    category: str | None = None,
    split: Literal["train", "test"] | None = None,
    split_by: SplitBy = "task",
    **options: Any,
) -> SampledEnv:
    """Build an environment over many instances; ``gym.make("websp-v0")`` calls this.

    Args:
        ids: A glob, or several, of the instances.
        site: Only instances of this website.
        category: Only instances whose task category contains this text.
        split: Only one side of a split (:func:`~websp_gym.tasks.splits.on_side`).
        split_by: What that split holds out: ``task``, ``site`` or ``state``.
        **options: As for :func:`make_env`, but in the sandbox ``reward`` defaults to ``strict``.

    Returns:
        The environment. ``reset`` draws an instance, or takes one by ``options={"instance": ID}``.

    Raises:
        SetupError: No instance is left, or as for :func:`make_env`.
    """
    require_docstrings()
    from websp_gym.env.sampled import SampledEnv
    from websp_gym.tasks.selection import select_instances
    from websp_gym.tasks.splits import on_side

    patterns = [ids] if isinstance(ids, str) else list(ids)
    names = select_instances(patterns, site=site, category=category)
    if split is not None:
        names = on_side(names, split, split_by)
    return SampledEnv(names, **_with_reward(options, training=True))


def _with_reward(options: dict[str, Any], *, training: bool = False) -> dict[str, Any]:
    from websp_gym.scoring.outcome import default_reward

    if "reward" in options:
        return options
    world = str(options.get("world", "sandbox"))
    return {**options, "reward": default_reward(world, training=training)}


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

    Raises:
        SetupError: An option is not valid, or a script makes it without ``if __name__ == "__main__":``.
    """
    return _vector(make_env, num_envs, autoreset_mode, options)


def make_sampled_vector_env(
    num_envs: int = 1, *, autoreset_mode: AutoresetMode | str | None = None, **options: Any
) -> AsyncVectorEnv:
    """Build a vector environment of ``websp-v0``; further arguments as for :func:`make_sampled_env`."""
    return _vector(make_sampled_env, num_envs, autoreset_mode, options)


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

    from websp_gym.env.options import refuse_foreign
    from websp_gym.processes import end_unguarded, unguarded
    from websp_gym.world import make_world

    more: dict[str, Any] = (
        {} if autoreset_mode is None else {"autoreset_mode": _autoreset_mode(autoreset_mode)}
    )
    refuse_foreign(options)
    end_unguarded()
    # Start the server here, in the parent, so that all processes share it.
    make_world(str(options.get("world", "sandbox"))).browser_args()
    builder = functools.partial(build, **options)
    try:
        return gym.vector.AsyncVectorEnv([builder] * num_envs, shared_memory=False, context="spawn", **more)
    except (BrokenPipeError, ConnectionResetError, EOFError):
        raise unguarded("a vector environment") from None


def _autoreset_mode(given: AutoresetMode | str) -> AutoresetMode:
    from gymnasium.vector import AutoresetMode

    modes = [mode.value for mode in AutoresetMode]
    try:
        return AutoresetMode(given)
    except ValueError as error:
        known = ", ".join(f'"{mode}"' for mode in modes)
        raise SetupError(
            f'autoreset_mode="{given}": there is no such mode{nearest(str(given), modes)} (modes: {known})',
            option="autoreset_mode",
        ) from error
