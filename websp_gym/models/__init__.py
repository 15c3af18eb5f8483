"""Language models behind one interface: the official SDKs, any OpenAI-compatible server, or a script."""

from websp_gym.models.choosing import PROVIDERS, make_model
from websp_gym.models.messages import Image, Message, Model, Reply, Role, Stop, Text

__all__ = ["PROVIDERS", "Image", "Message", "Model", "Reply", "Role", "Stop", "Text", "make_model"]
