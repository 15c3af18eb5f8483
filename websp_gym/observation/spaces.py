"""Gymnasium spaces of texts, numbers and plain data, which have no bounds."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np


class _Plain(gym.Space[Any]):
    """A space of all values of one type, without samples."""

    of: type

    def __init__(self) -> None:
        super().__init__()

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
    """Arrays of one type and bounds; a size of -1 is any.

    Args:
        low: Least value.
        high: Greatest value.
        shape: Sizes.
        dtype: Type of a value.
    """

    def __init__(self, low: float, high: float, shape: tuple[int, ...], dtype: type) -> None:
        super().__init__(shape, dtype)
        self.low, self.high = low, high

    def contains(self, x: Any) -> bool:
        """Whether an array has the type, the sizes and the bounds."""
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
