"""What is kept of episodes and runs: trajectories and results, free of secrets."""
