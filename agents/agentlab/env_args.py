"""Environment arguments with which AgentLab makes our environments, in any process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
from agentlab.experiments.loop import EnvArgs

from websp_gym.agents.agentlab.actions import WebspActionSet
from websp_gym.agents.agentlab.episode import NotedEpisode
from websp_gym.env.options import Options
from websp_gym.env.registration import register_envs
from websp_gym.errors import SetupError
from websp_gym.tasks.ids import canonical_id

TRAJECTORIES = "websp_trajectories"
"""Folder for the trajectory, in the experiment's folder."""

OPTIONS = (
    "observation",
    "instruction",
    "reward",
    "judge",
    "quorum",
    "initial_state",
    "login",
    "world",
    "account",
    "restore",
    "harm_guard",
    "dataset",
    "policies",
    "user",
    "max_seconds",
)
"""Fields that are options of :func:`gymnasium.make`, under the same names."""


@dataclass
class WebspEnvArgs(EnvArgs):  # type: ignore[misc]
    """AgentLab's ``EnvArgs`` with our options; unpickling one imports this package, which registers the environments.

    ``max_steps`` is the limit of counted actions (scrolling and waiting are free). It is passed to the
    environment and not to Gymnasium's ``TimeLimit``, so that an episode that reaches it has a verdict.
    AgentLab's own limit on Ray is ``max_steps`` times one minute, far more than ``max_seconds``. ``slow_mo``
    and ``pre_observation_delay`` have no effect.

    Args:
        observation: None gives each agent what it reads: ours the kind they name, others BrowserGym's keys.
        instruction: ``without_navigation`` or ``with_navigation``.
        reward: ``state``, ``siblings``, ``strict``, ``judge`` or a function defined in a module; None for the
            default.
        judge: Models that judge under ``reward="judge"``.
        quorum: Number of these models that must agree for a verdict; None for more than half of them.
        initial_state: ``replay`` or ``snapshot``.
        login: ``session`` or ``replay``.
        world: ``sandbox`` or ``live``.
        account: Name of the account in the live world; None for the only one of the site.
        restore: Whether the account is put back after an episode in the live world.
        harm_guard: Whether the harm guard ends an episode; None: in the live world only.
        dataset: Name of an imported dataset; None for ours.
        policies: Sets of policies, or paths of YAML files; None for none.
        user: Who answers questions under policies: ``scripted``, ``model:MODEL``; None for the default.
        max_seconds: Time limit of an episode in seconds.
        record: Keep each trajectory in its experiment's folder, for ``websp collect``.
    """

    max_steps: int | None = Options.max_actions
    # EnvArgs declares a number, for which its own JSON round trip warns.
    pre_observation_delay: float | None = None
    observation: str | None = None
    instruction: str | None = None
    reward: str | Callable[..., Any] | None = None
    judge: tuple[str, ...] | None = None
    quorum: int | None = None
    initial_state: str | None = None
    login: str | None = None
    world: str | None = None
    account: str | None = None
    restore: bool | None = None
    harm_guard: bool | None = None
    dataset: str | None = None
    policies: str | tuple[str, ...] | None = None
    user: str | None = None
    max_seconds: float | None = None
    record: bool = True

    @property
    def instance_id(self) -> str:
        """The instance's id without the prefix ``websp.``."""
        return canonical_id(str(self.task_name))

    def options(self) -> dict[str, Any]:
        """Return the options of the environment that differ from the default."""
        named = {name: getattr(self, name) for name in OPTIONS}
        named["max_actions"] = None if self.max_steps == Options.max_actions else self.max_steps
        named["viewport"] = self.viewport
        given = {name: value for name, value in named.items() if value is not None}
        return given | ({} if self.headless else {"headless": False}) | (self.task_kwargs or {})

    def make_env(
        self,
        action_mapping: Callable[[str], str] | None,
        exp_dir: str | Path,
        exp_task_kwargs: Mapping[str, Any] | None = None,
        use_raw_page_output: bool = False,
    ) -> NotedEpisode:
        """Return the environment of one experiment.

        Args:
            action_mapping: The agent's function that turns actions into code; never called. It shows whether
                the agent is one of ours.
            exp_dir: The experiment's folder.
            exp_task_kwargs: Further options.
            use_raw_page_output: Not supported; must be false.

        Returns:
            The environment.

        Raises:
            SetupError: An option is wrong or not supported, or something that the environment needs is missing.
        """
        self._check()
        register_envs()
        actions = getattr(action_mapping, "__self__", None)
        options: dict[str, Any] = {}
        if isinstance(actions, WebspActionSet):
            # AgentLab stores and shows the screenshot of each step.
            pictured = {"text": "marks", "axtree": "all"}
            options["observation"] = pictured.get(actions.observation, actions.observation)
        options |= self.options() | dict(exp_task_kwargs or {})
        if self.record:
            options["record_to"] = Path(exp_dir) / TRAJECTORIES
        env = gym.make(
            f"browsergym/websp.{self.instance_id}",
            disable_env_checker=True,
            action_mapping=action_mapping,
            use_raw_page_output=use_raw_page_output,
            wait_for_user_message=self.wait_for_user_message,
            **options,
        )
        return NotedEpisode(env, Path(exp_dir), with_briefing=isinstance(actions, WebspActionSet))

    def _check(self) -> None:
        for name in ("record_video", "storage_state"):
            if getattr(self, name):
                raise SetupError(
                    f"{name} is not supported: trajectories have a picture of every step, "
                    "and an episode begins with an account of its own",
                    option=name,
                )
