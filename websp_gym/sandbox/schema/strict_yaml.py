"""Reading YAML files in which a duplicate key is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def read_yaml(file: Path) -> Any:
    """Return the data in a YAML file.

    A byte order mark at the beginning marks it as UTF-16, as editors on Windows write.

    Raises:
        OSError: The file cannot be read.
        yaml.YAMLError: It is not valid YAML, or a mapping has a key twice.
    """
    return yaml.load(file.read_bytes(), Loader=StrictLoader)


class StrictLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A fast YAML loader that rejects duplicate keys."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        # Compared as written in the file, so that a mapping can still override a key of a merge ("<<").
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            reason = f'key "{twice}" is given twice'
            raise yaml.constructor.ConstructorError(None, None, reason, node.start_mark)
        return dict(super().construct_mapping(node, deep))
