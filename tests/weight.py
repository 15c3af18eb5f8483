"""What each test costs: CPU seconds of the worker and of all that it started, and the browsers it opened.

    .venv/bin/pytest -p tests.weight -n 4 tests/browser

Seconds on the wall say how busy the machine is; CPU seconds say what a test costs anywhere. As root on Linux they are
counted by the kernel, in a control group for each worker; otherwise what a process used that ended beside its parents,
such as those of a browser that was killed, is not known, which is half of all. The table goes to
``build/weight.csv`` with a line per test, and to the terminal with a line per file.
"""

from __future__ import annotations

import csv
import os
import sys
from collections import defaultdict
from collections.abc import Generator
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT

TABLE = ROOT / "build/weight.csv"
_TICKS = os.sysconf("SC_CLK_TCK")
_PROPERTY = "weight"
_opened = 0
_started = 0
_group: Path | None = None


@dataclass
class Weight:
    """What one test cost.

    Args:
        tests: One; of a file, how many.
        cpu: CPU seconds of the worker and of all that it started.
        browsers: Browsers started and contexts opened by the worker itself.
        commands: Processes it started with Python's ``subprocess``.
        wall: Seconds it took.
    """

    tests: int = 1
    cpu: float = 0.0
    browsers: int = 0
    commands: int = 0
    wall: float = 0.0

    def add(self, other: Weight) -> None:
        """Add what another test cost."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


def cpu_so_far() -> float:
    """Return the CPU seconds that this worker and all that it started have used."""
    if _group is None:
        return _of_tree(os.getpid())
    return int((_group / "cpu.stat").read_text().split()[1]) * 1e-6  # after the word usage_usec


def _own_group() -> Path | None:
    """Put this process into a control group of its own; ``None`` where that is not possible."""
    for root in map(Path, ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")):
        if not (root / "cgroup.controllers").is_file():
            continue
        for left in root.glob("websp-tests-*"):
            with suppress(OSError):  # one in use
                left.rmdir()
        group = root / f"websp-tests-{os.getpid()}"
        with suppress(OSError):
            group.mkdir()
            (group / "cgroup.procs").write_text(str(os.getpid()))
            return group
    return None


def _of_tree(root: int) -> float:
    """Return the CPU seconds that a process, its descendants, and those of them that have ended have used."""
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            text = Path(f"/proc/{entry}/stat").read_text("utf-8", "replace")
        except OSError:  # it has ended
            continue
        columns = text[text.rindex(")") + 2 :].split()
        parents[int(entry)] = int(columns[1])
        used[int(entry)] = sum(map(int, columns[11:15])) / _TICKS
    return sum(seconds for pid, seconds in used.items() if _descends(pid, root, parents))


def _descends(pid: int, root: int, parents: dict[int, int]) -> bool:
    while pid > 1:
        if pid == root:
            return True
        pid = parents.get(pid, 0)
    return False


def pytest_sessionstart() -> None:
    """Count CPU time, browsers, contexts and processes from here on."""
    global _group
    _group = _own_group()
    from playwright.sync_api import Browser, BrowserType

    for owner, name in (
        (Browser, "new_context"),
        (BrowserType, "launch_persistent_context"),
        (BrowserType, "launch"),
    ):
        _count(owner, name)
    sys.addaudithook(_note_process)


def _count(owner: Any, name: str) -> None:
    called = getattr(owner, name)

    @wraps(called)
    def counted(*given: Any, **named: Any) -> Any:
        global _opened
        _opened += 1
        return called(*given, **named)

    setattr(owner, name, counted)


def _note_process(event: str, _: Any) -> None:
    global _started
    if event == "subprocess.Popen":
        _started += 1


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure a test with its fixtures, and what it leaves to the teardown of its report."""
    item.stash[_BEFORE] = (cpu_so_far(), _opened, _started)
    return (yield)


_BEFORE = pytest.StashKey[tuple[float, int, int]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put what was used since the test began into its last report, which travels to the main process."""
    report = yield
    if call.when == "teardown":
        cpu, opened, started = item.stash[_BEFORE]
        report.user_properties.append((_PROPERTY, (cpu_so_far() - cpu, _opened - opened, _started - started)))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the table, and show it by file."""
    by_test: dict[str, Weight] = defaultdict(Weight)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if not isinstance(report, pytest.TestReport):
                continue
            weight = by_test[report.nodeid]
            weight.wall += report.duration
            for name, value in report.user_properties:
                if name == _PROPERTY and isinstance(value, list | tuple):
                    weight.cpu, weight.browsers, weight.commands = value
    _write(by_test)
    files: dict[str, Weight] = defaultdict(lambda: Weight(tests=0))
    for node, weight in by_test.items():
        files[node.partition("::")[0]].add(weight)
    terminalreporter.section("CPU seconds, tests, those with a browser, commands, seconds on the wall")
    opening = sum(bool(weight.browsers) for weight in by_test.values())
    for node, weight in sorted(files.items(), key=lambda pair: -pair[1].cpu):
        terminalreporter.write_line(
            f"{weight.cpu:8.1f} {weight.tests:5d} {weight.browsers:5d} {weight.commands:5d} {weight.wall:8.1f}  {node}"
        )
    total = sum(weight.cpu for weight in files.values())
    terminalreporter.write_line(
        f"{total:8.1f} CPU s together; {opening} of {len(by_test)} tests opened a browser or a context"
    )


def _write(by_test: dict[str, Weight]) -> None:
    TABLE.parent.mkdir(exist_ok=True)
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["test", *(each.name for each in fields(Weight))])
        rows.writerows([node, *astuple(weight)] for node, weight in sorted(by_test.items()))
