"""What is done on each page of ``pages/``, and how a system can say what came of it: ``cases.yaml``."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any, Literal

import yaml

from benchmarks.serving import served

PAGES = Path(__file__).parent / "pages"
Do = Literal["click", "type", "choose", "first tab"]


@dataclass(frozen=True)
class Act:
    """One action.

    Args:
        do: What is done.
        label: Name of the element, as a person sees it.
        text: What is typed, or the option that is chosen.
        near: A text that stands before the element or in its line; tells elements of one name apart.
    """

    do: Do
    label: str = ""
    text: str = ""
    near: str = ""


@dataclass(frozen=True)
class Case:
    """One page.

    Args:
        name: File name without its ending.
        acts: The actions; the last one is judged.
        changes: Whether the page changes itself (its ``change()``) between the last look and the last action.
        shows: Pattern that an observation matches if it shows that the action was not done; empty if none can.
        lacks: Pattern that such an observation does not match.
        switches: Names of the switch and of one that is on; an observation in which they differ shows that it is off.
        notice: Pattern of what the answer has to say though the action was done; the look before it does not.
        aside: Pattern of what the answer may say though the action was done: a count that has changed.
    """

    name: str
    acts: tuple[Act, ...]
    changes: bool = False
    shows: str = ""
    lacks: str = "$^"
    switches: Sequence[str] = ()
    notice: str = ""
    aside: str = ""

    @property
    def kind(self) -> str:
        """What the page stands for: its first line."""
        first = (PAGES / f"{self.name}.html").read_text("utf-8").partition("\n")[0]
        return first.removeprefix("<!-- ").removesuffix(" -->")


_LISTED = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text("utf-8"))
CASES = [Case(**{**each, "acts": tuple(Act(**act) for act in each["acts"])}) for each in _LISTED]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def pages_served() -> Iterator[str]:
    """Serve the pages on this machine; yield their address, which ends with a slash."""
    with served(functools.partial(_Quiet, directory=str(PAGES))) as port:
        yield f"http://127.0.0.1:{port}/"
