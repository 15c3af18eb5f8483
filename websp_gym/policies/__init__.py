"""Policies: what an organization, a user or a task demands of an agent on the way, and who is asked."""
