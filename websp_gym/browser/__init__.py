"""One Chromium per process: launch, browser thread, deadlines, tabs, waiting, page scripts."""

VIEWPORT = (1280, 1024)
"""Default width and height of a page in CSS pixels."""
