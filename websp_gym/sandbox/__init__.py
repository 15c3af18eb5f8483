"""The replica server: sites, their state per episode, and the control API."""
