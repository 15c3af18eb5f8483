"""The client of the replica server: starts it, opens episodes on it, reads and changes their state."""

from websp_gym.sandbox.client.episode_handle import EpisodeHandle
from websp_gym.sandbox.client.launching import VARIABLE, Address, SandboxError
from websp_gym.sandbox.client.sandbox import EPISODE_HEADER, Sandbox

__all__ = ["EPISODE_HEADER", "VARIABLE", "Address", "EpisodeHandle", "Sandbox", "SandboxError"]
