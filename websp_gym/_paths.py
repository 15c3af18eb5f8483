"""Where the data folders lie: inside the package in a wheel, beside it in a checkout or ``pip install -e``."""

from pathlib import Path
from typing import Literal

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: Literal["task_configs", "traces", "extension"]) -> Path:
    """Finds one of the top-level data folders.

    Args:
        name: Which folder.

    Returns:
        Its path; the same call works for a wheel, an editable install and a plain checkout.
    """
    inside = _PACKAGE / "data" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
