"""The replica server: pages and actions of sites, state per episode, and the control API."""
