"""An installation is complete: wheel and sdist carry the data folders and the agents.

What the wheel is to have is worked out from ``pyproject.toml``; the long proofs build it and compare.
"""

from __future__ import annotations

import ast
import contextlib
import fcntl
import json
import os
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from types import SimpleNamespace

import pytest

import websp_gym
from tests.paths import ROOT
from websp_gym.project import REPOSITORY, docs, install
from websp_gym.tasks.ids import instance_ids

NEEDED = (
    "websp_gym/agents/oracle.py",
    "websp_gym/data/extension/dom.js",
    "websp_gym/data/task_configs/steam.yaml",
    "websp_gym/data/traces/steam/accept_all_cookies.json",
    "websp_gym/browser/page.js",
    "websp_gym/data/extension/manifest.json",
    "websp_gym/data/extension/secret_rules.yaml",
    "websp_gym/data/extension/popup.css",
    "websp_gym/models/families.yaml",
    "websp_gym/models/prices.yaml",
    "websp_gym/sandbox/sites/docker/site.yaml",
    "websp_gym/sandbox/kit/static/consent.js",
    "websp_gym/authoring/page.js",
    "websp_gym/authoring/scaffold/files/site/templates/layout.html",
    "websp_gym/authoring/scaffold/files/test_site.py.txt",
    "websp_gym/replay/locate.js",
    "websp_gym/report/tables/paper.yaml",
    "websp_gym/report/pages/templates/report.js",
    "websp_gym/sandbox/kit/templates/base.html",
    "websp_gym/sandbox/sites/steam/site.yaml",
    "websp_gym/sandbox/sites/steam/templates/home.html",
    "websp_gym/trainers/openenv/openenv.yaml",
    "websp_gym/trainers/openenv/Dockerfile",
    "websp_gym/py.typed",
    "websp_command.py",
    "websp_verifiers.py",
)

CORE_ALONE = """
import sys

class Core:
    # Finds none of the packages that are named.
    def find_spec(self, name, path=None, target=None):
        if name in sys.argv:
            raise ModuleNotFoundError(f"{name} is of no core dependency", name=name)

sys.meta_path.insert(0, Core())
from websp_gym.cli import app

for name in app.COMMANDS:
    app.load(name)
    print(name)
import websp_gym.attach
"""
EPISODE = """
import json, gymnasium, websp_gym, websp_gym.agents
from websp_gym.runner.batch import run_episode
env = gymnasium.make("websp/Steam-task-191-ON")
result = run_episode(env.unwrapped, websp_gym.agents.make_agent("oracle"))
env.close()
print(json.dumps({"reward": result.reward, "file": websp_gym.__file__, "agents": websp_gym.agents.__file__}))
"""


COMMAND = "from websp_gym.project import install; print(install('report'))"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def _run(*command: str | Path, cwd: Path, **environment: str) -> str:
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "WEBSP_SANDBOX")}
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**env, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder with the sdist and the wheel made from that sdist: one for all test processes.

    Two that build at once would write and remove the same files of the checkout.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "dist"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not list(folder.glob("*.whl")):
            _run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    return folder


