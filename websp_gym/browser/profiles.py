"""Browser profiles as bytes: cookies, databases and stored items of a browser, without its caches."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from websp_gym.errors import SetupError

_LEFT_OUT = (
    # What a browser writes again by itself: most of the size of a profile.
    *("*Cache", "*Cache_*", "CacheStorage", "ScriptCache", "Crashpad", "Crash Reports", "BrowserMetrics*"),
    *(
        "component_crx_cache",
        "extensions_crx_cache",
        "Safe Browsing",
        "segmentation_platform",
        "optimization_guide*",
    ),
    # The lock of a running browser, and its open tabs with what is typed there.
    *("Singleton*", "lockfile", "Sessions"),
)


def pack(folder: Path) -> bytes:
    """Return the profile in a folder as a compressed archive; its browser must have ended.

    Args:
        folder: The user data folder of a browser.
    """

    def wanted(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        if not (entry.isfile() or entry.isdir()):
            return None
        return None if any(Path(entry.name).match(pattern) for pattern in _LEFT_OUT) else entry

    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz", compresslevel=3) as archive:
        archive.add(folder, arcname=".", filter=wanted)
    return data.getvalue()


def unpack(profile: bytes, folder: Path) -> None:
    """Write a profile into an empty folder.

    Args:
        profile: As :func:`pack` returns it; empty for a new one.
        folder: The folder.

    Raises:
        SetupError: It cannot be written.
    """
    if not profile:
        return
    try:
        with tarfile.open(fileobj=io.BytesIO(profile), mode="r:gz") as archive:
            archive.extractall(folder, filter="data")
    except (OSError, tarfile.TarError) as error:
        raise SetupError(
            f"the browser profile cannot be written to {folder}: {error}", path=str(folder)
        ) from error
