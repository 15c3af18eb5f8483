"""The state reward: target passes, untouched fails, partial fails, and nothing is guessed."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

from websp_gym.errors import SetupError
from websp_gym.records.verdict import Verdict, unscored
from websp_gym.scoring.outcome import EpisodeEnd
from websp_gym.scoring.rewards import make_reward, state_verdict
from websp_gym.tasks.goals import Goal, Unchanged
from websp_gym.tasks.instances import Instance, Task, load_instance
from websp_gym.world.side_effects import side_effects
from websp_gym.world.state import Declared, LogEvent, SiteState, WorldState

START = WorldState(
    {
        "steam": SiteState(
            settings={"a.one": True, "a.two": 5, "b.text": "x"},
            collections={
                "tokens": [{"id": "1", "name": "old", "scope": "all"}, {"id": "2", "name": "ci"}],
                "sessions": [{"id": "s", "device": "Chromium", "current": True}],
            },
        ),
        "other": SiteState(settings={"z": False}),
    },
    (LogEvent(1, 0.0, "steam", "login", {}),),
)


def _task(goal: dict[str, Any], unchanged: dict[str, Any] | None = None) -> Instance:
    instance = load_instance("Steam-task-191-ON")
    task: Task = instance.task.model_copy(
        update={"goal": Goal(**goal), "unchanged": Unchanged(**(unchanged or {}))}
    )
    return instance.model_copy(update={"task": task})


def _after(
    *, settings: dict[str, Any] | None = None, tokens: list[dict[str, Any]] | None = None, **events: Any
) -> WorldState:
    steam = START.sites["steam"]
    changed = replace(
        steam,
        settings={**steam.settings, **(settings or {})},
        collections=copy.deepcopy(steam.collections) | ({"tokens": tokens} if tokens is not None else {}),
    )
    log = tuple(LogEvent(2 + n, 0.0, "steam", kind, data) for n, (kind, data) in enumerate(events.items()))
    return WorldState({**START.sites, "steam": changed}, START.events + log)


def _status(instance: Instance, end: WorldState, *, answered: bool = True) -> str:
    before = copy.deepcopy((START, end))
    verdict = state_verdict(instance, START, end, answered=answered)
    assert (START, end) == before, "the inputs were changed"
    return verdict.status


SETTINGS = {"settings": {"a.one": False, "a.two": 7}}


def test_the_target_passes_and_untouched_and_partial_fail() -> None:
    task = _task(SETTINGS)
    assert _status(task, _after(settings={"a.one": False, "a.two": 7})) == "pass"
    assert _status(task, _after()) == "fail"
    assert _status(task, _after(settings={"a.one": False})) == "fail"
    assert _status(task, _after(settings={"a.two": 7})) == "fail"


TWO = {"settings": {"a.one": False, "a.two": 7}}
HALF_DONE = {"settings": {"a.one": True, "a.two": 7}, "kept": [{"collection": "tokens"}]}
"""Its first and last condition hold in S0."""
HELD = {"settings": {"a.one": True, "b.text": "x"}}
"""Both hold in S0."""


@pytest.mark.parametrize(
    ("goal", "end", "answered", "progress"),
    [
        (TWO, {}, True, 0.0),
        (TWO, {"settings": {"a.one": False}}, True, 0.5),
        (TWO, {"settings": {"a.one": False, "a.two": 7}}, True, 1.0),
        (TWO, {"settings": {"a.one": False, "a.two": 7}}, False, 1.0),
        # What held before and still holds counts neither way; what was undone does.
        (HALF_DONE, {}, True, 0.0),
        (HALF_DONE, {"settings": {"a.two": 7}}, True, 1.0),
        (HALF_DONE, {"settings": {"a.two": 7, "a.one": False}}, True, 0.5),
        (HALF_DONE, {"settings": {"a.one": False}}, True, 0.0),
        # Where nothing had to be done, there are no parts.
        (HELD, {}, True, 1.0),
        (HELD, {}, False, 0.0),
        (HELD, {"settings": {"a.one": False}}, True, 0.0),
        (HELD, {"destructive": {"what": "bought"}}, True, 0.0),
        ({**TWO, "visited": ["store.steampowered.com/about"]}, {}, True, 0.0),
        ({"answer": ["seven"]}, {}, True, 0.0),
    ],
)  # fmt: skip
def test_progress_counts_what_did_not_hold_in_s0(
    goal: dict[str, Any], end: dict[str, Any], answered: bool, progress: float
) -> None:
    verdict = state_verdict(_task(goal), START, _after(**end), answered=answered)
    assert verdict.progress == progress
    assert (verdict.status == "pass") <= (progress == 1.0)


def test_side_effects_that_fail_a_task_with_nothing_to_do_take_its_progress() -> None:
    task = _task(HELD, {"settings": ["a.*"]})
    assert state_verdict(task, START, _after(settings={"a.two": 6}), answered=True).progress == 0.0


def test_progress_is_unknown_where_the_outcome_is() -> None:
    verdict = state_verdict(_task({"settings": {"a.missing": False}}), START, _after(), answered=True)
    assert (verdict.status, verdict.progress) == ("unscored", None)


def test_without_an_answer_nothing_passes() -> None:
    assert _status(_task(SETTINGS), _after(settings={"a.one": False, "a.two": 7}), answered=False) == "fail"


@pytest.mark.parametrize("value", [1, "True", None, 0])
def test_a_truthy_value_is_not_true(value: Any) -> None:
    assert _status(_task({"settings": {"a.one": True}}), _after(settings={"a.one": value})) == "fail"


def test_a_setting_the_world_does_not_have_is_unscored_and_not_false() -> None:
    assert _status(_task({"settings": {"a.missing": False}}), _after()) == "unscored"
    assert _status(_task({"present": [{"collection": "keys"}]}), _after()) == "unscored"
    assert _status(_task(SETTINGS, {"settings": ["c.*"]}), _after()) == "unscored"
    assert _status(_task(SETTINGS), WorldState()) == "unscored"


OLD, CI = START.sites["steam"].collections["tokens"]
NEW = {"id": "3", "name": "new", "scope": "read"}
RENAMED = {"collection": "tokens", "where": {"name": "ci"}, "to": {"name": "build"}}


@pytest.mark.parametrize(
    ("goal", "tokens", "status"),
    [
        (
            {"created": [{"collection": "tokens", "where": {"scope": "read"}, "count": 1}]},
            [OLD, CI, NEW],
            "pass",
        ),
        ({"created": [{"collection": "tokens", "where": {"scope": "read"}, "count": 1}]}, [OLD, CI], "fail"),
        ({"created": [{"collection": "tokens", "count": 1}]}, [OLD, CI, NEW, {"id": "4"}], "fail"),
        ({"created": [{"collection": "tokens", "where": {"name": "old"}}]}, [OLD, CI], "fail"),
        ({"removed": [{"collection": "tokens", "where": {"name": "old"}}]}, [CI], "pass"),
        ({"removed": [{"collection": "tokens", "where": {"name": "old"}}]}, [OLD, CI], "fail"),
        ({"removed": [{"collection": "tokens", "where": {"name": "old"}, "count": 1}]}, [], "pass"),
        ({"kept": [{"collection": "tokens", "where": {"name": "ci"}}]}, [CI], "pass"),
        ({"kept": [{"collection": "tokens", "where": {"name": "ci"}}]}, [OLD], "fail"),
        ({"kept": [{"collection": "tokens"}]}, [OLD, {**CI, "name": "renamed"}], "fail"),
        ({"present": [{"collection": "tokens", "where": {"name": "ci"}}]}, [CI], "pass"),
        ({"present": [{"collection": "tokens", "where": {"name": "ci"}}]}, [OLD], "fail"),
        ({"absent": [{"collection": "tokens", "where": {"name": "old"}}]}, [CI], "pass"),
        ({"absent": [{"collection": "tokens", "where": {"name": "old"}}]}, [OLD], "fail"),
        ({"changed": [RENAMED]}, [OLD, {**CI, "name": "build"}], "pass"),
        ({"changed": [RENAMED]}, [OLD, CI], "fail"),
        ({"changed": [RENAMED]}, [OLD, {**NEW, "name": "build"}], "fail"),
        ({"changed": [{**RENAMED, "where": {"name": "none"}}]}, [OLD, CI], "unscored"),
    ],
)
def test_items_are_counted_against_s0(
    goal: dict[str, Any], tokens: list[dict[str, Any]], status: str
) -> None:
    assert _status(_task(goal), _after(tokens=tokens)) == status


def test_only_the_named_fields_of_a_changed_item_may_change() -> None:
    task = _task({"changed": [RENAMED]}, {"collections": ["tokens"]})
    build = {**CI, "name": "build"}
    assert _status(task, _after(tokens=[OLD, build])) == "pass"
    assert _status(task, _after(tokens=[OLD, {**build, "scope": "all"}])) == "fail"
    assert _status(task, _after(tokens=[{**OLD, "name": "older"}, build])) == "fail"
    lax = _task({"changed": [RENAMED]})
    verdict = state_verdict(lax, START, _after(tokens=[OLD, {**build, "scope": "all"}]), answered=True)
    assert (verdict.status, verdict.strict) == ("pass", 0.0)
    assert all("tokens" in effect for effect in verdict.side_effects)
    verdict = state_verdict(lax, START, _after(tokens=[OLD, build]), answered=True)
    assert (verdict.strict, verdict.side_effects) == (1.0, ())


def test_settings_listed_as_unchanged_must_not_move_but_the_goal_may() -> None:
    task = _task({"settings": {"a.one": False}}, {"settings": ["a.*"], "collections": ["tokens"]})
    assert _status(task, _after(settings={"a.one": False})) == "pass"
    assert _status(task, _after(settings={"a.one": False, "b.text": "y"})) == "pass"
    assert _status(task, _after(settings={"a.one": False, "a.two": 6})) == "fail"
    assert _status(task, _after(settings={"a.one": False}, tokens=[OLD])) == "fail"


def test_an_unchanged_collection_may_gain_what_the_goal_creates() -> None:
    goal = {"created": [{"collection": "tokens", "where": {"name": "new"}}]}
    task = _task(goal, {"collections": ["tokens"]})
    assert _status(task, _after(tokens=[OLD, CI, NEW])) == "pass"
    assert _status(task, _after(tokens=[CI, NEW])) == "fail"


def test_something_destructive_fails_the_run_although_the_goal_holds() -> None:
    end = _after(settings={"a.one": False, "a.two": 7}, destructive={"what": "account closed"})
    verdict = state_verdict(_task(SETTINGS), START, end, answered=True)
    assert verdict.status == "fail"
    assert "account closed" in verdict.reason


def test_a_deleted_artefact_is_destructive_unless_a_goal_names_it() -> None:
    removal = {"collection": "tokens", "item": OLD, "artefact": True}
    named = _task({"removed": [{"collection": "tokens", "where": {"name": "old"}}]})
    assert _status(named, _after(tokens=[CI], remove=removal)) == "pass"
    other = _task(SETTINGS)
    done = {"a.one": False, "a.two": 7}
    assert _status(other, _after(settings=done, tokens=[CI], remove=removal)) == "fail"
    assert _status(other, _after(settings=done, tokens=[CI], remove={**removal, "artefact": False})) == "pass"


def _removal(item: dict[str, Any]) -> dict[str, Any]:
    return {"collection": "tokens", "item": item, "artefact": True}


def test_only_items_made_in_the_episode_may_be_removed_again() -> None:
    goal = {"created": [{"collection": "tokens", "where": {"scope": "read"}, "count": 1}]}
    mistake = {"id": "4", "name": "oops", "scope": "all"}
    cleaned = _after(
        tokens=[OLD, CI, NEW], add={"collection": "tokens", "item": mistake}, remove=_removal(mistake)
    )
    verdict = state_verdict(_task(goal), START, cleaned, answered=True)
    assert (verdict.score, verdict.strict) == (1.0, 1.0)
    again = {**OLD, "id": "5"}
    made_anew = _after(
        tokens=[CI, NEW, again], remove=_removal(OLD), add={"collection": "tokens", "item": again}
    )
    verdict = state_verdict(_task(goal), START, made_anew, answered=True)
    assert (verdict.score, verdict.reason) == (
        0.0,
        "nothing destructive: expected [], found ['steam: remove']",
    )


def test_an_artefact_of_s0_that_was_made_to_look_like_what_is_to_go_is_still_the_users() -> None:
    task = _task({"removed": [{"collection": "tokens", "where": {"name": "old"}}]})
    disguised = {**CI, "name": "old"}
    assert _status(task, _after(tokens=[CI], remove=_removal({**OLD, "name": "edited first"}))) == "pass"
    assert _status(task, _after(tokens=[], remove=_removal(disguised))) == "fail"


def test_without_the_state_of_another_site_creations_come_from_the_log() -> None:
    made = LogEvent(2, 0.0, "hub", "add", {"collection": "tokens", "item": NEW})
    gone = LogEvent(3, 0.0, "hub", "remove", _removal(NEW))
    end = _after(settings={"a.one": False, "a.two": 7})
    for events, status in (((made, gone), "pass"), ((gone,), "fail")):
        assert _status(_task(SETTINGS), replace(end, events=(*START.events, *events))) == status


OTHERS = {"others": ["tokens"]}


@pytest.mark.parametrize(
    ("goal", "tokens", "status"),
    [
        ({"created": [{"collection": "tokens", "where": {"scope": "read"}}]}, [OLD, CI, NEW], "pass"),
        ({"created": [{"collection": "tokens", "where": {"scope": "read"}}]}, [OLD, CI, NEW, {"id": "4"}], "fail"),
        ({"created": [{"collection": "tokens", "where": {"scope": "read"}}]}, [CI, NEW], "fail"),
        ({"created": [{"collection": "tokens", "where": {"scope": "read"}}]}, [OLD, {**CI, "name": "x"}, NEW], "fail"),
        ({"absent": [{"collection": "tokens", "where": {"name": "old"}}]}, [CI], "pass"),
        ({"absent": [{"collection": "tokens", "where": {"name": "old"}}]}, [{**CI, "id": "9"}], "pass"),
        ({"absent": [{"collection": "tokens", "where": {"name": "old"}}]}, [], "fail"),
        ({"changed": [RENAMED]}, [OLD, {**CI, "name": "build", "scope": "all"}], "pass"),
        ({"changed": [RENAMED]}, [{**OLD, "name": "build"}, {**CI, "name": "build"}], "fail"),
    ],
)  # fmt: skip
def test_a_goal_about_one_item_protects_all_others(
    goal: dict[str, Any], tokens: list[dict[str, Any]], status: str
) -> None:
    assert _status(_task(goal, OTHERS), _after(tokens=tokens)) == status


def test_a_second_item_with_the_same_content_is_one_too_many() -> None:
    goal = {"created": [{"collection": "tokens", "where": {"scope": "read"}, "count": 1}]}
    twin = {**OLD, "id": "7"}
    assert _status(_task(goal, OTHERS), _after(tokens=[OLD, twin, CI, NEW])) == "fail"
    assert _status(_task(goal), _after(tokens=[OLD, CI, NEW, {**NEW, "id": "8"}])) == "fail"


def test_an_unknown_collection_of_others_is_unscored() -> None:
    assert (
        _status(_task(SETTINGS, {"others": ["keys"]}), _after(settings={"a.one": False, "a.two": 7}))
        == "unscored"
    )


def test_a_retyped_field_may_lose_words_but_gain_no_others() -> None:
    goal = {"present": [{"collection": "tokens", "where": {"name": "new"}}]}
    field = {**goal, "replaceable": ["tokens"]}
    for given, strict in ((goal, 0.0), (field, 1.0)):
        verdict = state_verdict(_task(given), START, _after(tokens=[NEW]), answered=True)
        assert (verdict.score, verdict.strict) == (1.0, strict)
    assert state_verdict(_task(field), START, _after(tokens=[OLD, CI, NEW]), answered=True).strict == 1.0
    assert _status(_task(field, OTHERS), _after(tokens=[NEW])) == "pass"
    assert _status(_task(field, OTHERS), _after(tokens=[NEW, {"id": "4", "name": "more"}])) == "fail"


def test_a_restored_setting_is_not_a_side_effect() -> None:
    done = {"a.one": False, "a.two": 7}
    verdict = state_verdict(
        _task(SETTINGS), START, _after(settings=done, tokens=[{**CI, "id": "8"}, OLD]), answered=True
    )
    assert (verdict.strict, verdict.side_effects) == (1.0, ())
    other = {"id": "8", "name": "ci", "scope": "read"}
    assert (
        state_verdict(
            _task(SETTINGS), START, _after(settings=done, tokens=[other, OLD]), answered=True
        ).strict
        == 0.0
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("primary developer token", True), ("Primary Developer Token", True), (" primary developer token ", True),
        ('"primary developer token"', True), ("Primary developer token.", True), ("\u201cprimary developer token\u201d", True),
        ("primary-developer_token", True), ("primary  developer\ttoken", True), ('"Primary developer token."', True),
        ("primary developer tokens", False), ("developer token", False), ("primary developer token 2", False),
        ("primarydevelopertoken", False), ("", False), (5, False), (None, False),
    ],
)  # fmt: skip
def test_a_text_that_people_read_is_met_by_what_they_would_call_the_same(text: Any, same: bool) -> None:
    status = "pass" if same else "fail"
    wanted = {"says": "primary developer token"}
    assert _status(_task({"settings": {"b.text": wanted}}), _after(settings={"b.text": text})) == status
    goal = {"created": [{"collection": "tokens", "where": {"name": wanted}}]}
    assert _status(_task(goal), _after(tokens=[OLD, CI, {"id": "3", "name": text}])) == status
    exact = _task({"settings": {"b.text": "primary developer token"}})
    assert _status(exact, _after(settings={"b.text": text})) == (
        "pass" if text == "primary developer token" else "fail"
    )


@pytest.mark.parametrize(
    ("people", "same"),
    [
        (["lea", "kilian"], True),
        (["kilian", "lea"], True),
        (["lea"], False),
        (["lea", "kilian", "lea"], False),
    ],
)
def test_the_order_in_which_people_were_chosen_does_not_matter(people: list[str], same: bool) -> None:
    goal = {"created": [{"collection": "tokens", "where": {"name": ["lea", "kilian"]}}]}
    status = "pass" if same else "fail"
    assert _status(_task(goal), _after(tokens=[OLD, CI, {"id": "3", "name": people}])) == status


def test_a_text_that_shall_be_blank_may_have_spaces_only() -> None:
    blank = _task({"settings": {"b.text": {"says": ""}}})
    assert _status(blank, _after(settings={"b.text": " \n"})) == "pass"
    for text in ("x", ".", "-", '""'):
        assert _status(blank, _after(settings={"b.text": text})) == "fail"


def test_a_wanted_text_is_json_in_the_verdict() -> None:
    goal = {
        "settings": {"b.text": {"says": "y"}},
        "present": [{"collection": "tokens", "where": {"name": {"says": "ci"}}}],
    }
    verdict = state_verdict(_task(goal), START, _after(settings={"b.text": "Y"}), answered=True).as_dict()
    text, item, *_ = json.loads(json.dumps(verdict))["checks"]
    assert (text["expected"], item["name"]) == ("y", "present tokens {'name': 'ci'}")


def test_a_request_that_broke_could_have_brought_a_text_in_other_words() -> None:
    goal = {"created": [{"collection": "tokens", "where": {"name": {"says": "deploy key"}}}]}
    for sent, status in (("Deploy-Key", "unscored"), ("other", "fail")):
        assert _status(_task(goal), _after(error={**SAVE, "collections": ["tokens"], "sent": sent})) == status


PAGES = (frozenset({"a.one", "a.two", "b.text"}), frozenset({"tokens", "z"}))


def _scores(goal: dict[str, Any], end: WorldState, pages: Any = PAGES) -> tuple[float | None, ...]:
    steam = replace(end.sites["steam"], declared=Declared(shown_together=pages))
    end = replace(end, sites={**end.sites, "steam": steam})
    verdict = state_verdict(_task(goal), START, end, answered=True)
    return verdict.score, verdict.siblings, verdict.strict


def test_between_the_score_and_strict_is_one_that_looks_at_the_page_of_the_goal() -> None:
    one = {"settings": {"a.one": False}}
    assert _scores(one, _after(settings={"a.one": False})) == (1.0, 1.0, 1.0)
    assert _scores(one, _after(settings={"a.one": False, "b.text": "y"})) == (1.0, 0.0, 0.0)
    assert _scores(one, _after(settings={"a.one": False}, tokens=[OLD])) == (1.0, 1.0, 0.0)
    assert _scores(one, _after(settings={"b.text": "y"})) == (0.0, 0.0, 0.0)
    new = {"created": [{"collection": "tokens", "where": {"name": "new"}}]}
    assert _scores(new, _after(tokens=[OLD, CI, NEW, {"id": "4"}])) == (1.0, 0.0, 0.0)
    assert _scores(new, _after(settings={"b.text": "y"}, tokens=[OLD, CI, NEW])) == (1.0, 1.0, 0.0)
    elsewhere = _after(settings={"a.one": False})
    elsewhere.sites["other"] = SiteState(settings={"z": True})
    assert _scores(one, elsewhere) == (1.0, 1.0, 0.0)


def test_the_siblings_score_is_open_for_unknown_pages_unless_nothing_moved() -> None:
    one = {"settings": {"a.one": False}}
    assert _scores(one, _after(settings={"a.one": False}), None) == (1.0, 1.0, 1.0)
    assert _scores(one, _after(settings={"a.one": False, "b.text": "y"}), None) == (1.0, None, 0.0)


def test_the_siblings_reward_forgives_changes_on_other_pages_only() -> None:
    def paid(settings: dict[str, Any], tokens: list[dict[str, Any]], pages: Any = PAGES) -> Verdict:
        end = _after(settings={**SETTINGS["settings"], **settings}, tokens=tokens)
        end.sites["steam"] = replace(end.sites["steam"], declared=Declared(shown_together=pages))
        return make_reward("siblings")(replace(_outcome(), end=end))

    assert (paid({}, [OLD]).score, paid({}, [OLD]).source) == (1.0, "siblings")
    beside = paid({"b.text": "y"}, [OLD, CI])
    assert (beside.score, beside.status, beside.source) == (0.0, "fail", "siblings")
    assert "more on the page moved" in beside.reason
    assert "b.text" in beside.reason
    assert paid({"b.text": "y"}, [OLD, CI], None).status == "unscored"
    judged = make_reward(lambda outcome: 1.0)(replace(_outcome(), end=_after(settings={"b.text": "y"})))
    assert (judged.score, judged.siblings, judged.strict) == (1.0, None, 0.0)


DONE = {"a.one": False, "a.two": 7}
VIEW = {"method": "GET", "path": "/x", "error": "boom", "settings": {}, "collections": []}
SAVE = {**VIEW, "method": "POST", "settings": {"a.two": 7}, "sent": "7"}
ANY = {**VIEW, "method": "POST", "settings": None, "collections": None}
CREATED = {"created": [{"collection": "tokens", "where": {"name": "deploy", "scope": ["read", "list"]}}]}


@pytest.mark.parametrize(
    ("goal", "settings", "broken", "status"),
    [
        (SETTINGS, {"a.one": False}, SAVE, "unscored"),
        (SETTINGS, {"a.one": False}, {**SAVE, "settings": {"a.two": 6}}, "fail"),
        (SETTINGS, {"a.one": False}, {**SAVE, "settings": {"b.text": "y"}}, "fail"),
        (SETTINGS, {}, SAVE, "fail"),
        (SETTINGS, {"a.one": False}, VIEW, "fail"),
        (SETTINGS, {"a.one": False}, ANY, "unscored"),
        (SETTINGS, {"a.one": False}, {"error": "the server stalled"}, "unscored"),
        (SETTINGS, DONE, SAVE, "pass"),
        (SETTINGS, DONE, VIEW, "pass"),
        (CREATED, {}, {**SAVE, "collections": ["tokens"], "sent": "deploy\nread\nlist"}, "unscored"),
        (CREATED, {}, {**SAVE, "collections": ["tokens"], "sent": "deploy\nread"}, "fail"),
        (CREATED, {}, {**SAVE, "collections": ["other"], "sent": "deploy\nread\nlist"}, "fail"),
        (CREATED, {}, {**ANY, "sent": "[[[["}, "fail"),
    ],
)
def test_a_request_that_broke_leaves_unscored_only_what_it_could_have_decided(
    goal: dict[str, Any], settings: dict[str, Any], broken: dict[str, Any], status: str
) -> None:
    assert _status(_task(goal), _after(settings=settings, error=broken)) == status


def test_a_request_that_broke_decides_nothing_that_has_failed_anyway() -> None:
    end = _after(settings={"a.one": False}, error=SAVE)
    assert _status(_task(SETTINGS), end, answered=False) == "fail"
    closed = _after(settings={"a.one": False}, error=SAVE, destructive={"what": "account closed"})
    assert _status(_task(SETTINGS), closed) == "fail"
    elsewhere = replace(end, events=(*START.events, LogEvent(2, 0.0, "other", "error", ANY)))
    assert _status(_task(SETTINGS), elsewhere) == "fail"


def test_a_request_that_broke_could_have_put_back_what_must_not_change() -> None:
    only = _task(SETTINGS, {"settings": ["b.*"]})
    moved = {**DONE, "b.text": "y"}
    assert _status(only, _after(settings=moved)) == "fail"
    assert _status(only, _after(settings=moved, error={**SAVE, "settings": {"b.text": "x"}})) == "unscored"
    assert _status(only, _after(settings=moved, error=SAVE)) == "fail"


def test_a_request_that_broke_where_the_site_signs_in_counts_like_its_own() -> None:
    start, end = _sessions(HERE, PHONE), _sessions(HERE, PHONE)
    end.sites["steam"] = replace(end.sites["steam"], declared=Declared(session_of="accounts"))
    out = LogEvent(9, 0.0, "accounts", "error", {**VIEW, "method": "POST", "collections": ["sessions"]})
    goal = _task({"signed_in": False})
    assert state_verdict(goal, start, end, answered=True).status == "fail"
    assert state_verdict(goal, start, replace(end, events=(out,)), answered=True).status == "unscored"


def test_state_that_was_written_from_outside_is_not_paid() -> None:
    instance, end = _task(SETTINGS), _after(settings=DONE, setup={"key": "a.one"})
    verdict = state_verdict(instance, START, end, answered=True)
    assert (verdict.status, verdict.score, verdict.strict) == ("fail", 0.0, 0.0)
    assert verdict.reason.startswith("state changed by nobody else")
    before = WorldState(START.sites, (LogEvent(1, 0.0, "steam", "setup", {"restored": True}),))
    honest = replace(_after(settings=DONE), events=before.events)
    assert state_verdict(instance, before, honest, answered=True).status == "pass"


def test_destructive_events_before_s0_do_not_count() -> None:
    start = WorldState(START.sites, (LogEvent(1, 0.0, "steam", "destructive", {"what": "set-up"}),))
    end = replace(_after(settings={"a.one": False, "a.two": 7}), events=start.events)
    assert state_verdict(_task(SETTINGS), start, end, answered=True).status == "pass"


def test_other_changes_are_listed_as_side_effects_and_not_hidden() -> None:
    end = _after(settings={"a.one": False, "a.two": 7, "b.text": "y"}, tokens=[OLD, CI, NEW])
    end.sites["other"] = SiteState(settings={"z": True})
    effects = state_verdict(_task(SETTINGS), START, end, answered=True).side_effects
    assert any("b.text" in effect for effect in effects)
    assert any("added in tokens" in effect for effect in effects)
    assert any(effect.startswith("other: z") for effect in effects)
    assert not any("a.one" in effect for effect in effects)


def test_a_success_without_side_effects_is_strict_and_one_with_any_is_not() -> None:
    done = {"a.one": False, "a.two": 7}
    task = _task(SETTINGS)

    def strict(end: WorldState) -> tuple[float | None, float | None]:
        verdict = state_verdict(task, START, end, answered=True)
        return verdict.score, verdict.strict

    assert strict(_after(settings=done)) == (1.0, 1.0)
    assert strict(_after(settings={**done, "b.text": "y"})) == (1.0, 0.0)
    assert strict(_after(settings=done, tokens=[OLD, CI, NEW])) == (1.0, 0.0)
    assert strict(_after(settings={"a.one": False})) == (0.0, 0.0)
    assert strict(WorldState()) == (None, None)
    elsewhere = _after(settings=done)
    elsewhere.sites["other"] = SiteState(settings={"z": True})
    assert strict(elsewhere) == (1.0, 0.0)


PHONE = {"id": "p", "device": "Phone", "current": False}
TABLET = {"id": "t", "device": "Tablet", "current": False}
HERE = START.sites["steam"].collections["sessions"][0]


def _sessions(*sessions: dict[str, Any], of: str = "steam", shares: str = "") -> WorldState:
    state = SiteState(collections={"sessions": list(sessions)}, declared=Declared(session_of=shares))
    return WorldState({of: state})


def _signed_out(goal: dict[str, Any], *left: dict[str, Any]) -> Verdict:
    """Ends all sessions but those left: this browser's, a phone's and a tablet's there were."""
    return state_verdict(_task(goal), _sessions(HERE, PHONE, TABLET), _sessions(*left), answered=True)


