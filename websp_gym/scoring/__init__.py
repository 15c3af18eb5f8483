"""From an ended episode to a verdict."""
