"""Language models, each named by one string: official SDKs, OpenAI-compatible servers, scripts."""

from websp_gym.models.messages import Image, Message, Model, Reply, Role, Stop, Text
from websp_gym.models.registry import can_think, make_model
from websp_gym.models.spec import PROVIDERS

__all__ = [
    "PROVIDERS",
    "Image",
    "Message",
    "Model",
    "Reply",
    "Role",
    "Stop",
    "Text",
    "can_think",
    "make_model",
]
