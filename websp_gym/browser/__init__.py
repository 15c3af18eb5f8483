"""Chromium: finding, launching and driving it; tabs, waiting, and the scripts in its pages."""

VIEWPORT = (1280, 1024)
"""Width and height of a page in CSS pixels, where nothing else is asked for."""