FOLDERS = ("websp_gym", "agents", "extension", "task_configs", "traces")
"""Folders of the repository of which everything is to be in the wheel."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def _packed() -> dict[str, Path]:
    """Return what the wheel is to have, by its path there, as setuptools would take it."""
    settings = PROJECT["tool"]["setuptools"]
    assert settings["include-package-data"] is False
    found = {f"{name}.py": ROOT / f"{name}.py" for name in settings["py-modules"]}
    for package in settings["packages"]:
        folder = _folder(package, settings["package-dir"])
        for pattern in ("*.py", *settings["package-data"].get(package, ())):
            files = [
                path for path in folder.glob(pattern) if path.is_file() and "__pycache__" not in path.parts
            ]
            found |= {f"{package.replace('.', '/')}/{path.relative_to(folder)}": path for path in files}
    return found


def _folder(package: str, folders: dict[str, str]) -> Path:
    names = package.split(".")
    (count,) = [n for n in range(len(names), 0, -1) if ".".join(names[:n]) in folders][:1]
    return ROOT.joinpath(folders[".".join(names[:count])], *names[count:])


def test_the_wheel_is_to_have_every_file_of_the_package_and_no_other() -> None:
    packed = _packed()
    assert set(NEEDED) - packed.keys() == set()
    there = {
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    left_out = there - set(packed.values())
    assert sorted(path for path in left_out if not path.name.endswith(".d.ts")) == [], "see pyproject.toml"
    modules = {ROOT / f"{name}.py" for name in PROJECT["tool"]["setuptools"]["py-modules"]}
    assert set(packed.values()) - there == modules


@pytest.mark.proof
@pytest.mark.timeout(600)
def test_the_sdist_has_the_top_level_folders_and_the_wheel_made_from_it_everything(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        files = {name.split("/", 1)[1] for name in sdist.getnames() if "/" in name}
    for name in (
        "agents/oracle.py",
        "extension/dom.js",
        "task_configs/steam.yaml",
        "traces/steam/login.json",
    ):
        assert name in files
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        packed = set(wheel.namelist())
    # The patterns of the sites take bytecode along where there is some.
    beside = (".dist-info/", "__pycache__/")
    assert {name for name in packed if not any(part in name for part in beside)} == _packed().keys()


def test_every_import_of_the_package_is_a_declared_dependency() -> None:
    imported = set().union(
        *(_imports(path.read_bytes()) for path in _packed().values() if path.suffix == ".py")
    )
    declared = PROJECT["project"]
    extras = (each for name, each in declared["optional-dependencies"].items() if name not in ("dev", "test"))
    required = _names([*declared["dependencies"], *(one for extra in extras for one in extra)])
    for name in [*required]:
        with contextlib.suppress(PackageNotFoundError):  # an extra's
            required |= _names(requires(name) or [])
    distributions = packages_distributions()
    missing = {
        name
        for name in imported - {"websp_gym", "websp_command", "websp_verifiers"}
        if not _names(distributions.get(name, [])) <= required
    }
    assert (imported & {"gymnasium", "playwright"}, missing) == ({"gymnasium", "playwright"}, set())


def test_the_commands_are_there_without_any_extra() -> None:
    core, left = set(), list(PROJECT["project"]["dependencies"])
    while left:
        (name,) = _names([left.pop()])
        if name not in core:
            core.add(name)
            with contextlib.suppress(PackageNotFoundError):  # of another system, or another Python
                left += [each for each in requires(name) or [] if "extra ==" not in each]
    found = packages_distributions().items()
    others = [each for each, names in found if not _names(names) & (core | {"websp_gym"})]
    assert {"psutil", "pandas"} <= set(others)
    loaded = _run(sys.executable, "-c", CORE_ALONE, *others, cwd=ROOT).split()
    assert {"run", "demo", "doctor", "play", "verify"} <= set(loaded)


def test_the_description_on_an_index_has_absolute_links_only_and_they_lead_to_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: dict[str, str] = {}
    monkeypatch.setitem(sys.modules, "setuptools", SimpleNamespace(setup=given.update))
    runpy.run_path(str(ROOT / "setup.py"))
    description = given["long_description"]
    assert description.startswith("# websp-gym")
    links = re.findall(r"\]\(([^)]+)\)", description)
    inside = [link for link in links if link.startswith(REPOSITORY)]
    assert len(inside) > 10
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    paths = [
        re.sub(r"^/(blob|raw|tree)/main/|^/issues$|#.*", "", link.removeprefix(REPOSITORY)) for link in inside
    ]
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert all("/raw/main/" in link for link in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", description))


@pytest.mark.proof
def test_the_wheel_says_its_version_its_author_and_what_it_is(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        facts, _, description = wheel.read(name).decode().partition("\n\n")
    assert f"\nVersion: {websp_gym.__version__}\n" in facts
    assert f"Project-URL: Repository, {REPOSITORY}\n" in facts
    assert "Author: The websp-gym developers\n" in facts
    assert f"]({REPOSITORY}/blob/main/docs/" in description


def test_the_version_is_the_same_everywhere() -> None:
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "websp_gym.project.VERSION"}
    declared = (ROOT / "websp_gym/trainers/openenv/openenv.yaml").read_text("utf-8")
    assert f"\nversion: {websp_gym.__version__}\n" in declared


def test_the_address_of_the_project_is_the_same_everywhere() -> None:
    urls = dict(PROJECT["project"]["urls"])
    assert urls.pop("Paper") in (ROOT / "CITATION.cff").read_text("utf-8")
    assert urls["Repository"] == REPOSITORY
    assert all(url.startswith(REPOSITORY) for url in urls.values())
    assert f"repository-code: {REPOSITORY}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    for page in ("README.md", "CONTRIBUTING.md"):
        assert f"{REPOSITORY}/issues" in (ROOT / page).read_text("utf-8")


def test_pages_of_the_documentation_that_messages_name_are_there() -> None:
    named = {
        page
        for folder in ("websp_gym", "agents")
        for path in (ROOT / folder).rglob("*.py")
        for page in re.findall(r"""\bdocs\(["']([\w/#-]+)["']\)""", path.read_text("utf-8"))
    }
    assert "reference/agents" in named
    for page in named:
        name, _, anchor = page.partition("#")
        text = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
        headings = re.findall("^#+ (.*)$", text, re.MULTILINE)
        assert not anchor or anchor in {heading.lower().replace(" ", "-") for heading in headings}, page
        assert docs(page).startswith(f"{REPOSITORY}/blob/main/docs/{name}.md")


def test_the_command_that_adds_an_extra_needs_no_release() -> None:
    # In a checkout it is the checkout that is installed.
    assert install("report") == f"pip install -e '{ROOT}[report]'"
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "docs").rglob("*.py"),
    ]
    texts = {page: page.read_text("utf-8") for page in pages}
    assert [
        page
        for page, text in texts.items()
        if re.search(r"pip install\b[^\n`]*websp-gym(?!.*(@|\.whl))", text)
    ] == []
    docker = (ROOT / "websp_gym/trainers/openenv/Dockerfile").read_text("utf-8")
    assert re.findall("pip install .*", docker) == ["pip install --no-cache-dir '.[openenv]'"]


