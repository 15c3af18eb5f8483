"""How settings depend on each other: what keeps one from being changed, and what changes with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .did_you_mean import nearest
from .settings import Setting, Value

ANY = "any"
"""In ``implies``: whatever the new value is."""

Settings = Mapping[str, Setting]
Values = Mapping[str, Value]


def is_disabled(setting: Setting, values: Values) -> bool:
    """Return whether the values of other settings keep a setting from being changed."""
    needed = setting.disabled_when
    return bool(needed) and all(_holds(values[key], value) for key, value in needed.items())


def _holds(now: Value, needed: Value) -> bool:
    """Return whether a setting has the value that is needed, or one of several."""
    return now == needed or (isinstance(needed, list) and isinstance(now, str) and now in needed)


def with_implied(settings: Settings, before: Values, sent: Values) -> dict[str, Value]:
    """Return the changes that were sent and those that follow from them, where these were not sent themselves.

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
        others = [each for each in settings if each != key]
        for name, values in [("disabled_when", setting.disabled_when), *_implied(setting)]:
            for other, value in values.items():
                where = f"settings {key}: {name}"
                if other not in others:
                    yield f'{where}: unknown setting "{other}"{nearest(other, others)}'
                    continue
                any_of = (
                    name == "disabled_when" and settings[other].type == "choice" and isinstance(value, list)
                )
                for each in value if any_of else [value]:
                    try:
                        settings[other].check(each)
                    except ValueError as error:
                        yield f"{where}: {other}: {error}"
        for value in setting.implies:
            if value != ANY:
                try:
                    setting.check(value)
                except ValueError as error:
                    yield f"settings {key}: implies: {error}"


def _implied(setting: Setting) -> list[tuple[str, Mapping[str, Value]]]:
    return [(f"implies {value}", changes) for value, changes in setting.implies.items()]
