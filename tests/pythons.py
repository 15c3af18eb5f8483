"""Run a part of the tests, or one episode, on every Python that is installed, with the oldest and the newest Playwright.

BrowserGym is there as pip resolves it (oldest), beside a Playwright that it does not ask for (newest), or absent.

python tests/pythons.py             # make test-pythons: the fast half of the suite
python tests/pythons.py --episode   # one episode on each
python tests/pythons.py --episode --newest   # on the newest of them only, as CI does
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
FAST = (
    "tests/actions",
    "tests/browser",
    "tests/env",
    "tests/observation",
    "tests/replay/test_locate.py",
    "tests/rollouts",
    "tests/runner",
)
"""Parts that touch the browser or depend on the language."""
WITHOUT_BROWSERGYM = (
    "tests/browser",
    "tests/env/test_without_browsergym.py",
    "tests/observation",
    "tests/replay/test_locate.py",
    "tests/rollouts",
)
"""Those of them that need nothing of BrowserGym, with what says so where something does."""
Playwright = Literal["oldest", "newest"]
OLDEST = "1.44.*"


@dataclass(frozen=True)
class Setting:
    """An interpreter, a version of Playwright, and whether BrowserGym is there."""

    version: str
    interpreter: str
    playwright: Playwright
    browsergym: bool = True

    @property
    def folder(self) -> Path:
        """The virtual environment."""
        return ROOT / f".venv-{self.version}-{self.playwright}{'' if self.browsergym else '-bare'}"

    @property
    def python(self) -> str:
        """The interpreter of the virtual environment."""
        return str(self.folder / "bin" / "python")


def interpreters() -> Iterator[tuple[str, str]]:
    """Yield version and path of each interpreter that runs: on the path, or where pyenv and uv keep theirs."""
    kept = [Path.home() / ".pyenv" / "versions", Path.home() / ".local" / "share" / "uv" / "python"]
    for version in VERSIONS:
        places = [shutil.which(f"python{version}") or ""]
        places += [
            str(path) for folder in kept for path in sorted(folder.glob(f"*{version}*/bin/python{version}"))
        ]
        for path in filter(None, places):
            if subprocess.run([path, "-c", "import ensurepip, venv"], capture_output=True).returncode == 0:
                yield version, path
                break


def settings() -> Iterator[Setting]:
    """Yield the combinations to run.

    No greenlet that Playwright 1.44 takes has a wheel past Python 3.12, so pip installs no BrowserGym there.
    """
    for version, path in interpreters():
        if version in ("3.11", "3.12"):
            yield Setting(version, path, "oldest")
        else:
            yield Setting(version, path, "newest", browsergym=False)
        yield Setting(version, path, "newest")


def install(setting: Setting, *, tests: bool) -> None:
    """Make or bring up to date the virtual environment, with what the tests need or for an episode only."""
    stamp = setting.folder / (".test" if tests else ".episode")
    if stamp.exists() and stamp.stat().st_mtime > (ROOT / "pyproject.toml").stat().st_mtime:
        return
    if not setting.folder.exists():
        subprocess.run([setting.interpreter, "-m", "venv", str(setting.folder)], check=True)
    pip = [setting.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "-e", f"{ROOT}{'[test,attach]' if tests else ''}", "-c", "constraints.txt"],
        cwd=ROOT,
        check=True,
    )
    if tests:
        subprocess.run([*pip, "nbclient", "ipykernel"], check=True)
    if setting.playwright == "newest":
        subprocess.run([*pip, "--upgrade", "--no-deps", "playwright", "greenlet", "pyee"], check=True)
        if setting.browsergym:
            # It asks for an older Playwright, and runs with this one all the same.
            subprocess.run([*pip, "pyparsing", "beautifulsoup4", "lxml"], check=True)
            subprocess.run([*pip, "--no-deps", "browsergym-core"], check=True)
    else:
        subprocess.run([*pip, f"playwright=={OLDEST}"], check=True)
    stamp.touch()


def run(setting: Setting, *, episode: bool, arguments: list[str]) -> bool:
    """Run one episode, or the tests, and return whether that went well."""
    install(setting, tests=not episode)
    subprocess.run(["sh", "tests/install_browser.sh", setting.python], cwd=ROOT, check=True)
    if episode:
        command = [str(setting.folder / "bin" / "websp"), "demo", "--out", str(setting.folder / "demo")]
    else:
        parts = arguments or (FAST if setting.browsergym else WITHOUT_BROWSERGYM)
        command = [setting.python, "-m", "pytest", "-q", "-n", str((os.cpu_count() or 2) + 2), *parts]
    return subprocess.run(command, cwd=ROOT).returncode == 0


def main() -> int:
    """Run all settings and print a table; return 1 if one of them failed, or there is none."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--episode", action="store_true", help="play one episode instead of running tests")
    parser.add_argument(
        "--newest", action="store_true", help="the newest Python with the newest Playwright only"
    )
    parser.add_argument("arguments", nargs="*", help="what pytest gets instead of the fast half")
    options = parser.parse_args()
    lines, failed = [], False
    chosen = list(settings())
    for setting in chosen[-1:] if options.newest else chosen:
        began = time.monotonic()
        good = run(setting, episode=options.episode, arguments=list(options.arguments))
        failed |= not good
        seconds = time.monotonic() - began
        lines.append(
            f"{setting.version:8} {setting.playwright:12} {'yes' if setting.browsergym else 'no':12} "
            f"{'ok' if good else 'FAILED':8} {seconds:6.0f} s"
        )
    print(f"{'Python':8} {'Playwright':12} {'BrowserGym':12}", *lines, sep="\n")
    return 1 if failed or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