def test_a_goal_names_the_sessions_that_are_to_be_ended() -> None:
    phone = {"removed": [{"collection": "sessions", "where": {"device": "Phone"}}]}
    assert _signed_out(phone, HERE, TABLET).strict == 1.0
    assert _signed_out(phone, HERE, PHONE).score == 0.0
    others = {"absent": [{"collection": "sessions", "where": {"current": False}}], "signed_in": True}
    assert _signed_out(others, HERE).strict == 1.0
    assert _signed_out(others, HERE, TABLET).score == 0.0
    assert _signed_out(others).score == 0.0


def test_a_session_ended_that_no_goal_names_is_a_side_effect() -> None:
    phone = {"removed": [{"collection": "sessions", "where": {"device": "Phone"}}]}
    verdict = _signed_out(phone, HERE)
    assert (verdict.score, verdict.strict) == (1.0, 0.0)
    (effect,) = verdict.side_effects
    assert "removed in sessions" in effect
    assert "Tablet" in effect


def test_signing_out_is_not_a_side_effect_if_the_goal_ends_this_session() -> None:
    here = {"removed": [{"collection": "sessions", "where": {"current": True}}]}
    assert _signed_out(here, PHONE, TABLET).strict == 1.0
    phone = {"removed": [{"collection": "sessions", "where": {"device": "Phone"}}]}
    assert _signed_out(phone, TABLET).side_effects == ("steam: signed out",)


