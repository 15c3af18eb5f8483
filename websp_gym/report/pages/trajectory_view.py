"""One episode as one HTML file, to see what happened and whether the score is right.

The file is self-contained. A content security policy allows only its script and style sheet, by hash, and no
request; text of agents and web pages is escaped. Screenshots are recompressed to WebP; the lossless originals stay in
the folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from websp_gym.records.load import load_trajectory
from websp_gym.records.trajectory import Trajectory
from websp_gym.report.pages.document import (
    digest,
    environment,
    inert_json,
    plain,
    script,
    sheet,
    source,
    write_file,
)
from websp_gym.report.pages.judgements import causes_of, judgings
from websp_gym.report.pages.pictures import Album
from websp_gym.report.pages.state_diff import ABSENT, StateDiff, state_diff
from websp_gym.report.pages.timeline import frames
from websp_gym.world.state import same

FILE = "trajectory.html"
LONG_VALUE = 160
"""Characters of a value shown before it folds."""

_SETTING = "setting "
_END_REASONS = {
    "answer": "agent answered",
    "infeasible": "agent reported the task infeasible",
    "exit": "program ended without an answer",
    "action_limit": "action limit",
    "time_limit": "time limit",
    "unresponsive": "page did not respond",
    "stopped": "stopped by the harm guard",
    "error": "error",
    "abandoned": "abandoned",
    None: "not ended",
}
_BADGES = {"pass": "PASS", "fail": "FAIL", "unscored": "UNSCORED"}


@dataclass(frozen=True, kw_only=True)
class LabelBar:
    """The bar with which a person labels an episode.

    Args:
        number: Number of the episode, from 1.
        of: Number of episodes.
        done: Number of those with a label.
        label: Its label, ``CORRECT`` or ``INCORRECT``; empty if it has none.
        note: Its note.
        action: Address that gets the form.
        previous: Address of the episode before.
        next: Address of the episode after.
        overview: Address of the list of episodes.
    """

    number: int
    of: int
    done: int
    label: str
    note: str
    action: str
    previous: str
    next: str
    overview: str


def trajectory_html(folder: Path, *, picture_bytes: int | None = None, label: LabelBar | None = None) -> str:
    """Return a recorded episode as one self-contained HTML page.

    Args:
        folder: The episode's folder, or its JSON file.
        picture_bytes: Most bytes of its screenshots together; None for
            :data:`~websp_gym.report.pages.pictures.BYTES_PER_PICTURE` each.
        label: A bar to label the episode. The page is then blind: it hides verdict, checks, state, events, judges,
            options and times, and shows what a judge sees, with the marks.

    Returns:
        The page. Missing or broken screenshots leave a placeholder.

    Raises:
        SetupError: There is no trajectory, or it has another schema.
    """
    trajectory = load_trajectory(folder)
    album = _album(_base(folder), trajectory, picture_bytes)
    film = frames(trajectory, album)
    verdict = _verdict(trajectory)
    diff = state_diff(trajectory.s0, trajectory.end, _setting_checks(verdict))
    data = {
        "pictures": [picture.src for picture in album.pictures],
        "frames": film,
        "marked": _marked(trajectory),
    }
    style, code = sheet("trajectory.css"), script("trajectory.js")
    if label:
        style, code = style + source("label.css"), code + source("label.js")
    return _templates().get_template("trajectory.html.j2").render(
        t=trajectory,
        verdict=verdict,
        facts=_facts(trajectory, verdict),
        details=_details(trajectory),
        marked=_marked(trajectory),
        causes=causes_of(trajectory.verdict or {}),
        judgings=judgings(_base(folder), trajectory.verdict or {}),
        doubts=[*_torn(trajectory), *_doubts(verdict, diff)],
        film=film,
        steps=[frame["number"] for frame in film],
        album=album.pictures,
        diff=diff,
        events=_events(trajectory.events),
        data=Markup(inert_json(data)),
        style=Markup(style),
        script=Markup(code),
        policy=_policy(style, code, form="'self'" if label else "'none'"),
        label=label,
    )  # fmt: skip


def _album(base: Path, trajectory: Trajectory, picture_bytes: int | None) -> Album:
    if picture_bytes is None:
        return Album(base)
    views = [*([trajectory.initial] if trajectory.initial else []), *(step.view for step in trajectory.steps)]
    return Album.within(picture_bytes, base, (view.screenshot for view in views))


def write_trajectory_html(folder: Path | str, out: Path | str | None = None) -> Path:
    """Write :func:`trajectory_html` to a file.

    Args:
        folder: The episode's folder, or its JSON file.
        out: The file; by default ``trajectory.html`` in the episode's folder.

    Returns:
        The file.

    Raises:
        SetupError: There is no trajectory, or the file cannot be written.
    """
    folder = Path(folder)
    target = _base(folder) / FILE if out is None else Path(out)
    write_file(target, trajectory_html(folder))
    return target


@dataclass(frozen=True)
class _Verdict:
    """A verdict read from disk, or its absence."""

    status: str
    badge: str
    reason: str
    score: float | None
    siblings: float | None
    strict: float | None
    source: str
    checks: tuple[Mapping[str, Any], ...]
    side_effects: tuple[str, ...]
    policies: tuple[Mapping[str, Any], ...]
    details: Mapping[str, Any]


def _verdict(trajectory: Trajectory) -> _Verdict:
    data = trajectory.verdict
    status = data.get("status") if data else None
    if data is None or status not in _BADGES:
        return _Verdict("none", "NO VERDICT", _why_none(trajectory), None, None, None, "", (), (), (), {})
    details = data.get("details")
    checks = tuple(check for check in data.get("checks") or () if isinstance(check, dict))
    return _Verdict(
        status=str(status),
        badge=_BADGES[str(status)],
        reason=str(data.get("reason") or ""),
        score=_number(data.get("score")),
        siblings=_number(data.get("siblings")),
        strict=_number(data.get("strict")),
        source=str(data.get("source") or ""),
        checks=checks,
        side_effects=tuple(str(effect) for effect in data.get("side_effects") or ()),
        policies=_policies_of(data),
        details=details if isinstance(details, dict) else {},
    )


def _policies_of(verdict: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """Return the verdicts on policies, each with its ``number`` on the page and whether it was ``kept``."""
    found = [each for each in verdict.get("policies") or () if isinstance(each, dict)]
    return tuple(
        {"id": "", "step": None, **each, "number": number, "kept": each.get("status") in ("ok", "dormant")}
        for number, each in enumerate(found, 1)
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _why_none(trajectory: Trajectory) -> str:
    if trajectory.end_reason == "error":
        return "An error ended the episode before it was scored."
    if trajectory.end_reason is None:
        return "The episode was still running when this was recorded."
    return f"The episode was not scored ({_END_REASONS[trajectory.end_reason]})."


def _facts(trajectory: Trajectory, verdict: _Verdict) -> list[tuple[str, str]]:
    counted = sum(step.counted for step in trajectory.steps)
    limit = trajectory.options.get("max_actions")
    of_limit = f" of {limit}" if isinstance(limit, int) else ""
    free = sum(not step.counted for step in trajectory.steps)
    return [
        ("Reward", "none" if verdict.score is None else f"{verdict.score:g}"),
        ("Siblings", "none" if verdict.siblings is None else f"{verdict.siblings:g}"),
        ("Strict", "none" if verdict.strict is None else f"{verdict.strict:g}"),
        ("Scored by", verdict.source or "none"),
        ("Ended by", _END_REASONS[trajectory.end_reason]),
        ("Actions", f"{counted}{of_limit}" + (f" + {free} free" if free else "")),
        ("Step time", f"{sum(step.seconds for step in trajectory.steps):.1f} s"),
        ("Reset", f"{trajectory.reset_seconds:.2f} s"),
        ("World", trajectory.world),
        ("Started", trajectory.started.replace("T", " ").replace("+00:00", " UTC")),
    ]


def _details(trajectory: Trajectory) -> list[tuple[str, str, Any]]:
    own = [("seed", trajectory.seed), ("config hash", trajectory.config_hash)]
    return [
        *(("Episode", name, value) for name, value in own),
        *(("Options", name, value) for name, value in trajectory.options.items()),
        *(("Versions", name, value) for name, value in trajectory.versions.items()),
    ]


def _marked(trajectory: Trajectory) -> bool:
    """Return whether the agent's own picture showed the marks."""
    return trajectory.options.get("observation", "marks") in ("marks", "all")


