"""What `make release` says is missing before a state is a release."""

from __future__ import annotations

import re

import pytest

from tests.paths import ROOT
from tests.release import left, missing
from websp_gym.project import VERSION

CUT = "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2027-01-31)\n\n- A change.\n"


@pytest.mark.parametrize(
    ("version", "changelog", "status", "said"),
    [
        ("0.2.0", CUT, "", []),
        ("0.2.0.dev0", CUT, "", ['VERSION = "0.2.0"']),
        ("0.2.1", CUT, "", ["## 0.2.1 (YYYY-MM-DD)"]),
        ("0.2.0", CUT.replace("2027-01-31", "unreleased"), "", ["## 0.2.0 (YYYY-MM-DD)"]),
        ("0.2.0", CUT, " M README.md", ["commit"]),
    ],
)
def test_a_release_has_its_version_its_dated_changes_and_nothing_uncommitted(
    version: str, changelog: str, status: str, said: list[str]
) -> None:
    steps = missing(version, changelog, status)
    assert len(steps) == len(said)
    assert all(part in step for step, part in zip(steps, said, strict=True))


def test_a_person_tags_uploads_publishes_and_goes_on() -> None:
    text = "\n".join(left("0.2.0"))
    assert all(part in text for part in ("v0.2.0", "twine upload", "releases/new?tag=v0.2.0", "0.3.0.dev0"))


def test_the_changelog_begins_with_what_is_unreleased_and_dates_the_rest() -> None:
    first, *rest = re.findall("^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert first == "Unreleased"
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)", section) for section in rest)
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev0)?", VERSION)
