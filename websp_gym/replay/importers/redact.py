"""Removing private data from imported traces: passwords, one-time codes, tokens, e-mail addresses, account names.

Another recorder may have stored anything. An import takes only known keys, and removes secrets from their
values. A typed password becomes the placeholder ``{{account.password}}``. The rules are those of the recorder
(``extension/secret_rules.yaml``); this module does what ``extension/secrets.js`` and ``trace.js`` do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, Literal
from urllib.parse import quote, unquote_plus, urlsplit

from websp_gym.replay.importers.account_values import UNQUOTED, FilledAs, fill_in
from websp_gym.replay.importers.secret_texts import (
    codes_beside,
    holds_secret,
    is_handle,
    oddness,
    rules,
    within,
    without_people,
    without_secrets,
)

PASSWORD = "{{account.password}}"
PASSWORDS = (PASSWORD, "{{account.new_password}}")
TEXTS = ("name", "label", "text", "nearby", "sibling", "parent", "section")
MARKS = ("test_id", "id", "name_attr", "value", "form", "css", "xpath")
WHOLE = ("value", "placeholder")
"""Texts that are compared as a whole, so they are left out if a part of them is secret."""
LONGEST = 120
"""Longest text in characters, as in ``extension/trace.js``."""
_ALIASES = {"testId": "test_id", "nameAttr": "name_attr"}
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SECRET_PAIR = re.compile(r"""[?&#;]([\w.\-]{1,60})=([^&#;"'\])\s]{1,2000})""")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_HOLDS: dict[str, FilledAs] = {
    **dict.fromkeys(TEXTS, "text"),
    **dict.fromkeys(("test_id", "id", "name_attr", "value"), "mark"),
    **dict.fromkeys(("css", "xpath", "frame_path", "classes"), "path"),
    **dict.fromkeys(("url", "href", "form"), "url"),
    "placeholder": "text",
}
"""What each key contains, for finding the account's values in it. The other keys contain words of HTML and ARIA."""
_DEEPEST = 3
"""URLs in parameters of URLs."""


def what_field(kind: str | None, *marks: str | None) -> Literal["password", "secret"] | None:
    """Return whether a field's content is secret, judged by the field's attributes.

    Args:
        kind: The field's type; None if unknown.
        *marks: Name, id, label, autocomplete and similar texts.

    Returns:
        ``password`` for a password; ``secret`` for a code, card or token that must not be stored at all; None
        for other fields.
    """
    texts = [mark[:300] for mark in marks if mark]
    tokens = [token for text in texts for token in text.lower().split()]
    if kind != "password":
        texts = _asking(texts)
    passwords = [text for text in texts if _says("password", text)]
    if kind == "hidden" or any(_field("secret_autocomplete").search(token) for token in tokens):
        return "secret"
    if any(_says("secret", text) for text in texts if text not in passwords):
        return "secret"
    passwords += [token for token in tokens if _field("password_autocomplete").search(token)]
    if kind == "password" or (passwords and kind is None):
        return "password"
    # Replay types passwords into password fields only, so it could not use this one.
    return "secret" if passwords else None


def _asking(texts: list[str]) -> list[str]:
    """Leave out what only names or describes a secret, and then marks of a program too: they may be of the row."""
    asking = [text for text in texts if not _says("about", text)]
    return asking if len(asking) == len(texts) else [text for text in asking if " " in text.strip()]


def asks_for(which: Literal["password", "new_password", "current_password"], *marks: str | None) -> bool:
    """Whether a field's attributes ask for a password: any, a new one, or the account's."""
    texts = [mark[:300] for mark in marks if mark]
    tokens = {token for text in texts for token in text.lower().split()}
    known = {"password": _field("password_autocomplete"), "new_password": re.compile("^new-password$")}
    pattern = known.get(which, re.compile("^current-password$"))
    return any(pattern.search(token) for token in tokens) or any(_says(which, text) for text in texts)


