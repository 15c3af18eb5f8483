"""Hooks of the documentation site: README and changelog become pages, other links lead to the repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"index.md": "README.md", "changelog.md": "CHANGELOG.md"}
"""Pages of the site that stand at the top of the repository."""
_LINK = re.compile(r"(?<=\]\()(?!https?://|#|mailto:)([^)#\s]+)")


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
        inside = path.relative_to(ROOT).as_posix()
        name = next((page for page, at in PAGES.items() if at == inside), inside.removeprefix("docs/"))
        if files.get_file_from_path(name) and (inside.startswith("docs/") or inside in PAGES.values()):
            return name
        kind = "tree" if path.is_dir() else "blob"
        return f"{config.repo_url}/{kind}/main/{inside}"

    return _LINK.sub(lead, markdown)
