"""Datasets beside ours: the wordings, ground truth and traces of the published one, imported from a clone of it.

An import lies in the user's data folder and is never part of this package. Ids, goals and the S0 that is verified
are ours in every dataset, so the state reward works for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from websp_gym.errors import SetupError
from websp_gym.tasks.ids import known_ids

if TYPE_CHECKING:
    from websp_gym.tasks.instances import Instance

__all__ = ["in_dataset", "of_dataset"]


def of_dataset(ids: Iterable[str], dataset: str | None, named: Iterable[str] = ()) -> list[str]:
    """Return those of some ids that a dataset has.

    Args:
        ids: Ids, as they were selected.
        dataset: Name of an imported dataset; None for ours, which has all.
        named: Ids that were named one by one; they stay, so that playing them is an error.

    Raises:
        SetupError: There is no such dataset, or none is left.
    """
    if dataset is None:
        return list(ids)
    from websp_gym.datasets.stored import load_dataset

    known = load_dataset(dataset).instances
    kept = {*known, *known_ids(named)}
    found = [each for each in ids if each in kept]
    if not found:
        raise SetupError(f'the dataset "{dataset}" has none of these instances', option="dataset")
    return found


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
