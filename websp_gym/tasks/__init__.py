"""Task configurations: ids, instances, goals, ground truth, splits."""

DATASET_VERSION = "3.0.0"
"""Version of tasks, initial states and sites. The first number grows with changes that make scores incomparable."""
