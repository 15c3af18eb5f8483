"""A browser without a window, shown and driven in a local page of the person's own browser."""

from websp_gym.window.stream import StreamedWindow, streamed

__all__ = ["StreamedWindow", "streamed"]
