"""The project's version, repository, documentation, and how to install one of its extras."""

from __future__ import annotations

from pathlib import Path

VERSION = "0.2.0.dev0"
"""Version of the package, in the form of PEP 440: ``.dev0`` until it is released. pyproject.toml reads it from
here."""
REPOSITORY = "https://github.com/websp-gym/websp-gym"
"""Address of the repository; ``[project.urls]`` in pyproject.toml has the same."""

_CHECKOUT = Path(__file__).resolve().parent.parent


def docs(page: str) -> str:
    """Return the address of a page of the documentation, which is not part of a wheel.

    Args:
        page: Its name, such as ``"reference/agents"``; may have an anchor.
    """
    name, hashed, anchor = page.partition("#")
    return f"{REPOSITORY}/blob/main/docs/{name}.md{hashed}{anchor}"


def install(extra: str) -> str:
    """Return the command that adds an extra to this installation.

    In a checkout it installs the checkout, as there may be no release. From a wheel it names the distribution: pip
    finds the one that is installed and asks no index for it.
    """
    what = (
        f"-e '{_CHECKOUT}[{extra}]'" if (_CHECKOUT / "pyproject.toml").is_file() else f"'websp-gym[{extra}]'"
    )
    return f"pip install {what}"
