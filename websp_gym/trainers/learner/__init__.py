"""A small learner: REINFORCE on a policy that is log-linear in features of words, with numpy alone.

``python -m websp_gym.trainers.learner --out FOLDER`` trains it on one side of a split of the tasks and tests it on
the other. It is an example of a training loop on :mod:`websp_gym.rollouts`, and a check that the reward teaches
something.
"""

from websp_gym.trainers.learner.policy import Choice, LinearPolicy
from websp_gym.trainers.learner.training import Trainer

__all__ = ["Choice", "LinearPolicy", "Trainer"]
