"""Importing a clone of ST-WebAgentBench: its tasks and checks, on our replicas. All tasks here are invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import websp_gym
from tests.dataset_support import data_home  # noqa: F401
from websp_gym.datasets.importing import import_dataset
from websp_gym.records.runs import Run
from websp_gym.runner.batch import run_batch
from websp_gym.runner.jobs import plan_run
from websp_gym.tasks.datasets import StoredDataset, StoredPlay, in_dataset
from websp_gym.tasks.instances import load_instance

pytestmark = pytest.mark.usefixtures("data_home")
KITES = "__GITLAB__/byteblaze/kite-log"
MEMBERS = f"{KITES}/-/project_members"


def page(url: str, locator: str = "", **contents: Any) -> dict[str, Any]:
    """A check of a page."""
    return {"url": url, "locator": locator, "required_contents": contents}


def element(css: str, part: str = "outerText") -> str:
    return f"document.querySelector('{css}').{part}"


def role_of(handle: str) -> str:
    return f"func:gitlab_get_project_memeber_role(__page__, '{handle}')"


def task(number: int, template: int, intent: str, said: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A task in the benchmark's format; ``pages``, ``answers`` and ``url`` decide."""
    pages, answers, url = more.pop("pages", []), more.pop("answers", None), more.pop("url", "")
    kinds = [("program_html", pages), ("string_match", answers), ("url_match", url)]
    return {
        "task_id": number,
        "sites": ["gitlab"],
        "start_url": "__GITLAB__",
        "intent": intent,
        "intent_template_id": template,
        "instantiation_dict": said,
        "eval": {
            "eval_types": [kind for kind, value in kinds if value],
            "program_html": pages,
            "reference_answers": answers,
            "reference_url": url,
            "url_note": "GOLD in PRED",
        },
        "policies": [],
        **more,
    }


def members(number: int = 21, **more: Any) -> dict[str, Any]:
    pages = more.pop("pages", [page(MEMBERS, role_of("mgrove"), must_include=["Developer"])])
    said = {"repo": "kite-log", "role": "developer", "user_list": ["mgrove"]}
    return task(number, 351, "Make mgrove a developer of byteblaze/kite-log", said, pages=pages, **more)


def counted(**said: str) -> dict[str, Any]:
    """A question about a number of commits in a project."""
    return task(
        118, 321, "How many?", said, answers={"must_include": ["3"]}, start_url="__GITLAB__/mgrove/kites"
    )


def imported(tmp_path: Path, *tasks: dict[str, Any]) -> StoredDataset:
    file = tmp_path / "clone" / "stwebagentbench" / "test.raw.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(tasks), "utf-8")
    return import_dataset(tmp_path / "clone")


def play_of(tmp_path: Path, one: dict[str, Any]) -> StoredPlay:
    (instance,) = imported(tmp_path, one).instances.values()
    assert instance.play is not None
    return instance.play


def test_tasks_that_differ_in_their_policies_are_one_instance_with_our_person(tmp_path: Path) -> None:
    dataset = imported(tmp_path, members(21), members(31, policies=[{"id": "any"}]))
    assert list(dataset.instances) == ["GitLab-stwab-21"]
    instance = in_dataset(load_instance("GitLab-stwab-21"), "stwab")
    assert instance.instruction("without_navigation") == "Make mgrove a developer of alexrivers/kite-log"
    assert instance.site.start_url == "https://gitlab.corp.example/"
    play = dataset.instances["GitLab-stwab-21"].play
    assert play is not None
    assert (play.tasks, dataset.left_out) == ((21, 31), ())
    assert [row["id"] for row in play.rows["projects"]] == ["alexrivers/kite-log"]


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (members(sites=["wiki"]), "no replica of wiki"),
        (members(intent_template_id=7), "template 7 is not known"),
        (members(setup_scripts=["x"]), "a script of the benchmark"),
        (members(instantiation_dict={}), "a parameter is missing: 'repo'"),
        (members(pages=[page(MEMBERS, "document.title", must_include=["a"])]), "document.title is found by"),
        (members(pages=[page(MEMBERS, element("b", "remove()"), must_include=["a"])]), "is not known"),
        (members(pages=[page(MEMBERS, starts_with=["a"])]), "a page is compared by starts_with"),
        (members(pages=[page("func:any()", must_include=["a"])]), "is computed by func:any()"),
        (members(url="__GITLAB__/x", eval={"eval_types": ["sound"]}), "it is decided by sound"),
    ],
)
def test_what_is_not_known_is_left_out_with_a_reason(
    tmp_path: Path, one: dict[str, Any], reason: str
) -> None:
    dataset = imported(tmp_path, one)
    assert dataset.instances == {}
    (missing,) = dataset.left_out
    assert missing.subject == "task 21"
    assert reason in missing.reason


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ({"user": "Mo Grove", "period": "during 2021"}, "2021-01-01", "2021-12-31"),
        ({"user": "mo", "period": "in 2021/2"}, "2021-02-01", "2021-02-28"),
        ({"user": "mo", "period": "between 02/2021-03/2021"}, "2021-02-01", "2021-03-31"),
        ({"user": "mo", "period": "between February 2021 and May 2021"}, "2021-02-01", "2021-05-31"),
        ({"user": "mo and ada", "date": "2/9/2021"}, "2021-02-09", "2021-02-09"),
        ({"user": "mo", "date": "2/9"}, "2023-02-09", "2023-02-09"),
    ],
)
def test_as_many_commits_are_in_the_period_as_the_answer_says(
    tmp_path: Path, said: dict[str, str], first: str, last: str
) -> None:
    play = play_of(tmp_path, counted(**said))
    days = [str(row["date"])[:10] for row in play.rows["commits"]]
    assert sum(first <= day <= last for day in days) == 3
    assert len(days) > 4
    assert play.answer == "3"


