"""The one account every episode has: fictional and fixed, so that sites can show it anywhere."""

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
"""Name, e-mail and so on of the episode's account (the phone number is from the range kept for fiction)."""

DEVICE: Final = {"device": "Chromium on Linux", "place": "Portland, United States"}
"""What a site's list of signed-in devices says of the browser of the episode."""
