"""What documents and examples import is what the pages of docs/reference/api list as public."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path

import websp_gym
from tests.paths import ROOT
from websp_gym.errors import MissingExtraError

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
PROGRAMS = sorted([*(ROOT / "docs/examples").glob("*.py"), *(ROOT / "docs/examples").glob("*.ipynb")])
PACKAGE = "websp_gym"
REFERENCE = sorted((ROOT / "docs/reference/api").glob("*.md"))
LISTED = re.findall(r"^::: (\S+)$", "\n".join(page.read_text("utf-8") for page in REFERENCE), re.MULTILINE)


def _codes(path: Path) -> Iterator[str]:
    """Yield the Python code of a page, a program or a notebook."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        yield from re.findall(r"^ *```(?:python|py)\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    elif path.suffix == ".ipynb":
        yield "\n".join(
            "".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"
        )
    else:
        yield text


def _imported(code: str) -> Iterator[str]:
    """Yield what is imported of the package: names with their modules, and modules."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _hidden(code: str) -> list[str]:
    """Return what is imported of the package and not listed."""
    modules = {PACKAGE, *(name.rpartition(".")[0] for name in LISTED)}
    public = modules | set(LISTED) | {f"{module}.{name}" for module in modules for name in websp_gym.__all__}
    return sorted(
        name for name in _imported(code) if name.partition(".")[0] == PACKAGE and name not in public
    )


def test_documents_and_examples_import_public_names_only() -> None:
    paths = [*PAGES, *PROGRAMS]
    assert len(PAGES) > 20
    assert len(PROGRAMS) > 5
    hidden = [(path.name, name) for path in paths for code in _codes(path) for name in _hidden(code)]
    assert hidden == []


HIDDEN: list[tuple[str, list[str]]] = [
    ("from websp_gym import make_env", []),
    ("import websp_gym.report", []),
    ("from websp_gym.rollouts import Pool", []),
    ("from websp_gym import project", ["websp_gym.project"]),
    ("def f():\n    import websp_gym.project as p", ["websp_gym.project"]),
    ("from websp_gym.env.registration import make_env", ["websp_gym.env.registration.make_env"]),
]


def test_a_name_that_is_not_listed_is_found() -> None:
    for code, hidden in HIDDEN:
        assert _hidden(code) == hidden


def _paths_only(name: str) -> Iterator[str]:
    """Yield the parameters of a public function or class, and of its methods, that take no text for a path."""
    module, _, attribute = name.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, MissingExtraError):
        return
    functions = {name: found}
    if inspect.isclass(found):
        functions |= {
            f"{name}.{each}": getattr(found, each) for each in vars(found) if not each.startswith("_")
        }
    for place, function in functions.items():
        made = inspect.isclass(function) and not is_dataclass(function)
        if made or inspect.isfunction(function) or inspect.ismethod(function):
            for parameter in inspect.signature(function).parameters.values():
                kind = str(parameter.annotation)
                if re.search(r"\bPath\b", kind) and "str" not in kind:
                    yield f"{place}({parameter.name})"


def test_what_is_public_takes_a_text_as_well_as_a_path() -> None:
    assert [place for name in LISTED for place in _paths_only(name)] == []


def test_the_reference_lists_each_exported_name_once_and_only_what_is_there() -> None:
    exported = {f"{PACKAGE}.{name}" for name in websp_gym.__all__}
    assert {name for name in LISTED if name.count(".") == 1} == exported
    assert len(LISTED) == len(set(LISTED))
