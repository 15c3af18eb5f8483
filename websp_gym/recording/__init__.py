"""Record traces with the browser extension."""

from websp_gym.recording.recorder_browser import RecorderBrowser, Status

__all__ = ["RecorderBrowser", "Status"]
