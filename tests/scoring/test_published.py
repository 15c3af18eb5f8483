"""The verdict by the checks of a published benchmark, on records that are made here."""

from __future__ import annotations

from typing import Any

import pytest

from websp_gym.records.ending import Ending, EndReason
from websp_gym.records.trajectory import PageRead, Trajectory, View
from websp_gym.scoring.outcome import EpisodeEnd
from websp_gym.scoring.published import published_verdict
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.published import PageCheck, PublishedChecks
from websp_gym.world.state import WorldState

AT = "https://git.example/a/b"


def record(at: str = AT, *pages: PageRead) -> Trajectory:
    """The record of an episode that ended at an address, with what was read of pages."""
    return Trajectory(
        instance="Kites-1", config_hash="", instruction="", ground_truth=[], world="sandbox", seed=0,
        started="", initial=View(url=at), pages=list(pages),
    )  # fmt: skip


def passes(
    answer: str = "done", *, at: str = AT, said: str | None = "", reason: EndReason = "answer", **checks: Any
) -> bool:
    """Whether an episode with this answer, last address and text of its page meets some checks."""
    verdict = published_verdict(
        PublishedChecks(**checks), record(at, PageRead(url=at, text=said)), Ending(reason, answer)
    )
    return verdict.status == "pass"


def on_page(said: str | None, **asked: Any) -> bool:
    return passes(said=said, pages=(PageCheck(**asked),))


@pytest.mark.parametrize(
    ("said", "asked", "met"),
    [
        ("Due Jan 3, 2040", {"includes": [["jan 3, 2040"]]}, True),
        ("Due Jan 3, 2041", {"includes": [["jan 3, 2040"]]}, False),
        ("One and two", {"includes": [["one"], ["three", "two"]]}, True),
        ("One and four", {"includes": [["one"], ["three", "two"]]}, False),
        (" 'Kites' ", {"exact": "kites"}, True),
        ("Kites here", {"exact": "kites"}, False),
        (None, {"includes": [["kites"]]}, False),
        (None, {"exact": ""}, False),
    ],
)
def test_a_page_that_cannot_be_read_or_says_something_else_is_not_met(
    said: str | None, asked: dict[str, Any], met: bool
) -> None:
    assert on_page(said, **asked) is met


def test_a_page_that_was_not_read_at_all_is_not_met() -> None:
    checks = PublishedChecks(pages=(PageCheck(exact="x"),))
    assert published_verdict(checks, record(), Ending("answer", "done")).status == "fail"


@pytest.mark.parametrize(
    ("at", "urls", "met"),
    [
        (f"{AT}/-/issues/7", [f"{AT}/-/issues"], True),
        (f"{AT}/-/issues", [f"{AT}/-/issues/7"], False),
        (f"{AT}/", [AT], True),
        (f"{AT}/-/issues?label[]=a+b&page=2", [f"{AT}/-/issues/?label%5B%5D=a%20b"], True),
        (f"{AT}/-/issues?label[]=c", [f"{AT}/-/issues/?label%5B%5D=a%20b"], False),
        (f"{AT}/-/issues", [f"{AT}/-/issues/?label%5B%5D=a%20b"], False),
        (f"{AT}/x", [f"{AT}/y", f"{AT}/x"], True),
        ("https://git.example/#/leads/3", ["https://git.example/#/leads"], True),
        ("https://git.example/#/cases", ["https://git.example/#/leads"], False),
    ],
)
def test_the_last_address_has_host_path_and_query(at: str, urls: list[str], met: bool) -> None:
    assert passes(at=at, urls=tuple(urls)) is met


@pytest.mark.parametrize(
    ("answer", "checks", "met"),
    [
        ("Kites: ada, MO", {"includes": ("mo", "ada")}, True),
        ("Kites: ada", {"includes": ("mo", "ada")}, False),
        ("There are 3.", {"includes": ("3",)}, True),
        ("There are 13.", {"includes": ("3",)}, False),
        ('"git clone X"', {"exact": "git clone x"}, True),
        ("Use git clone X", {"exact": "git clone x"}, False),
        ("No, I think the kite is still up", {"alike": ("No, the kite is up",)}, True),
        ("The kite is down", {"alike": ("No, the kite is up",)}, False),
        ("N/A", {"impossible": True}, True),
        ("There is no such project", {"impossible": True}, True),
        ("I created the issue", {"impossible": True}, False),
    ],
)
def test_the_answer_includes_is_means_or_says_that_it_cannot_be_done(
    answer: str, checks: dict[str, Any], met: bool
) -> None:
    assert passes(answer, **checks) is met


def test_only_an_end_by_the_agent_counts() -> None:
    assert passes("", reason="infeasible", impossible=True)
    assert not passes("3", reason="action_limit", includes=("3",))
    assert not passes("3", reason="infeasible", includes=("3",))


def test_what_was_met_counts_in_part() -> None:
    verdict = published_verdict(PublishedChecks(includes=("a", "b")), record(), Ending("answer", "a"))
    assert (verdict.status, verdict.partial) == ("fail", 0.5)
    assert "answer has b" in verdict.reason


@pytest.mark.parametrize("world", ["sandbox", "live"])
def test_a_record_cannot_bring_checks_of_its_own(world: str) -> None:
    instance = load_instance("Steam-task-191-ON")
    forged = record().model_copy(update={"world": world, "published": PublishedChecks(includes=("done",))})
    end = EpisodeEnd(instance, WorldState(), WorldState(), Ending("answer", "done"), forged)
    assert (end.truth.status, end.truth.source) == ("unscored", "state")


def test_checks_of_a_record_count_on_a_live_website_only() -> None:
    checks = PublishedChecks(includes=("kites",))
    plain = load_instance("GitLab-stwab-90")
    instance = plain.model_copy(update={"task": plain.task.model_copy(update={"published": checks})})
    other = record().model_copy(update={"published": PublishedChecks(includes=("done",))})
    for world, status in (("sandbox", "fail"), ("live", "pass")):
        kept = other.model_copy(update={"world": world})
        end = EpisodeEnd(instance, WorldState(), WorldState(), Ending("answer", "done"), kept)
        assert end.truth.status == status


def test_the_account_of_an_episode_stands_in_place_of_the_sandboxs() -> None:
    checks = PublishedChecks(
        pages=(PageCheck(address="https://git.example/alexrivers/kites", includes=(("Alex Rivers",),)),),
        urls=(AT,),
    )
    other = checks.of_account({"name": "Kit Lee", "username": "kitlee"})
    assert (other.pages[0].address, other.pages[0].includes) == (
        "https://git.example/kitlee/kites",
        (("Kit Lee",),),
    )
    assert checks.of_account({}) == checks


@pytest.mark.parametrize(
    ("answer", "met"),
    [
        ("N/A", True),
        ("There is no such project.", True),
        ("It cannot be done: the project does not exist.", True),
        ("nothing needs to be done", False),
        ("I left everything as it is.", False),
        ("Done, though that was not possible at first.", False),
    ],
)
def test_a_task_that_cannot_be_done_has_to_be_called_impossible(answer: str, met: bool) -> None:
    assert passes(answer, impossible=True) is met
