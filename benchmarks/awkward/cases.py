"""What is done on each page of ``pages/``, and how a system can say what came of it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Literal

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
        on: Names of the switch and of one that is on; an observation in which they differ shows that it is off.
        notice: Pattern of what the answer has to say though the action was done; the look before it does not.
        aside: Pattern of what the answer may say though the action was done: a count that has changed.
    """

    name: str
    acts: tuple[Act, ...]
    changes: bool = False
    shows: str = ""
    lacks: str = "$^"
    on: tuple[str, str] | None = None
    notice: str = ""
    aside: str = ""

    @property
    def kind(self) -> str:
        """What the page stands for: its first line."""
        first = (PAGES / f"{self.name}.html").read_text("utf-8").partition("\n")[0]
        return first.removeprefix("<!-- ").removesuffix(" -->")


def _click(name: str, label: str, *, near: str = "", **more: Any) -> Case:
    return Case(name, (Act("click", label, near=near),), **more)


def _type(name: str, label: str, text: str, **more: Any) -> Case:
    return Case(name, (Act("type", label, text),), **{"lacks": re.escape(text), **more})


# A field that does not hold the text shows so only where observations have the values of fields: every page has
# another field whose value they must show.
CASES = (
    _click("plain-button", "Unsubscribe"),
    _type("plain-field", "Nickname", "Ada Abel", shows="Porto"),
    _click("record-swapped", "End this session", changes=True),
    _click("address-changed", "Remove", changes=True),
    _click("link-swapped", "Leave this list", changes=True),
    _click("switch-late", "Hide my profile", changes=True, on=("Hide my profile", "Hide my age")),
    _click("name-counts", "Leave the room", changes=True, aside=r"\d here"),
    _click("rows-count", "Mute", near="Chess club", changes=True, aside=r"\d unread"),
    _click("button-shifts", "Rename"),
    _click("card-covered", "Read the article"),
    Case("view-transition", (Act("click", "Cookie settings"), Act("click", "Reject optional cookies"))),
    _click("names-by-style", "Decline all"),
    _click("same-names", "Log out", near="Tablet in Porto"),
    _click("same-answers", "No", near="search engines"),
    _click("turned-frame", "Decline"),
    _click("wheel-slides", "Skip the tour"),
    Case(
        "named-window",
        (Act("click", "Read the terms"), Act("first tab"), Act("click", "Read the privacy notice")),
        notice=r"Our privacy notice|Tab \w+: \S+named-window\.privacy",
    ),
    _click("mail-link", "Write to our data officer", notice="mailto|mail program|e-?mail (client|program)"),
    _click(
        "file-chooser", "Picture of you", notice="(?i)file chooser|file to be chosen|choose a file|upload"
    ),
    _type("editor-refuses", "About me", "Hello there", shows="Yours, Ada"),
    _type("editor-empties", "Filter rules", "block ads", shows="Filter rules"),
    _type("signs-dropped", "Word to mute", "@#%&", shows="Friday"),
    _type("readonly-field", "Find people", "Bo Baker", shows="Porto"),
    Case(
        "options-late",
        (Act("choose", "Who may write to you", "Only friends"),),
        shows="…",
        lacks="Only friends",
    ),
    _type("saved-when-left", "Public name", "Ida", shows="Nothing was saved", lacks="is saved"),
    _type("field-remade", "Name of the group", "quiet", shows="Porto"),
    _type(
        "wall-opens",
        "Search the help",
        "my secret plan",
        shows="Your e-mail address",
        lacks="Search.*my secret plan",
    ),
)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served() -> Iterator[str]:
    """Serve the pages on this machine; yield their address, which ends with a slash."""
    handler = functools.partial(_Quiet, directory=str(PAGES))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()
