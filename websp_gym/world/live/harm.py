"""What must not happen to an account on a live website, known by the control that is about to be pressed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import yaml

from websp_gym.tasks.schema import ConfigModel

if TYPE_CHECKING:
    from websp_gym.tasks.instances import Instance

_PRESSED = ("button", "link", "menuitem", "option", "tab", "switch", "")
"""Roles of what one presses; a box that is ticked or a field that is filled does nothing by itself."""
_LONGEST = 40
"""Letters of the text of an element without a role that may be a button all the same; a longer one is a paragraph."""


class _Signs(ConfigModel):
    names: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()


class _File(ConfigModel):
    general: dict[str, _Signs]
    sites: dict[str, dict[str, _Signs]]


class HarmGuard:
    """Tells which controls would harm an account.

    Args:
        instance: The instance. What its own ground truth presses is never held back.
    """

    def __init__(self, instance: Instance) -> None:
        self._signs = _signs(instance.site.slug)
        targets = (step.target for step in instance.config.ground_truth)
        self._asked = {(target.role, _plain(target.name)) for target in targets if target is not None}

    def harm(self, element: Mapping[str, str], *, sends: bool = False) -> str | None:
        """Return what a press on an element would do, such as ``closes the account``; None for nothing known.

        Args:
            element: Its ``role``, ``name`` and ``form`` (the address that its form is sent to; empty for none).
            sends: Whether its form is sent, as by Enter in a field; a button sends its form anyway.
        """
        role, name = element.get("role", ""), _plain(element.get("name", ""))
        if (role, name) in self._asked:
            return None
        path = urlsplit(element.get("form", "")).path
        if role in _PRESSED or (role == "generic" and len(name) <= _LONGEST):
            for kind, (names, _) in self._signs.items():
                if names is not None and names.search(name):
                    return kind
        if path and (sends or role == "button"):
            for kind, (_, forms) in self._signs.items():
                if forms is not None and forms.search(path):
                    return kind
        return None


@cache
def _signs(slug: str) -> dict[str, tuple[re.Pattern[str] | None, re.Pattern[str] | None]]:
    data = yaml.safe_load(files("websp_gym.world.live").joinpath("harm.yaml").read_text("utf-8"))
    known = _File.model_validate(data)
    own = known.sites.get(slug, {})
    found = {}
    for kind in dict.fromkeys((*known.general, *own)):
        signs = [each[kind] for each in (known.general, own) if kind in each]
        found[kind] = (
            _any(sign for each in signs for sign in each.names),
            _any(sign for each in signs for sign in each.forms),
        )
    return found


def _any(patterns: Iterable[str]) -> re.Pattern[str] | None:
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    return re.compile(joined, re.IGNORECASE) if joined else None


def _plain(text: str) -> str:
    return " ".join(text.split())
