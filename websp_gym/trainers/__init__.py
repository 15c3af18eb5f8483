"""Adapters between the environments and trainers. A module named after an extra needs it."""
