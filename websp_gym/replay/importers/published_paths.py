"""Making the paths of published traces usable in a browser.

Their recorder does not escape ids in CSS paths, and its first version writes XPaths that begin at the body.
"""

from __future__ import annotations

import re

_STEP = re.compile(r"([a-zA-Z][\w-]*)(?:#(.*?))?((?::nth-of-type\(\d+\))?)$", re.DOTALL)
_SHADOW = re.compile(r"(?:\s{0,9}>\s{0,9})?::shadow(?:\s{0,9}>\s{0,9})?")
_PLAIN = re.compile(r"-?[A-Za-z_][\w-]*|--[\w-]*", re.ASCII)
_FIRST_XPATH = re.compile(r"""body(?=/|$)|id\("([^"]*)"\)""")
_LONGEST = 4_000


def css_of(path: str | None, xpath: str | None = None) -> str | None:
    """Return a CSS path with escaped ids, and with ``::shadow`` between the roots.

    Args:
        path: The ``selectorPath`` of an event.
        xpath: Its XPath. If it is one of the first version, steps without a number are the first of their type.
    """
    if not path or not path.strip():
        return None
    first = xpath is not None and _FIRST_XPATH.match(xpath) is not None
    roots = _SHADOW.split(path.strip()[:_LONGEST])
    parts = [" > ".join(_step(step, first) for step in root.split(" > ")) for root in roots]
    return " ::shadow ".join([parts[0], *(f":host > {part}" for part in parts[1:])])


def xpath_of(path: str | None) -> str | None:
    """Return an XPath that begins at the document."""
    if not path or not path.strip():
        return None
    found = _FIRST_XPATH.match(path)
    if not found:
        return path
    if found[1] is None:
        return f"/html/{path}"
    return f'//*[@id="{found[1]}"]{path[found.end() :]}'


def steps_of(path: str | None) -> list[tuple[str, str | None]]:
    """Return the tag and id of each step of a CSS path; without steps that are not plain."""
    found = (_STEP.fullmatch(step) for step in re.split(r" > ", (path or "")[:_LONGEST]))
    return [(step[1].lower(), step[2]) for step in found if step]


def _step(step: str, first: bool) -> str:
    found = _STEP.fullmatch(step)
    if not found:
        return step
    tag, mark, number = found.groups()
    if mark is not None and _is_id(mark):
        return f"{tag}#{_escaped(mark)}{number}"
    if first and not number and mark is None and tag not in ("html", "body"):
        return f"{tag}:nth-of-type(1)"
    return step


def _is_id(mark: str) -> bool:
    """Whether it is an id as the recorder writes it, and not already a selector: ``a.b``, ``a[href]``."""
    return "\\" not in mark and not re.search(r"[\s\[\]\"'>]", mark)


def _escaped(mark: str) -> str:
    """Return an id as ``CSS.escape`` writes it."""
    if _PLAIN.fullmatch(mark):
        return mark
    out = []
    for number, letter in enumerate(mark):
        plain = letter in "-_" or letter.isalnum() or ord(letter) >= 0x80
        leading = letter.isascii() and letter.isdigit() and (number == 0 or (number == 1 and mark[0] == "-"))
        if leading:
            out.append(f"\\{ord(letter):x} ")
        else:
            out.append(letter if plain and (number or len(mark) > 1 or letter != "-") else f"\\{letter}")
    return "".join(out)