def clean_url(url: str, known: Collection[str] = (), depth: int = 0) -> str:
    """Return a URL without secrets: user and password, tokens in its path, query and fragment.

    Args:
        url: The URL, absolute or relative.
        known: Secrets found elsewhere.
        depth: Nesting level of a URL that is a parameter of another URL; 0 for the URL itself.

    Raises:
        ValueError: The URL cannot be parsed.
    """
    urlsplit(url)
    head, _, fragment = url.partition("#")
    base, _, query = head.partition("?")
    scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*://[^/]*", base)
    host = scheme[0] if scheme else ""
    path = _clean_path(base[len(host) :], known)
    query = _clean_pairs(query, known, depth)
    fragment = _clean_fragment(fragment, known, depth)
    host = re.sub("//.*@", "//", host)
    return f"{host}{path}" + (f"?{query}" if query else "") + (f"#{fragment}" if fragment else "")


def leaks(path: str, known: Collection[str] = ()) -> bool:
    """Whether a CSS or XPath path contains a secret, such as ``a[href="/?token=…"]``."""
    plain = unescaped(path)
    return holds_secret(plain, known) or any(
        _is_secret_name(name) for name, value in _SECRET_PAIR.findall(plain) if "{{account." not in value
    )


def unescaped(path: str) -> str:
    """Return a CSS path without its escapes."""

    def letter(match: re.Match[str]) -> str:
        code = int(match[1], 16) if match[1] else 0
        return match[2] or (chr(code) if 0 < code <= 0x10FFFF else "\ufffd")

    return _ESCAPE.sub(letter, path)


def email_in(text: str | None) -> str | None:
    """Return the first e-mail address in a text; None if there is none."""
    found = _EMAIL.search(text[:2_000]) if text else None
    return found[0] if found else None


def clean_event(event: Mapping[str, Any], account: Mapping[str, str], known: Iterable[str]) -> dict[str, Any]:
    """Return the data of an event without secrets, and with the account's values replaced by placeholders.

    Args:
        event: The event, as ``TraceEvent.model_dump()`` gives it.
        account: Values of the account, as far as they are known.
        known: Secrets found elsewhere in the file.
    """
    found = set(known)
    data = {**event, **{key: _filled(event[key], account, key) for key in ("url", "target", "hover")}}
    target = data["target"] and _with_clean_texts(data["target"], found)
    hover = [_with_clean_texts(print_, found) for print_ in data["hover"]]
    value = event["value"]
    return data | {
        "url": clean_url(data["url"], found),
        "target": target and _with_clean_marks(target, found),
        "hover": [_with_clean_marks(print_, found) for print_ in hover],
        "value": value
        if value is None or value in PASSWORDS
        else fill_in(value, account, "mark" if event["type"] == "change" else "value"),
    }


def _filled(part: Any, account: Mapping[str, str], key: str) -> Any:
    if isinstance(part, dict):
        return {name: _filled(value, account, name) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_filled(one, account, key) for one in part]
    kind = _HOLDS.get(key)
    return fill_in(part, account, kind) if isinstance(part, str) and kind else part


def _with_clean_texts(print_: dict[str, Any], found: set[str]) -> dict[str, Any]:
    """Return a fingerprint with clean texts; the removed secrets are added to ``found``."""
    beside = codes_beside(print_[key] for key in TEXTS if print_[key])
    clean = dict(print_)
    for key in TEXTS:
        clean[key] = print_[key] and without_secrets(print_[key], found, beside=beside)
    for key in WHOLE:
        text = print_[key] or ""
        if without_people(without_secrets(text, found, beside=beside)) != text:
            clean[key] = None
    return clean


