"""What only Linux has is not needed: an episode passes in processes that lack it, as on macOS."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = "import os, time\ndel os.memfd_create, time.pthread_getcpuclockid\n"
EPISODE = """
import os, time
from websp_gym import make_agent, make_env, run_episode
if __name__ == "__main__":
    assert not hasattr(os, "memfd_create") and not hasattr(time, "pthread_getcpuclockid")
    env = make_env("Steam-task-191-ON")
    print(run_episode(env, make_agent("oracle")).reward)
    env.close()
"""


@pytest.mark.proof
def test_an_episode_passes_without_files_in_memory_and_clocks_of_threads(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT, "utf-8")
    (tmp_path / "episode.py").write_text(EPISODE, "utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "WEBSP_SANDBOX"}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "episode.py")],
        env={**environment, "PYTHONPATH": ":".join([str(tmp_path), *sys.path])},
        capture_output=True, text=True, timeout=150, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "1.0\n"), done.stderr
