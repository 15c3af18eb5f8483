"""The description on an index: README.md, whose relative links lead to the repository, as a wheel has no docs/."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
RELATIVE = re.compile(r"(!?)(\[[^\]]*\])\((?!https?:|#)([^)\s]+)\)")


def described() -> str:
    """Return README.md with absolute links; pictures lead to the files themselves."""
    address = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]["Repository"]

    def absolute(link: re.Match[str]) -> str:
        picture, text, path = link.groups()
        return f"{picture}{text}({address}/{'raw' if picture else 'blob'}/main/{path})"

    return RELATIVE.sub(absolute, (ROOT / "README.md").read_text("utf-8"))


setup(long_description=described(), long_description_content_type="text/markdown")
