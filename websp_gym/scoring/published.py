"""The verdict by the checks of a published benchmark, in place of a goal over the server's state.

What is decided by words there is decided by words here, so this verdict is as good as those checks. It differs in
one thing: whatever cannot be read is not met.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

from websp_gym.policies.refusals import says_impossible
from websp_gym.records.verdict import Check, Verdict, failed, passed

if TYPE_CHECKING:
    from websp_gym.records.ending import Ending
    from websp_gym.records.trajectory import PageRead, Trajectory
    from websp_gym.tasks.published import PageCheck, PublishedChecks

SOURCE = "published"


def published_verdict(checks: PublishedChecks, record: Trajectory, ending: Ending) -> Verdict:
    """Return the verdict on an episode by the checks of a published benchmark.

    Args:
        checks: The checks.
        record: The record of the episode, with what was read of pages at its end.
        ending: How the episode ended.
    """
    told = [*_of_answer(checks, ending), *_of_address(checks, record), *_of_pages(checks, record)]
    ended = ending.reason == "answer" or (checks.impossible and ending.reason == "infeasible")
    progress = sum(bool(check.passed) for check in told) / len(told)
    found = (*told, Check("answered", ended, expected=True, actual=ended))
    wrong = [check for check in found if not check.passed]
    if not wrong:
        return passed(SOURCE, "every published check holds", checks=found, progress=1.0, partial=1.0)
    reason = "; ".join(f"{each.name}: found {str(each.actual)[:200]!r}" for each in wrong)
    return failed(SOURCE, reason, checks=found, progress=progress, partial=progress)


def _of_answer(checks: PublishedChecks, ending: Ending) -> Iterator[Check]:
    answer = _plain(ending.answer)
    for wanted in checks.includes:
        # A single sign, such as a number, has to stand alone.
        alone = len(wanted) == len(checks.includes) == 1
        has = _plain(wanted) in (re.findall(r"\w+|\S", answer) if alone else answer)
        yield Check(f"answer has {wanted}", has, wanted, ending.answer)
    if checks.exact is not None:
        yield Check(f"answer is {checks.exact}", answer == _plain(checks.exact), checks.exact, ending.answer)
    for wanted in checks.alike:
        said = set(re.findall(r"\w+", answer))
        yield Check(
            f"answer means {wanted}", set(re.findall(r"\w+", _plain(wanted))) <= said, wanted, ending.answer
        )
    if checks.impossible:
        gave_up = ending.reason == "infeasible" or answer == "n/a" or says_impossible(ending.answer)
        yield Check("answer says that it cannot be done", gave_up, True, ending.answer)


def _of_address(checks: PublishedChecks, record: Trajectory) -> Iterator[Check]:
    if not checks.urls:
        return
    last = record.last_view.url if record.last_view is not None else ""
    place, query = _parts(last)
    known = [_parts(url) for url in checks.urls]
    asked: dict[str, set[str]] = {}
    for _, wanted in known:
        for key, values in wanted.items():
            asked.setdefault(key, set()).update(values)
    holds = any(path in place for path, _ in known) and all(
        not values.isdisjoint(query.get(key, ())) for key, values in asked.items()
    )
    yield Check(f"last address is {' or '.join(checks.urls)}", holds, list(checks.urls), last)


def _of_pages(checks: PublishedChecks, record: Trajectory) -> Iterator[Check]:
    for number, check in enumerate(checks.pages):
        read = record.pages[number] if number < len(record.pages) else None
        yield Check(check.name, _holds(check, read), _asked(check), _shown(read))


def _holds(check: PageCheck, read: PageRead | None) -> bool:
    if read is None or read.text is None:
        return False
    text = _plain(read.text)
    includes = all(any(_plain(word) in text for word in words) for words in check.includes)
    return includes and (check.exact is None or text == _plain(check.exact))


def _asked(check: PageCheck) -> list[str]:
    return [
        *(" or ".join(words) for words in check.includes),
        *([check.exact] if check.exact is not None else []),
    ]


def _shown(read: PageRead | None) -> str:
    if read is None or read.text is None:
        return "" if read is None else f"not found on {read.url}"
    return read.text if len(read.text) < 300 else f"a page of {len(read.text)} signs ({read.url})"


def _plain(text: str) -> str:
    """Return a text in small letters, without quotation marks around it."""
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return (text[1:-1] if quoted else text).lower()


def _parts(url: str) -> tuple[str, dict[str, list[str]]]:
    """Return host, path and route of an address in one text, and its query. A slash at the end says nothing."""
    parts = urlsplit(unquote(url.rstrip("/")))
    route = f"#{parts.fragment}" if parts.fragment else ""
    return f"{parts.netloc}{parts.path.rstrip('/')}{route}", parse_qs(parts.query)
