"""Stored episodes and runs: trajectories and results, free of secrets."""
