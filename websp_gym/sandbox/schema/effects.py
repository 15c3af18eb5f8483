"""Declared side effects of settings on other people, so that tests can check them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Literal

from pydantic import Field, model_validator

from .did_you_mean import nearest
from .settings import Setting, Strict, Value
from .site_schema import Collection, Row

_NO_MAIL = (False, "off", "never", "none", "")


class Mail(Strict):
    """The mail that a site sends to the account, one message of each kind at a time."""

    sender: str
    """Who sends it: `Wattpad <noreply@wattpad.example>`."""
    kinds: list[str]
    """The settings, or patterns of them, that each stand for a kind of mail; `false`, `off`, `never`, `none` and
    nothing chosen stop it.
    """
    stopped_by: Row = Field(default_factory=dict)
    """Settings that stop all mail while they all hold."""

    def settings(self, settings: Mapping[str, Setting]) -> list[str]:
        """Return the settings that stand for a kind of mail."""
        return [
            key
            for key in settings
            if key not in self.stopped_by and any(fnmatchcase(key, kind) for kind in self.kinds)
        ]

    def is_sent(self, key: str, values: Mapping[str, Value]) -> bool:
        """Return whether mail of a kind is sent while the settings have these values."""
        if self.stopped_by and all(values[name] == value for name, value in self.stopped_by.items()):
            return False
        value = values[key]
        return value != [] and not any(value == each and type(value) is type(each) for each in _NO_MAIL)

    def problems(self, settings: Mapping[str, Setting]) -> Iterator[str]:
        """Yield a message for each setting that does not exist."""
        for kind in self.kinds:
            if not any(fnmatchcase(key, kind) for key in settings):
                yield f'mail: no setting matches "{kind}"{nearest(kind, settings)}'
        for key in self.stopped_by:
            if key not in settings:
                yield f'mail: unknown setting "{key}"{nearest(key, settings)}'


class Effect(Strict):
    """What somebody else meets while settings, or an item of a collection, are as they are.

    It is tried as a stranger: with a request that is not signed in, while it holds and with `otherwise`. Texts may
    name `{account[username]}` and fields of the item (`{name}`).
    """

    effect: str
    """What it is: `strangers do not find a private repository`."""
    settings: Row = Field(default_factory=dict)
    """The settings and values that cause it."""
    collection: str = ""
    """In place of settings: each item of this collection causes it ..."""
    where: Row = Field(default_factory=dict)
    """... that has these fields."""
    otherwise: Row
    """The settings, or fields of the item, and values with which it is not so."""
    url: str
    """The address that is requested."""
    method: Literal["GET", "POST"] = "GET"
    """The method."""
    form: dict[str, str] = Field(default_factory=dict)
    """The fields of the form that is sent."""
    status: int = 200
    """The status of the response while it holds; if it is not 200, otherwise it is."""
    lacks: str = ""
    """What the page does not say while it holds, and says otherwise."""
    says: str = ""
    """What the page says while it holds, and does not otherwise."""

    @model_validator(mode="after")
    def _tells_a_difference(self) -> Effect:
        if bool(self.settings) == bool(self.collection):
            raise ValueError("effect: give either settings or a collection")
        if self.status == 200 and not self.lacks and not self.says:
            raise ValueError("effect: say how it shows: status, lacks or says")
        return self

    def problems(
        self, settings: Mapping[str, Setting], collections: Mapping[str, Collection], hosts: list[str]
    ) -> Iterator[str]:
        """Yield a message for each name that does not exist."""
        where = f'effect "{self.effect}"'
        if self.collection and self.collection not in collections:
            yield f'{where}: unknown collection "{self.collection}"{nearest(self.collection, collections)}'
            return
        fields = collections[self.collection].fields if self.collection else None
        known = fields if self.collection else settings
        for name in (*self.settings, *self.where, *self.otherwise):
            if known is not None and name not in known:
                yield f'{where}: unknown "{name}"{nearest(name, known)}'
        if not any(self.url.startswith(f"https://{host}/") for host in hosts):
            yield f"{where}: url: must begin with https:// and a host of the site"
