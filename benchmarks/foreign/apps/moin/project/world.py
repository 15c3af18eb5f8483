"""The people of the wiki that MoinMoin keeps, and how their settings differ after a drift or before a refusal."""

# mypy: ignore-errors
from __future__ import annotations

from moin import user

PERSON = "ada"
WORD = "lighthouse keeper 7"
OPTIONS = {
    "iso_8601": False,
    "mailto_author": False,
    "edit_on_doubleclick": True,
    "scroll_page_after_edit": True,
    "show_comments": False,
}
OTHER = {
    "display_name": "Ada L",
    "email": "ada@other.example",
    "edit_rows": 14,
    "results_per_page": 20,
    "timezone": "Europe/Rome",
}
FIRST = {
    "name": [PERSON],
    "display_name": "Ada",
    "email": "ada@club.example",
    "edit_rows": 0,
    "results_per_page": 50,
    "timezone": "UTC",
    "theme_name": "",
    "locale": "en",
    "disabled": False,
    **OPTIONS,
}
uids: dict = {}


def _save(uid: str, values: dict) -> None:
    profile = user.User(uid)
    if any(profile.profile[key] != value for key, value in values.items()):
        for key, value in values.items():
            profile.profile[key] = value
        profile.save(force=True)


def put(question: dict) -> bool:
    """Write the state after a drift, or before a refusal."""
    drift, keep, taken = question["offer"], question["keep"], question["taken"]
    for name in (PERSON, "ben"):
        if name not in uids:
            problem = user.create_user(name, WORD, f"{name}@club.example", validate=False)
            assert problem is None, problem
            uids[name] = user.search_users(name_exact=name)[0].meta["itemid"]
    own = dict(FIRST)
    if drift == "rows":
        own |= {key: value for key, value in OTHER.items() if key not in keep}
        own |= {key: not value for key, value in OPTIONS.items() if key not in keep}
    if drift == "theme":
        own["theme_name"] = "focus"
    if drift == "language":
        own["locale"] = "de"
    _save(uids[PERSON], own)
    other = {"email": "ben@club.example", "name": ["ben"]}
    if drift == "taken":
        other |= {"email": taken} if "@" in taken else {"name": [taken]}
    _save(uids["ben"], other)
    return True


def held() -> dict:
    """Return everything that a person can change, by key."""
    told = {}
    for name, uid in uids.items():
        profile = user.User(uid).profile
        told |= {f"{name}/{key}": _plain(profile[key]) for key in FIRST}
    return told


def _plain(value):
    return list(value) if isinstance(value, (list, tuple)) else value
