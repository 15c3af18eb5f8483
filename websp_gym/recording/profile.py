"""The profile of the recording browser: nothing that is typed may be written to disk."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

_PREFERENCES = {
    "autofill": {"enabled": False, "profile_enabled": False, "credit_card_enabled": False},
    "credentials_enable_service": False,
    "profile": {"password_manager_enabled": False},
    "history": {"saving_disabled": True},
}


def write_profile(profile: Path, extension: Path) -> None:
    """Write the preferences of a profile.

    Args:
        profile: Its folder, which no browser has used yet.
        extension: Folder of the recorder extension.
    """
    folder = profile / "Default"
    folder.mkdir(exist_ok=True)
    # Show the recorder's button in the toolbar, not in the menu of the extensions icon.
    pinned = {"pinned_extensions": [_unpacked_id(extension)]}
    (folder / "Preferences").write_text(json.dumps({**_PREFERENCES, "extensions": pinned}), "utf-8")
    # To restore tabs after a crash, Chromium saves the contents of form fields, even a password that was
    # made visible. A file in place of the folder prevents this.
    (folder / "Sessions").touch()


def _unpacked_id(folder: Path) -> str:
    """Return Chromium's id of an unpacked extension: a hash of its path, in the letters a to p."""
    digest = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:32]
    return "".join(chr(ord("a") + int(digit, 16)) for digit in digest)
