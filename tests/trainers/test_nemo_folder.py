"""What NeMo Gym is started from; the server itself is tested with the extra (`tests/rl/test_nemo.py`)."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.command_support import websp_here
from websp_gym.errors import SetupError, UnknownInstanceError
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.splits import split_ids
from websp_gym.trainers.nemo_folder import CONFIG, make_rows, write_folder

TO_DO, SOLVED = "Steam-task-191-ON", "Steam-task-191-OFF"


def test_the_policy_sees_the_instruction_and_tools_and_nothing_of_the_episode() -> None:
    rows = make_rows([(TO_DO, 0), (SOLVED, 1)])
    assert [(row["instance"], row["seed"]) for row in rows] == [(TO_DO, 0), (SOLVED, 1)]
    assert rows[0]["responses_create_params"] == rows[1]["responses_create_params"]
    assert len({row["key"] for row in rows}) == 2
    shown = json.dumps(rows[0]["responses_create_params"])
    assert not [secret for secret in (TO_DO, rows[0]["key"]) if secret in shown]
    (explained,) = make_rows([(TO_DO, 0)], instruction="with_navigation")
    task = load_instance(TO_DO).instruction("with_navigation")
    assert explained["responses_create_params"]["input"][1]["content"] == f"Task: {task}"
    with pytest.raises(UnknownInstanceError):
        make_rows([("Steem-task-191-ON", 0)])


def test_the_command_writes_both_sides_of_the_split_and_the_options(tmp_path: Path) -> None:
    out = tmp_path / "gym"
    options = ("--out", out, "--trials", "2", "--processes", "3", "--max-actions", "7")
    done = websp_here("nemo", "Steam-*", *options)
    assert done.returncode == 0, done.stderr
    assert CONFIG in done.stdout
    for name, side in zip(("train", "validation"), split_ids("task"), strict=True):
        lines = (out / f"resources_servers/websp/data/{name}.jsonl").read_text("utf-8").splitlines()
        played = [(row["instance"], row["seed"]) for row in map(json.loads, lines)]
        assert played == [(one, seed) for seed in (0, 1) for one in side if one.startswith("Steam-")]
    config = yaml.safe_load((out / CONFIG).read_text("utf-8"))
    server = config["websp_resources_server"]["resources_servers"]["websp"]
    agent = config["websp_simple_agent"]["responses_api_agents"]["simple_agent"]
    assert (server["processes"], server["options"]["max_actions"], agent["max_steps"]) == (3, 7, 21)
    assert [each["name"] for each in agent["datasets"]] == ["train", "validation"]
    assert (out / "resources_servers/websp/.venv").resolve() == Path(sys.prefix).resolve()
    # What every process of an environment imports again.
    runpy.run_path(str(out / "resources_servers/websp/app.py"), run_name="__mp_main__")
    requirement = (out / "resources_servers/websp/requirements.txt").read_text("utf-8")
    assert requirement.endswith("[nemo]\n")
    again = websp_here("nemo", "--out", out)
    assert (again.returncode, "not an empty folder" in again.stderr) == (2, True)


def test_nothing_is_written_where_an_instance_is_unknown_or_the_folder_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(UnknownInstanceError):
        write_folder({"train": [("Steem-task-191-ON", 0)]}, tmp_path / "gym")
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError, match="cannot write to"):
        write_folder({"train": [(TO_DO, 0)]}, tmp_path / "file" / "gym")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_without_the_extra_the_server_names_what_to_install() -> None:
    code = "import sys; sys.modules['nemo_gym'] = None; import websp_gym.trainers.nemo"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "[nemo]'" in done.stderr
