"""Policies: what an organization, a user or a task demands of an agent along the way, and the user it can ask."""
