"""The shell completes commands, options, ids, sites and agents of ``websp``: as bash asks for it, and in a real bash."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.command_support import LONGEST
from websp_gym.cli.app import app
from websp_gym.tasks.ids import instance_ids

COMPLETE = """
eval "$SCRIPT"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_websp_completion websp
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables of a shell in which `websp` is the command of this interpreter, with what it says to install."""
    folder = tmp_path_factory.mktemp("bin")
    command = folder / "websp"
    command.write_text(f"#!{sys.executable}\nfrom websp_command import main\n\nmain()\n")
    command.chmod(0o755)
    variables = {"PATH": f"{folder}:/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)}
    # With one command only, bash would become it, and the command would not find the shell that it is called from.
    script = _bash("websp --show-completion; true", env=variables)
    return {**variables, "SCRIPT": script}


def _bash(code: str, *arguments: str, env: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "--norc", "-c", code, "bash", *arguments],
        env=env, capture_output=True, text=True, timeout=LONGEST, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


IDS = [name for name in instance_ids() if name.startswith("Steam-task-19")]
"""What is completed from ``Steam-task-19``, wherever an id is asked for."""
BEGUN: list[tuple[tuple[str, ...], list[str]]] = [
    (("sh",), ["show"]),
    (("run", "--max-c"), ["--max-cost"]),
    (("run", "--agent", "o"), ["oracle"]),
    (("check", "ste"), ["steam"]),
    (("list", "--site", "airb"), ["airbnb"]),
    (("show", "nothing-like-it"), []),
    (("show", "Steam-task-19"), IDS),
    (("demo", "Steam-task-19"), IDS),
    (("run", "Airbnb-task-180", "Steam-task-19"), IDS),
    (("run", "--tasks", "Steam-task-19"), IDS),
]
"""Words of a command line after ``websp``, and what the last one may become."""


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize(("words", "expected"), [BEGUN[0], BEGUN[-1]])
def test_bash_completes_what_is_begun(
    shell: dict[str, str], words: tuple[str, ...], expected: list[str]
) -> None:
    assert _bash(COMPLETE, "websp", *words, env=shell).split() == expected


def test_the_command_completes_commands_options_agents_sites_and_ids() -> None:
    wrong = []
    for words, expected in BEGUN:
        asked = {"COMP_WORDS": " ".join(("websp", *words)), "COMP_CWORD": str(len(words))}
        variables = {"_WEBSP_COMPLETE": "complete_bash", **asked}
        done = CliRunner().invoke(app, [], prog_name="websp", env=variables)
        if done.output.split() != expected:
            wrong.append((words, done.output))
    assert wrong == []


def test_completing_an_id_imports_no_browser(tmp_path: Path) -> None:
    code = (
        "import sys; from websp_gym.cli.completing import complete_id, complete_site; "
        "assert complete_id() and complete_site(); print('playwright' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "False\n"
