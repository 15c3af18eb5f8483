"""The example runs unchanged, and the page is true."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from websp_gym.agents.agentlab import make_benchmark

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/reference/agentlab.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)


def example(folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "AGENTLAB_EXP_ROOT"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "examples" / "agentlab_study.py"), str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.timeout(900)
def test_the_example_runs_and_a_second_call_goes_on_with_its_study(tmp_path: Path) -> None:
    said = example(tmp_path)
    table = {line.split()[0]: line.split()[1:] for line in said.splitlines() if line and line[0] != " "}
    assert table["oracle"] == ["6", "0", "0", "0", "0"]
    assert table["flawed:stops-early"][3:] == ["0", "0"]
    assert re.search(r"websp report \S+/websp-run$", said, re.M)
    again = example(tmp_path)
    assert [line for line in again.splitlines() if line.startswith("oracle")] == [
        line for line in said.splitlines() if line.startswith("oracle")
    ]
    assert len(list(tmp_path.glob("*/study.pkl.gz"))) == 1


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_imports_of_the_pages_code_exist(block: str) -> None:
    imports: list[ast.stmt] = [
        node for node in ast.parse(block).body if isinstance(node, ast.ImportFrom | ast.Import)
    ]
    exec(compile(ast.Module(imports, []), "docs/reference/agentlab.md", "exec"), {})


def test_the_pages_subsets_and_splits_exist() -> None:
    (block,) = [block for block in BLOCKS if ".split(" in block]
    names = {"benchmark": make_benchmark()}
    exec(block, names)
    assert len(names["train"].env_args_list) > len(names["test"].env_args_list) > 0


def test_the_page_names_every_field_of_the_environments_arguments() -> None:
    from websp_gym.agents.agentlab.env_args import OPTIONS

    for name in (*OPTIONS, "record", "max_steps", "headless", "viewport"):
        assert f"`{name}`" in PAGE
