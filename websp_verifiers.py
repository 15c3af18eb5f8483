"""What ``verifiers`` loads for the id ``websp-verifiers``; see :mod:`websp_gym.trainers.verifiers`."""

from websp_gym.trainers.verifiers import PoolEnv, WebspHarness, WebspTaskset

__all__ = ["PoolEnv", "WebspHarness", "WebspTaskset"]
