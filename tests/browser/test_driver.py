"""How the browser's driver ends, and how the processes that it started are found."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from websp_gym.browser import driver

TALKS = """
import sys
from pathlib import Path
from websp_gym.browser import driver
driver._PRELUDE = Path(sys.argv[1])
from websp_gym.browser.launch import BrowserOptions, open_context
page = open_context(BrowserOptions(), viewport=(320, 240)).new_page()
page.on("console", lambda message: None)
page.evaluate("setInterval(() => { for (let i = 0; i < 50; i++) console.log(i); }, 1)")
sys.stdout.write("ready\\n")
sys.stdout.flush()
while True:
    page.wait_for_timeout(1)
"""


@pytest.mark.parametrize(
    "folder",
    [*(pytest.param(name, marks=pytest.mark.proof) for name in ("plain", "with space")), 'quote"back\\slash'],
)
def test_a_driver_whose_reader_is_killed_ends_without_a_word(tmp_path: Path, folder: str) -> None:
    prelude = tmp_path / folder / driver._PRELUDE.name
    prelude.parent.mkdir()
    shutil.copy(driver._PRELUDE, prelude)
    process = subprocess.Popen(
        [sys.executable, "-c", TALKS, str(prelude)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.communicate(timeout=300)[1]
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    _, said = process.communicate(timeout=300)
    assert said == ""
    _gone, alive = psutil.wait_procs(family, timeout=300)
    assert alive == []
