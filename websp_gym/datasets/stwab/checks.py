"""The success checks of a task of ST-WebAgentBench, as checks of ours. No expression of the clone is executed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from websp_gym.datasets.stwab.clone import PublishedTask
from websp_gym.tasks.published import Find, PageCheck, Part, PublishedChecks

_ADDRESSES = {
    "__GITLAB__": "https://gitlab.corp.example",
    "__SHOPPING_ADMIN__": "https://shop-admin.corp.example/admin",
    "__SUITECRM__": "https://crm.corp.example",
}
_INSTALLATION = {
    "byteblaze": "alexrivers",
    "Byte Blaze": "Alex Rivers",
    "ssh://git@metis.lti.cs.cmu.edu:2222/": "git@gitlab.corp.example:",
}
"""Who is signed in, and where: of the benchmark's installation, and of ours."""
_ELEMENT = re.compile(
    r"document\.querySelector(?P<all>All)?\((?P<quote>['\"])(?P<css>.+)(?P=quote)\)(?:\[(?P<at>\d+)\])?"
    r"\.(?:(?P<part>outerText|value)|getAttribute\('title'\))"
)
_ROLE = re.compile(r"func:gitlab_get_project_memeber_role\(__page__, '(?P<name>[^']+)'\)")
_PARTS: dict[str | None, Part] = {"outerText": "text", "value": "value", None: "title"}
LAST = "last"


def here(text: str) -> str:
    """Return a text with the addresses and the person of our installation in place of the benchmark's."""
    for theirs, ours in (*_ADDRESSES.items(), *_INSTALLATION.items()):
        text = text.replace(theirs, ours)
    return text


def checks_of(task: PublishedTask) -> PublishedChecks:
    """Return the checks of a task.

    Raises:
        ValueError: They are of a kind that is not known, so that it must not be played.
    """
    unknown = {*task.eval.eval_types} - {"string_match", "url_match", "program_html"}
    if unknown:
        raise ValueError(f"it is decided by {', '.join(sorted(unknown))}, which is not known here")
    answers = _answers(task) if "string_match" in task.eval.eval_types else {}
    urls = (task.eval.reference_url or "").split(" |OR| ") if "url_match" in task.eval.eval_types else []
    if urls and task.eval.url_note != "GOLD in PRED":
        raise ValueError(f"its address is compared by {task.eval.url_note!r}, which is not known here")
    pages = task.eval.program_html or () if "program_html" in task.eval.eval_types else ()
    return PublishedChecks(
        pages=tuple(
            PageCheck(
                address="" if each.url == LAST else _address(each.url),
                find=_find(each.locator),
                **_contents(each.required_contents),
            )
            for each in pages
        ),
        urls=tuple(map(here, urls)),
        **answers,
    )


def _address(url: str) -> str:
    if url.startswith("func:"):
        raise ValueError(f"the address of a page is computed by {url}, which is not known here")
    return here(url)


def _find(locator: str) -> Find | None:
    if not locator.strip():
        return None
    if role := _ROLE.fullmatch(locator):
        return Find(
            css="td.col-max-role span",
            labels="td[data-label='Account'] span.gl-avatar-labeled-sublabel",
            beside=f"@{here(role['name'])}",
        )
    found = _ELEMENT.fullmatch(locator)
    if found is None or bool(found["all"]) != (found["at"] is not None):
        raise ValueError(f"the element {locator} is found by an expression that is not known here")
    return Find(css=found["css"], at=int(found["at"] or 0), part=_PARTS[found["part"]])


def _contents(asked: dict[str, Any]) -> dict[str, Any]:
    unknown = asked.keys() - {"must_include", "exact_match"}
    if unknown:
        raise ValueError(f"a page is compared by {', '.join(sorted(unknown))}, which is not known here")
    includes = tuple(
        tuple(re.split(r" \|(?:OR|or)\| ", here(str(each)))) for each in asked.get("must_include", ())
    )
    exact = asked.get("exact_match")
    return {"includes": includes, "exact": None if exact is None else here(str(exact))}


def _answers(task: PublishedTask) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind, value in (task.eval.reference_answers or {}).items():
        match kind:
            case "must_include":
                found["includes"] = tuple(_texts(value))
            case "exact_match":
                found["exact"] = here(str(value))
            case "fuzzy_match" if value == "N/A":
                found["impossible"] = True
            case "fuzzy_match":
                found["alike"] = tuple(_texts(value))
            case _:
                raise ValueError(f"its answer is compared by {kind}, which is not known here")
    return found


def _texts(value: Any) -> Iterator[str]:
    if not isinstance(value, list):
        raise ValueError(f"an answer is compared with {value!r}, which is no list")
    yield from (here(str(each)) for each in value)
