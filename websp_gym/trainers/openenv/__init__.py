"""OpenEnv: the environment as a server, and its client; needs the extra ``openenv``.

``websp serve-openenv`` starts the server. A client keeps one session: one environment, in a process of its own.
"""

from websp_gym.trainers.openenv.client import WebspClient
from websp_gym.trainers.openenv.environment import WebspEnvironment
from websp_gym.trainers.openenv.models import WebspAction, WebspObservation, WebspState
from websp_gym.trainers.openenv.server import make_app

__all__ = [
    "WebspAction",
    "WebspClient",
    "WebspEnvironment",
    "WebspObservation",
    "WebspState",
    "make_app",
]
