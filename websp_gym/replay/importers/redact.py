"""Detect and remove private data in imported traces: passwords, one-time codes, tokens and e-mail addresses.

Another recorder may have stored anything. An import takes only known keys, and removes secrets from their
values with the rules in this module. A typed password becomes the placeholder ``{{account.password}}``.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

from websp_gym.replay.importers.roles import words

PASSWORD = "{{account.password}}"

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PASSWORD_FIELD = re.compile(
    r"pass[-_ ]?(?:word|wd|phrase|code)|(?<![a-z])(?:pwd|pswd|psw)(?![a-z])|kennwort|passwor[td]|mot[-_ ]de[-_ ]passe"
    r"|contrase|(?<![a-z])(?:senha|clave)(?![a-z])|wachtwoord|lösenord|salasana|adgangskode|hasł|heslo|şifre"
    r"|парол|密码|密碼|パスワード|비밀번호|(?:^|_)pass$"
)
_SECRET_FIELD = re.compile(
    r"one[-_ ]?time|(?<![a-z])(?:t?otp|2fa|mfa|tan|pin|cvc2?|cvv2?|csc|iban|ssn|csrf|xsrf|nonce)(?![a-z])"
    r"|two[-_ ]?factor|(?:verif\w*|security|auth\w*|recovery|backup|confirm\w*|login|sms)[-_ ]?(?:code|key)"
    r"|captcha|turnstile-response|card[-_ ]?(?:num|no\b)|cc-(?:num|csc|exp|name|type)|api[-_ ]?key"
    # A name or description that the user gives to a token is not secret.
    r"|(?<![a-z])(?:secret|token)(?![-_ \[]?(?:name|desc|note|label|title|expir))"
)
_SECRET_PARAMETERS = words(
    "code state key sig signature session sid auth ticket nonce jwt hash hmac otp pin sso samlresponse relaystate "
    "apikey api_key authkey passwd pwd pw"
)
_SECRET_PARTS = words(
    "token secret session sessionid password passwd signature jwt nonce credential credentials auth csrf xsrf"
)
_SECRET_PAIR = re.compile(r"""[?&#;]([\w.\-]{1,60})=([^&#;"'\])\s]{1,2000})""")
_LONG_WORD = re.compile(r"[\w+/=.~%-]{20,}")
_DEEPEST = 3
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")


def what_field(kind: str | None, *marks: str | None) -> Literal["password", "secret"] | None:
    """Return whether a field's content is secret, judged by the field's attributes.

    Args:
        kind: The field's type; None where it is unknown.
        *marks: Name, id, label, autocomplete and similar texts.

    Returns:
        ``password`` for a password; ``secret`` for a code, card or token that must not be kept at all; None
        for other fields.
    """
    texts = [_CAMEL.sub(" ", mark[:300]).lower() for mark in marks if mark]
    passwords = [text for text in texts if _PASSWORD_FIELD.search(text)]
    if kind == "hidden" or any(_SECRET_FIELD.search(text) for text in texts if text not in passwords):
        return "secret"
    if kind == "password" or (passwords and kind is None):
        return "password"
    # Replay types passwords into password fields only, so it could not use this one.
    return "secret" if passwords else None


def is_card(text: str) -> bool:
    """Whether a text is a payment card number (13 to 19 digits with a valid check digit)."""
    digits = [int(letter) for letter in re.sub(r"[ -]", "", text[:40]) if letter in "0123456789"]
    if not 13 <= len(digits) <= 19 or not re.fullmatch(r"[0-9 -]+", text) or not any(digits):
        return False
    doubled = [(2 * digit - 9 if digit > 4 else 2 * digit) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def clean_url(url: str, depth: int = 0) -> str:
    """Return a URL without secrets: user and password, and tokens in the query or fragment.

    Args:
        url: The URL, absolute or relative.
        depth: Nesting level of a URL that is a parameter of another URL; 0 for the URL itself.

    Raises:
        ValueError: The URL cannot be parsed.
    """
    parts = urlsplit(url)
    head, _, fragment = url.partition("#")
    head, _, query = head.partition("?")
    if "@" in parts.netloc:
        head = head.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1)
    query = _clean_pairs(query, depth)
    if "=" in fragment:
        route, mark, pairs = fragment.rpartition("?")
        pairs = _clean_pairs(pairs, depth)
        fragment = f"{route}{mark if pairs else ''}{pairs}"
    elif looks_secret(fragment):
        fragment = ""
    return head + (f"?{query}" if query else "") + (f"#{fragment}" if fragment else "")


def leaks(selector: str) -> bool:
    """Whether a selector contains a secret, such as ``a[href="/?token=…"]``."""
    return any(_is_secret_pair(name, value) for name, value in _SECRET_PAIR.findall(selector))


def without_secrets(text: str) -> str:
    """Remove long random words from a text, such as an access token that the page shows."""
    return _LONG_WORD.sub(lambda match: "" if looks_secret(match[0]) else match[0], text)


def looks_secret(word: str) -> bool:
    """Whether a word is long and random enough to be a token. A placeholder is not."""
    if len(word) < 20 or "{{" in word:
        return False
    if word.startswith("eyJ"):
        return True
    turns = sum(a.isdigit() != b.isdigit() for a, b in pairwise(word) if a.isalnum() and b.isalnum())
    return turns >= max(3, len(word) / 10)


def email_in(text: str | None) -> str | None:
    """Return the first e-mail address in a text; None if there is none."""
    found = _EMAIL.search(text[:2_000]) if text else None
    return found[0] if found else None


def _clean_pairs(query: str, depth: int) -> str:
    kept = []
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if not pair or _is_secret_pair(name, value):
            continue
        inner = unquote(value)
        if inner.startswith(("http://", "https://", "/")) and "=" in inner:
            clean = clean_url(inner, depth + 1) if depth < _DEEPEST else ""
            pair = pair if clean == inner else f"{name}={quote(clean, safe='')}"
        kept.append(pair)
    return "&".join(kept)


def _is_secret_pair(name: str, value: str) -> bool:
    name = _CAMEL.sub("_", unquote(name)).lower()
    value = unquote(value)
    if "{{account." in value:
        return "account.password" in value
    plain = name.replace("-", "_")
    return (
        plain in _SECRET_PARAMETERS
        or plain.replace("_", "") in _SECRET_PARAMETERS
        or not _SECRET_PARTS.isdisjoint(re.split(r"[._\[\]]", plain))
        or looks_secret(value)
    )
