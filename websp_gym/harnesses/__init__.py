"""Episodes in other harnesses, which bring the agent and keep the scores."""
