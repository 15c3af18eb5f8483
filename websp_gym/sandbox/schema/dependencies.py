"""How settings depend on each other: what blocks a change to one, and what changes with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .did_you_mean import nearest
from .settings import Setting, Value

ANY = "any"
"""In ``implies``: any new value."""

Settings = Mapping[str, Setting]
Values = Mapping[str, Value]


def is_disabled(setting: Setting, values: Values) -> bool:
    """Return whether the values of other settings block changes to a setting."""
    return bool(setting.disabled_when) and all_hold(setting.disabled_when, values)


def all_hold(condition: Values, values: Values) -> bool:
    """Return whether settings have the values of a condition; for a choice, a list stands for any of its words."""
    return all(_holds(values[key], needed) for key, needed in condition.items())


def _holds(now: Value, needed: Value) -> bool:
    """Return whether a setting has the value that is needed, or one of several."""
    return now == needed or (isinstance(needed, list) and isinstance(now, str) and now in needed)


def with_implied(settings: Settings, before: Values, sent: Values) -> dict[str, Value]:
    """Return the changes that were sent, plus those that follow from them and were not sent.

    Args:
        settings: The settings of the site.
        before: The value of every setting.
        sent: The new values, by key.
    """
    changes = dict(sent)
    queue = [key for key, value in sent.items() if before[key] != value]
    while queue:
        key = queue.pop(0)
        rules, value = settings[key].implies, changes[key]
        of_value = rules.get(value, {}) if not isinstance(value, list) else {}
        for other, implied in {**rules.get(ANY, {}), **of_value}.items():
            if other not in changes and before[other] != implied:
                changes[other] = implied
                queue.append(other)
    return changes


def dependency_problems(settings: Settings) -> Iterator[str]:
    """Yield a message for each dependency on a setting or a value that does not exist."""
    for key, setting in settings.items():
        others = {each: settings[each] for each in settings if each != key}
        for problem in condition_problems(others, setting.disabled_when):
            yield f"settings {key}: disabled_when: {problem}"
        for value, changes in setting.implies.items():
            own = [] if value == ANY else value_problems({"implies": setting}, {"implies": value})
            for problem in (*own, *value_problems(others, changes, f"implies {value}: ")):
                yield f"settings {key}: {problem}"


def condition_problems(settings: Settings, condition: Values) -> Iterator[str]:
    """Yield a message for each setting that does not exist and each value that it cannot have."""
    for key, value in condition.items():
        any_of = isinstance(value, list) and key in settings and settings[key].type == "choice"
        for each in value if isinstance(value, list) and any_of else [value]:
            yield from value_problems(settings, {key: each})


def value_problems(settings: Settings, values: Values, where: str = "") -> Iterator[str]:
    """Yield a message for each setting that does not exist and each value that it cannot have."""
    for key, value in values.items():
        if key not in settings:
            yield f'{where}unknown setting "{key}"{nearest(key, settings)}'
            continue
        try:
            settings[key].check(value)
        except ValueError as error:
            yield f"{where}{key}: {error}"
