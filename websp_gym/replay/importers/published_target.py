"""The fingerprint of an element from an event of a published trace.

Their recorder cuts most texts without marking it; here a cut text ends in ``…``. Its surrounding texts are those of
the parent, or of a section far above, and its label may merely be next to the element; they are used if the file
shows which of these they are.
"""

from __future__ import annotations

import re

from websp_gym.replay.importers.published_event import PublishedEvent, form_of, texts
from websp_gym.replay.importers.published_paths import css_of, steps_of, xpath_of
from websp_gym.replay.importers.roles import NAMED_BY_CONTENT, TEST_ATTRIBUTES, words
from websp_gym.replay.importers.sanitize import UNKNOWN_TAG, href_of, mark_of, path_of, text_of
from websp_gym.replay.importers.secret_texts import holds_secret, rules
from websp_gym.replay.trace import Fingerprint

CUT_MARK = " …"
_LONGEST = 118
_OWN, _BESIDE, _PARENT, _HEADING, _SECTION = 100, 100, 150, 200, 800
"""Number of characters at which their recorder cuts each text."""
_LABELABLE = words("input select textarea button meter output progress")
_WITHOUT_TEXT = words("input select textarea")
_BUTTONS = words("submit button reset image")
_BOXES = words("checkbox radio")
_STATES = re.compile("(?:on|off|yes|no|enabled|disabled|active|inactive)*")
"""Words with which a switch only states its state."""
_LONGEST_LABEL = 60
_ACCOUNT_ID = re.compile(r"[?&](?:id|uid|u|user(?:_?id)?|member(?:_?id)?|account(?:_?id)?|profile)=\d{4}")
_LONG_NUMBER = re.compile(r"\d{5}")
"""In an id: the number of an account or of one page load."""


def fingerprint(raw: PublishedEvent) -> Fingerprint:
    """Return the fingerprint of an event's element. Raise SetupError if the file describes no element."""
    get, attributes = raw.get, raw.html[1]
    xpath = get("xpath")
    css = css_of(get("selectorPath"), xpath)
    label = _label(raw)
    text = _text(raw)
    name = _name(raw, label, text)
    heard = _beginning(raw) if _is_nameless_switch(raw, name) else None
    if heard:
        # What it says, if anything, is its state: a person knows it by the first words of its section.
        name, label, text = None, heard, None
    nearby, parent = (None, None) if heard else _surroundings(raw, name, text)
    classes = raw.data.get("classList", attributes.get("class", ""))
    target = Fingerprint(
        tag=raw.tag,
        test_id=mark_of(get("dataTestId", "dataCy", "dataAutomation") or _test_id(raw)),
        id=mark_of(get("id", attribute="id")),
        name_attr=mark_of(get("name", attribute="name") or form_of(raw).get("fieldName")),
        value=_value(raw),
        form=_form(raw),
        role=raw.role,
        name=name,
        label=label,
        text=text,
        nearby=nearby,
        sibling=None if heard else told(raw.data.get("nearbyLabelText"), _BESIDE),
        parent=parent,
        section=_section(raw),
        href=_without_account(href_of(attributes.get("href")) or href_of(get("href"))),
        placeholder=told(get("placeholder", attribute="placeholder")),
        type_attr=mark_of(_type(raw), 40),
        css=path_of(css, raw.log) if css else None,
        xpath=path_of(xpath_of(xpath), raw.log) if xpath and "::shadow" not in (css or "") else None,
        frame_path=tuple(
            path
            for frame in texts(raw.data.get("framePath"))[:20]
            if (path := path_of(css_of(frame), raw.log))
        ),
        classes=tuple(filter(None, (mark_of(name, 100) for name in _words(classes)[:50]))),
    )
    if target == Fingerprint(tag=target.tag, role=target.role):
        raise raw.log.bad(raw.place, "nothing in it says which element it was on", "record it again")
    return target