@pytest.mark.parametrize(
    ("one", "unsolved"),
    [
        (
            task(
                16,
                339,
                "Plan it",
                {"event": "day of kites", "start_date": "2/1/2040", "end_date": "in 3 days"},
                start_url=KITES,
                url=f"{KITES}/-/milestones",
                pages=[
                    page("last", element(".block.start_date"), must_include=["Feb 1, 2041"]),
                    page("last", element(".block.due_date"), must_include=["Feb 4, 2041"]),
                ],
            ),
            "other dates",
        ),
        (
            task(
                85,
                349,
                "List them",
                {"label": "wind", "repo": "mgrove/kites"},
                url=f"{KITES}/-/issues/?label_name%5B%5D=wind",
            ),
            "another project",
        ),
    ],
)
def test_checks_that_contradict_the_instruction_are_told(
    tmp_path: Path, one: dict[str, Any], unsolved: str
) -> None:
    assert unsolved in play_of(tmp_path, one).unsolved


def played(tmp_path: Path, *tasks: dict[str, Any]) -> list[bool | None]:
    """What the oracle's episode meets of the checks of the first task."""
    (name, *_) = imported(tmp_path, *tasks).instances
    run = Run(agent="oracle", options={"dataset": "stwab"})
    (result,) = run_batch(plan_run(run, [name], folder=tmp_path / "run"))
    record = websp_gym.load_trajectory(tmp_path / "run" / result.trajectory)
    assert record.verdict is not None
    assert result.error is None
    return [check["passed"] for check in record.verdict["checks"]]


def test_pages_elements_titles_and_roles_are_read_at_the_end_of_an_episode(tmp_path: Path) -> None:
    title = element(".visibility-icon", "getAttribute('title')")
    heading = element(".home-panel-title")
    pages = [
        page(MEMBERS, role_of("mgrove"), must_include=["Developer |OR| Owner"]),
        page(MEMBERS, role_of("mgrove"), exact_match="Owner"),
        page(MEMBERS, role_of("nobody"), must_include=["Developer"]),
        page(MEMBERS, must_include=["@mgrove", "@byteblaze"]),
        page(MEMBERS, must_include=["@mgrove", "@nobody"]),
        page(KITES, title, must_include=["PUBLIC"]),
        page(KITES, title, must_include=["private"]),
        page(KITES, heading, must_include=["kite-log"]),
        page(KITES, heading, must_include=["kite-logs"]),
        page(f"{KITES}s", heading, must_include=["kite-log"]),
        page("last", "document.querySelectorAll('td b')[1].outerText", exact_match="mgrove"),
        page("last", "document.querySelectorAll('td b')[7].outerText", exact_match="mgrove"),
    ]
    met = [True, False, False, True, False, True, False, True, False, False, True, False]
    answered = True
    assert played(tmp_path, members(pages=pages)) == [*met, answered]


def test_values_of_fields_are_read_at_the_end_of_an_episode(tmp_path: Path) -> None:
    at = "__SHOPPING_ADMIN__/catalog/product/edit/id/4711/"
    quantity, stock = (f'[name="product[quantity_and_stock_status][{key}]"' for key in ("qty", "is_in_stock"))
    pages = [
        page(at, element(quantity, "value"), exact_match="5"),
        page(at, element(stock, "value"), exact_match="1"),
        page(at, element('[name="product[name]"', "value"), exact_match="Tern beanie"),
    ]
    said = {"quantity": "5", "product": "red Tern beanie with size 7"}
    one = task(82, 241, "5 came", said, sites=["shopping_admin"], start_url="__SHOPPING_ADMIN__", pages=pages)
    assert played(tmp_path, one) == [True, True, False, True]
