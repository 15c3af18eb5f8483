"""BrowserGym's chat, without its browser window."""

from __future__ import annotations

import time
from typing import Any

from websp_gym.browsergym import Chat


class MemoryChat(Chat):  # type: ignore[misc]
    """A chat that keeps its messages in memory. AgentLab checks ``isinstance(env.unwrapped.chat, Chat)``."""

    recording_start_time = None
    page = None
    _ROLES = ("user", "user_image", "assistant", "info", "infeasible")

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def add_message(self, role: str, msg: str) -> None:
        """Add a message. An ``info`` message is for a window only and is dropped, as in BrowserGym."""
        if role not in self._ROLES:
            raise ValueError(f"invalid role {role!r}; one of {', '.join(self._ROLES)}")
        if role != "info":
            self.messages.append({"role": role, "timestamp": time.time(), "message": msg})

    def wait_for_user_message(self) -> None:
        """Raise ``RuntimeError``: there is no window to wait for."""
        raise RuntimeError("this chat has no window; wait_for_user_message is not supported")

    def close(self) -> None:
        """Do nothing; there is no window to close."""
