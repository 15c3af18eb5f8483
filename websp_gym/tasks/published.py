"""The success checks of a published benchmark: texts of the answer, the last address, and texts on pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.tasks.schema import ConfigModel

Part = Literal["text", "value", "title"]
"""What is read of an element: its visible text, the value of a field, its title."""


class Find(ConfigModel):
    """An element of a page, and what is read of it."""

    css: str
    at: int = Field(0, ge=0)
    """Which of the elements that match."""
    part: Part = "text"
    beside: str = ""
    """With this text, ``at`` counts from the element of ``labels`` that has exactly this text."""
    labels: str = ""
    """Selector of the elements that stand beside those of ``css``, one each."""


class PageCheck(ConfigModel):
    """What a page must say at the end of an episode."""

    address: str = ""
    """The page; empty for the one that the agent left open."""
    find: Find | None = None
    """The element that must say it; ``None`` for the source of the whole page."""
    includes: tuple[tuple[str, ...], ...] = ()
    """One text of each must be there, whatever its case."""
    exact: str | None = None
    """All that is there, whatever its case."""

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if not self.includes and self.exact is None:
            raise ValueError("give includes or exact")
        return self

    @property
    def name(self) -> str:
        """What it asks for, in words."""
        place = f"{self.find.part} of {self.find.css}" if self.find else "page"
        where = self.address or "the last page"
        asked = [" or ".join(words) for words in self.includes]
        if self.exact is not None:
            asked.append(f"exactly {self.exact}")
        return f"{place} on {where} has {', '.join(asked)}"


class PublishedChecks(ConfigModel):
    """The checks by which a published benchmark decides that a task was done. All have to hold."""

    pages: tuple[PageCheck, ...] = ()
    urls: tuple[str, ...] = ()
    """The last address must have the host and path of one of these, and each value of their queries."""
    includes: tuple[str, ...] = ()
    """Each must be in the answer."""
    exact: str | None = None
    """The whole answer."""
    alike: tuple[str, ...] = ()
    """What the answer must mean. The benchmark asks a model; here its words must be in the answer."""
    impossible: bool = False
    """Whether the answer must be that it cannot be done."""

    @model_validator(mode="after")
    def _decide_something(self) -> Self:
        if not any((self.pages, self.urls, self.includes, self.exact, self.alike, self.impossible)):
            raise ValueError("there is no check")
        return self

    def of_account(self, account: Mapping[str, str]) -> Self:
        """Return them with the name and the user name of an account in place of the sandbox's."""
        return type(self).model_validate(_of_account(self.model_dump(), account))


def _of_account(data: Any, account: Mapping[str, str]) -> Any:
    match data:
        case str():
            return of_account(data, account)
        case list() | tuple():
            return [_of_account(each, account) for each in data]
        case dict():
            return {key: _of_account(value, account) for key, value in data.items()}
    return data


def of_account(text: str, account: Mapping[str, str]) -> str:
    """Return a text with the name and the user name of an account in place of those of the sandbox's account."""
    for key in ("name", "username"):
        text = text.replace(ACCOUNT[key], account.get(key) or ACCOUNT[key])
    return text
