"""What is kept of an episode and of a run."""