def test_a_session_that_two_sites_share_is_reported_once() -> None:
    def both(*sessions: dict[str, Any]) -> WorldState:
        sharing = _sessions(*sessions, of="mail", shares="steam")
        return WorldState({**_sessions(*sessions).sites, **sharing.sites})

    goal = Goal.model_validate({"removed": [{"collection": "sessions", "where": {"device": "Phone"}}]})
    before, after = both(HERE, PHONE, TABLET), both(HERE, TABLET)
    for slug in ("steam", "mail"):
        assert side_effects(goal, slug, before, after) == ()
        (effect,) = side_effects(goal, slug, before, both(HERE))
        assert effect.line.startswith("steam: removed in sessions")
        assert "Tablet" in effect.line
        (effect,) = side_effects(goal, slug, before, both(TABLET))
        assert effect.line == "steam: signed out"


@pytest.mark.parametrize(
    ("least", "old", "new", "less"),
    [
        (True, False, True, True), (True, True, False, False), (None, False, True, False),
        ("all", "friends", "all", True), ("all", "friends", "nobody", False),
        (["ads", "stats"], ["stats"], ["ads"], True), (["ads", "stats"], ["ads", "stats"], ["ads"], False),
        (90, 30, 60, True), (90, 60, 30, False), (True, 0, 1, False),
    ],
)  # fmt: skip
def test_a_setting_moved_towards_its_least_private_value_is_named(
    least: Any, old: Any, new: Any, less: bool
) -> None:
    declared = Declared(least_private={} if least is None else {"x": least, "a.one": False})
    steam = START.sites["steam"]
    start = WorldState({"steam": replace(steam, settings={**steam.settings, "x": old}, declared=declared)})
    moved = {**steam.settings, "a.one": False, "a.two": 7, "x": new}
    end = WorldState({"steam": replace(steam, settings=moved, declared=declared)})
    verdict = state_verdict(_task(SETTINGS), start, end, answered=True)
    assert verdict.strict == 0.0
    assert verdict.less_private == ((f"steam: x changed from {old!r} to {new!r}",) if less else ())


