"""The Twitch replica: what other people may send to the account, and do with its name, clips and stories."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.sandbox_support import Visitor, account, items_of

__all__ = ["account"]

API = "https://www.twitch.tv/api/v1"
FOLLOWED, STRANGER = {"from": "PawnStorm"}, {"from": "lanternfish"}
TO_A_FOLLOWED, TO_ANOTHER = STRANGER | {"channel": "pawnstorm"}, STRANGER | {"channel": "slowkiln"}


@pytest.mark.parametrize(
    ("settings", "kind", "form", "status"),
    [
        ({"privacy.gifts": False}, "gifts", TO_ANOTHER, 200),
        ({"privacy.gifts": True}, "gifts", TO_ANOTHER, 403),
        ({"privacy.gifts": True}, "gifts", TO_A_FOLLOWED, 200),
        ({"privacy.whispers": False}, "whispers", STRANGER, 200),
        ({"privacy.whispers": True}, "whispers", STRANGER, 403),
        ({"privacy.whispers": True}, "whispers", FOLLOWED, 200),
        ({"stories.mention": "NO_ONE"}, "stories/mention", FOLLOWED, 403),
        ({"stories.mention": "FOLLOWING"}, "stories/mention", STRANGER, 403),
        ({"stories.mention": "FOLLOWING"}, "stories/mention", FOLLOWED, 200),
        ({"stories.mention": "ANYONE"}, "stories/mention", STRANGER, 200),
        ({"stories.clips": "FOLLOWING"}, "stories/clips", STRANGER, 403),
        ({"stories.clips": "FOLLOWING"}, "stories/clips", FOLLOWED, 200),
        ({"stories.clips": "ANYONE"}, "stories/clips", STRANGER, 200),
        ({"stories.reshare": "NO_ONE"}, "stories/reshare", FOLLOWED, 403),
        ({"stories.reshare": "MENTIONED"}, "stories/reshare", FOLLOWED, 403),
        ({"stories.reshare": "FOLLOWING"}, "stories/reshare", STRANGER, 403),
        ({"stories.reshare": "FOLLOWING"}, "stories/reshare", FOLLOWED, 200),
        ({"stories.reshare": "ANYONE"}, "stories/reshare", STRANGER, 200),
    ],
)
def test_a_privacy_setting_decides_what_others_may_send(
    account: Callable[[str], Visitor],
    settings: dict[str, object],
    kind: str,
    form: dict[str, str],
    status: int,
) -> None:
    here = account("twitch")
    assert here.episode is not None
    here.episode.patch("twitch", settings=settings, collections={"following": [{"channel": "pawnstorm"}]})
    assert here.post(f"{API}/{kind}", form).status == status
    received = [row["sender"] for row in items_of(here, "twitch", "received")]
    assert received == ([form["from"]] if status == 200 else [])


@pytest.mark.parametrize("kind", ["whispers", "gifts", "stories/mention", "stories/clips", "stories/reshare"])
def test_blocked_people_can_send_nothing_whatever_their_capitals(
    account: Callable[[str], Visitor], kind: str
) -> None:
    here = account("twitch")
    assert here.episode is not None
    here.episode.patch("twitch", collections={"blocked": [{"name": "lanternfish"}]})
    form = {"from": "LanternFish", "channel": "pawnstorm"}
    assert here.post(f"{API}/{kind}", form).status == 403
    assert here.post(f"{API}/{kind}", form | {"from": "mossgardener"}).status == 200
    missing = here.post(f"{API}/{kind}", {"channel": "pawnstorm"})
    assert (missing.status, "the field from is missing" in missing.body) == (400, True)
