"""What the user knows, and says when asked."""

from __future__ import annotations

import re

from pydantic import Field

from websp_gym.tasks.schema import ConfigModel


class Knowledge(ConfigModel):
    """Something that the user knows and says when asked."""

    about: tuple[str, ...] = Field(min_length=1)
    """The questions it answers: those with all words of one of these texts."""
    says: str
    instances: tuple[str, ...] = ("*",)

    def is_about(self, what: str) -> bool:
        """Whether it answers a question for something, by one of its texts: "the end date" is "end date"."""
        return _plain(what) in map(_plain, self.about)


def _plain(text: str) -> str:
    return re.sub(r"^(the|an?) ", "", " ".join(text.casefold().split()))