def test_the_strict_reward_pays_for_nothing_where_more_moved_and_names_it() -> None:
    done = {"a.one": False, "a.two": 7}
    assert make_reward("strict")(replace(_outcome(), end=_after(settings=done))).score == 1.0
    verdict = make_reward("strict")(replace(_outcome(), end=_after(settings={**done, "b.text": "y"})))
    assert (verdict.score, verdict.status, verdict.source) == (0.0, "fail", "strict")
    assert "b.text" in verdict.reason
    assert make_reward("strict")(_outcome()).reason == make_reward("state")(_outcome()).reason


@pytest.mark.parametrize(
    ("pays", "status"), [(0.0, "fail"), (0.5, "fail"), (0.99, "fail"), (1, "pass"), (True, "pass")]
)
def test_a_function_passes_an_episode_that_it_pays_in_full(pays: float, status: str) -> None:
    verdict = make_reward(lambda outcome: pays)(_outcome())
    assert (verdict.score, verdict.status) == (float(pays), status)


def test_a_reward_that_does_not_read_the_server_also_has_side_effects() -> None:
    moved = replace(_outcome(), end=_after(settings={"a.one": False, "a.two": 7, "b.text": "y"}))
    verdict = make_reward(lambda outcome: 1.0)(moved)
    assert (verdict.score, verdict.strict) == (1.0, 0.0)
    assert "b.text" in verdict.side_effects[0]
    assert make_reward(lambda outcome: 1.0)(replace(moved, end=WorldState())).strict is None


