"""A job for other processes, in a module of its own: a process that starts imports nothing else."""

from __future__ import annotations

import os
import signal


def deadly_job(name: str) -> str:
    """Return the name of a job; those called so kill their process at the first try, or at every one."""
    if name == "dies once" or name.startswith("dies always"):
        os.kill(os.getpid(), signal.SIGKILL)
    return name
