"""One Chromium per process: launch, the thread that drives it, deadlines, tabs, waiting, page scripts."""

VIEWPORT = (1280, 1024)
"""Width and height of a page in CSS pixels, where nothing else is asked for."""
