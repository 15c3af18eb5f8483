"""Hooks of the documentation site: README and changelog are pages; links to other files lead to the repository."""

from __future__ import annotations

import logging
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

import websp_gym

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"index.md": "README.md", "changelog.md": "CHANGELOG.md"}
"""Pages of the site that stand at the top of the repository."""
_LINK = re.compile(r"(?<=\]\()(?!https?://|#|mailto:)([^)#\s]+)")
_TARGET = re.compile(r"\[([^]]*)\]\([^)]*\)")
_TEXT = r"\1"
_ROLE = re.compile(r":[a-z]+:<code>(?:~[\w.]*\.)?([\w.]+)[^<]*</code>")
"""A name in a docstring, as Sphinx reads it: ``:class:`~a.b.Name` ``."""
_log = logging.getLogger("mkdocs.hooks")
"""Its warnings fail a strict build."""


def on_config(config: Any) -> Any:
    """Show the version beside the name."""
    config.site_name = f"websp-gym {websp_gym.__version__}"
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that stand elsewhere."""
    for page, source in PAGES.items():
        text = (ROOT / source).read_text("utf-8")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Point links to files outside of the site to the repository."""
    source = ROOT / PAGES.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def lead(link: re.Match[str]) -> str:
        path = (source.parent / link[1]).resolve()
        if not path.exists():
            _log.warning("%s links to %s, which does not exist", source.relative_to(ROOT), link[1])
            return link[1]
        inside = path.relative_to(ROOT).as_posix()
        name = next((page for page, at in PAGES.items() if at == inside), inside.removeprefix("docs/"))
        file = files.get_file_from_path(name)
        if file and file.inclusion.is_included() and inside in (PAGES.get(name), f"docs/{name}"):
            return posixpath.relpath(name, posixpath.dirname(page.file.src_uri))
        kind = "tree" if path.is_dir() else "blob"
        return f"{config.extra['repository']}/{kind}/main/{inside}"

    return _LINK.sub(lead, markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Show the names in docstrings without their roles."""
    return _ROLE.sub(r"<code>\1</code>", html)


def on_nav(nav: Any, config: Any, files: Files) -> Any:
    """Note the pages in the order of the navigation."""
    config.pages_in_order = nav.pages
    return nav


def on_post_build(config: Any) -> None:
    """Write llms.txt: each page with its first sentence, for programs that read."""
    lines = [f"# {config.site_name}", "", f"> {config.site_description}", ""]
    for page in config.pages_in_order:
        first = next((line for line in page.markdown.splitlines() if line[:1].isalnum()), "")
        lines.append(f"- [{page.title}]({page.url or 'index.html'}): {_TARGET.sub(_TEXT, first)}")
    (Path(config.site_dir) / "llms.txt").write_text("\n".join([*lines, ""]), "utf-8")
