"""A browser sees no key, no control secret and no proxy of this machine, and runs in Chromium's own sandbox."""

from __future__ import annotations

import os
from typing import Any

import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.browser_support import BrowserProcess, browsers, reset_elsewhere
from websp_gym.browser import confinement
from websp_gym.browser.confinement import browser_environment, confined, unconfined_because
from websp_gym.browser.owner import call
from websp_gym.env.registration import make_env
from websp_gym.errors import SetupError
from websp_gym.recording import RecorderBrowser

DEAD = "http://127.0.0.1:9"
PROXIES = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), DEAD)
SECRETS = {
    "OPENAI_API_KEY": "sk-secret-one",
    "WEBSP_ENDPOINT_KEY": "secret-two",
    "AWS_SESSION_TOKEN": "three",
}


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """A reset in a process whose environment has keys and a proxy where nothing listens."""
    return reset_elsewhere({**PROXIES, **SECRETS, "TZ": "Europe/Berlin"})


def test_a_reset_works_where_the_variables_name_a_proxy_that_is_dead(told: dict[str, Any]) -> None:
    (browser,) = told["browsers"]
    assert "--no-proxy-server" in browser["args"]
    assert any(arg.startswith("--host-resolver-rules=MAP *:443 127.0.0.1:") for arg in browser["args"])


def test_the_browser_of_an_episode_has_no_key_no_control_secret_and_no_proxy(told: dict[str, Any]) -> None:
    (browser,) = told["browsers"]
    variables = browser["variables"]
    assert variables["TZ"] == "Europe/Berlin"
    assert not {"WEBSP_SANDBOX", *SECRETS, *PROXIES} & set(variables)
    assert "secret" not in " ".join(variables.values())


@pytest.mark.proof
def test_chromiums_own_sandbox_is_on_unless_the_machine_refuses_it() -> None:
    # Root gets none: there another user plays.
    told: Any = reset_elsewhere({}, as_nobody=os.geteuid() == 0)
    (browser,) = told["browsers"]
    assert ("--no-sandbox" in browser["args"]) == (told["unconfined"] is not None)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
def test_root_runs_without_chromiums_sandbox_and_is_warned(told: dict[str, Any]) -> None:
    (browser,) = told["browsers"]
    assert "--no-sandbox" in browser["args"]
    assert "root" in told["unconfined"]


def test_a_recording_of_the_live_web_keeps_the_users_proxy_and_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {**SECRETS, **PROXIES, "WEBSP_SANDBOX": "{}"}.items():
        monkeypatch.setenv(name, value)

    def recording() -> BrowserProcess:
        with RecorderBrowser() as studio:
            (browser,) = browsers(str(studio.profile))
            return browser

    browser = call(recording)
    assert browser.variables["https_proxy"] == DEAD
    assert not {"WEBSP_SANDBOX", *SECRETS} & set(browser.variables)


def test_only_listed_variables_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        monkeypatch.delenv(name)
    passing = {
        "PATH": "/bin",
        "LC_ALL": "C",
        "XDG_RUNTIME_DIR": "/run",
        "FONTCONFIG_FILE": "f",
        "DISPLAY": ":0",
    }
    for name, value in {**passing, "WEBSP_ANYTHING": "x", "PATHOLOGICAL": "x", "LCD": "x"}.items():
        monkeypatch.setenv(name, value)
    assert browser_environment() == passing


def _ordinary_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(confinement, "_known", confinement._Known())


@pytest.mark.parametrize(
    ("end", "with_sandbox"),
    [("<process did exit: exitCode=null, signal=SIGTRAP>", [True]), ("", [True, True])],
)
def test_a_broken_sandbox_is_tried_once_or_until_the_cause_is_known(
    monkeypatch: pytest.MonkeyPatch, end: str, with_sandbox: list[bool]
) -> None:
    _ordinary_user(monkeypatch)
    asked: list[bool] = []

    def start(sandbox: bool) -> str:
        asked.append(sandbox)
        if sandbox:
            raise PlaywrightError(f"No usable sandbox! {end}")
        return "browser"

    assert unconfined_because() is None
    assert [confined(start), confined(start)] == ["browser", "browser"]
    assert asked == [*with_sandbox, False, False]
    assert "namespaces" in str(unconfined_because())


def test_a_kill_is_not_blamed_on_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser that the system kills for memory must not make all later ones run without it."""
    _ordinary_user(monkeypatch)
    ends = ["<process did exit: exitCode=null, signal=SIGKILL>", "it is not known how"]

    def start(sandbox: bool) -> str:
        if ends:
            raise PlaywrightError(ends.pop(0))
        return f"sandbox={sandbox}"

    with pytest.raises(PlaywrightError, match="SIGKILL"):
        confined(start)
    assert confined(start) == "sandbox=True"
    assert unconfined_because() is None


@pytest.mark.parametrize("error", [PlaywrightError("no such file"), PlaywrightTimeoutError("30 s")])
def test_a_browser_that_never_starts_is_not_blamed_on_the_sandbox(
    monkeypatch: pytest.MonkeyPatch, error: PlaywrightError
) -> None:
    _ordinary_user(monkeypatch)

    def start(sandbox: bool) -> str:
        raise error

    with pytest.raises(type(error)):
        confined(start)
    assert unconfined_because() is None


def test_a_window_without_a_display_is_refused_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    env = make_env("Steam-task-191-ON", headless=False)
    with pytest.raises(SetupError, match="xvfb-run"):
        env.reset(seed=0)
    env.close()