def test_the_image_runs_without_rights_and_make_installs_nothing_anew_in_it() -> None:
    steps = re.findall(
        r"^(USER|RUN|COPY|CMD) ((?:.*\\\n)*.*)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE
    )
    kinds = [kind for kind, _ in steps]
    assert kinds.index("USER") < kinds.index("COPY") < kinds.index("CMD")
    assert ("USER", "websp") in steps
    installed = next(what for _, what in steps if "pip install" in what)
    stamps = set(re.findall(r"^\$\(VENV\)/(\.\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert stamps == set(re.findall(r"\.venv/(\.\w+)", installed.partition("touch")[2]))


def _names(requirements: list[str]) -> set[str]:
    """The distributions that are asked for."""
    wanted = (re.match(r"[\w.-]+", each) for each in requirements)
    return {name[0].lower().replace("-", "_") for name in wanted if name}


def _imports(code: bytes) -> set[str]:
    """The packages a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(str(node.module).partition(".")[0])
    return names


@pytest.mark.proof
def test_an_episode_runs_from_the_wheel_in_an_environment_without_this_folder(
    built: Path, tmp_path: Path
) -> None:
    venv = tmp_path / "venv"
    _run(sys.executable, "-m", "venv", "--without-pip", venv, cwd=tmp_path)
    (packages,) = (venv / "lib").glob("python*/site-packages")
    # The dependencies as they are installed here; `make demo` on a fresh machine installs them.
    (packages / "dependencies.pth").write_text(
        "\n".join(path for path in sys.path if path.endswith("-packages"))
    )
    pip = (*PIP, "--python", venv / "bin" / "python", "install", "--quiet", "--no-deps")
    _run(*pip, next(built.glob("*.whl")), cwd=tmp_path)
    report = json.loads(_run(venv / "bin" / "python", "-c", EPISODE, cwd=tmp_path).splitlines()[-1])
    assert report["reward"] == 1.0
    assert str(venv) in report["file"]
    assert str(venv) in report["agents"]
    command = _run(venv / "bin" / "python", "-c", COMMAND, cwd=tmp_path).strip()
    assert command == "pip install 'websp-gym[report]'"
    # The installed one is enough for pip, whatever an index has under this name.
    _run(*pip, "--no-index", command.split("'")[1], cwd=tmp_path)
    listed = _run(venv / "bin" / "websp", "list", cwd=tmp_path).splitlines()
    assert [line.split("\t")[0] for line in listed] == instance_ids()
