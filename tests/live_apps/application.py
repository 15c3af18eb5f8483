"""Applications of others: installed once into ``build/apps``, and started with a fresh database for a test."""

from __future__ import annotations

import hashlib
import http.client
import inspect
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from filelock import FileLock

from tests.paths import ROOT

if TYPE_CHECKING:
    from tests.live_apps.recording import Recording

HOME = ROOT / "build" / "apps"
SCRIPTS = Path(__file__).parent / "scripts"
_TO_START = 60.0
_TO_END = 10.0
_POLL = 0.05
_TRIES = 3


@dataclass(frozen=True)
class Person:
    """A person with an account.

    Args:
        username: The user name.
        email: The e-mail address.
        password: The password.
        name: The name that pages show.
        totp: The key of the one-time codes; empty for no second factor.
    """

    username: str
    email: str
    password: str
    name: str = ""
    totp: str = ""


@dataclass(frozen=True)
class Start:
    """How an application is started: its command, and further variables of its environment."""

    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)


class Application(ABC):
    """An application: how it is installed, prepared and started, and what its database holds."""

    slug: ClassVar[str]
    packages: tuple[str, ...]
    """Exact versions of what is installed."""
    people: ClassVar[tuple[Person, Person]]
    """Two people with accounts."""
    ready: ClassVar[str] = "/"
    """A path that is answered with less than 500 once it can be used."""

    @property
    def home(self) -> Path:
        """The folder that it is installed into."""
        return HOME / self.slug

    @property
    def template(self) -> Path:
        """The folder with its database as it is at the start of each test."""
        return self.home / "template"

    def install(self) -> None:
        """Install it and prepare its database, unless this was done."""
        packages = "\n".join([*self.packages, sys.version])
        own = [inspect.getsource(type(self)), *(path.read_text() for path in SCRIPTS.glob(f"*{self.slug}*"))]
        HOME.mkdir(parents=True, exist_ok=True)
        with FileLock(HOME / f"{self.slug}.lock"):
            _once(self.home / "installed", packages, self.home, self._install)
            _once(self.home / "prepared", "\n".join([packages, *own]), self.template, self.prepare)

    @abstractmethod
    def _install(self) -> None:
        """Install the packages."""

    @abstractmethod
    def prepare(self) -> None:
        """Write the database with the people into the template."""

    @abstractmethod
    def start(self, place: Path, port: int) -> Start:
        """Return how it is started.

        Args:
            place: A copy of the template, which is its own.
            port: The port of 127.0.0.1 to listen on.
        """

    @abstractmethod
    def truth(self, place: Path, person: Person) -> dict[str, Any]:
        """Return the settings of a person as its database holds them; none if the account is gone."""

    @abstractmethod
    def end_sessions(self, place: Path) -> None:
        """Sign everybody out."""

    @abstractmethod
    def recordings(self) -> Mapping[str, Recording]:
        """Return what is recorded, by name of the trace; ``login`` signs in."""


class PipApplication(Application):
    """An application from PyPI, in a virtual environment of its own."""

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.home / "venv" / "bin" / "python"

    def _install(self) -> None:
        run([sys.executable, "-m", "venv", str(self.home / "venv")])
        run([str(self.python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *self.packages])


class NpmApplication(Application):
    """An application from npm, below a folder of its own."""

    def _install(self) -> None:
        (self.home / "package.json").write_text("{}")
        run(["npm", "install", "--no-audit", "--no-fund", "--silent", *self.packages], cwd=self.home)


def _once(stamp: Path, facts: str, folder: Path, make: Callable[[], None]) -> None:
    """Make what is in a folder, which is empty then, unless it was made of the same facts."""
    digest = hashlib.sha256(facts.encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == digest:
        return
    stamp.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make()
    stamp.write_text(digest)


@dataclass(frozen=True)
class Running:
    """An application that runs.

    Args:
        app: The application.
        url: Its address, without a slash at the end.
        place: The folder with its database.
    """

    app: Application
    url: str
    place: Path

    def truth(self, person: Person) -> dict[str, Any]:
        """Return the settings of a person as the database holds them."""
        return self.app.truth(self.place, person)

    def end_sessions(self) -> None:
        """Sign everybody out."""
        self.app.end_sessions(self.place)


@contextmanager
def running(app: Application, place: Path) -> Iterator[Running]:
    """Run an application with a fresh database; all its processes have ended afterwards.

    Args:
        app: The application, installed.
        place: A folder that does not exist, for its database.
    """
    shutil.copytree(app.template, place)
    for left in reversed(range(_TRIES)):
        port = _free_port()
        process = _started(app.start(place, port), place)
        try:
            if _is_ready(process, port, app.ready):
                yield Running(app, f"http://127.0.0.1:{port}", place)
                return
            # Another process may have taken the port in between.
            if not left:
                said = (place / "output.txt").read_text(errors="replace")[-2000:]
                raise RuntimeError(f"{app.slug} does not start:\n{said}")
        finally:
            _end(process)


def run(command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Run a command to its end; raise with what it said if it fails."""
    done = subprocess.run(
        command, cwd=cwd, env={**_environment(), **(env or {})}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stdout + done.stderr)[-2000:]
        raise RuntimeError(f"{' '.join(command)[:200]} ended with {done.returncode}:\n{said}")
    return done.stdout


def _environment() -> dict[str, str]:
    # Not measured by `make coverage`, and without what belongs to this interpreter.
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("COVERAGE", "PYTHON"))}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1"}


def _started(start: Start, place: Path) -> subprocess.Popen[bytes]:
    with (place / "output.txt").open("wb") as output:
        return subprocess.Popen(
            start.command,
            cwd=place,
            env={**_environment(), **start.env},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _is_ready(process: subprocess.Popen[bytes], port: int, path: str) -> bool:
    """Wait until it answers; return whether it does."""
    end = time.monotonic() + _TO_START
    while process.poll() is None and time.monotonic() < end:
        with suppress(OSError, http.client.HTTPException):
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            client.request("GET", path)
            status = client.getresponse().status
            client.close()
            if status < 500 and process.poll() is None:
                return True
        time.sleep(_POLL)  # between two looks
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and all that it started, which are of its session."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_TO_END)


def _free_port() -> int:
    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        return int(own.getsockname()[1])
