"""The shell completes commands, options, ids, sites and agents of ``websp``, here in a real bash."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from websp_gym.tasks.ids import instance_ids

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
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
        env=env, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sh",), ["show"]),
        (("run", "--max-c"), ["--max-cost"]),
        (("run", "--agent", "o"), ["oracle"]),
        (("check", "ste"), ["steam"]),
        (("list", "--site", "airb"), ["airbnb"]),
        (("show", "nothing-like-it"), []),
    ],
)
def test_bash_completes_what_is_begun(
    shell: dict[str, str], words: tuple[str, ...], expected: list[str]
) -> None:
    assert _bash(COMPLETE, "websp", *words, env=shell).split() == expected


@pytest.mark.parametrize("words", [("show",), ("demo",), ("run", "Airbnb-task-180"), ("run", "--tasks")])
def test_ids_are_completed_wherever_one_is_asked_for(shell: dict[str, str], words: tuple[str, ...]) -> None:
    expected = [name for name in instance_ids() if name.startswith("Steam-task-19")]
    assert _bash(COMPLETE, "websp", *words, "Steam-task-19", env=shell).split() == expected


def test_completing_an_id_imports_no_browser(tmp_path: Path) -> None:
    code = (
        "import sys; from websp_gym.cli.completing import complete_id, complete_site; "
        "assert complete_id() and complete_site(); print('playwright' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "False\n"
