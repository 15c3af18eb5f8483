"""The sample covers everything a change touches, and the same tree always has the same sample."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import sample
from tests.paths import ROOT
from tests.sample import (
    BASE,
    Touched,
    base_of,
    changed_files,
    in_gate,
    kind_of,
    long_proof,
    long_table,
    one_of_each_control,
    touched_by,
)
from websp_gym.tasks.instances import all_instances


@pytest.mark.parametrize(
    ("file", "touched"),
    [
        ("websp_gym/sandbox/sites/twitch/behaviour.py", Touched(frozenset({"twitch"}))),
        ("task_configs/twitch.yaml", Touched(frozenset({"twitch"}))),
        ("traces/twitch/login.json", Touched(frozenset({"twitch"}))),
        ("websp_gym/sandbox/kit/static/panel.css", Touched(sites=True, tasks=True)),
        ("websp_gym/sandbox/server/actions.py", Touched(sites=True, tasks=True)),
        ("websp_gym/replay/locate.js", Touched(tasks=True)),
        ("websp_gym/scoring/state_reward.py", Touched(tasks=True)),
        ("extension/names.js", Touched(tasks=True)),
        ("extension/recorder.js", Touched()),
        ("websp_gym/report/pages/page.py", Touched()),
        ("docs/reference/agents.md", Touched()),
        ("task_configs/policies/standard/twitch.yaml", Touched(policies=frozenset({"twitch"}))),
        ("task_configs/policies/unconcerned/every-site.yaml", Touched(every_policy=True)),
        ("websp_gym/policies/facts.py", Touched(every_policy=True)),
        ("task_configs/flows/twitch.yaml", Touched(flows=frozenset({"twitch"}))),
    ],
)
def test_a_file_touches_its_site_or_what_uses_it(file: str, touched: Touched) -> None:
    assert touched_by([file]) == touched
    assert touched_by([file, "README.md"]) == touched


def test_every_site_is_touched_by_its_own_files() -> None:
    sites = {file.parent.name for file in (ROOT / "websp_gym/sandbox/sites").glob("*/site.yaml")}
    configs = {file.stem for file in (ROOT / "task_configs").glob("*.yaml")}
    assert touched_by(f"websp_gym/sandbox/sites/{slug}/site.yaml" for slug in sites).slugs == sites
    assert touched_by(f"task_configs/{slug}.yaml" for slug in configs).slugs == configs <= sites


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(BASE, raising=False)
    git(tmp_path, "init", "--initial-branch=main")
    commit(tmp_path, "one")
    return tmp_path


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def commit(folder: Path, name: str) -> str:
    (folder / name).write_text(name)
    git(folder, "add", name)
    git(folder, "commit", "--message", name)
    return git(folder, "rev-parse", "HEAD")


def test_a_branch_is_compared_with_where_it_left_main(repository: Path) -> None:
    left = commit(repository, "two")
    git(repository, "switch", "--create", "other")
    commit(repository, "three")
    commit(repository, "four")
    assert base_of(repository) == left
    (repository / "five").write_text("not committed")
    assert changed_files(repository, left) == {"three", "four", "five"}


def test_main_is_compared_with_the_last_tag_or_the_commit_before(repository: Path) -> None:
    second = commit(repository, "two")
    commit(repository, "three")
    assert base_of(repository) == second
    git(repository, "tag", "v1", "HEAD~2")
    assert changed_files(repository, base_of(repository)) == {"two", "three"}


def test_the_commit_to_compare_with_may_be_given(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BASE, "HEAD")
    assert changed_files(repository, base_of(repository)) == set()


def test_a_change_adds_a_few_cases_to_the_smoke_however_much_it_touches() -> None:
    assert in_gate(["a"], [], most=2) == ["a"]
    assert in_gate(["a"], ["a", "d", "c", "b"], most=2) == ["a", "d", "c"]


def test_cases_that_are_not_kept_carry_the_mark_of_a_long_proof() -> None:
    rows = long_proof([("a", 1), ("b", 2), "c"], [("a", 1)])
    assert rows == [
        ("a", 1),
        pytest.param("b", 2, marks=pytest.mark.proof),
        pytest.param("c", marks=pytest.mark.proof),
    ]
    with pytest.raises(ValueError, match=r"no rows of the table: \['e'\]"):
        long_proof(["a", "b"], ["a", "e"])


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        ("websp_gym/replay/locate.js", [0, 1, 2, 3, 6]),
        ("tests/replay/test_locate.py", [0, 1, 2, 3, 6]),
        ("websp_gym/report/page.py", [0, 3, 6]),
    ],
)
def test_of_a_long_table_every_third_row_is_tried_and_a_few_more_where_a_room_of_it_changed(
    changed: str, kept: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "_changed", lambda: frozenset({changed, "README.md"}))
    rows = long_table(range(7), "websp_gym/replay/", "tests/replay/", most=2)
    assert len(rows) == 7
    assert [row for row in rows if isinstance(row, int)] == kept


def test_a_few_instances_have_every_action_on_every_role() -> None:
    every = list(all_instances())
    kinds = [kind_of(each) for each in every if each.id in one_of_each_control(every)]
    assert len(kinds) < 12
    assert frozenset().union(*kinds) == frozenset().union(*map(kind_of, every))


def test_outside_of_git_nothing_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(BASE, raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert changed_files(tmp_path, base_of(tmp_path)) == set()
