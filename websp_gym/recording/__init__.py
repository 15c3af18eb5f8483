"""Recording traces with the browser extension."""

from websp_gym.recording.studio import Status, Studio

__all__ = ["Status", "Studio"]
