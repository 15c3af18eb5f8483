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
from pathlib import Path

from benchmarks.foreign.app import HERE, App, Version, apps
from websp_gym.errors import SetupError

CACHE = HERE / ".cache"
ESBUILD = "0.28.2"
BEFORE = "2026-11-20"
"""What the packages depend on is taken as it was published before this day: the same packages on every machine."""
_FLAGS = (
    "--bundle",
    "--minify",
    "--format=iife",
    "--jsx=automatic",
    '--define:process.env.NODE_ENV="production"',
    *(f"--loader:.{ending}=dataurl" for ending in ("woff", "woff2", "ttf", "svg")),
    "--loader:.js=jsx",
    "--log-level=error",
)


def build(app: App) -> None:
    """Build every version of an application, unless the cache already has it.

    Raises:
        SetupError: npm or pip is missing, or cannot reach its registry.
    """
    for version in app.versions:
        if app.kind == "server":
            _virtual_environment(app, version)
        else:
            _bundle(app, version)


def folder(app: App, version: Version) -> Path:
    """Return the folder of a version of an application in the cache."""
    return CACHE / app.name / version


def _bundle(app: App, version: Version) -> None:
    home, packages = folder(app, version), app.versions[version]
    wanted = json.dumps([packages, BEFORE], sort_keys=True)
    if not _is_made(home / "packages", wanted):
        _install(home, packages)
        (home / "packages").write_text(wanted, "utf-8")
    files = [path for place in (app.folder, HERE / "common") for path in place.rglob("*") if path.is_file()]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()
    if not _is_made(home / "bundle", digest):
        esbuild = CACHE / "esbuild" / ESBUILD
        program = esbuild / "node_modules" / ".bin" / "esbuild"
        if not program.exists():
            _install(esbuild, {"esbuild": ESBUILD})
        out = f"--outfile={home / 'dist' / 'app.js'}"
        command = [str(program), str(app.folder / app.source), *_FLAGS, out, *app.options]
        _run(command, home, {"NODE_PATH": str(home / "node_modules")})
        (home / "bundle").write_text(digest, "utf-8")


def _install(home: Path, packages: dict[str, str]) -> None:
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    (home / "package.json").write_text(json.dumps({"private": True, "dependencies": packages}), "utf-8")
    flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps", "--loglevel=error"]
    _run(["npm", "install", *flags, f"--before={BEFORE}"], home)


def _virtual_environment(app: App, version: Version) -> None:
    home = folder(app, version)
    wanted = [f"{name}=={number}" for name, number in app.versions[version].items()]
    if _is_made(home / "packages", "\n".join(wanted)):
        return
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    _run([sys.executable, "-m", "venv", str(home / "venv")], home)
    pip = [str(home / "venv" / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    # The file pins all other packages.
    pins = str(app.folder / f"{version}.txt")
    _run([*pip, "--disable-pip-version-check", *wanted, "-c", pins], home)
    (home / "packages").write_text("\n".join(wanted), "utf-8")


def _run(command: list[str], place: Path, environment: dict[str, str] | None = None) -> None:
    try:
        subprocess.run(
            command,
            cwd=place,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        told = getattr(error, "stderr", "") or getattr(error, "stdout", "") or str(error)
        raise SetupError(
            f"{' '.join(command[:3])} … failed: {told.strip()[-1500:]}\nBuild the benchmark once where npm (Node.js "
            f"20 or later) and pip reach their registries, or copy {CACHE} from such a machine"
        ) from error


def _is_made(path: Path, content: str) -> bool:
    return path.is_file() and path.read_text("utf-8") == content


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
