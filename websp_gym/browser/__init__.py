"""One Chromium per process: launch, the thread that drives it, deadlines, tabs, waiting, page scripts."""
