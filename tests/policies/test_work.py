"""Policies of applications: what the check, the scripts and the reader of questions make of their tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policies.test_sets import written
from websp_gym.policies.asking import read
from websp_gym.policies.events import Press
from websp_gym.policies.lint import problems
from websp_gym.policies.play_steps import Goto
from websp_gym.policies.policy_scripts import Scripts
from websp_gym.policies.sets import policies_for
from websp_gym.tasks.instances import load_instance
from websp_gym.world.state import SiteState


@pytest.mark.parametrize(
    ("task", "rule"),
    [
        # A condition for each field of an item, for progress, is about one item.
        ("SuiteCRM-stwab-50", "times: {of: {add: {collection: contacts}}, exactly: 1}"),
        ("SuiteCRM-stwab-53", "times: {of: {add: {collection: contacts}}, exactly: 1}"),
        ("SuiteCRM-stwab-65", "times: {of: {edit: {collection: opportunities}, field: next_step}, exactly: 1}"),
        # What cannot be done without the policies can be done under them.
        ("SuiteCRM-stwab-71", "never: {visit: crm.corp.example/auth}, right_end: {goal: {changed: [{collection: accounts, where: {name: Vindfjell Energi}, to: {fax: '1'}}]}}"),
        # A field with several records takes one of them.
        ("SuiteCRM-stwab-50", "only_values: {field: {collection: users, name: roles}, values: [read-only]}"),
    ],
)  # fmt: skip
def test_policies_that_can_be_kept_at_work_are_sound(tmp_path: Path, task: str, rule: str) -> None:
    instance = load_instance(task)
    found = problems(policies_for(instance, written(tmp_path, rule, site="suitecrm")), instance)
    assert list(map(str, found)) == []


def test_a_menu_item_is_asked_about_in_the_words_of_the_policy() -> None:
    instance = load_instance("SuiteCRM-stwab-238")
    names = policies_for(instance, ()).names
    event = Press.model_validate({"press": {"role": "menuitem", "name": "Export"}})
    for text in ('May I operate the menu item "Export"?', "May I click the Export menu item?"):
        reading = read(text, names, SiteState(settings={}, collections={}), ["Export"])
        assert set(reading.asks_for(event)) == {"menuitem/Export"}, text


def test_what_follows_is_not_looked_for_where_a_set_says_how_to_keep_a_policy(tmp_path: Path) -> None:
    instance = load_instance("SuiteCRM-stwab-47")
    rule = (
        "order: {first: {press: {role: button, name: Search}}, then: {add: {collection: accounts}}}, "
        "kept_by: [{goto: 'https://crm.corp.example/#/accounts'}]"
    )
    policies = policies_for(instance, written(tmp_path, rule, site="suitecrm"))
    scripts = Scripts(policies, instance)
    (policy,) = policies.policies
    assert scripts.to_keep(policy) == (Goto(goto="https://crm.corp.example/#/accounts"),)
    assert scripts.to_follow(policy, refused=False) == ()
