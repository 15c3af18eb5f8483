"""websp-gym: web agents on website security and privacy tasks, as Gymnasium environments.

Importing this package registers the instances, so that ``gymnasium.make("websp/Steam-task-191-ON")`` works.
Browser and server code is imported only when an environment is made.
"""

from websp_gym.env.registration import register_envs
from websp_gym.tasks import DATASET_VERSION

__all__ = ["DATASET_VERSION", "register_envs"]
__version__ = "0.1.0"

register_envs()
