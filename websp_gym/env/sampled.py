"""One environment over many instances (``websp-v0``), for curricula and sampling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from websp_gym.env.environment import WebspEnv
from websp_gym.env.options import of_reset, refuse_foreign
from websp_gym.errors import SetupError, UnknownInstanceError, nearest
from websp_gym.tasks.datasets import in_dataset
from websp_gym.tasks.ids import known_ids
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.selection import draw_instance

_DRAWS = 1
"""Number of the random stream of a seed with which an instance is drawn."""


class SampledEnv(WebspEnv):
    """An environment that plays one of several instances in each episode; ``gym.make("websp-v0")`` returns it.

    ``reset(options={"instance": ID})`` chooses the instance; otherwise it is drawn uniformly, by the seed if one is
    given.

    Args:
        ids: Ids of the instances.
        **options: Fields of :class:`websp_gym.env.options.Options`.

    Raises:
        SetupError: There is no instance, or an option is wrong.
    """

    _own_options = ("instance",)

    def __init__(self, ids: Sequence[str], **options: Any) -> None:
        if not ids:
            raise SetupError("there is no instance to play", option="ids")
        refuse_foreign(options)
        self.ids = tuple(ids)
        """Ids of the instances. :attr:`instance` is that of the current episode."""
        super().__init__(load_instance(self.ids[0]), **options)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a new episode of the chosen or drawn instance.

        Args:
            seed: Seed of the episode and of the draw, from 0 to 2**32 - 1; ``None`` draws one.
            options: ``instance`` is the id of the instance to play; the others are those of
                :meth:`WebspEnv.reset <websp_gym.env.environment.WebspEnv.reset>`.

        Returns:
            The first observation, and ``info``; ``info["task_info"]["instance"]`` is the instance.

        Raises:
            UnknownInstanceError: The instance is not one of :attr:`ids`.
            SetupError: As for :meth:`WebspEnv.reset <websp_gym.env.environment.WebspEnv.reset>`, like the
                other errors.
        """
        given = of_reset(options)
        chosen = given.pop("instance", None)
        drawn = load_instance(self._draw(seed) if chosen is None else self._find(chosen))
        self.instance = in_dataset(drawn, self.options.dataset)
        return super().reset(seed=seed, options=given)

    def _draw(self, seed: int | None) -> str:
        # WebspEnv checks the seed. An invalid one must not fail here, with another error.
        if not isinstance(seed, int) or seed < 0:
            return draw_instance(self.ids, self.np_random)
        # Another stream than that of np_random, which the seed begins too: else the next draw would be the same.
        return draw_instance(self.ids, np.random.default_rng([seed, _DRAWS]))

    def _find(self, chosen: Any) -> str:
        (name,) = known_ids([str(chosen)])
        if name not in self.ids:
            raise UnknownInstanceError(
                f'"{chosen}" is not one of the {len(self.ids)} instances of this environment'
                f"{nearest(name, self.ids)}",
                instance=str(chosen),
            )
        return name
