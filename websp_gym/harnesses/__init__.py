"""Episodes in the harnesses of others, which bring the agent and keep the scores."""
