"""The account of every episode. It is fictional and fixed, so sites can show its data anywhere."""

from __future__ import annotations

from typing import Final

ACCOUNT: Final[dict[str, str]] = {
    "name": "Alex Rivers",
    "first_name": "Alex",
    "last_name": "Rivers",
    "initials": "AR",
    "username": "alexrivers",
    "email": "alex.rivers@example.org",
    "phone": "+1 202-555-0143",
    "birthday": "1994-05-14",
    "city": "Portland",
    "country": "United States",
}
"""Name, e-mail and other data of the account (the phone number is from a range reserved for fiction)."""

DEVICE: Final = {"device": "Chromium on Linux", "place": "Portland, United States"}
"""Device and place of the episode's browser in a site's list of signed-in devices."""
