"""Cleaning texts of imported files for a trace: short, on one line, without secrets, with known placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from websp_gym.replay.importers.import_log import ImportLog, kind_of
from websp_gym.replay.importers.redact import LONGEST, clean_href, clean_url, leaks
from websp_gym.replay.importers.secret_texts import holds_secret, within, without_secrets

UNKNOWN_TAG = "*"
_MAX_URL = 4_000
_MAX_PATH = 2_000
_MAX_VALUE = 10_000

_PUBLISHED = re.compile(r"\{\{\s{0,9}WEBSP_ACCOUNT_(EMAIL|USERNAME|NAME|PASSWORD)\s{0,9}\}\}")
_PUBLISHED_ESCAPED = re.compile(
    r"(?:%7B){2}WEBSP_ACCOUNT_(EMAIL|USERNAME|NAME|PASSWORD)(?:%7D){2}", re.IGNORECASE
)
_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
_OURS = frozenset({"account.email", "account.username", "account.name"})
REDACTED = re.compile(r"\[redacted\]", re.IGNORECASE)
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_TAG = re.compile(r"[a-z][a-z0-9]*(?:-[\w.-]+)?")
_MODIFIERS = ("Control", "Alt", "Meta", "Shift")
_NAMED_KEY = re.compile(r"[A-Z][A-Za-z0-9]{0,24}")
_KEYS = {"\r": "Enter", "\n": "Enter", "NumpadEnter": "Enter", " ": "Space", "Esc": "Escape", "Del": "Delete",
         "Left": "ArrowLeft", "Right": "ArrowRight", "Up": "ArrowUp", "Down": "ArrowDown", "\t": "Tab",
         "Spacebar": "Space", "Return": "Enter"}  # fmt: skip


def text_of(found: object, limit: int = LONGEST) -> str | None:
    """Return a page's text for a fingerprint: one line, without secrets, cut; None if nothing is left.

    E-mail addresses stay until the account's is known.
    """
    if not isinstance(found, str):
        return None
    text = _PUBLISHED.sub(_ours, found[: 8 * limit])
    text = " ".join(REDACTED.sub(" ", _UNREADABLE.sub(" ", text)).split())
    text = within(without_secrets(text), limit)
    return text if text and _placeholders_known(text) else None


def mark_of(found: object, limit: int = 200) -> str | None:
    """Return an id, class or similar attribute; None for one that contains a secret."""
    if not isinstance(found, str) or len(found) > limit:
        return None
    mark = _PUBLISHED.sub(_ours, _UNREADABLE.sub("", found)).strip()
    return mark if mark and _placeholders_known(mark) and not holds_secret(mark) else None


def path_of(found: object, log: ImportLog) -> str | None:
    """Return a CSS or XPath path; None for one that is too long or contains a secret."""
    if not isinstance(found, str) or not found.strip():
        return None
    path = _UNREADABLE.sub("", found.strip()) if len(found) <= _MAX_PATH else ""
    if not path or leaks(path) or not _placeholders_known(_PUBLISHED.sub(_ours, path)):
        log.note("a path that is too long or contains a secret was left out")
        return None
    return _PUBLISHED.sub(_ours, path)


def tag_of(found: object) -> str | None:
    """Return a tag name in lower case; None if it is not valid."""
    tag = found.strip().lower() if isinstance(found, str) and len(found) <= 100 else ""
    return tag if _TAG.fullmatch(tag) else None


def href_of(found: object) -> str | None:
    """Return the URL of a link; None if it is missing or not a page."""
    if isinstance(found, str) and found.strip().lower().startswith(("javascript:", "data:", "blob:")):
        return None
    try:
        return clean_href(_address(found))
    except ValueError:
        return None


def url_of(found: object) -> str:
    """Return the URL of a page without secrets; empty if it is not a web page."""
    try:
        url = clean_url(_address(found))
    except ValueError:
        return ""
    return url if url.startswith(("https://", "http://")) and urlsplit(url).hostname else ""


def side_of(found: object) -> int:
    """Return a width or height in pixels; 0 if it is not valid."""
    if not isinstance(found, int | float) or isinstance(found, bool):
        return 0
    return int(found) if 1 <= found <= 10_000 else 0


def value_of(found: object, place: str, log: ImportLog) -> str:
    """Return the complete text that was typed or chosen, with placeholders in the form that replay uses.

    Raise SetupError if it is not a text, is too long, or has a placeholder that replay cannot fill.
    """
    if isinstance(found, int | float) and not isinstance(found, bool):
        found = str(found)
    if not isinstance(found, str):
        raise log.bad(place, f"expected a text, but this is {kind_of(found)}", "record it again")
    if len(found) > _MAX_VALUE:
        raise log.bad(place, f"a value of {len(found):,} characters", f"at most {_MAX_VALUE:,} can be typed")
    value = _PUBLISHED.sub(
        _ours, _UNREADABLE.sub(lambda match: match[0] if match[0] in "\n\t" else "", found)
    )
    for name in _placeholders(value):
        if name not in _OURS and name != "account.password":
            raise log.bad(
                place,
                f"unknown placeholder {{{{{name[:60]}}}}}",
                f"write one of {', '.join(sorted(_OURS))}, or the text itself",
            )
    return value


def key_of(found: object, modifiers: Iterable[str] = ()) -> str | None:
    """Return a key with its modifiers as replay presses it; None for a modifier alone or an unknown key."""
    name = _KEYS.get(found, found) if isinstance(found, str) else ""
    if re.fullmatch(r"(Shift|Control|Alt|Meta)(Left|Right)?|AltGraph|Dead|Unidentified|Process", name):
        return None
    if not (len(name) == 1 and name.isprintable()) and not _NAMED_KEY.fullmatch(name):
        return None
    held = [modifier for modifier in _MODIFIERS if modifier in set(modifiers)]
    return "+".join([*held, name])


def modifier_of(key: object) -> str | None:
    """Return a modifier key without its side; None for other keys."""
    name = key.removesuffix("Left").removesuffix("Right") if isinstance(key, str) else ""
    return name if name in _MODIFIERS else None


def types_a_letter(key: str | None) -> bool:
    """Whether a key changes a text, so that the field's own text event covers it."""
    return key is not None and (
        len(key.removeprefix("Shift+")) == 1 or key in ("Space", "Backspace", "Delete")
    )


def _ours(match: re.Match[str]) -> str:
    return f"{{{{account.{match[1].lower()}}}}}"


def _placeholders_known(text: str) -> bool:
    """Whether replay can fill a text: ``{{other}}`` may be page text, ``{{account.other}}`` is an error."""
    names = [name for name in _placeholders(text) if name.startswith("account.")]
    return "account.password" not in text and all(name in _OURS for name in names)


def _placeholders(text: str) -> set[str]:
    return {name.strip() for name in _PLACEHOLDER.findall(text)}


def _address(found: object) -> str:
    if not isinstance(found, str) or not 0 < len(found) <= _MAX_URL:
        return ""
    url = _UNREADABLE.sub("", found).strip()
    url = _PUBLISHED.sub(_ours, _PUBLISHED_ESCAPED.sub(_ours, url))
    return "" if _placeholders(url) - _OURS or "account.password" in url else url
