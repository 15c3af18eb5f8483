"""Declared effects of settings on other people, so that tests can check them."""

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
    """The sender: `Wattpad <noreply@wattpad.example>`."""
    kinds: list[str]
    """The settings, or patterns of them, that each stand for a kind of mail; `false`, `off`, `never`, `none` and an
    empty choice stop it.
    """
    stopped_by: Row = Field(default_factory=dict)
    """Values of settings; while all of them hold, no mail is sent."""

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
    """What a stranger sees while settings have certain values, or while a collection has an item.

    It is tested with a request that is not signed in, once while the effect holds and once with `otherwise`. Texts
    may name `{account[username]}` and fields of the item (`{name}`).
    """

    effect: str
    """The effect in words: `strangers do not find a private repository`."""
    settings: Row = Field(default_factory=dict)
    """The settings and values that cause it."""
    collection: str = ""
    """In place of `settings`: each item of this collection causes it ..."""
    where: Row = Field(default_factory=dict)
    """... that has these fields."""
    otherwise: Row
    """The settings, or fields of the item, and values that end it."""
    url: str
    """The address to request."""
    method: Literal["GET", "POST"] = "GET"
    """The method."""
    form: dict[str, str] = Field(default_factory=dict)
    """The form fields to send."""
    status: int = 200
    """The status of the response while the effect holds; unless this is 200, it is 200 otherwise."""
    lacks: str = ""
    """A text that the page does not contain while the effect holds, and contains otherwise."""
    says: str = ""
    """A text that the page contains while the effect holds, and does not otherwise."""

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
