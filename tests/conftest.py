"""Fixtures every test file may use: real environments in the real sandbox, closed again afterwards."""

from __future__ import annotations

import gc
import os
import signal
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from operator import itemgetter
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, settings

from tests.sample import touched
from websp_gym.browser.owner import call
from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env

# A machine that is shared with others stalls now and then.
settings.register_profile("websp", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("websp")

_ON_BROWSER_THREAD = pytest.StashKey[set[str]]()


def pytest_report_header() -> str:
    """Say what some more proofs are of, because it may have changed."""
    found = touched()
    parts = [*sorted(found.slugs), *["sites"] * found.sites, *["tasks"] * found.tasks]
    return f"more proofs than the smoke, because of changes: {', '.join(parts) or 'none'}"


def pytest_sessionstart() -> None:
    """Start the browser thread that users get, take Ctrl-C, and reach servers of this machine past any proxy.

    Child processes are sent SIGINT; where `make test` runs in the background they would inherit that it is ignored.
    pytest-xdist gives its workers the width of its terminal, in which tables would break as in the developer's.
    ``urlopen`` keeps the proxies of its first call in a process, which may be those that one test sets.
    """
    os.environ.pop("COLUMNS", None)
    urllib.request.install_opener(urllib.request.build_opener(urllib.request.ProxyHandler({})))
    call(lambda: None)
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def browser_thread() -> None:
    """Run the whole test on the browser thread, with its fixtures: it uses Playwright's objects itself.

    All other tests use environments as users do: from another thread than the one that drives the browser.
    """


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run the tests of a file that has the fixture ``browser_thread`` there, because fixtures of the file end there too."""
    if item.nodeid.partition("::")[0] not in item.session.stash[_ON_BROWSER_THREAD]:
        return None
    runner: Any = item.config.pluginmanager.get_plugin("runner")
    return call(lambda: bool(runner.pytest_runtest_protocol(item, nextitem)))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note which files need the browser thread. Leave pytest's and the modules' many objects out of the full collections that each reset may make."""
    session.stash[_ON_BROWSER_THREAD] = {
        item.nodeid.partition("::")[0]
        for item in session.items
        if "browser_thread" in getattr(item, "fixturenames", ())
    }
    gc.collect()
    gc.freeze()


class MakeEnv(Protocol):
    """Builds an environment that is closed when the test ends."""

    def __call__(self, instance_id: str, **options: Any) -> WebspEnv: ...


@pytest.fixture
def make() -> Iterator[MakeEnv]:
    """A factory of environments; S0 comes from a snapshot unless the test asks for a replay."""
    made: list[WebspEnv] = []

    def build(instance_id: str, **options: Any) -> WebspEnv:
        env = make_env(instance_id, **{"initial_state": "snapshot", **options})
        made.append(env)
        return env

    yield build
    for env in made:
        env.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show how many seconds each test file took, over all workers."""
    seconds: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    if len(seconds) > 1:
        terminalreporter.section("seconds per file")
        for file, took in sorted(seconds.items(), key=itemgetter(1), reverse=True):
            terminalreporter.write_line(f"{took:8.1f}  {file}")
        terminalreporter.write_line(f"{sum(seconds.values()):8.1f}  together")
