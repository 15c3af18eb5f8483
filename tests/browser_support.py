"""Browser processes as the system shows them: their command lines and their variables."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

# Run by another process: it plays the start of an episode and prints the browser it has.
RESET = """
import json, sys
from tests.browser_support import browsers
from websp_gym.browser.confinement import unconfined_because
from websp_gym.env.registration import make_env

env = make_env("Steam-task-191-ON")
env.reset(seed=0)
found = [{"args": each.args, "variables": each.variables} for each in browsers()]
print(json.dumps({"browsers": found, "unconfined": unconfined_because()}))
env.close()
"""


@dataclass(frozen=True)
class BrowserProcess:
    """The main process of a browser."""

    args: list[str]
    variables: dict[str, str]


def browsers(mention: str = "") -> list[BrowserProcess]:
    """The browsers this process has started.

    Args:
        mention: Text that must stand in the command line.

    Returns:
        Their main processes; not their renderers and helpers.
    """
    children = psutil.Process().children(recursive=True)
    found = {process.pid: one for process in children if (one := _browser(process, mention)) is not None}
    # A helper that is just being forked still looks like the browser itself.
    return [one for process in children if (one := found.get(process.pid)) and process.ppid() not in found]


def drivers() -> list[psutil.Process]:
    """The Playwright drivers this process has started, without those that have ended."""
    return [process for process in psutil.Process().children() if _drives(process)]


def _drives(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):  # it has ended
        return "run-driver" in process.cmdline()
    return False


def _browser(process: psutil.Process, mention: str) -> BrowserProcess | None:
    with contextlib.suppress(psutil.Error, OSError):  # it has just ended
        args = process.cmdline()
        main = "--no-first-run" in args and not any(arg.startswith("--type=") for arg in args)
        if main and mention in " ".join(args):
            return BrowserProcess(args, _variables(process.pid))
    return None


def _variables(pid: int) -> dict[str, str]:
    text = Path(f"/proc/{pid}/environ").read_bytes().decode("utf-8", "replace")
    return dict(line.split("=", 1) for line in text.split("\0") if "=" in line)


_SPIN = "import time\nwhile time.process_time() < 60: pass"


@contextlib.contextmanager
def starved() -> Iterator[psutil.Process]:
    """A process of ours that always wants to run, on a processor that a process of others has for itself."""
    one = min(os.sched_getaffinity(0))
    # Its parent has ended, so it is no descendant of ours.
    orphan = (
        f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {_SPIN!r}], stdout=2).pid)"
    )
    other = psutil.Process(int(subprocess.check_output([sys.executable, "-c", orphan])))
    with subprocess.Popen([sys.executable, "-c", _SPIN]) as process:
        ours = psutil.Process(process.pid)
        try:
            for each in (ours, other):
                each.cpu_affinity([one])
            ours.nice(19)
            yield ours
        finally:
            other.kill()
            process.kill()


NOBODY = 65534
# Not root, but root's interpreter may lie in a folder that nobody else reads.
_AS_NOBODY = (
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
)


def reset_elsewhere(variables: Mapping[str, str], *, as_nobody: bool = False) -> dict[str, object]:
    """Resets an environment in a process of its own.

    Args:
        variables: Variables besides a home of its own, a path and the place of our code.
        as_nobody: Whether another user than root does it; only root can ask for that.

    Returns:
        The output of :data:`RESET`.
    """
    root = Path(__file__).parent.parent
    with tempfile.TemporaryDirectory(prefix="websp-home-") as home:
        if as_nobody:
            os.chown(home, NOBODY, NOBODY)
        own = {"HOME": home, "TMPDIR": home, "PATH": os.environ["PATH"], "PYTHONPATH": str(root)}
        done = subprocess.run(
            [*(_AS_NOBODY if as_nobody else ()), sys.executable, "-B", "-c", RESET],
            env={**own, **variables},
            cwd=root,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    told: dict[str, object] = json.loads(done.stdout)
    return told
