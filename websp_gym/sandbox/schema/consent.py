"""Cookie consent of a site: kinds of cookies, stored choices, and trackers that respect them.

A site with ``consent:`` in its ``site.yaml`` gets a setting ``consent.<key>`` for every optional kind of cookie,
the setting ``consent.choice``, the collection ``consent_receipts``, the template variable ``consent``, and the route
``POST /_consent``. ``kit/consent.html`` and ``kit/consent.js`` show it in the markup that the site chooses.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field, field_validator, model_validator

from .did_you_mean import nearest
from .settings import Strict
from .site_schema import Row

CHOICE = "consent.choice"
RECEIPTS = "consent_receipts"
CHOICES = ("none", "accept_all", "reject_all", "custom")
"""The values of ``consent.choice``. ``none``: the visitor has not decided yet, and the defaults apply."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")


class ConsentGroup(Strict):
    """A kind of cookies.

    An ``opt_out`` kind is worded in the negative: on means that what its name describes does *not* happen.
    "Reject all" turns it on.
    """

    id: str
    """Its id in the consent tool (`C0004`)."""
    key: str
    """The last part of its setting, `consent.KEY`."""
    label: str
    """Its label."""
    text: str = ""
    """The text below the label."""
    always: bool = False
    """Whether it cannot be turned off."""
    default: bool = True
    """The value until the visitor decides."""
    opt_out: bool = False
    """Whether it is worded in the negative: on means that nothing is sold, shared or tracked."""
    trackers: list[str] = Field(default_factory=list)
    """Hosts of the site `trackers` that pages report to while it is on."""

    @field_validator("key")
    @classmethod
    def _is_a_key(cls, key: str) -> str:
        if not _NAME.fullmatch(key) or key == "choice":
            raise ValueError(f'"{key}" is not a lower-case name')
        return key

    @model_validator(mode="after")
    def _always_is_on(self) -> ConsentGroup:
        if self.always and not self.default:
            raise ValueError("a kind that is always active is on by default")
        return self

    @property
    def setting(self) -> str:
        """The key of the setting that stores the choice."""
        return f"consent.{self.key}"

    def tracks(self, on: bool) -> bool:
        """Whether the trackers may run while the control is on (or off)."""
        return on is not self.opt_out


class Consent(Strict):
    """The cookie choices that a site offers to its visitors."""

    cookie: str = "OptanonConsent"
    """The cookie that holds the choice."""
    groups: list[ConsentGroup] = Field(min_length=1)
    """The kinds of cookies, in the order shown."""

    @model_validator(mode="after")
    def _groups_differ(self) -> Consent:
        for name in ("id", "key"):
            values = [getattr(group, name) for group in self.groups]
            if len(set(values)) < len(values):
                raise ValueError(f"groups: two kinds have the same {name}")
        if all(group.always for group in self.groups):
            raise ValueError("groups: no kind can be turned off")
        return self

    @property
    def optional(self) -> list[ConsentGroup]:
        """The kinds that can be turned on and off."""
        return [group for group in self.groups if not group.always]

    def settings(self) -> dict[str, Row]:
        """Return the settings of the optional kinds and of the choice, in the form of ``site.yaml``."""
        kinds = {
            group.setting: {
                "type": "bool",
                "default": group.default,
                "least_private": not group.opt_out,
                "label": group.label,
            }
            for group in self.optional
        }
        choice = {"type": "choice", "choices": list(CHOICES), "default": "none", "bookkeeping": True}
        return {CHOICE: choice, **kinds}

    def receipts(self) -> Row:
        """Return the collection of receipts, in the form of ``site.yaml``."""
        text = {"type": "text", "default": ""}
        return {"fields": {"choice": text, "groups": text}, "bookkeeping": True}

    def wanted(self, choice: object, groups: object, now: dict[str, Any]) -> dict[str, bool]:
        """Return the value that a choice gives to the setting of every optional kind.

        Args:
            choice: One of ``CHOICES`` except ``none``.
            groups: For ``custom``: true or false by the kind's id; kinds that are left out do not change.
            now: The current settings.

        Returns:
            True or false by setting.

        Raises:
            ValueError: The choice, ``groups`` or a kind is invalid, or a kind that is always active is turned off.
        """
        if choice not in CHOICES[1:]:
            raise ValueError(
                f"choice: {choice!r} is not one of {list(CHOICES[1:])}{nearest(str(choice), CHOICES)}"
            )
        if choice != "custom":
            return {group.setting: group.tracks(choice == "accept_all") for group in self.optional}
        if not isinstance(groups, dict):
            raise ValueError("groups: give true or false for each id")
        known = {group.id: group for group in self.groups}
        done = {group.setting: bool(now[group.setting]) for group in self.optional}
        for name, on in groups.items():
            if name not in known:
                raise ValueError(f'groups: unknown kind "{name}"{nearest(str(name), known)}')
            if not isinstance(on, bool):
                raise ValueError(f"groups: {name} must be true or false")
            if known[name].always:
                if not on:
                    raise ValueError(f"groups: {name} is always active")
                continue
            done[known[name].setting] = on
        return done

    def receipt(self, settings: dict[str, Any]) -> str:
        """Return the choice in the format of consent cookies: ``C0001:1,C0002:0``."""
        return ",".join(
            f"{group.id}:{int(group.always or bool(settings[group.setting]))}" for group in self.groups
        )

    def shown(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the data for templates and ``consent.js``: ``choice``, and ``groups`` with their state ``on``."""
        rows = []
        for group in self.groups:
            on = group.always or bool(settings[group.setting])
            keys = ("id", "key", "label", "text", "always")
            rows.append(
                {
                    **{key: getattr(group, key) for key in keys},
                    "on": on,
                    "trackers": group.trackers if group.always or group.tracks(on) else [],
                }
            )
        return {"choice": settings[CHOICE], "groups": rows}
