"""The judge: multimodal models that decide from the trajectory whether the task was done."""

from websp_gym.scoring.judge.judge import DEFAULT_MODELS, RECOMMENDED_MODELS, Judge
from websp_gym.scoring.judge.vote import Vote, majority

__all__ = ["DEFAULT_MODELS", "RECOMMENDED_MODELS", "Judge", "Vote", "majority"]
