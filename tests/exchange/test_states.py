"""States in records of work on enterprise applications, which are differences from records of a day."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from websp_gym.errors import WorldError
from websp_gym.exchange.states import not_s0, unexplained
from websp_gym.policies.ideal import record_of
from websp_gym.records.step_facts import StepFacts
from websp_gym.records.trajectory import Trajectory
from websp_gym.scoring.truth import state_verdict_of_record
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.sites import site_schema
from websp_gym.world.fresh import expected_s0
from websp_gym.world.state import CompanyItems, WorldState

WORK = load_instance("SuiteCRM-stwab-47")
SLUG = WORK.site.slug


def record(changed: Callable[[dict[str, Any]], object] = lambda _: None) -> Trajectory:
    """The record of an episode at the start, with something changed in each collection of differences."""
    start = WorldState({SLUG: expected_s0(WORK)}).as_dict()[SLUG]
    for items in start["collections"].values():
        if isinstance(items, dict):
            changed(items)
    return record_of(WORK, [], StepFacts(seq=0)).model_copy(update={"s0": start})


def test_a_state_of_another_day_is_s0() -> None:
    assert list(not_s0(record(), WORK)) == []
    assert list(not_s0(record(lambda items: items.update(day="2026-01-15")), WORK)) == []


def test_a_record_more_is_not_s0() -> None:
    changed = record(lambda items: items.update(day="2026-01-15", rows={"forged": {"id": "forged"}}))
    assert any("accounts" in line for line in not_s0(changed, WORK))


@pytest.mark.parametrize("forged", [{"company": "0" * 16}, {"day": "0001-01-01"}, {"day": "soon"}])
def test_a_state_of_other_records_is_an_error(forged: dict[str, str]) -> None:
    played = record(lambda items: items.update(forged))
    with pytest.raises(WorldError, match=r"other records|no day"):
        list(unexplained(played.model_copy(update={"end": played.s0}), SLUG))


def test_records_determine_what_an_instance_is(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = {"end": record().s0, "end_reason": "finished"}
    played = record().model_copy(update=ended)
    assert state_verdict_of_record(played, WORK).status == "fail"
    company = site_schema(SLUG).collections["accounts"].shared
    assert company is not None
    monkeypatch.setattr(company, "digest", "0" * 16)
    assert "configuration of SuiteCRM-stwab-47 has changed" in state_verdict_of_record(played, WORK).reason


def test_items_of_two_days_differ() -> None:
    company = site_schema(SLUG).collections["tasks"].shared
    assert company is not None
    one, other = (
        CompanyItems(SLUG, "tasks", company.digest, day, {}) for day in ("2026-01-15", "2026-01-16")
    )
    assert one != other
