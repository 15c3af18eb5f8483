"""websp-gym: web agents on website security and privacy tasks, as Gymnasium environments.

Importing this package registers the instances, so that ``gymnasium.make("websp/Steam-task-191-ON")`` works. The names
in ``__init__.pyi`` are loaded when they are first used: browser and server code is imported only when an environment
is made.
"""

import lazy_loader

from websp_gym.env.registration import register_envs
from websp_gym.project import VERSION

__version__ = VERSION
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

register_envs()
