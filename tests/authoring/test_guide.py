"""docs/guides/add-a-site.md, followed step by step: what comes of it passes `websp check`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.test_blocks import blocks_of
from websp_gym import make_world
from websp_gym.authoring import SearchPaths, check_site
from websp_gym.authoring.scaffold import new_site
from websp_gym.browser.owner import call
from websp_gym.recording import RecorderBrowser
from websp_gym.recording.dry_run import site_of


def _below(file: Path, line: str, added: str) -> None:
    text = file.read_text("utf-8")
    assert text.count(f"{line}\n") == 1
    file.write_text(text.replace(f"{line}\n", f"{line}\n{added}"), "utf-8")


def _record(trace: Path) -> None:
    """Turn the switch of the guide off and save, as a person does while `websp record` looks on."""
    world, site = make_world("sandbox"), site_of("slow_roads")
    episode = world.open_episode(site, signed_in=False)
    with RecorderBrowser(args=world.browser_args()) as browser:
        episode.attach(browser.context)
        browser.page.goto("https://www.slowroads.example/settings/privacy")
        browser.start("search", "slow_roads", account=episode.account)
        browser.page.get_by_role("switch", name="Appear in search").click()
        browser.page.get_by_role("button", name="Save").click()
        browser.stop()
        browser.save(trace)
    episode.close()


@pytest.mark.proof
def test_the_site_of_the_guide_passes_its_check(tmp_path: Path) -> None:
    new_site("Slow Roads", host="www.slowroads.example", folder=tmp_path)
    blocks = [block.code for block in blocks_of("docs/guides/add-a-site.md") if block.language == "yaml"]
    settings, panel, link, task = blocks
    site = tmp_path / "sites/slow_roads/site.yaml"
    _below(site, "settings:", settings)
    _below(site, "panels:", panel)
    _below(site, "  main:", link)
    _below(tmp_path / "task_configs/slow_roads.yaml", "tasks:", task)
    (tmp_path / "traces/slow_roads").mkdir(parents=True)
    places = SearchPaths.below(tmp_path)
    with places.known(), places.served():
        call(lambda: _record(tmp_path / "traces/slow_roads/search.json"))
    report = check_site("slow_roads", places=places)
    assert [finding.line() for finding in report.failures] == []
    assert any("SlowRoads-task-3-OFF" in finding.line() for finding in report.findings)
