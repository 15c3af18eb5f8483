"""Episodes for agents that act by themselves: over the DevTools protocol, by tools, and people."""

from websp_gym.attach.attached import AttachedDoor, attach

__all__ = ["AttachedDoor", "attach"]
