"""What is to be done: ids, instances, goals, ground truth, splits."""
