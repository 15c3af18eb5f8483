"""Drawing the set-of-marks picture of a recorded observation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from websp_gym.files import MAX_PICTURE, read_file
from websp_gym.observation.camera import Camera
from websp_gym.observation.draw import draw_marks, mark_seed
from websp_gym.observation.marks import marks_from_dicts

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from websp_gym.records.trajectory import Trajectory


def marked_picture(trajectory: Trajectory, folder: Path, index: int) -> NDArray[np.uint8]:
    """Draw a stored screenshot with its marks, exactly as the agent saw it.

    Args:
        trajectory: A recorded trajectory.
        folder: The folder it was loaded from.
        index: 0 for the first observation, n for the one after step n.

    Returns:
        A uint8 array of shape (height, width, 3).

    Raises:
        OSError: The screenshot is missing, or it is not a file of at most 50 MB in this folder.
    """
    view = trajectory.views[index]
    plain = Camera.decode(read_file(folder / str(view.screenshot), MAX_PICTURE))
    seed = mark_seed(trajectory.seed, index)
    return draw_marks(plain, marks_from_dicts(view.marks), seed=seed, scale=trajectory.picture_scale)
