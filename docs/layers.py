"""Write the layers of the package, as import-linter holds them, into docs/architecture.md (`make docs`)."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
_BETWEEN = re.compile(r"(?<=<!-- layers -->\n).*?(?=<!-- /layers -->)", re.DOTALL)


def table() -> str:
    """Return the layers of the first contract in pyproject.toml as a Markdown table, the top layer first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = [line.split(" | ") for line in contracts[0]["layers"]]
    rows = [
        f"| {len(layers) - depth} | {_link(name)} | {_purpose(name)} |"
        for depth, names in enumerate(layers)
        for name in names
    ]
    return "\n".join(["| layer | room | what it holds |", "|---|---|---|", *rows, ""])


def page() -> str:
    """Return docs/architecture.md with the table as it should be."""
    return _BETWEEN.sub(lambda _: table(), PAGE.read_text("utf-8"))


def _link(name: str) -> str:
    path = Path(name.replace(".", "/"))
    return f"[`{path.name}/`](../{path})" if (ROOT / path).is_dir() else f"[`{path.name}.py`](../{path}.py)"


def _purpose(name: str) -> str:
    """Return the first line of a module's docstring."""
    path = ROOT / name.replace(".", "/")
    source = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8")
    lines = (ast.get_docstring(ast.parse(source)) or "").splitlines()
    return re.sub(r"``|:\w+:`~?", "`", lines[0]) if lines else ""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
