"""The documentation site: its strict build fails for whatever leads nowhere."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

import websp_gym
from tests.paths import ROOT
from websp_gym.project import REPOSITORY


def _built(folder: Path, page: str) -> tuple[int, str]:
    """Build a site of one page with the project's settings; return the exit code and what was said or written."""
    docs = folder / "docs"
    docs.mkdir()
    (docs / "page.md").write_text(page, "utf-8")
    (folder / "README.md").write_text("# Start\n\n[page](docs/page.md)\n", "utf-8")
    (folder / "CHANGELOG.md").write_text("# Changelog\n", "utf-8")
    shutil.copy(ROOT / "docs/site_hooks.py", docs)
    settings = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[0]
    (folder / "mkdocs.yml").write_text(settings.replace("paths: [.]", f"paths: ['{ROOT}']"), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", "site"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    html = folder / "site/page/index.html"
    return done.returncode, done.stderr + (html.read_text("utf-8") if html.exists() else "")


@pytest.mark.proof
def test_a_page_links_to_pages_and_to_files_of_the_repository_and_quotes_names(tmp_path: Path) -> None:
    page = "# Page\n\n[start](../README.md) [code](../mkdocs.yml) [here](#page)\n\n::: websp_gym.make_env\n"
    code, html = _built(tmp_path, page)
    assert code == 0, html
    assert f'href="{REPOSITORY}/blob/main/mkdocs.yml"' in html
    assert 'href=".."' in html
    assert f"websp-gym {websp_gym.__version__}" in html
    assert "<code>websp_gym.env.options.Options</code>" in html
    assert ":class:" not in html


@pytest.mark.proof
@pytest.mark.parametrize(
    "page",
    [
        "[x](nope.md)",
        "[x](../nope.py)",
        "[x](#nope)",
        "![x](nope.png)",
        "::: websp_gym.nope",
        "[x][websp_gym.nope]",
    ],
)
def test_what_leads_nowhere_fails_the_build(tmp_path: Path, page: str) -> None:
    code, said = _built(tmp_path, f"# Page\n\n{page}\n")
    assert code == 1
    assert "nope" in said


def test_make_builds_the_site_strictly_and_every_dead_link_is_a_warning() -> None:
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    rules = yaml.safe_load("validation:" + settings.partition("\nvalidation:")[2].partition("\nnav:")[0])
    kinds = ("omitted_files", "absolute_links", "unrecognized_links", "anchors")
    assert rules["validation"] == dict.fromkeys(kinds, "warn")
    make = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(r"^docs-site:.*\n\t.*mkdocs build --strict$", make, re.MULTILINE)
    assert re.search(r"^check:.*\n(?:\t.*\n)*?\t.*\bdocs-site$", make, re.MULTILINE)


def test_a_link_beside_the_site_leads_to_the_repository_and_a_dead_one_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hooks = runpy.run_path(str(ROOT / "docs/site_hooks.py"))
    config = SimpleNamespace(extra={"repository": REPOSITORY})
    page = SimpleNamespace(file=SimpleNamespace(src_uri="reference/errors.md"))
    text = (
        "[a](../../README.md) [b](../../mkdocs.yml) [c](../about/stability.md#x) [d](nope.md) [e](#f) "
        "[g](https://a.example)"
    )
    listed = ("index.md", "about/stability.md")
    inclusion = SimpleNamespace(is_included=lambda: True)
    files = SimpleNamespace(
        get_file_from_path=lambda name: SimpleNamespace(inclusion=inclusion) if name in listed else None
    )
    assert hooks["on_page_markdown"](text, page, config, files) == (
        f"[a](../index.md) [b]({REPOSITORY}/blob/main/mkdocs.yml) [c](../about/stability.md#x) [d](nope.md) [e](#f) "
        "[g](https://a.example)"
    )
    assert "docs/reference/errors.md links to nope.md, which does not exist" in caplog.text


def test_the_navigation_has_every_page() -> None:
    (nav,) = [yaml.safe_load("nav:" + (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[2])["nav"]]
    found = _names(nav)
    assert sorted(found) == sorted(
        {
            "index.md",
            "changelog.md",
            *(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")),
        }
    )


def _names(nav: object) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    values = nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ()
    return [name for each in values for name in _names(each)]
