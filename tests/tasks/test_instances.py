"""Task configurations are checked, and mistakes in them are named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import indent

import gymnasium
import pytest
import yaml

import websp_gym
from tests.paths import DATA
from websp_gym.errors import SetupError
from websp_gym.replay.library import trace_path
from websp_gym.tasks.ids import all_ids, canonical_id, ids_in, instance_ids, known_ids
from websp_gym.tasks.initial_steps import ReplayStep
from websp_gym.tasks.instances import all_instances, load_instance, load_site
from websp_gym.tasks.selection import select_instances

PUBLISHED = yaml.safe_load((DATA / "published_elements.yaml").read_text("utf-8"))
# Where the page has another control than those that are annotated; see docs/about/instances.md.
DIFFERENT = {
    "Steam-task-198-OFF": ["Dropdown", "Link", "Radio Button", "Checkbox", "Button"],
    "Pinterest-task-64-OFF": ["Icon", "Option", "Link", "Checkbox"],
}

SITE = """\
site: Demo
slug: demo
website_category: Online Shopping
start_url: https://demo.example/
account: none
tasks:
  - id: Demo-task-1
    category: UI/UX Preferences
    instruction: Turn autoplay off.
    instruction_with_navigation: Open the settings and turn autoplay off.
    goal:
      settings: {autoplay: false}
    instances:
      - instance: Demo-task-1-ON
        expect:
          settings: {autoplay: true}
        ground_truth:
          - {turn: {role: switch, name: Autoplay}, element: Toggle, state: off}
