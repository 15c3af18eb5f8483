"""ST-WebAgentBench, imported from a clone: its tasks, with its own success checks, on our replicas.

The objects that a task names are added to the company of its application, so that its instruction can be carried
out there without a container. Nothing of the clone is part of this package.
"""

from websp_gym.datasets.stwab.clone import is_clone
from websp_gym.datasets.stwab.importing import NAME, read_clone

__all__ = ["NAME", "is_clone", "read_clone"]
