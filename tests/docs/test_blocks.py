"""Every block of README and docs: its commands exist, and it runs as it stands.

A page runs in the order of its blocks, in one folder, as its reader would run it: Python as programs, the rest in a
shell. Models answer from an endpoint on this machine, and `websp run` plays one instance once. What needs another
environment, a person or a website is in :data:`ELSEWHERE`, with the tests of what it does.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from tests.endpoint_support import Asked, Endpoint, Say, chat, claude, responses, serve
from tests.paths import ROOT
from websp_gym.cli.app import COMMANDS, load
from websp_gym.errors import SetupError

PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
]
SMOKE = ("README.md",)
"""Pages that `make test` runs; `make prove` runs the others."""
ELSEWHERE = {
    # What sets an environment up, and what `make` does.
    r"^(git clone|make |pip install|playwright install|python3 -m venv|npm install|docker build)": "Makefile",
    # What needs an environment of its own, which `make night` has.
    r"agentlab": "tests/agentlab/test_docs.py",
    r"websp (collect|xray)|STUDY_DIR": "tests/agentlab/test_study.py",
    r"inspect[_ ](eval|ai)": "tests/attach_programs/test_inspect.py",
    r"cube[_ ]|steam\.py": "tests/rl/test_cube.py",
    r"grpo_trl|from trl ": "tests/rl/test_trl.py",
    r"openenv": "tests/rl/test_openenv.py",
    r"vf-eval": "tests/rl/test_verifiers.py",
    r"skyrl": "tests/rl/test_skyrl.py",
    r"^gym |^cd gym": "tests/rl/test_nemo.py",
    r"ray": "tests/rl/test_ray.py",
    r"docs/examples/learner": "tests/trainers/test_learner.py",
    r"claude_code|claude-code|mcp_agent": "tests/attach_programs/test_programs.py",
    r"hud_env|my_program\.py +#|^harbor ": "tests/attach_programs/programs.py",
    r"import (wandb|mlflow)|my_logging": "tests/runner/test_hooks.py",
    # What writes into the checkout, and is tried in a folder of its own.
    r"slow_roads|Slow Roads|SlowRoads|my_sites": "tests/authoring/test_guide.py",
    # What needs the published dataset, all instances, another program's files, or a server of the reader's own.
    r"official|websp dataset": "tests/datasets/test_import.py",
    r"--dataset stwab": "tests/datasets/test_stwab.py",
    r"websp judge-eval ": "tests/calibration/test_judge_eval.py",
    r"websp (pack|verify) ": "tests/exchange/test_submissions.py",
    r"websp score ": "tests/exchange/test_foreign.py",
    r"websp trace import": "tests/replay/test_script_importers.py",
    r"websp demo --agents|runs/demo/agents": "tests/agents/test_demo_agents.py",
    r"computer:gemini": "tests/agents/test_computer_agent.py",
    r"localhost:8000": "tests/models/test_models.py",
    # What waits for a person, or serves until it is stopped.
    r"websp record |steam/my_preferences": "tests/recording/test_record_by_hand.py",
    r"websp play |runs/me ": "tests/attach/test_person.py",
    r"websp serve|^curl ": "tests/attach/test_door.py",
    r"labels/|websp label ": "tests/calibration/test_labelling.py",
    # What acts on a website with an account.
    r"WEBSP_LIVE|websp (login|accounts|live)|--world live|world=.live|runs/live|_PASSWORD|WEBSP_STATE_KEY": "tests/live",
    r"websp replay .*--(account|site-url)": "tests/live",
}
"""Blocks of Python, and lines of others, that do not run here, by what is in them: the tests of what they do."""


@dataclass(frozen=True)
class Block:
    """A block of a page.

    Args:
        place: Page and line.
        language: What stands after its three ticks.
        code: What is in it.
        file: The file that the line before says to save it as.
    """

    place: str
    language: str
    code: str
    file: str

    @property
    def is_shell(self) -> bool:
        return self.language in ("sh", "bash")

    @property
    def commands(self) -> list[str]:
        """The command lines, each with what continues it; a block with a text in it is one."""
        if "<<" in self.code:
            return [self.code]
        return [line for line in self.code.replace("\\\n", " ").splitlines() if line.strip()]


_BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_SAVED = re.compile(r"`(\w+\.(?:py|toml|yaml))`(?: uses .*)?:$|^# (\w+\.yaml)$", re.MULTILINE)


@cache
def blocks_of(page: str) -> list[Block]:
    """Return the blocks of a page, from its top."""
    text = (ROOT / page).read_text("utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        above = text[: match.start()]
        code = re.sub(f"^{match[1]}", "", match[3], flags=re.MULTILINE)
        saved = _SAVED.search(f"{above.rstrip().splitlines()[-1]}\n{code.splitlines()[0]}")
        place = f"{page}:{above.count(chr(10)) + 1}"
        found.append(Block(place, match[2], code, saved[1] or saved[2] if saved else ""))
    return found


def elsewhere(text: str) -> str | None:
    """Return the pattern of what runs a block or line elsewhere."""
    return next((pattern for pattern in ELSEWHERE if re.search(pattern, text)), None)


def _lines() -> Iterator[tuple[str, str]]:
    """Yield each command line of `websp` in the documents, with its place."""
    for page in PAGES:
        for block in blocks_of(page):
            if block.is_shell:
                yield from (
                    (block.place, line.lstrip())
                    for command in block.commands
                    for line in command.splitlines()
                    if re.match(r"\s*(?:[A-Z_]+=\S+ )?websp ", line)
                )


def _words(text: str) -> list[str]:
    """Return the words of a command, up to where its output goes, without what stands for others."""
    words = shlex.split(text.replace("…", ""), comments=True)
    return [
        word
        for word in takewhile(lambda word: word not in (">", "|"), words)
        if word not in ("...", "COMMAND")
    ]


_UsageError: Any = typer.BadParameter.__bases__[0]  # of Click, or of Typer's own copy of it


def _refused(words: list[str]) -> str:
    """Return what is wrong with the options of a command line."""
    name, *rest = words[words.index("websp") + 1 :]
    if name.startswith("-"):
        return ""
    if name not in COMMANDS:
        return f"No such command {name}"
    command = load(name)
    try:
        context = command.make_context(name, rest)
        if hasattr(command, "commands"):
            sub, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
            found.make_context(sub, rest, parent=context)
    except typer.Exit:  # it asks for help
        return ""
    except _UsageError as error:
        return str(error)
    except SetupError as error:  # a file of options is read when the line is
        return "" if "there is no such file" in str(error) else str(error)
    return ""


def test_every_command_line_of_the_documents_is_understood() -> None:
    lines = list(_lines())
    assert len(lines) > 100
    wrong = [(place, error) for place, line in lines if (error := _refused(_words(line)))]
    assert wrong == []
    assert "No such option: --nope" in _refused(["websp", "list", "--nope"])
    assert "No such command nope" in _refused(["websp", "nope"])


def test_every_option_that_a_sentence_names_exists() -> None:
    texts = [
        (page, text)
        for page in PAGES
        for text in re.findall(r"`(websp [^`\n]+)`", (ROOT / page).read_text("utf-8"))
    ]
    assert len(texts) > 100
    wrong = [(page, text) for page, text in texts if "No such" in _refused(_words(text))]
    assert wrong == []


def test_what_runs_elsewhere_is_there_and_each_pattern_is_of_use() -> None:
    assert [place for place in ELSEWHERE.values() if not (ROOT / place).exists()] == []
    texts = [
        text
        for page in PAGES
        for block in blocks_of(page)
        for text in (block.commands if block.is_shell else [block.code])
    ]
    used = {elsewhere(text) for text in texts}
    assert [pattern for pattern in ELSEWHERE if pattern not in used] == []


def test_every_block_of_data_can_be_read() -> None:
    for page in PAGES:
        for block in blocks_of(page):
            if block.language == "yaml":
                list(yaml.safe_load_all(block.code.replace("{…}", "{}")))
            elif block.language == "json":
                json.loads(block.code)


_PLAYED = "websp run Steam-task-191-ON --agent oracle --out runs/{}; "
_DEMO = "websp demo --out runs/demo; "
BEFORE = {
    "docs/environment.md": _DEMO,
    "docs/reference/formats.md": _DEMO,
    "docs/guides/export-and-submit.md": _PLAYED.format("gpt") + _PLAYED.format("oracle"),
    "docs/guides/read-the-report.md": _PLAYED.format("gpt"),
    "docs/guides/judges.md": _PLAYED.format("hard"),
    "docs/reference/judges.md": _PLAYED.format("hard"),
}
"""What a page takes for granted, such as runs of other pages."""
SAID = {
    "README.md": ("0.0 0.0\n", "1.0 every goal holds\n"),
    "docs/start/first-episode.md": ("1.0 every goal holds\n", "success"),
    "docs/reference/api/index.md": ("success every goal holds\n",),
    "docs/reference/errors.md": ('did you mean "state"?', "{'option': 'reward'}\n"),
    "docs/guides/bring-your-agent.md": ("success",),
    "docs/guides/train.md": ("0.0 0.0 ", "1.0\n"),
}
"""What programs of a page print, as its comments say."""
SHIM = """#!{python}
import sys
from websp_gym.cli import main

