"""Finding Chromium: the order, and the error when there is none."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from websp_gym.browser.find import HEADLESS_SHELL, SYSTEM_NAMES, find_browser
from websp_gym.errors import SetupError


def _program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A machine without any browser: an empty PATH, and a place where Playwright's own would be."""
    monkeypatch.delenv("WEBSP_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    own = tmp_path / "ms-playwright" / "chrome"
    return SimpleNamespace(
        bin=tmp_path / "bin",
        own=own,
        playwright=SimpleNamespace(chromium=SimpleNamespace(executable_path=str(own))),
    )


def test_the_variable_comes_first_then_playwrights_own_then_the_systems(
    machine: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    system = _program(machine.bin / "google-chrome")
    assert find_browser(machine.playwright) == str(system)
    own = _program(machine.own)
    assert find_browser(machine.playwright) == str(own)
    asked = _program(tmp_path / "mine")
    monkeypatch.setenv("WEBSP_BROWSER", str(asked))
    assert find_browser(machine.playwright) == str(asked)


@pytest.mark.parametrize("name", SYSTEM_NAMES)
def test_every_usual_name_of_the_systems_browser_is_found(machine: Any, name: str) -> None:
    installed = _program(machine.bin / name)
    assert find_browser(machine.playwright) == str(installed)


def test_a_headless_shell_is_used_only_where_no_window_is_needed(machine: Any) -> None:
    shell = _program(machine.bin / HEADLESS_SHELL)
    with pytest.raises(SetupError):
        find_browser(machine.playwright)
    system = _program(machine.bin / "chromium")
    assert find_browser(machine.playwright) == str(system)
    assert find_browser(machine.playwright, headless=True) == str(shell)
    own = _program(machine.own)
    assert find_browser(machine.playwright, headless=True) == str(own)


def test_without_a_browser_the_error_has_the_command_that_installs_one(machine: Any) -> None:
    with pytest.raises(SetupError) as caught:
        find_browser(machine.playwright)
    assert "playwright install chromium" in str(caught.value)
    assert "apt-get install chromium" in str(caught.value)


def test_a_variable_that_names_no_program_is_an_error_and_not_ignored(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(machine.own)
    monkeypatch.setenv("WEBSP_BROWSER", "/nowhere/chromium")
    with pytest.raises(SetupError, match="/nowhere/chromium"):
        find_browser(machine.playwright)