"""


@pytest.fixture
def site_file(tmp_path: Path) -> Path:
    """A valid configuration to break."""
    path = tmp_path / "demo.yaml"
    path.write_text(SITE)
    return path


def _broken(path: Path, old: str, new: str) -> str:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(SetupError) as caught:
        load_site(path)
    return str(caught.value)


def test_the_scan_for_ids_and_the_full_configuration_agree() -> None:
    assert instance_ids() == [instance.id for instance in all_instances()]
    assert len(set(instance_ids())) == len(instance_ids())


def test_element_types_are_those_of_the_publication() -> None:
    ours = {instance.id: sorted(instance.config.element_types) for instance in all_instances()}
    assert ours == {name: sorted(types) for name, types in (PUBLISHED | DIFFERENT).items()}


def test_both_wordings_exist_and_differ_and_every_trace_is_there() -> None:
    for instance in all_instances():
        assert instance.task.instruction != instance.task.instruction_with_navigation
        for step in instance.config.initial_state:
            if isinstance(step, ReplayStep):
                assert trace_path(step.replay).is_file()


def test_every_instance_is_registered_under_both_names() -> None:
    websp_gym.register_envs()  # a second time changes nothing
    for name in instance_ids():
        assert gymnasium.spec(f"websp/{name}").nondeterministic
        assert gymnasium.spec(f"browsergym/websp.{name}").nondeterministic


@pytest.mark.parametrize(
    "spelling",
    [
        "Steam-task-191-ON",
        "websp/Steam-task-191-ON",
        "browsergym/websp.Steam-task-191-ON",
        "Steam_task-191_ON",
    ],
)
def test_an_id_is_understood_in_every_spelling_and_case(spelling: str) -> None:
    assert canonical_id(spelling) == "Steam-task-191-ON"
    assert load_instance(spelling).id == "Steam-task-191-ON"
    assert load_instance(spelling.lower()).id == "Steam-task-191-ON"
    assert known_ids([spelling.upper(), "Nowhere-task-1"]) == ["Steam-task-191-ON", "Nowhere-task-1"]
    assert select_instances([spelling.lower()], site="STEAM") == ["Steam-task-191-ON"]


def test_an_unknown_id_names_the_nearest_one() -> None:
    with pytest.raises(SetupError, match=r'did you mean "Steam-task-191-ON"\?'):
        load_instance("Steam-task-191-OM")


def test_a_valid_file_loads(site_file: Path) -> None:
    (instance,) = load_site(site_file)
    assert instance.config.state == "ON"
    assert instance.config.ground_truth_text() == ["TURN OFF 'Autoplay' toggle"]


def test_an_unknown_key_is_named_with_file_line_and_nearest_key(site_file: Path) -> None:
    message = _broken(site_file, "    instruction: Turn", "    instructoin: Turn")
    assert f"{site_file}:9:" in message
    assert 'did you mean "instruction"?' in message


def test_an_unknown_goal_key_is_an_error_and_never_false(site_file: Path) -> None:
    message = _broken(site_file, "      settings: {autoplay: false}", "      setings: {autoplay: false}")
    assert f"{site_file}:12:" in message
    assert 'did you mean "settings"?' in message


def test_an_empty_goal_is_an_error(site_file: Path) -> None:
    assert "must ask for something" in _broken(site_file, "settings: {autoplay: false}", "settings: {}")


def test_a_turn_step_without_a_state_is_an_error(site_file: Path) -> None:
    assert "needs state" in _broken(site_file, ", state: off", "")


def test_an_element_type_outside_the_ten_is_an_error(site_file: Path) -> None:
    assert "Toggle" in _broken(site_file, "element: Toggle", "element: Slider")


def test_an_instance_of_another_task_is_an_error(site_file: Path) -> None:
    assert "Demo-task-2-ON" in _broken(site_file, "Demo-task-1-ON", "Demo-task-2-ON")


def test_an_instance_the_scan_cannot_see_is_an_error(site_file: Path) -> None:
    message = _broken(site_file, "- instance: Demo-task-1-ON", "- instance: &x Demo-task-1-ON")
    assert "without an anchor or a tag; see Demo-task-1-ON" in message


@pytest.mark.parametrize(
    "entry",
    [
        '- instance: "{id}"',
        "- instance: {id}  # one of two",
        "- {{instance: {id}, {rest}}}",
        "- {{{rest}, instance: {id}}}",
        "- {{'instance': '{id}',\n   {rest}}}",
        "- {{\n    {rest},\n    instance: {id}\n  }}",
    ],
)
def test_an_instance_may_be_written_in_any_style(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    before, block, rest = SITE.partition("      - instance: Demo-task-1-ON\n")
    assert block
    if "{rest}" in entry:
        steps = "{turn: {role: switch, name: Autoplay}, element: Toggle, state: off}"
        written = entry.format(
            id="Demo-task-1-ON", rest=f"expect: {{settings: {{autoplay: true}}}}, ground_truth: [{steps}]"
        )
        text = before + indent(written, "      ")
    else:
        text = before + indent(entry.format(id="Demo-task-1-ON"), "      ") + "\n" + rest
    (tmp_path / "demo.yaml").write_text(text)
    monkeypatch.setenv("WEBSP_TASK_CONFIGS", str(tmp_path))
    assert "Demo-task-1-ON" in all_ids()
    assert load_instance("demo-task-1-on").config.expect.settings == {"autoplay": True}


def test_an_id_that_the_scan_cannot_see_is_explained_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "demo.yaml").write_text(SITE.replace("instance: Demo", "instance: !!str Demo"))
    monkeypatch.setenv("WEBSP_TASK_CONFIGS", str(tmp_path))
    with pytest.raises(SetupError, match="without an anchor or a tag; see Demo-task-1-ON"):
        load_instance("Demo-task-1-ON")


def test_broken_yaml_is_an_error_with_its_place(site_file: Path) -> None:
    assert "line" in _broken(site_file, "goal:\n", "goal: [\n")


def test_the_hash_of_an_instance_changes_with_its_goal(site_file: Path) -> None:
    before = load_site(site_file)[0].config_hash
    other = site_file.with_name("other.yaml")
    other.write_text(SITE.replace("{autoplay: false}", "{autoplay: true}"))
    assert load_site(other)[0].config_hash != before


def test_a_value_that_is_the_default_leaves_the_hash_as_it_is(site_file: Path) -> None:
    before = load_site(site_file)[0].config_hash
    other = site_file.with_name("other.yaml")
    other.write_text(SITE.replace("    goal:\n", "    goal:\n      created: []\n"))
    assert "created: []" in other.read_text()
    assert load_site(other)[0].config_hash == before


def test_how_a_mistake_is_taken_back_is_a_fact_for_proofs_and_no_part_of_the_hash(site_file: Path) -> None:
    before = load_site(site_file)[0]
    mistakes = "mistakes: {tokens: {undo: [{submit: {role: button, name: Delete}, element: Button}]}}\n"
    other = site_file.with_name("other.yaml")
    other.write_text(SITE.replace("tasks:", f"{mistakes}tasks:"))
    after = load_site(other)[0]
    assert [step.text() for step in after.site.mistakes["tokens"].undo] == ["CLICK 'Delete' button"]
    assert after.config_hash == before.config_hash
    exact = site_file.with_name("exact.yaml")
    exact.write_text(
        SITE.replace("    instances:\n", "    unchanged: {others: [tokens]}\n    instances:\n", 1)
    )
    assert load_site(exact)[0].config_hash != before.config_hash


def test_how_an_account_is_closed_is_data_and_no_part_of_the_hash(site_file: Path) -> None:
    before = load_site(site_file)[0]
    assert before.site.closing == ()
    steps = "closing: [{submit: {role: button, name: Close my account}, element: Button}]\n"
    other = site_file.with_name("other.yaml")
    other.write_text(SITE.replace("tasks:", f"{steps}tasks:"))
    after = load_site(other)[0]
    assert [step.text() for step in after.site.closing] == ["CLICK 'Close my account' button"]
    assert after.config_hash == before.config_hash
    wrong = site_file.with_name("wrong.yaml")
    wrong.write_text(SITE.replace("tasks:", f"{steps.replace('role', 'rolle')}tasks:"))
    with pytest.raises(SetupError, match=r'wrong\.yaml:\d+: closing\.0\.target\.rolle.*did you mean "role"'):
        load_site(wrong)


def test_ids_are_found_whatever_their_indentation() -> None:
    assert ids_in(
        "  - instance: A-task-1\n        - instance: B-task-2-ON\n# - instance: C\n# {instance: D}\n"
    ) == [
        "A-task-1",
        "B-task-2-ON",
    ]


def test_importing_the_package_imports_no_browser_and_no_server() -> None:
    heavy = ("browsergym", "playwright", "starlette", "uvicorn", "pydantic", "yaml", "PIL", "jinja2", "httpx")
    code = f"import websp_gym, sys; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
