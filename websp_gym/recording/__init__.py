"""Recording traces with the browser extension."""

from websp_gym.recording.recorder_browser import Status, Studio

__all__ = ["Status", "Studio"]
