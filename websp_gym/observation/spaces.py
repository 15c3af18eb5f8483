"""Gymnasium spaces of texts, numbers and plain data without bounds."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces.utils import flatten_space
from gymnasium.wrappers.utils import create_zero_array

from websp_gym.errors import SetupError


class _Plain(gym.Space[Any]):
    """A space of all values of one type, without samples."""

    of: type

    def __init__(self) -> None:
        super().__init__()

    @property
    def is_np_flattenable(self) -> bool:
        """Whether its values can be flattened to a vector: never."""
        return False

    def contains(self, x: Any) -> bool:
        """Whether a value is of the type."""
        return isinstance(x, self.of)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Plain) and other.of is self.of

    def __hash__(self) -> int:
        return hash(self.of)


class Unicode(_Plain):
    """Any text."""

    of = str


class Float(_Plain):
    """Any float."""

    of = float


class Integer(_Plain):
    """Any integer."""

    of = int


class AnyDict(_Plain):
    """Any dictionary."""

    of = dict


class AnyBox(gym.Space[Any]):
    """Arrays of one type, within bounds; a size of -1 stands for any size.

    Args:
        low: Lowest value.
        high: Highest value.
        shape: Sizes.
        dtype: Type of the values.
    """

    def __init__(self, low: float, high: float, shape: tuple[int, ...], dtype: type) -> None:
        super().__init__(shape, dtype)
        self.low, self.high = low, high

    @property
    def is_np_flattenable(self) -> bool:
        """Whether its values can be flattened to a vector of one size: never."""
        return False

    def contains(self, x: Any) -> bool:
        """Whether an array fits the type, the sizes and the bounds."""
        assert self.shape is not None
        assert self.dtype is not None
        return bool(
            isinstance(x, np.ndarray)
            and np.can_cast(x.dtype, self.dtype)
            and len(x.shape) == len(self.shape)
            and all(size in (-1, own) for own, size in zip(x.shape, self.shape, strict=True))
            and np.all((x >= self.low) & (x <= self.high))
        )

    def __repr__(self) -> str:
        return f"AnyBox({self.low}, {self.high}, {self.shape}, {self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyBox) and other._bounds() == self._bounds()

    def __hash__(self) -> int:
        return hash(self._bounds())

    def _bounds(self) -> tuple[object, ...]:
        # Without the random generator, which a space makes once it is seeded.
        return self.low, self.high, self.shape, self.dtype


@create_zero_array.register(_Plain)
def _empty_value(space: _Plain) -> Any:
    return space.of()


@create_zero_array.register(AnyBox)
def _empty_array(space: AnyBox) -> Any:
    assert space.shape is not None
    return np.zeros([max(size, 0) for size in space.shape], space.dtype)


@flatten_space.register(_Plain)
@flatten_space.register(AnyBox)
def _no_vector(space: gym.Space[Any]) -> Any:
    raise SetupError(
        f"an observation has texts and lists of any length ({space}), so it cannot be flattened to one vector; "
        "keep the parts of fixed size with FilterObservation, or use CandidateActions (docs/reference/rl.md), "
        "whose observation is one"
    )
