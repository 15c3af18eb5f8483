"""The parts of a reset and a step that `make bench ARGS=--profile` times are those of the code."""

from __future__ import annotations

from benchmarks.profile import PARTS, found


def test_every_part_that_is_timed_is_where_it_is_said_to_be() -> None:
    lost = []
    for module, path, name in PARTS:
        owner, last = found(module, path)
        if not callable(owner.__dict__.get(last, None)) and not isinstance(
            owner.__dict__.get(last), staticmethod
        ):
            lost.append((module, path, name))
    assert lost == []
