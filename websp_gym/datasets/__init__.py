"""Datasets beside ours: the wordings, ground truth and traces of the published one, imported from a clone of it.

An import lies in the user's data folder and is never part of this package. Ids, goals and the S0 that is verified
are ours in every dataset, so the state reward works for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from websp_gym.tasks.instances import Instance

__all__ = ["in_dataset"]


def in_dataset(instance: Instance, dataset: str | None) -> Instance:
    """Return an instance in the words of a dataset.

    Args:
        instance: The instance of ours.
        dataset: Name of an imported dataset; None for ours, which reads nothing.

    Raises:
        SetupError: There is no such dataset, or it does not have the instance.
    """
    if dataset is None or (instance.origin is not None and instance.origin.dataset == dataset):
        return instance
    from websp_gym.datasets.stored import told_by

    return told_by(dataset, instance)