def told(found: object, limit: int | None = None) -> str | None:
    """Return a page's text for a fingerprint; a cut text loses its last word and ends in ``…``.

    Args:
        found: The text in the file.
        limit: The number of characters at which their recorder cuts it; None if it does not.
    """
    text = text_of(found, 2_000)
    if text is None or not isinstance(found, str):
        return None
    # Counted as JavaScript does.
    cut = limit is not None and len(found.encode("utf-16-le", "surrogatepass")) >= 2 * limit
    if not cut and len(text) <= _LONGEST:
        return text
    kept = text[:_LONGEST]
    kept = kept.rpartition(" ")[0] or kept
    return kept + CUT_MARK


# ---------------------------------------------------------------- its own texts
def _text(raw: PublishedEvent) -> str | None:
    """Return its visible text; files of the first version have it only in the HTML."""
    if raw.tag in _WITHOUT_TEXT:
        return None
    if "innerText" in raw.data:
        return told(raw.data["innerText"], _OWN)
    if "textContent" in raw.data:
        return told(raw.data["textContent"], _OWN)
    return _of_html(raw, raw.html_text.shown)


def _label(raw: PublishedEvent) -> str | None:
    """Return the text of its label, but not of one that only stands beside it, or that it is inside."""
    found = told(raw.data.get("labelText"))
    if raw.get("ariaLabelledby", attribute="aria-labelledby"):
        return found
    steps = steps_of(raw.get("selectorPath"))
    by_id = raw.get("id", attribute="id") or (steps and steps[-1][1] is not None)
    labelled = by_id or not steps or any(tag == "label" for tag, _ in steps)
    return found if raw.tag in (*_LABELABLE, UNKNOWN_TAG) and labelled else None


def _name(raw: PublishedEvent, label: str | None, text: str | None) -> str | None:
    """Return the accessible name, as far as the file allows; a plain ``<div>`` or ``<span>`` has none."""
    aria = told(raw.get("ariaLabel", attribute="aria-label"))
    title = told(raw.get("title", attribute="title"))
    if raw.tag == "input" and raw.kind in _BUTTONS:
        shown = told(raw.data.get("value")) or told(raw.html[1].get("value"))
        return (
            aria or (told(raw.html[1].get("alt")) if raw.kind == "image" else None) or shown or label or title
        )
    content = _content(raw, text) if raw.role in NAMED_BY_CONTENT else None
    return aria or label or content or title or told(raw.get("placeholder", attribute="placeholder"))


def _is_nameless_switch(raw: PublishedEvent, name: str | None) -> bool:
    """Whether it is a box, switch or toggle button that has no name, or one that says only its state."""
    is_switch = (raw.checkable and not raw.radio) or (raw.pressed is not None and raw.role == "button")
    return is_switch and _says_state(name or "")


def _beginning(raw: PublishedEvent) -> str | None:
    """Return the first words of the section of a nameless switch, or the text beside it, if they are a label."""
    section = raw.data.get("sectionText")
    lines = (
        [line.strip() for line in section.splitlines() if line.strip()] if isinstance(section, str) else []
    )
    # As in _part_of_row: a larger section has several rows.
    of_row = [lines[0]] if lines and len(str(section)) <= 400 and max(map(len, lines)) > 50 else []
    for found in (raw.data.get("controlLabelText"), *of_row, raw.data.get("nearbyLabelText")):
        text = told(found)
        if text and len(text) <= _LONGEST_LABEL and not _says_state(text):
            return text
    return None


def _says_state(text: str) -> bool:
    return _STATES.fullmatch(_letters(text)) is not None


def _without_account(href: str | None) -> str | None:
    """Return a link's address without its parameters if one of them is the number of an account."""
    path = (href or "").partition("?")[0]
    people = re.compile(rules()["paths"]["people"], re.IGNORECASE)
    if href and _ACCOUNT_ID.search(href) and any(people.search(part) for part in path.split("/")):
        return path
    return href


def _content(raw: PublishedEvent, text: str | None) -> str | None:
    """Return the name that its content gives it, with the names of the pictures in it."""
    html = raw.html_text
    if text is None:
        return None if html.shown else _of_html(raw, html.named)
    return _of_html(raw, html.named) if html.named and _letters(html.shown) == _letters(text) else text


