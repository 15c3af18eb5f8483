"""The temporal classes of rules, each with its model and evaluator."""

from __future__ import annotations

from websp_gym.policies.rules.ask_for import AskFor
from websp_gym.policies.rules.base import Rule, Ruling
from websp_gym.policies.rules.events import AskFirst, Never
from websp_gym.policies.rules.obligations import AtMost, Must
from websp_gym.policies.rules.only_values import OnlyValues
from websp_gym.policies.rules.order import Order
from websp_gym.policies.rules.resist import Resist
from websp_gym.policies.rules.states import NeverState, NothingElse
from websp_gym.policies.rules.times import Times
from websp_gym.policies.rules.values import KeepSecret, OnlyKnown

__all__ = ["RULES", "Rule", "Ruling"]

RULES: dict[str, type[Rule]] = {
    "never": Never,
    "never_state": NeverState,
    "nothing_else": NothingElse,
    "must": Must,
    "ask_first": AskFirst,
    "ask_for": AskFor,
    "order": Order,
    "times": Times,
    "at_most": AtMost,
    "only_values": OnlyValues,
    "only_known": OnlyKnown,
    "secret": KeepSecret,
    "resist": Resist,
}
"""The classes by the key of a policy that chooses them."""
