"""A typed client. OpenEnv's ``GenericEnvClient`` works too, with dictionaries."""

from __future__ import annotations

import os
from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult

from websp_gym.serving import bearer
from websp_gym.trainers.openenv.gate import VARIABLE
from websp_gym.trainers.openenv.models import WebspAction, WebspObservation, WebspState


class WebspClient(EnvClient[WebspAction, WebspObservation, WebspState]):  # type: ignore[misc]
    """One session on a server. Use it as a context manager; ``reset`` takes ``instance``, ``split`` and so on.

    Args:
        base_url: Address of the server.
        message_timeout_s: Seconds to wait for an answer. A reset that fails is tried twice and may take minutes.
        token: The server's token; by default the value of ``WEBSP_OPENENV_TOKEN``, if set.
        **options: Further options of ``openenv.core.EnvClient``.
    """

    def __init__(
        self,
        base_url: str | None = None,
        *,
        message_timeout_s: float = 360.0,
        token: str | None = None,
        **options: Any,
    ) -> None:
        headers = {**bearer(token or os.environ.get(VARIABLE)), **(options.pop("headers", None) or {})}
        super().__init__(base_url, message_timeout_s=message_timeout_s, headers=headers, **options)

    def _step_payload(self, action: WebspAction) -> dict[str, Any]:
        return {"text": action.text}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[WebspObservation]:
        reward, done = payload["reward"], payload["done"]
        observation = WebspObservation(**payload["observation"], reward=reward, done=done)
        return StepResult(observation, reward, done, observation.metadata)

    def _parse_state(self, payload: dict[str, Any]) -> WebspState:
        return WebspState(**payload)