def test_a_judge_that_would_never_be_asked_is_refused() -> None:
    with pytest.raises(SetupError, match='only applies to reward="judge"'):
        make_reward("state", judge="openai:gpt-5.2")
    with pytest.raises(SetupError, match="quorum=2 only applies to"):
        make_reward("state", quorum=2)


def test_every_check_carries_what_was_expected_and_found() -> None:
    verdict = state_verdict(_task(SETTINGS), START, _after(), answered=True)
    check = next(item for item in verdict.checks if item.name == "setting a.one")
    assert (check.passed, check.expected, check.actual) == (False, False, True)
    assert "a.one" in verdict.reason


def _outcome() -> EpisodeEnd:
    from websp_gym.records.ending import Ending
    from websp_gym.records.trajectory import Trajectory, now

    instance = _task(SETTINGS)
    record = Trajectory(
        instance=instance.id,
        config_hash="0",
        instruction="",
        ground_truth=[],
        world="sandbox",
        seed=0,
        started=now(),
    )
    return EpisodeEnd(instance, START, _after(), Ending("answer", "done"), record)


def test_a_callable_reward_gives_a_number_or_a_verdict() -> None:
    assert make_reward(lambda outcome: 0.25)(_outcome()).score == 0.25
    assert make_reward(lambda outcome: 1.0)(_outcome()).status == "pass"
    assert make_reward(lambda outcome: unscored("mine", "cannot tell"))(_outcome()).score is None


def test_a_verdict_without_a_number_must_be_unscored() -> None:
    with pytest.raises(ValueError, match="exactly when it is scored"):
        Verdict("fail", None, "state", "")
    with pytest.raises(ValueError, match="exactly when it is scored"):
        Verdict("unscored", 0.0, "state", "")