def _setting_checks(verdict: _Verdict) -> dict[str, bool | None]:
    """Return the outcome by setting from the checks of the state reward."""
    if verdict.source != "state":
        return {}
    named = ((str(check.get("name")), check.get("passed")) for check in verdict.checks)
    return {name.removeprefix(_SETTING): passed for name, passed in named if name.startswith(_SETTING)}


def _torn(trajectory: Trajectory) -> list[str]:
    return ["The record ends in the middle of a step, which is left out."] if trajectory.torn else []


def _doubts(verdict: _Verdict, diff: StateDiff) -> list[str]:
    """Return contradictions in the record, to show next to the score."""
    outcomes = [check.get("passed") for check in verdict.checks]
    found = []
    if verdict.status == "pass" and not all(outcome is True for outcome in outcomes):
        found.append("The verdict is pass, yet not every check holds.")
    if verdict.status == "fail" and outcomes and all(outcome is True for outcome in outcomes):
        found.append("The verdict is fail, yet every check holds.")
    if verdict.status != "none" and (verdict.status == "unscored") != (verdict.score is None):
        found.append(f"The verdict is {verdict.status}, yet its score is {verdict.score}.")
    after = {row.key: row.after for row in diff.settings}
    for check in verdict.checks if verdict.source == "state" and diff.known else ():
        key = str(check.get("name")).removeprefix(_SETTING)
        if (
            f"{_SETTING}{key}" == check.get("name")
            and key in after
            and not same(after[key], check.get("actual"))
        ):
            found.append(f"The check of {key} has a different value than the recorded end state.")
    return found


def _events(events: list[dict[str, Any]]) -> list[tuple[str, str, str, str, Any]]:
    """Return number, seconds since the first event, site, kind and data of each event."""
    times = [event.get("time") for event in events]
    first = next((time for time in times if isinstance(time, int | float)), 0.0)
    return [
        (
            str(event.get("seq", "")),
            f"+{time - first:.1f} s" if isinstance(time, int | float) else "",
            str(event.get("site", "")),
            str(event.get("kind", "")),
            event.get("data"),
        )
        for event, time in zip(events, times, strict=True)
    ]


def _base(folder: Path) -> Path:
    return folder.parent if folder.suffix == ".json" else folder


@cache
def _templates() -> jinja2.Environment:
    templates = environment()
    templates.filters["shown"] = _shown
    templates.globals["LONG_VALUE"] = LONG_VALUE
    return templates


def _policy(style: str, code: str, *, form: str) -> str:
    """Return the policy: only this style sheet, this script, inline pictures, and where forms may be sent."""
    return (
        f"default-src 'none'; img-src data:; style-src '{digest(style)}'; script-src '{digest(code)}'; "
        f"base-uri 'none'; form-action {form}"
    )


def _shown(value: object) -> str:
    """Return a value as JSON, so that ``"1"``, ``1`` and ``true`` look different."""
    return "absent" if value is ABSENT else json.dumps(plain(value), ensure_ascii=False)
