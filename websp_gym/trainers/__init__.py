"""Adapters between :mod:`websp_gym.rollouts` and trainers. Each module needs the extra of its name."""
