"""Wrong configurations and folders: one error in our words, with file, line and key, or the variable's name."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import gymnasium
import pytest

from tests.tasks.test_instances import SITE
from websp_gym.errors import SetupError
from websp_gym.paths import SITES, VARIABLES, data_dir
from websp_gym.replay.library import trace_path
from websp_gym.scoring.outcome import default_reward
from websp_gym.tasks.ids import ids_in, instance_ids, published_id, read_config
from websp_gym.tasks.instances import load_instance, load_site
from websp_gym.world import make_world

FOREIGN = ["../../../x.json", "/etc/hostname", "a/../b.json", "..\\\\x.json", "C:\\\\x.json", ""]


def problem(folder: Path, *changes: tuple[str, str]) -> str:
    """The error of loading the example after these changes."""
    text = SITE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / "demo.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(SetupError) as caught:
        load_site(path)
    message = str(caught.value).replace(str(path), "FILE")
    assert "Value error" not in message
    assert "Input should" not in message
    assert "validation" not in message
    return message


@pytest.mark.parametrize("name", FOREIGN)
def test_a_trace_outside_of_the_folders_of_traces_is_refused(tmp_path: Path, name: str) -> None:
    step = (
        "instance: Demo-task-1-ON\n",
        f'instance: Demo-task-1-ON\n        initial_state: [{{replay: "{name}"}}]\n',
    )
    message = problem(tmp_path, step)
    assert "leads out of the traces folder" in message
    assert message.startswith("FILE:15: tasks.0.instances.0.initial_state.0.replay.replay: ")
    assert "\n" not in message
    login = problem(tmp_path, ("tasks:", f'login_trace: "{name}"\ntasks:'))
    assert "login_trace: " in login
    assert "leads out of the traces folder" in login


@pytest.mark.parametrize(
    "address",
    ["file:///etc/hostname", "javascript:alert(1)", "about:blank", "store.example.com", "https://", "''"],
)
def test_a_start_url_that_is_not_a_website_is_refused(tmp_path: Path, address: str) -> None:
    line = next(line for line in SITE.splitlines() if line.startswith("start_url"))
    message = problem(tmp_path, (line, f"start_url: {address}"))
    assert message.startswith("FILE:")
    assert "start_url: " in message
    assert "not the address of a website" in message


def test_mistakes_are_reported_in_the_terms_of_the_file(tmp_path: Path) -> None:
    assert "there is no such key; did you mean" in problem(tmp_path, ("    instruction:", "    instructoin:"))
    assert "instruction: this key is missing" in problem(tmp_path, ("    instruction:", "    instructoin:"))
    assert 'did you mean "Toggle"?' in problem(tmp_path, ("element: Toggle", "element: Togle"))
    empty = SITE[: SITE.index("tasks:")] + "tasks: []\n"
    (tmp_path / "empty.yaml").write_text(empty, "utf-8")
    with pytest.raises(SetupError, match=r"empty\.yaml:\d+: tasks: needs at least 1, but has 0$"):
        load_site(tmp_path / "empty.yaml")
    (tmp_path / "nothing.yaml").write_text("", "utf-8")
    with pytest.raises(SetupError, match=r"nothing\.yaml:1: must have keys and values$"):
        load_site(tmp_path / "nothing.yaml")


@pytest.mark.parametrize("variable", [*VARIABLES.values(), SITES])
def test_a_missing_folder_is_named_with_its_variable(
    variable: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asks: dict[str, Callable[[], object]] = {
        VARIABLES["task_configs"]: instance_ids,
        VARIABLES["traces"]: lambda: trace_path("steam/login.json"),
        SITES: lambda: make_world("sandbox"),
    }
    monkeypatch.setenv(variable, os.pathsep.join([str(tmp_path), str(tmp_path / "nope")]))
    with pytest.raises(SetupError, match=rf"{variable} names {tmp_path}/nope, which is not a folder"):
        asks[variable]()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_of_a_windows_editor_is_read(
    encoding: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (data_dir("task_configs") / "bbc.yaml").read_text("utf-8")
    (tmp_path / "bbc.yaml").write_bytes(text.replace("\n", "\r\n").encode(encoding))
    assert list(ids_in(read_config(tmp_path / "bbc.yaml"))) == list(ids_in(text))


@pytest.mark.parametrize("content", ["website: Café\n".encode("latin-1"), b"\x89PNG\r\n\x1a\n\x00\xff"])
def test_a_binary_file_is_named_and_the_import_survives_it(
    content: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "odd.yaml").write_bytes(content)
    monkeypatch.setenv(VARIABLES["task_configs"], str(tmp_path))
    with pytest.raises(SetupError, match=r"odd\.yaml:1: not UTF-8 text \(byte 0x"):
        instance_ids()
    with pytest.raises(SetupError, match=r"odd\.yaml:1: not UTF-8 text"):
        load_instance("Nowhere-task-1")
    code = "import gymnasium, websp_gym; print(sum(name.startswith('websp/') for name in gymnasium.registry))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 0
    assert "odd.yaml:1: not UTF-8 text" in done.stderr


def test_a_wrong_default_reward_is_named_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBSP_REWARD", "stat")
    with pytest.raises(SetupError, match='WEBSP_REWARD="stat": no such reward; did you mean "state"'):
        gymnasium.make("websp/Steam-task-191-ON")
    monkeypatch.setenv("WEBSP_REWARD", "strict")
    assert default_reward() == "strict"
    monkeypatch.delenv("WEBSP_REWARD")
    assert (default_reward(), default_reward("live")) == ("state", "judge")


def test_the_published_spelling_of_every_id_is_registered() -> None:
    assert published_id("Steam-task-191-ON") == "Steam_task-191_ON"
    assert published_id("Docker-task-144") == "Docker_task-144"
    for name in instance_ids():
        assert gymnasium.spec(f"websp/{published_id(name)}").kwargs == {"instance_id": name}
