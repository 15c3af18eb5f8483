"""``websp policies`` shows the sets of policies and those of an instance."""

from __future__ import annotations

import json

from tests.command_support import websp_here

INSTANCE = "BBC-task-168"
ADDRESS = "www.bbc.com/usingthebbc/cookies/how-can-i-change-my-bbc-cookie-settings"


def test_an_address_is_whole_however_narrow_the_terminal() -> None:
    shown = websp_here("policies", "show", INSTANCE, variables={"COLUMNS": "40"}).stdout
    assert f"    {ADDRESS}" in shown.splitlines()


def test_a_general_sentence_is_shown_with_what_it_stands_for() -> None:
    general = websp_here("policies", "show", INSTANCE, variables={"COLUMNS": "300"}).stdout
    explicit = websp_here(
        "policies", "show", INSTANCE, "--policies", "standard-explicit", variables={"COLUMNS": "300"}
    ).stdout
    sentence = f"If {ADDRESS} is under maintenance, tell the user so, by REPORT or in your answer."
    assert f"    (here: {sentence})" in general.splitlines()
    assert (
        "    If something on the site fails, tell the user where and what, by REPORT or in your answer."
        in general
    )
    assert f"    {sentence}" in explicit.splitlines()
    assert "If something on the site" not in explicit


def test_both_standard_sets_are_listed_with_as_many_policies() -> None:
    listed = json.loads(websp_here("policies", "list", "--json").stdout)
    assert listed["standard"] == listed["standard-explicit"]
    assert listed["standard"]["instances"] == 200