if sys.argv[1] == "run" and "--failed-of" not in sys.argv:
    for option in ("--limit", "--trials"):
        sys.argv += [] if option in sys.argv else [option, "1"]
if __name__ == "__main__":  # and not in the processes that it starts
    main()
"""
"""The command, which plays one instance once of those that a line names."""


@pytest.fixture(scope="module")
def models() -> Iterator[Endpoint]:
    """Models of OpenAI and Anthropic that answer at once: as judges CORRECT, as agents that all is done."""
    with serve() as endpoint:
        endpoint.always(_answer)
        yield endpoint


_APIS: dict[str, Callable[..., Say]] = {"": chat, "/v1/responses": responses, "/v1/messages": claude}


def _answer(asked: Asked) -> Say:
    judged = "INCORRECT" in json.dumps(asked.body)
    text = '{"result": "CORRECT", "reason": "As asked."}' if judged else "ANSWER; done"
    return _APIS.get(asked.path, _APIS[""])(text, model=asked.body["model"])


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page, marks=() if page in SMOKE else pytest.mark.proof)
        for page in PAGES
        if any(block.is_shell or block.language == "python" for block in blocks_of(page))
    ],
)
def test_the_page_runs_from_top_to_bottom(page: str, tmp_path: Path, models: Endpoint) -> None:
    folder, shim = tmp_path / "here", tmp_path / "bin/websp"
    folder.mkdir()
    (folder / "docs").symlink_to(ROOT / "docs")
    shim.parent.mkdir()
    shim.write_text(SHIM.format(python=sys.executable), "utf-8")
    shim.chmod(0o755)
    variables = {
        **os.environ,
        "PATH": os.pathsep.join([str(shim.parent), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
        **{f"{name}_API_KEY": "sk-test-0123456789" for name in ("OPENAI", "ANTHROPIC", "GEMINI")},
        "OPENAI_BASE_URL": f"{models.url}/v1",
        "ANTHROPIC_BASE_URL": models.url,
        "GEMINI_BASE_URL": f"{models.url}/v1beta/openai/",
    }

    printed: list[str] = []

    def run(place: str, *command: str) -> None:
        done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{place}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        printed.append(done.stdout)

    if page in BEFORE:
        run(page, "bash", "-euc", BEFORE[page])
    for block in blocks_of(page):
        if block.file:
            (folder / block.file).write_text(block.code, "utf-8")
    program = ""
    for block in blocks_of(page):
        if block.is_shell:
            script = "\n".join(line for line in block.commands if not elsewhere(line))
            run(block.place, "bash", "-euc", script)
        elif block.language == "python" and not elsewhere(block.code) and not block.file:
            program = f"{program}\n{block.code}" if block.code.startswith("# goes on") else block.code
            (folder / "block.py").write_text(program, "utf-8")
            run(block.place, sys.executable, "block.py")
    assert [said for said in SAID.get(page, ()) if said not in "".join(printed)] == []
