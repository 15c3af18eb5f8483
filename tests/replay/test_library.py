"""The library of traces: one way to find a trace by its name, with the nearest name where there is none."""

from __future__ import annotations

import ast
import os
import shutil
from pathlib import Path

import pytest

from tests.paths import ROOT
from websp_gym.errors import SetupError
from websp_gym.paths import data_dir
from websp_gym.replay.library import all_traces, find_trace, read_trace, trace_path
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.schema import ClassRule


def test_a_trace_is_found_by_its_name_with_and_without_its_ending() -> None:
    path = trace_path("steam/login.json")
    assert path == data_dir("traces") / "steam" / "login.json"
    for name in ("steam/login", "steam/login.json", str(path)):
        assert find_trace(name).resolve() == path.resolve()
    assert path.resolve() in [each.resolve() for each in all_traces()]


@pytest.mark.parametrize(("find", "name"), [(trace_path, "steam/logn.json"), (find_trace, "steam/logn")])
def test_a_trace_that_is_not_there_brings_the_nearest_name(find: object, name: str) -> None:
    assert callable(find)
    with pytest.raises(SetupError, match=r'no trace .*did you mean "steam/login') as caught:
        find(name)
    assert caught.value.path is not None


def test_a_trace_is_read_again_once_its_file_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(trace_path("steam/login.json"), tmp_path / "mine.json")
    monkeypatch.setenv("WEBSP_TRACES", str(tmp_path))
    first = read_trace("mine.json")
    assert read_trace("mine.json") is first
    text = (tmp_path / "mine.json").read_text("utf-8")
    (tmp_path / "mine.json").write_text(text.replace(f'"{first.name}"', '"another"', 1), "utf-8")
    os.utime(tmp_path / "mine.json", ns=(1, 1))
    assert read_trace("mine.json").name == "another"


def test_a_sites_rules_reach_replay_as_plain_data() -> None:
    rules = (ClassRule(on=".a", off=".b"),)
    site = load_instance("Steam-task-191-ON").site.model_copy(update={"class_rules": rules})
    assert site.replay_rules == [{"on": ".a", "off": ".b"}]


def test_replay_and_its_importers_know_no_task() -> None:
    for path in (ROOT / "websp_gym/replay").rglob("*.py"):
        tree = ast.walk(ast.parse(path.read_text("utf-8")))
        imported = {node.module for node in tree if isinstance(node, ast.ImportFrom)}
        assert not imported & {
            "websp_gym.tasks.ids",
            "websp_gym.tasks.instances",
            "websp_gym.world.initial_state",
        }, path
