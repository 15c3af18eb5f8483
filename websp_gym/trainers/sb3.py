"""A policy for ``MaskablePPO`` of sb3-contrib over :class:`~websp_gym.trainers.candidates.CandidateActions`.

Needs the extra ``sb3``.
"""

from __future__ import annotations

from typing import Any

from websp_gym.errors import missing_extra

try:
    import torch
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.type_aliases import Schedule
    from torch import nn
except ModuleNotFoundError as error:
    raise missing_extra("CandidatePolicy needs sb3-contrib", "sb3") from error


class _Scorer(nn.Module):  # type: ignore[misc]
    """Scores each row with the same network, and the page by the maxima of its rows."""

    def __init__(self, rows: int, size: int, width: int) -> None:
        super().__init__()
        self._shape = (rows, size)
        self.latent_dim_pi, self.latent_dim_vf = rows, width
        self.rows = nn.Sequential(nn.Linear(size, width), nn.Tanh())
        self.score = nn.Sequential(nn.Linear(2 * width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        encoded, page = self._encode(features)
        return self._scores(encoded, page), page

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        return self._scores(*self._encode(features))

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        return self._encode(features)[1]

    def _encode(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen = features.reshape(-1, *self._shape)
        encoded = self.rows(seen)
        absent = seen.sum(-1, keepdim=True) == 0
        return encoded, encoded.masked_fill(absent, -1.0).amax(1)

    def _scores(self, encoded: torch.Tensor, page: torch.Tensor) -> torch.Tensor:
        beside = page.unsqueeze(1).expand(-1, encoded.shape[1], -1)
        scores: torch.Tensor = self.score(torch.cat([encoded, beside], -1)).squeeze(-1)
        return scores


class CandidatePolicy(MaskableActorCriticPolicy):  # type: ignore[misc]
    """Scores the actions of a page one by one, with the same weights for all places of the page.

    An ``MlpPolicy`` would have to learn each place of the page separately.

    Args:
        *args: As for sb3-contrib's ``MaskableActorCriticPolicy``.
        width: Units of each layer.
        **kwargs: As for that policy.

    Example:
        >>> model = MaskablePPO(CandidatePolicy, CandidateActions(env), n_steps=128)
    """

    def __init__(self, *args: Any, width: int = 64, **kwargs: Any) -> None:
        self._width = width
        super().__init__(*args, **kwargs)

    def _build_mlp_extractor(self) -> None:
        rows, size = self.observation_space.shape
        self.mlp_extractor = _Scorer(rows, size, self._width)

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        # The scores are the logits.
        self.action_net = nn.Identity()
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)
