"""Build a release and try it: what `make release` does. It changes nothing but dist/, and nothing elsewhere.

It ends with what is left to a person, which begins with whatever is missing before it is a release.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from websp_gym.project import REPOSITORY, VERSION

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
_SECTION = re.compile(r"^## (.*)$", re.MULTILINE)


def missing(version: str, changelog: str, status: str) -> list[str]:
    """Return what has to be done before a state is a release.

    Args:
        version: The version it says it has.
        changelog: Its changelog.
        status: What ``git status --porcelain`` prints.
    """
    steps = []
    final = re.sub(r"\.dev\d+$", "", version)
    if version != final:
        steps.append(
            f'set VERSION = "{final}" in websp_gym/project.py and the same in trainers/openenv/openenv.yaml'
        )
    sections = _SECTION.findall(changelog)
    if len(sections) < 2 or not re.fullmatch(rf"{re.escape(final)} \(\d{{4}}-\d\d-\d\d\)", sections[1]):
        steps.append(
            f'in CHANGELOG.md, begin "## {final} (YYYY-MM-DD)" below an empty "## Unreleased", which stays on top'
        )
    if status.strip():
        steps.append("commit what has changed")
    return steps


def left(version: str) -> list[str]:
    """Return what a person does with the files of a release."""
    return [
        f"git tag -a v{version} -m 'websp-gym {version}' && git push origin v{version}",
        "python -m twine upload dist/*",
        f"publish its section of CHANGELOG.md as notes: {REPOSITORY}/releases/new?tag=v{version}",
        f'begin the next one: VERSION = "{_next(version)}.dev0", and commit',
    ]


def _next(version: str) -> str:
    major, minor, _ = version.split(".")
    return f"{major}.{int(minor) + 1}.0"


def build() -> Path:
    """Make sdist and wheel, check them as an index does, and return the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--outdir", DIST, ROOT)
    _run(sys.executable, "-m", "twine", "check", "--strict", *sorted(DIST.iterdir()))
    return next(DIST.glob("*.whl"))


def play(wheel: Path) -> None:
    """Install a wheel with its dependencies into an empty environment and play one episode there."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _run(sys.executable, "-m", "venv", place / "venv")
        python = place / "venv/bin/python"
        _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
        _run("sh", ROOT / "tests/install_browser.sh", python, cwd=place)
        _run(place / "venv/bin/websp", "demo", "--out", place / "demo", cwd=place)


def _run(*command: str | Path, cwd: Path = ROOT) -> None:
    print("+", *command, flush=True)
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([str(part) for part in command], cwd=cwd, env=env, check=True)


def main() -> int:
    """Build, check, play; return 1 if a step failed."""
    try:
        play(build())
    except subprocess.CalledProcessError as error:
        print(f"failed: {' '.join(error.cmd)}", file=sys.stderr)
        return 1
    status = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True)
    before = missing(VERSION, (ROOT / "CHANGELOG.md").read_text("utf-8"), status.stdout)
    print(f"\n{', '.join(path.name for path in sorted(DIST.iterdir()))}: built, checked, one episode played.")
    if before:
        print("This state is not a release yet:", *before, "run `make release` again", sep="\n  - ")
    print("Left to you:", *left(re.sub(r"\.dev\d+$", "", VERSION)), sep="\n  - ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