def _with_clean_marks(print_: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """Return a fingerprint without marks that contain a secret."""
    clean = dict(print_)
    for key in TEXTS:
        text = within(without_people(_without(print_[key] or "", known)), LONGEST)
        clean[key] = text or None
    bad = {key for key in MARKS if print_[key] and leaks(print_[key], known)}
    clean |= dict.fromkeys(bad)
    clean["serial"] = [key for key in print_["serial"] if _ALIASES.get(key, key) not in bad]
    clean["classes"] = [name for name in print_["classes"] if not holds_secret(name, known)]
    # A part of a path leads elsewhere.
    if any(leaks(path, known) for path in print_["frame_path"]):
        clean["frame_path"] = ()
    clean["href"] = clean_href(print_["href"], known)
    return clean


def clean_href(href: str | None, known: Collection[str] = ()) -> str | None:
    """Return a link's URL without secrets; None if a part of its path is secret."""
    if not href:
        return None
    clean = clean_url(href, known)
    # Such a link is another one for every account.
    return clean if _path(clean) == _path(href) else None


def _path(url: str) -> str:
    return re.sub("//[^/]*@", "//", re.split("[?#]", url, maxsplit=1)[0])


def _without(text: str, known: Iterable[str]) -> str:
    out = text
    for secret in known:
        out = out.replace(secret, " ")
    return out if out == text else " ".join(out.split())


@cache
def _field(name: str) -> re.Pattern[str]:
    pattern = rules()["fields"][name]
    return re.compile("|".join(pattern) if isinstance(pattern, list) else pattern)


def _says(name: str, mark: str) -> bool:
    return bool(_field(name).search(_words(mark)))


@cache
def _parameters(rule: Literal["names", "words", "short", "passing", "passing_values"]) -> re.Pattern[str]:
    return re.compile(rules()["parameters"][rule])


def _words(name: str) -> str:
    """Return ``user otp code 0`` for ``userOtp-code[0]``."""
    return re.sub(r"[\W_]+", " ", _CAMEL.sub(" ", name)).lower().strip()


def _is_secret_name(name: str) -> bool:
    plain = _decoded(name)
    return bool(_parameters("names").search(plain.lower()) or _parameters("words").search(_words(plain)))


def _is_passing(name: str, value: str) -> bool:
    """Whether a parameter is another one at each load, so that it says nothing of where a link leads."""
    named = _parameters("passing").search(_words(_decoded(name)))
    return bool(named and _parameters("passing_values").search(value))


def _is_short_token(text: str) -> bool:
    """Whether it may be the token of a link by mail, which may be shorter than other secrets."""
    token = rules()["paths"]["token"]
    return bool(re.search(token["pattern"], text)) and oddness(text) >= token["odd"]


def _is_secret_part(text: str, known: Collection[str]) -> bool:
    return holds_secret(text, known) or is_handle(text)


def _clean_path(path: str, known: Collection[str]) -> str:
    """Return a path without secret parts. The others may be names of users, which look like other words."""
    people, links = (re.compile(rules()["paths"][key], re.IGNORECASE) for key in ("people", "links"))
    parts: list[str] = []
    before = None
    in_link = False
    for part in path.split("/"):
        own, *more = part.split(";")
        number = re.fullmatch("[0-9]+", own) is not None
        is_page = number and before is not None and not people.search(before) and own not in known
        is_of_link = in_link and (_is_short_token(own) or (number and len(own) >= 6))
        before, in_link = part, in_link or bool(links.search(part))
        if is_of_link or (not is_page and _is_secret_part(_decoded(own), known)):
            continue
        kept = [
            pair
            for pair in more
            if not _is_secret_name(pair.partition("=")[0]) and not _is_secret_part(_decoded(pair), known)
        ]
        parts.append(";".join([own, *kept]))
    return "/".join(parts)


def _clean_pairs(query: str, known: Collection[str], depth: int) -> str:
    pairs = (_clean_pair(pair, known, depth) for pair in query.split("&"))
    return "&".join(pair for pair in pairs if pair)


def _clean_pair(pair: str, known: Collection[str], depth: int) -> str | None:
    """Return a parameter without its secrets, unchanged where there are none; None if nothing may stay."""
    name, sign, raw = pair.partition("=")
    value = _decoded(raw)
    if "{{account." in value:
        return None if "account.password" in value else pair
    if (sign and (_is_secret_name(name) or _is_passing(name, value))) or _is_secret_part(
        _decoded(name), known
    ):
        return None
    if _parameters("short").search(_decoded(name).lower()) and _is_short_token(value):
        return None
    if not re.match("https?://|/", value):
        return None if _is_secret_part(value, known) else pair
    clean = clean_url(value, known, depth + 1) if depth < _DEEPEST else ""
    return pair if clean == value else f"{name}={quote(clean, safe=UNQUOTED)}"


def _clean_fragment(fragment: str, known: Collection[str], depth: int) -> str:
    route, mark, pairs = fragment.partition("?")
    if not mark and "=" in fragment:
        return _clean_pairs(fragment, known, depth)
    kept = _clean_pairs(pairs, known, depth)
    return _clean_path(route, known) + (f"?{kept}" if kept else "")


def _decoded(text: str) -> str:
    try:
        return unquote_plus(text, errors="strict")
    except UnicodeDecodeError:
        return text
