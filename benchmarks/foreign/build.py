"""Build the applications of the benchmark into a cache that git ignores: the only step that needs a network.

python -m benchmarks.foreign.build [--app NAME ...]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from benchmarks.foreign.app import App, Version, apps
from websp_gym.errors import SetupError

HERE = Path(__file__).resolve().parent
CACHE = HERE / ".cache"
ESBUILD = "0.28.2"
BEFORE = "2026-11-20"
"""What the packages depend on is taken as it was published before this day: the same packages on every machine."""
_WAY_OUT = "build the benchmark once where npm and pip reach their registries, or copy {} from such a machine"


def build(app: App) -> None:
    """Build every version of an application, unless the cache already has it.

    Raises:
        SetupError: npm or pip is missing, or cannot reach its registry.
    """
    if app.kind == "server":
        _virtual_environments(app)
    else:
        for version in app.versions:
            _bundle(app, version)


def folder(app: App, version: Version) -> Path:
    """Return the folder of a version of an application in the cache."""
    return CACHE / app.name / version


def _bundle(app: App, version: Version) -> None:
    home = folder(app, version)
    packages = app.versions[version]
    wanted = json.dumps([packages, BEFORE], sort_keys=True)
    if not _is_made(home / "packages", wanted):
        _install(home, packages)
        _stamp(home / "packages", wanted)
    sources = sorted(
        path for place in (app.folder, HERE / "common") for path in place.rglob("*") if path.is_file()
    )
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    if _is_made(home / "bundle", digest):
        return
    command = [
        str(_esbuild()),
        str(app.folder / app.source),
        "--bundle",
        "--minify",
        "--format=iife",
        "--jsx=automatic",
        "--define:process.env.NODE_ENV='production'".replace("'", '"'),
        "--loader:.woff=dataurl",
        "--loader:.woff2=dataurl",
        "--loader:.ttf=dataurl",
        "--loader:.svg=dataurl",
        "--loader:.js=jsx",
        f"--outfile={home / 'dist' / 'app.js'}",
        "--log-level=error",
        *app.options,
    ]
    _run(command, home, {"NODE_PATH": str(home / "node_modules")})
    _stamp(home / "bundle", digest)


def _install(home: Path, packages: dict[str, str]) -> None:
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    (home / "package.json").write_text(json.dumps({"private": True, "dependencies": packages}), "utf-8")
    npm = shutil.which("npm")
    if npm is None:
        raise SetupError(f"npm is missing: install Node.js 20 or later, or {_WAY_OUT.format(CACHE)}")
    flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps", "--loglevel=error"]
    flags.append(f"--before={BEFORE}")
    _run([npm, "install", *flags], home)


@cache
def _esbuild() -> Path:
    home = CACHE / "esbuild" / ESBUILD
    program = home / "node_modules" / ".bin" / "esbuild"
    if not program.exists():
        _install(home, {"esbuild": ESBUILD})
    return program


def _virtual_environments(app: App) -> None:
    for version, packages in app.versions.items():
        home = folder(app, version)
        wanted = [f"{name}=={number}" for name, number in packages.items()]
        if _is_made(home / "packages", "\n".join(wanted)):
            continue
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        _run([sys.executable, "-m", "venv", str(home / "venv")], home)
        pip = [str(home / "venv" / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        # All other packages in the versions that this file lists.
        pins = app.folder / f"{version}.txt"
        pinned = ["-c", str(pins)] if pins.exists() else []
        _run([*pip, "--disable-pip-version-check", *wanted, *pinned], home)
        _stamp(home / "packages", "\n".join(wanted))


def _run(command: list[str], place: Path, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        command, cwd=place, env={**os.environ, **(environment or {})}, capture_output=True, text=True
    )
    if done.returncode:
        told = (done.stderr or done.stdout).strip()[-1500:]
        raise SetupError(f"{' '.join(command[:3])} … failed: {told}\n{_WAY_OUT.format(CACHE)}")


def _is_made(path: Path, content: str) -> bool:
    return path.is_file() and path.read_text("utf-8") == content


def _stamp(path: Path, content: str) -> None:
    path.write_text(content, "utf-8")


def main() -> None:
    """Build all applications, or those named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--app", action="append", help="only this application")
    wanted = parser.parse_args().app
    for app in apps():
        if not wanted or app.name in wanted:
            sys.stdout.write(f"{app.name}\n")
            build(app)


if __name__ == "__main__":
    main()
