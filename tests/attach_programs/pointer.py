"""A scripted model of computer use: it clicks at the places of what it is to press, taken from the record of its run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.computer_use_support import WAY, Words, place_in
from tests.endpoint_support import Asked, Say
from websp_gym.records.load import load_trajectory
from websp_gym.records.trajectory import FILE


class Pointer:
    """Opens addresses, clicks each element once, then says that it is done.

    Args:
        words: How its provider says so.
        folder: Folder of the run; its one record shows what is on the screen.
        addresses: Addresses to open first.
    """

    def __init__(self, words: Words, folder: Path, addresses: Sequence[str] = ()) -> None:
        self._words = words
        self._folder = folder
        self._addresses = list(addresses)
        self._left = list(WAY)
        self.lost = ""

    def __call__(self, asked: Asked) -> Say:
        record = next(self._folder.rglob(FILE), None)
        if record is None:
            return self._words.says("I am here.", [], {})  # asked before the first episode
        if self._addresses:
            return self._words.says("", [], {self._words.goto: {"url": self._addresses.pop(0)}})
        if not self._left:
            return self._words.says("done", [], {})
        role, name = self._left.pop(0)
        return self._words.says("", [self._words.click(*place_in(load_trajectory(record), name, role))], {})
