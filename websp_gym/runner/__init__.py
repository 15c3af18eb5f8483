"""Many episodes over processes."""
