"""The benchmark of third-party applications, as far as it needs none of them: descriptions, drifts, outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.foreign import report
from benchmarks.foreign.app import App, apps
from benchmarks.foreign.application import GalleryApplication
from benchmarks.foreign.behind import ServerAim
from benchmarks.foreign.build import CACHE, folder
from benchmarks.foreign.drift import DRIFTS, drifted
from benchmarks.foreign.gallery import LANGUAGES, gallery, shown, targets
from benchmarks.foreign.measure import (
    Recorded,
    Result,
    measure,
    outcome,
    recordings,
    refused_trace,
)
from benchmarks.foreign.person import Gesture
from benchmarks.foreign.server import serve
from benchmarks.tables import Outcome
from websp_gym.replay import Trace

pytestmark = pytest.mark.usefixtures("browser_thread")

DESCRIPTIONS = sorted(path.name for path in Path("benchmarks/foreign/descriptions").glob("*.yaml"))


def _controls(pages: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for page in pages.values():
        for section in page["sections"]:
            yield {"key": f"view:{section['key']}", "label": section["title"]}
            rows = section["rows"]["rows"] if section["rows"] else []
            for part in (*section["groups"], *rows):
                yield from part["controls"]


def test_a_description_has_many_targets_of_every_kind_and_each_once() -> None:
    for name in DESCRIPTIONS:
        found = targets(gallery(name))
        assert len({target.key for target in found}) == len(found) >= 40
        kinds = {target.control.kind for target in found if target.control}
        assert kinds >= {"checkbox", "switch", "select", "menu"}, name
        assert 0.25 < sum(target.stable for target in found) / len(found) < 0.75


def test_a_description_has_every_text_in_three_languages() -> None:
    for name in DESCRIPTIONS:
        pages = [list(_controls(shown(gallery(name), language))) for language in LANGUAGES]
        for english, german, french in zip(*pages, strict=True):
            assert english["key"] == german["key"] == french["key"]
            assert all(each["label"] for each in (english, german, french))
        german_labels = {control["label"] for control in pages[1]}
        assert len(german_labels & {control["label"] for control in pages[0]}) < len(german_labels) / 2


def test_no_drift_takes_a_target_away_or_gives_it_to_another() -> None:
    for described, target in (
        (each, target) for each in map(gallery, DESCRIPTIONS) for target in targets(each)
    ):
        for drift in DRIFTS:
            pages = drifted(described, drift, target).pages
            same = [
                control for control in _controls({"": pages[target.page]}) if control["key"] == target.spot
            ]
            assert len(same) == 1, (drift, target.key)
            if target.option:
                assert target.option in {option["key"] for option in same[0]["options"]}
                assert same[0]["value"] != target.option


def test_every_drift_changes_the_page_of_its_target_but_a_new_version_which_changes_the_library() -> None:
    described = gallery("community.yaml")
    for target in targets(described):
        before = shown(described, "en")[target.page]
        changed = {drift: drifted(described, drift, target).pages[target.page] != before for drift in DRIFTS}
        assert changed == {drift: drift not in ("unchanged", "version") for drift in DRIFTS}


OUTCOMES: list[tuple[dict[str, Any], bool, Outcome]] = [
    ({"a": [True]}, True, "found"),
    ({}, True, "wrong"),
    ({"b": [True]}, True, "wrong"),
    ({"a": [True], "b": [True]}, True, "wrong"),
    ({"a": [True, False]}, True, "wrong"),
    ({}, False, "raised"),
    ({"a": [True]}, False, "raised"),
    ({"a": [False]}, False, "wrong"),
    ({"a": [True, True]}, False, "wrong"),
    ({"b": [True]}, False, "wrong"),
]


def test_an_outcome_is_wrong_as_soon_as_anything_else_was_changed() -> None:
    for effects, ok, expected in OUTCOMES:
        assert outcome(effects, {"a": [True]}, ok=ok) == expected


# ---------------------------------------------------------------- servers that say no


def _result(drift: Any, *, changed: dict[str, Any], problem: str = "") -> Result:
    expected = {"email": "a@b.example"}
    return Result(
        app="ihatemoney",
        target="email",
        stable=False,
        drift=drift,
        method="websp",
        outcome=outcome(changed, expected, ok=not problem),
        steps=(),
        expected=expected,
        changed=changed,
        problem=problem,
    )


def test_a_replay_that_the_server_refused_is_right_only_if_it_raises() -> None:
    apps_ = [app for app in apps() if app.name == "ihatemoney"]
    results = [
        _result("taken", changed={}, problem="it did not store it"),
        _result("taken", changed={}),
        _result("invalid", changed={"name": "x"}),
        _result("unchanged", changed={"email": "a@b.example"}),
    ]
    assert [each.outcome for each in results] == ["raised", "wrong", "wrong", "found"]
    text = report.blocks(results, apps_, 60.0)
    (row,) = [line for line in text["foreign-refused"].splitlines() if line.startswith("| IHateMoney")]
    assert row.split("|")[2:-1] == [" 1 / 1 / 0 ", " 0 / 0 / 1 ", " – ", " – ", " 1 / 1 / 1 "]
    # What is refused is no drift: it is in no other table.
    assert "| all | 1 / 0 / 0 (100.0 %)" in text["foreign-tuned"]


def test_a_target_gives_the_reason_for_a_refusal() -> None:
    aim = ServerAim("email", "/", (), taken="a@b.example", secret=True)
    assert aim.refusals == ("taken", "password")
    assert ServerAim("box", "/", ()).refusals == ()


def test_an_invalid_value_takes_the_place_of_the_typed_one_and_of_no_other() -> None:
    target = {"tag": "input", "nameAttr": "email"}
    values = ("a@b.example", "{{account.password}}")
    events = [
        {"type": "type", "url": "https://a.example/", "target": target, "value": value} for value in values
    ]
    head = {"schema": "websp-trace/2", "name": "a", "site": "a", "start_url": "https://a.example/"}
    trace = Trace.model_validate(head | {"events": events})
    aim = ServerAim("email", "/", (), invalid="nobody")
    recorded = Recorded(aim, trace, ((Gesture("input", write="a@b.example"), {}),), {"email": "a@b.example"})
    assert [each.value for each in refused_trace(recorded, "invalid").trace.events] == ["nobody", values[1]]
    assert refused_trace(recorded, "expired") is recorded
    with pytest.raises(RuntimeError, match="nothing was typed"):
        refused_trace(Recorded(aim, trace, (), {}), "invalid")


# ---------------------------------------------------------------- a handwritten application

_APP = """
const {page, place, tell} = globalThis.__foreign;
const root = document.getElementById('root');
for (const section of page.sections) {
  root.append(Object.assign(document.createElement('h2'), {textContent: section.title}));
  const controls = section.groups.flatMap((group) => group.controls);
  const rows = section.rows ? section.rows.rows : [];
  for (const control of [...controls, ...rows.flatMap((row) => row.controls)]) {
    if (control.kind !== 'checkbox') continue;
    const line = document.createElement('p');
    const label = document.createElement('label');
    const box = Object.assign(document.createElement('input'), {type: 'checkbox', checked: control.on});
    if (control.attrs.name) box.name = control.attrs.name;
    box.onchange = () => tell(control.key, box.checked);
    label.append(box, control.label);
    line.append(label);
    root.append(line);
    place(control.key, line);
  }
}
"""


@pytest.fixture
def handwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> App:
    """An application of plain check boxes, as if it had been built."""
    monkeypatch.setattr("benchmarks.foreign.build.CACHE", tmp_path)
    versions: dict[Any, dict[str, str]] = {"recorded": {"plain": "1"}, "other": {"plain": "2"}}
    app = App(name="plain", title="Plain", half="tuned", description="community.yaml", versions=versions)
    for version in app.versions:
        (folder(app, version) / "dist").mkdir(parents=True)
        (folder(app, version) / "dist" / "app.js").write_text(_APP, "utf-8")
    return app


@pytest.mark.proof
def test_a_person_records_and_the_page_reports_the_operated_element(
    handwritten: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = ["privacy/online", "topics/t4/follow"]
    changes: list[Any] = ["unchanged", "rows"]
    chosen = [target for target in targets(gallery("community.yaml")) if target.key in keys]
    monkeypatch.setattr(GalleryApplication, "targets", lambda self: chosen)
    with serve(handwritten) as server:
        made = list(recordings(GalleryApplication(handwritten, server), chosen))
    assert [each.effects for each in made] == [{key: [False]} for key in keys]
    assert [len(each.trace.events) for each in made] == [1] * len(keys)
    results = measure(handwritten, changes=changes)
    assert {(each.target, each.drift) for each in results if each.method == "websp"} == {
        (key, drift) for key in keys for drift in changes
    }
    assert {each.outcome for each in results} == {"found"}


def test_every_application_names_a_description_that_is_there() -> None:
    assert apps()
    for app in apps():
        assert app.kind == "server" or (
            app.description in DESCRIPTIONS and (app.folder / app.source).is_file()
        )
        assert set(app.drifts) <= set(DRIFTS)
        assert not CACHE.is_relative_to(app.folder)
