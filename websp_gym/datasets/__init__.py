"""Importing datasets beside ours: the published one, and ST-WebAgentBench, from clones of them."""
