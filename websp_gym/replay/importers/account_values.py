"""Replacing the account's own e-mail address, user name and name with placeholders.

A user name may be any word: "ada" must not be replaced in ``countess.ada@mail.test``, nor "test" in "Send a test".
``extension/secrets.js`` does the same for the recorder, by the same words of ``secret_rules.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Literal
from urllib.parse import quote

from websp_gym.replay.importers.secret_texts import rules

FilledAs = Literal["text", "mark", "path", "url", "value"]
"""A text of the page; an id and the like; a path of CSS or XPath; a URL; a value that a person typed."""
UNQUOTED = "!~*'()"
"""What JavaScript's encodeURIComponent leaves unchanged."""
_LETTER = r"[^\W_]"
_JOINT = "[._@+-]"
_FROM = f"(?<!{_LETTER})(?<!{_LETTER}{_JOINT})"
"""The start of a separate word: neither in "adamant" nor in "countess.ada"."""
_TO = f"(?!{_LETTER}|{_JOINT}{_LETTER})"
_PLACE = r"\{\{account\.[a-z]+\}\}"
_QUOTED = re.compile(r"""(["'])(.*?)\1""", re.DOTALL)
_ID = re.compile(r"""(?<=#)(?:\\.|[^\s>.:#\[\\"'])+""")


def fill_in(text: str, account: Mapping[str, str], kind: FilledAs) -> str:
    """Return a text with the account's values replaced by placeholders.

    Args:
        text: The text.
        account: The values (email, username, name), as far as they are known.
        kind: What the text is.
    """
    for field in ("email", "username", "name"):
        value = account.get(field, "").strip()
        if not value:
            continue
        place = f"{{{{account.{field}}}}}"
        text = _email(text, value, place) if field == "email" else _FILL[kind](text, value, place)
    return text


def holds_value(text: str, account: Mapping[str, str]) -> str | None:
    """Return the field of the account whose value is only a part of a typed text; None if there is none."""
    for field in ("username", "name"):
        value = account.get(field, "").strip()
        if len(value) > 2 and re.search(f"(?<!{_LETTER}){re.escape(value)}(?!{_LETTER})", text):
            return field
    return None


@cache
def _rule(name: str) -> re.Pattern[str]:
    flags = 0 if name == "distinct" else re.IGNORECASE
    return re.compile(rules()["account"][name], flags)


def _is_word(value: str) -> bool:
    return bool(_rule("ordinary").search(value))


def _is_distinct(value: str) -> bool:
    return bool(_rule("distinct").search(value)) and not _is_word(value)


def _forms(value: str) -> str:
    """Return the forms in which a value may stand on a page or in a URL, as a regular expression."""
    encoded = quote(value, safe=UNQUOTED)
    css = re.sub(r"([^\w-])", r"\\\1", value)
    forms = dict.fromkeys((value, encoded, encoded.replace("%20", "+"), css))
    return "|".join(map(re.escape, forms))


def _email(text: str, value: str, place: str) -> str:
    before = r"(?:(?<![\w.%+-])|(?<=%[0-9A-Fa-f]{2}))"
    return re.sub(f"{before}(?:{_forms(value)})(?![\\w@-]|\\.{_LETTER})", place, text, flags=re.IGNORECASE)


def _value(text: str, value: str, place: str) -> str:
    return text.replace(value, place, 1) if text.strip() == value else text


def _text(text: str, value: str, place: str) -> str:
    if text.strip() == value and not _is_word(value):
        return text.replace(value, place, 1)
    form = re.escape(value)
    said = f"""(?:(?<=[\\W\\d_])|^)({rules()["account"]["before"]})( ?["“«„\']?){form}{_TO}"""
    out = re.sub(said, rf"\1\2{place}", text, flags=re.IGNORECASE)
    if _is_word(value):
        return out
    if _is_distinct(value):
        out = re.sub(f"{_FROM}{form}{_TO}", place, out)
    out = re.sub(f"({_PLACE}[ ()<>|·,]{{1,3}}){form}{_TO}", rf"\1{place}", out)
    return re.sub(f"{_FROM}{form}(?=[ ()<>|·,]{{1,3}}{_PLACE})", place, out)


def _url(url: str, value: str, place: str) -> str:
    """Replace a part of the path, the value of a parameter, and the first name of the host."""
    if _is_word(value):
        return url
    part = f"(^|[/=@~]|%2F|%3D|%40)(?:{_forms(value)})(?=$|[/?&#;,]|%2F|%26|%3F|%23)"
    out = re.sub(part, rf"\1{place}", url)
    return re.sub(rf"//{re.escape(value)}(?=\.[^./]+\.[^./])", f"//{place}", out)


def _word(mark: str, value: str, place: str) -> str:
    """Replace a name that is not another word, between dashes too."""
    if not _is_distinct(value):
        return mark
    return re.sub(f"(?<!{_LETTER})(?:{_forms(value)})(?!{_LETTER})", place, mark)


def _mark(mark: str, value: str, place: str) -> str:
    if _is_distinct(value) or _is_word(value):
        return _word(mark, value, place)
    return re.sub(rf"\A(?:{_forms(value)})\Z", place, mark)


def _path(path: str, value: str, place: str) -> str:
    """Replace in ``#ada`` and ``[href="/users/ada"]``, but not the tag of ``form > a``."""
    out = _word(path, value, place)

    def quoted(match: re.Match[str]) -> str:
        return match[1] + _mark(_url(match[2], value, place), value, place) + match[1]

    return _ID.sub(lambda match: _mark(match[0], value, place), _QUOTED.sub(quoted, out))


_FILL: dict[FilledAs, Callable[[str, str, str], str]] = {
    "text": _text,
    "mark": _mark,
    "path": _path,
    "url": _url,
    "value": _value,
}
