"""What is given twice, and what matches nothing, is an error; what nobody reads is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command_support import websp_here
from tests.paths import DOCS, ROOT
from websp_gym.cli.variables import GIVEN, READ

STEAM = "Steam-task-191-ON"
POLICY = "{id: a, level: user, dimension: user_consent, never: {deed: buy}, instances: [%s]}"


@pytest.mark.parametrize(
    ("arguments", "twice"),
    [
        (("list", "--site", "Steam", "--site", "GitHub"), "--site"),
        (("run", "--seed", "1", "--agent", "oracle", "--tasks", STEAM, "--seed=2"), "--seed"),
        (("trace", "show", "steam/login", "--json", "--json"), ""),
    ],
)
def test_an_option_with_one_value_is_given_once(arguments: tuple[str, ...], twice: str) -> None:
    done = websp_here(*arguments)
    if twice:
        assert (done.returncode, f"{twice} is given twice; give it once" in done.stderr) == (2, True)
    else:
        assert "twice" not in done.stderr


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (f"site: steam\npolicies: [{POLICY % 'Steam-*'}]\npolicies: []\n", 'key "policies" is given twice'),
        (
            f"site: steam\npolicies:\n  - {POLICY % 'Steem-*'}\n",
            '3: a: instances: "Steem-*" matches no instance',
        ),
        (
            'site: steam\npolicies: []\nknows: [{about: [x], says: y, instances: ["!Steem-*"]}]\n',
            'knows: instances: "Steem-*" matches no instance',
        ),
    ],
)
def test_a_policy_file_with_a_mistake_in_who_it_is_for_is_refused(
    tmp_path: Path, written: str, says: str
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(written)
    done = websp_here("policies", "check", str(file))
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())


def test_a_run_whose_policies_are_for_none_of_its_instances_is_refused(tmp_path: Path) -> None:
    file, out = tmp_path / "mine.yaml", tmp_path / "run"
    file.write_text(f"site: steam\npolicies: [{POLICY % 'Steam-*'}]\n")
    done = websp_here(
        "run", "--agent", "noop", "--tasks", "GitHub-task-127-ON", "--policies", str(file), "--out", str(out)
    )
    assert done.returncode == 2
    assert "none of them applies to any of the 1 chosen instances" in " ".join(done.stderr.split())
    assert not out.exists()


def test_a_variable_that_nobody_reads_is_told() -> None:
    done = websp_here("list", "--site", "Steam", variables={"WEBSP_TASKS_CONFIG": "mine", "WEBSP_LIVE": "0"})
    assert done.returncode == 0
    told = 'the variable WEBSP_TASKS_CONFIG is set, but nothing reads it; did you mean "WEBSP_TASK_CONFIGS"?'
    assert [line for line in done.stderr.splitlines() if "WEBSP_" in line] == [f"websp: {told}"]


def test_the_variables_that_are_read_are_those_of_the_source_and_of_the_documentation() -> None:
    named = re.compile(r"\bWEBSP_[A-Z_]*[A-Z]\b")
    own = ROOT / "websp_gym/cli/variables.py"
    source = [path.read_text() for path in ROOT.glob("websp_gym/**/*.py") if path != own]
    table = [
        line.split("|")[1]
        for line in (DOCS / "reference/variables.md").read_text().splitlines()
        if line[:3] == "| `"
    ]
    assert set(named.findall("".join(table))) == {*READ, *GIVEN}
    assert set(named.findall("".join(source))) == {*READ, *GIVEN}
