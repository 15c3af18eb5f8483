"""Text settings whose words are stored as items of a collection: ``split_into``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .did_you_mean import nearest
from .settings import Setting, TextSetting, split_words
from .site_schema import Collection


def split_collection(setting: Setting) -> str:
    """Return the collection that stores the words of a setting, or ``""``."""
    return setting.split_into if isinstance(setting, TextSetting) else ""


def split_problems(settings: Mapping[str, Setting], collections: Mapping[str, Collection]) -> Iterator[str]:
    """Yield a message for each setting whose words no collection can store, or whose collection has other words."""
    for key, setting in settings.items():
        name, where = split_collection(setting), f"settings {key}: split_into"
        if not name:
            continue
        if name not in collections:
            yield f'{where}: unknown collection "{name}"{nearest(name, collections)}'
            continue
        collection = collections[name]
        if collection.key is None or collection.key not in (collection.fields or {}):
            yield f"{where}: {name} needs a key that is one of its fields"
        elif [row[collection.key] for row in collection.rows()] != split_words(str(setting.default)):
            yield f"{where}: the items of {name} are not the words of the default"