def _of_html(raw: PublishedEvent, text: str) -> str | None:
    return told(text, len(text) if raw.html_text.cut and text else None)


def _type(raw: PublishedEvent) -> str | None:
    found = raw.get("typeAttr", attribute="type")
    if not found and raw.tag == "input" and not raw.html[0] and raw.kind != "text":
        return raw.kind
    return found


# ---------------------------------------------------------------- its marks
def _value(raw: PublishedEvent) -> str | None:
    """Return the value attribute of a box, a button or an option; not what was typed into a field."""
    if raw.kind not in _BOXES | _BUTTONS and raw.tag not in ("button", "option"):
        return None
    found = raw.html[1].get("value") if raw.html[0] else raw.data.get("value")
    if not raw.html[0] and raw.kind in _BOXES and found == "on":
        return None  # what a box without the attribute says
    return None if isinstance(found, str) and holds_secret(found) else mark_of(found)


def _form(raw: PublishedEvent) -> str | None:
    """Return the id of its form; without an id, the file does not have the form's name and address."""
    for path in (form_of(raw).get("formSelector"), raw.get("selectorPath")):
        marks = [mark for tag, mark in steps_of(path) if tag == "form" and mark]
        if marks:
            return None if _LONG_NUMBER.search(marks[-1]) else mark_of(marks[-1])
    return None


def _test_id(raw: PublishedEvent) -> str | None:
    return next((raw.html[1][name] for name in TEST_ATTRIBUTES if name in raw.html[1]), None)


# ---------------------------------------------------------------- its surroundings
def _surroundings(raw: PublishedEvent, name: str | None, text: str | None) -> tuple[str | None, str | None]:
    """Return the text around the element without its own, and the text of its parent."""
    about = told(raw.data.get("parentTextContext"), _PARENT)
    beside = told(raw.data.get("nearbyLabelText"), _BESIDE)
    if about and ("nearbyLabelText" not in raw.data or _is_of_parent(about, beside, text)):
        return _without(about, text), about
    return beside or (None if name or text else _part_of_row(raw)), None


def _without(about: str, text: str | None) -> str | None:
    """Return a text without the element's own text; None where that cannot be taken out, or nothing is left."""
    if not text or (about.endswith(CUT_MARK) and _letters(text) not in _letters(about)):
        return about
    around = " ".join(about.replace(text, " ", 1).split())
    return told(around) if around != about and _letters(around) else None


def _is_of_parent(about: str, beside: str | None, text: str | None) -> bool:
    """Whether the text is the parent's: if that says ten letters or less, their recorder takes a section above it."""
    own = _letters(text or "")
    if beside is None:
        return len(own) > 10 and own == _letters(about)
    beside = beside.removesuffix(CUT_MARK)
    return len(beside) + len(text or "") > 10 or len(_letters(about)) <= len(_letters(beside) + own)


def _part_of_row(raw: PublishedEvent) -> str | None:
    """Return a text near a control that has neither a name nor a text, marked as a part of what stands there."""
    label, section = told(raw.data.get("labelText")), raw.data.get("sectionText")
    if not isinstance(section, str) or len(section) > 400:
        found = label  # a larger section has several rows
    elif max(map(len, section.splitlines()), default=0) > 50:
        # A row that says less than 51 letters is not taken alone, so one with a longer line is a single row.
        found = label or told(section)
    else:
        found = label or told(raw.data.get("controlLabelText"))
    return found.removesuffix(CUT_MARK) + CUT_MARK if found else None


def _section(raw: PublishedEvent) -> str | None:
    """Return its heading, if the small section it is in begins with it; any other may belong to a neighbor."""
    heading = text_of(raw.data.get("headingText"), _HEADING)
    section = text_of(raw.data.get("sectionText"), _SECTION)
    if not heading or not section or len(section) > 300 or not section.startswith(heading):
        return None
    return told(heading)


def _letters(text: str) -> str:
    """Return only the letters of a text: blocks are joined without spaces in some of them."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _words(found: object) -> list[object]:
    if isinstance(found, str):
        return list(found[:5_000].split())
    return found if isinstance(found, list) else []
