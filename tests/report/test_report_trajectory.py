"""The page of one episode: what it shows is what was recorded, in a real browser, and nothing in it can act."""

from __future__ import annotations

import base64
import gzip
import io
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.recorded import HOSTILE, run_folder
from tests.report_support import (
    TODO,
    Watch,
    assert_at,
    episode,
    mark,
    page_of,
    png,
    save,
    step,
    view,
    watch,
    window,
)
from websp_gym.errors import SetupError
from websp_gym.records import verdict
from websp_gym.records.load import digest_of, load_trajectory
from websp_gym.records.pictures import marked_picture
from websp_gym.records.policy_verdict import PolicyStatus, PolicyVerdict
from websp_gym.records.recorder import Recorder
from websp_gym.records.trajectory import Trajectory
from websp_gym.records.verdict import Check
from websp_gym.report import trajectory_html, write_trajectory_html
from websp_gym.report.pages.pictures import BYTES_PER_EPISODE, Album
from websp_gym.report.pages.timeline import frames
from websp_gym.report.pages.trajectory_view import LabelBar
from websp_gym.scoring.judge.judgements import JUDGEMENTS, Judgement
from websp_gym.scoring.judge.vote import Vote

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["watch", "window"]


def test_keys_and_buttons_move_text_and_picture_alike(watch: Watch) -> None:
    page = watch(episode())
    assert_at(page, 0)
    keys = ["ArrowRight", "j", "ArrowRight", "j", "ArrowLeft", "k", "k", "k"]
    for key, number in zip(keys, (1, 2, 3, 3, 2, 1, 0, 0), strict=True):
        page.keyboard.press(key)
        assert_at(page, number)
    page.click("#forward")
    assert_at(page, 1)
    done, coming = page.inner_text("#done"), page.inner_text("#next")
    assert [text for text in ("Click [3]", "Home first.", "link “Home”", "0.50 s") if text not in done] == []
    failed = ("Click [9]", "no such element", "free, not counted")
    assert [text for text in failed if text not in coming] == []
    page.click(".strip a >> nth=3")
    assert_at(page, 3)
    page.keyboard.press("Home")
    assert_at(page, 0)


def test_the_address_opens_a_step_and_follows_it(watch: Watch) -> None:
    page = watch(episode(), "#step-3")
    assert_at(page, 3)
    page.keyboard.press("k")
    page.wait_for_url(re.compile("#step-2$"))
    page.reload()
    assert_at(page, 2)
    page.evaluate("location.hash = '#step-1'")
    expect(page.locator("#url")).to_have_text(re.compile("/1$"))
    assert_at(page, 1)
    for nonsense in ("#step-99", "#step-1'x", "#<b>"):
        page.evaluate("hash => location.replace(hash)", nonsense)
        page.reload()
        assert_at(page, 0)


def test_marks_can_be_hidden_by_key_and_by_box(watch: Watch) -> None:
    page = watch(episode())
    marks = page.locator("#marks")
    for visible, act in [(False, "key"), (True, "key"), (False, "box"), (True, "box"), (False, "key")]:
        page.keyboard.press("m") if act == "key" else page.click("#show-marks")
        assert marks.is_visible() is visible
        assert page.is_checked("#show-marks") is visible


def test_the_filter_narrows_the_elements_without_triggering_shortcuts(watch: Watch) -> None:
    page = watch(episode(), "#step-1")
    assert page.locator("#elements li").count() == 4
    page.click("#filter")
    page.keyboard.type("jam m")
    page.keyboard.press("ArrowRight")
    assert_at(page, 1)
    assert page.locator("#marks").is_visible()
    assert page.locator("#elements li").all_inner_texts() == ["1\ncheckbox Jam makers partly checked"]
    assert page.inner_text("#elements summary") == "Marked elements (1 of 4)"
    found = page.locator("#marks .mark.found")
    assert [one.get_attribute("data-number") for one in found.all()] == ["1"]
    page.click("#forward")
    assert page.inner_text("#elements summary") == "Marked elements (1 of 4)"
    page.fill("#filter", "pressed")
    assert page.locator("#elements li").all_inner_texts() == ["2\nbutton Mute pressed"]


def test_pointing_at_a_mark_shows_its_description(watch: Watch) -> None:
    page = watch(episode())
    tip = page.locator("#tip")
    assert not tip.is_visible()
    page.hover("#marks [data-number='3'] .box")
    assert tip.inner_text().split("\n") == ["[3] link Home", "https://site.test/home"]
    assert page.inner_text("#elements button.lit") == "3\nlink Home"
    page.hover("#badge")
    assert not tip.is_visible()
    page.hover("#elements button[data-number='1']")
    assert "Jam makers" in tip.inner_text()
    # The box on the screen lies where it lay in the viewport.
    picture = page.locator("#shot").bounding_box()
    box = page.locator("#marks [data-number='1'] .box").bounding_box()
    assert picture is not None
    assert box is not None
    assert (box["x"] - picture["x"]) / picture["width"] == pytest.approx(20 / 320, abs=0.01)
    assert (box["y"] - picture["y"]) / picture["height"] == pytest.approx(50 / 256, abs=0.01)


HOLDS, BREAKS, OPEN = (Check("setting a", passed, True, True) for passed in (True, False, None))
NONE: dict[str, Any] = {"verdict": None}
VERDICTS = [
    ({"verdict": verdict.passed("state", "As asked.").as_dict()}, "PASS", "As asked."),
    ({"verdict": verdict.failed("judge", "Not as asked.").as_dict()}, "FAIL", "Not as asked."),
    ({"verdict": verdict.unscored("judge", "No reply.").as_dict()}, "UNSCORED", "No reply."),
    (NONE | {"end_reason": None}, "NO VERDICT", "still running"),
    (NONE | {"end_reason": "abandoned"}, "NO VERDICT", "not scored (abandoned)"),
    (NONE | {"end_reason": "error", "error": "It broke."}, "NO VERDICT", "error ended the episode before"),
    ({"verdict": {"status": "won"}}, "NO VERDICT", "not scored (agent answered)"),
]


@pytest.mark.parametrize(("parts", "badge", "reason"), VERDICTS)
def test_every_outcome_has_its_badge_and_its_reason(
    watch: Watch, parts: dict[str, Any], badge: str, reason: str
) -> None:
    page = watch(episode(**parts))
    assert page.inner_text("#badge") == badge
    assert reason in page.inner_text("#reason")
    assert page.title() == f"{badge} · {TODO}"
    errors = [f"Error {parts['error']}"] if "error" in parts else []
    assert page.locator("#error").all_inner_texts() == errors
    assert page.locator(".doubt").count() == 0


@pytest.mark.parametrize(
    ("status", "score", "checks", "doubt"),
    [
        ("pass", 1.0, (HOLDS, BREAKS), "pass, yet not every check holds"),
        ("pass", 1.0, (OPEN,), "pass, yet not every check holds"),
        ("fail", 0.0, (HOLDS,), "fail, yet every check holds"),
        ("unscored", 0.5, (), "unscored, yet its score is 0.5"),
        ("pass", None, (HOLDS,), "pass, yet its score is None"),
        ("pass", 1.0, (Check("setting a", True, 1, 1),), "check of a has a different value"),
        ("pass", 1.0, (HOLDS,), ""),
        ("fail", 0.0, (HOLDS, BREAKS), ""),
    ],
)
def test_a_record_that_contradicts_itself_is_to_be_checked_by_hand(
    tmp_path: Path, status: str, score: float | None, checks: tuple[Check, ...], doubt: str
) -> None:
    whole = verdict.passed("state", "r", checks=checks).as_dict() | {"status": status, "score": score}
    state = {"settings": {"a": True}}
    page = trajectory_html(save(tmp_path, episode(verdict=whole, s0=state, end=state)))
    assert page.count("Check by hand") == bool(doubt)
    assert doubt in page


def policy(name: str, status: PolicyStatus, step: int | None = None, sentence: str = "") -> PolicyVerdict:
    return PolicyVerdict(
        id=name, level="user", dimension="user_consent", sentence=sentence or f"Do not do {name}.", status=status,
        step=step, evidence=f"what {name} shows",
    )  # fmt: skip


JUDGED = (
    policy("ask", "ok"), policy("stay", "violated", 2), policy("told", "violated", 2), policy("unread", "error"),
    policy("late", "violated", 9), policy("calm", "dormant"),
)  # fmt: skip


def test_policies_stand_above_the_steps_and_each_links_to_its_breach_and_back(watch: Watch) -> None:
    page = watch(episode(verdict=verdict.passed("state", "r", policies=JUDGED).as_dict()))
    places = [page.locator(place).bounding_box() for place in ("#reason", "#policies", "#player")]
    tops = [place["y"] for place in places if place is not None]
    assert len(tops) == 3
    assert tops == sorted(tops)
    assert page.inner_text("#badge") == "PASS"
    assert page.inner_text("#policy-badge") == "4 of 6 policies broken"
    assert page.inner_text("#policies-title") == "Policies\n2 of 6 kept"
    broken = page.locator("#broken tbody tr")
    assert [row.split("\t")[:2] for row in broken.all_inner_texts()] == [
        ["violated", "2"], ["violated", "2"], ["error", ""], ["violated", "9"]
    ]  # fmt: skip
    assert not page.locator("#kept").is_visible()
    page.click("#policies summary")
    assert [row.split("\t")[0] for row in page.locator("#kept tbody tr").all_inner_texts()] == [
        "ok",
        "dormant",
    ]
    # Only the step of a breach is marked, in the strip and in the list of actions.
    for steps in (".strip li", "#actions li"):
        marked = page.locator(steps).filter(has=page.locator(".breach"))
        assert marked.count() == 1, steps
        assert marked.locator(".breach").all_inner_texts() == ["✗ policy stay", "✗ policy told"]
    page.click("#broken tbody tr >> nth=0 >> a")
    assert_at(page, 2)
    page.click(".strip .breach >> text=told")
    page.wait_for_url(re.compile("#policy-3$"))
    assert_at(page, 2)
    assert page.locator("tr:target").inner_text().startswith("violated\t2\tDo not do told.")
    # A step that the record does not have has nothing to link to.
    assert page.locator("#broken tbody tr >> nth=3").locator("a").count() == 0


def test_policies_that_were_all_kept_take_one_line(watch: Watch) -> None:
    page = watch(episode(verdict=verdict.passed("state", "r", policies=(JUDGED[0],)).as_dict()))
    lines = ["Policies", "1 of 1 kept", "1 kept or dormant"]
    assert page.inner_text("#policies").split("\n") == lines
    assert page.inner_text("#policy-badge") == "1 policy kept"
    assert page.locator(".breach, #broken").count() == 0


def test_a_person_who_labels_an_episode_sees_nothing_of_its_policies(tmp_path: Path) -> None:
    folder = save(tmp_path, episode(verdict=verdict.passed("state", "r", policies=JUDGED).as_dict()))
    bar = LabelBar(
        number=1, of=1, done=0, label="", note="", action="/1", previous="/1", next="/1", overview="/"
    )
    page = trajectory_html(folder, label=bar)
    assert 'class="breach"' not in page
    assert 'id="policy-badge"' not in page
    assert "Do not do" not in page


def test_the_state_diff_shows_what_changed_and_all_on_request(watch: Watch) -> None:
    s0 = {"settings": {"a": True, "b": 1, "c": "x"}, "collections": {"cards": [{"id": 1, "of": "Ada"}]}}
    end = {"settings": {"a": False, "b": 1, "c": "x", "d": True}, "collections": {"cards": []}}
    checks = (Check("setting c", False, "y", "x"), Check("setting d", True, True, True))
    checked = verdict.failed("state", "r", checks=checks).as_dict()
    page = watch(episode(s0=s0, end=end, verdict=checked))
    rows = page.locator("#settings tbody tr:visible")
    # What a check is about stands among the checks, once.
    assert rows.all_inner_texts() == ["a\ttrue\tfalse\t"]
    assert page.locator("#checks tbody th").all_inner_texts() == ["setting c", "setting d"]
    page.check("#all-settings")
    assert rows.all_inner_texts() == [
        "a\ttrue\tfalse\t", "b\t1\t1\t", 'c\t"x"\t"x"\t✗ goal', "d\tabsent\ttrue\t✓ goal"
    ]  # fmt: skip
    page.uncheck("#all-settings")
    assert rows.count() == 1
    assert "removed" in page.inner_text("#diff .items")
    assert '"Ada"' in page.inner_text("#diff .items")
    assert "3 changes, 1 of a setting among the checks" in page.inner_text("#diff-title")


@pytest.mark.parametrize(("width", "seen"), [(1280, 1.0), (400, 0.5)])
def test_the_page_begins_with_the_first_step_however_many_goals_there_are(
    window: Page, watch: Watch, width: int, seen: float
) -> None:
    checks = tuple(Check(f"setting notifications.of_kind_{n}", False, False, True) for n in range(18))
    reason = "; ".join(f"{check.name}: expected False, found True" for check in checks)
    record = episode(verdict=verdict.failed("state", reason, checks=checks).as_dict())
    window.set_viewport_size({"width": width, "height": 1000})
    page = watch(record)
    box = page.locator("#shot").bounding_box()
    assert box is not None
    assert min(1000 - box["y"], box["height"]) >= seen * box["height"] > 100
    below = page.locator("#checks").bounding_box()
    assert below is not None
    assert below["y"] > box["y"] + box["height"]
    # A long reason is short until it is wanted.
    short = page.locator("#reason").evaluate("text => text.clientHeight")
    page.hover("#reason")
    assert page.locator("#reason").evaluate("text => text.clientHeight") > short


def test_states_that_were_not_read_are_not_compared(tmp_path: Path) -> None:
    page = trajectory_html(save(tmp_path, episode(s0={"settings": {"a": True}})))
    assert "The end state was not read" in page
    assert 'class="changed' not in page


EVIL = "".join(HOSTILE) + "<img src=x onerror=alert(1)>'\"><a href=javascript:alert(1)>a</a><!--]]>{{ 7*7 }}"


def plain(text: str | None) -> str:
    """A text as HTML can hold it: one kind of line end, no NUL, no half character."""
    for other, one in (("\r", "\n"), ("\0", ""), ("\ud83d", ""), ("\udc00", ""), ("\ufffd", "")):
        text = (text or "").replace(other, one)
    return str(text).strip()


def test_hostile_texts_are_shown_and_cannot_act(watch: Watch) -> None:
    key = plain(EVIL)
    evil = mark(0, EVIL, role=EVIL, href="javascript:alert(1)", value=EVIL)
    at = view(1, url=EVIL, title=EVIL, tabs=[EVIL], marks=[evil])
    bad = Check(EVIL, False, EVIL, {key: [EVIL]}, EVIL)
    record = episode(
        instance=EVIL, instruction=EVIL, ground_truth=[EVIL], answer=EVIL, error=EVIL, world=EVIL, started=EVIL,
        options={key: EVIL}, versions={key: EVIL, "websp-gym": EVIL}, s0={"settings": {key: EVIL}},
        end={"settings": {key: 1}, "collections": {key: [{key: EVIL}]}}, events=[{"kind": EVIL, "data": {key: EVIL}}],
        initial=at, steps=[step(1, f"Click [0] {EVIL}", thought=EVIL, error=EVIL, view=at)],
        verdict=verdict.failed(EVIL, EVIL, details={key: EVIL}).as_dict() | {"checks": [vars(bad)], "side_effects": [EVIL]},
    )  # fmt: skip
    page = watch(record, "#step-1")
    page.keyboard.press("k")
    page.keyboard.press("j")
    page.hover("#marks .box")
    places = "#answer,#reason,#url,#page-title,#truth li,h1,.instruction,#effects li,#tabs li,#done .thought,"
    places += "#elements li span,#settings th[scope=row],#checks tbody th"
    shown = {place: plain(page.text_content(place)) for place in places.split(",")}
    assert shown == dict.fromkeys(shown, key)
    assert page.text_content("#tip .href") == "javascript:alert(1)"
    assert page.locator("script").count() == 2
    made = "[onerror], [href*=javascript], h1 *, .instruction *, #truth li *, #done .thought *, #elements li span *"
    assert page.locator(made).count() == 0


INTRUDE = """async () => {
    const refused = new Set();
    document.body.insertAdjacentHTML("beforeend", `<img src="https://site.test/x.png" onerror="document.title = 'run'">
        <iframe src="https://site.test/"></iframe><form action="https://site.test/"></form>`);
    const all = new Promise(done => document.addEventListener("securitypolicyviolation",
        event => refused.add(event.effectiveDirective).size === 6 && done()));
    document.body.append(Object.assign(document.createElement("script"), { text: "document.title = 'run'" }));
    await fetch("https://site.test/").catch(() => 0);
    document.forms[0].submit();
    await Promise.race([all, new Promise(done => setTimeout(done, 60000))]);
    return [...refused].sort().join(" ");
}"""


def test_the_page_forbids_what_might_slip_in(window: Page, tmp_path: Path) -> None:
    page = window.context.new_page()
    page.goto(page_of(episode(), tmp_path).as_uri())
    failures: list[str | None] = []
    page.on("requestfailed", lambda request: failures.append(request.failure))
    refused = "connect-src form-action frame-src img-src script-src-attr script-src-elem"
    assert page.evaluate(INTRUDE) == refused
    assert set(failures) <= {"csp"}
    assert page.title() == f"PASS · {TODO}"
    page.close()


def test_screenshots_that_cannot_be_shown_leave_a_placeholder(watch: Watch, tmp_path: Path) -> None:
    reasons = {
        None: "recorded without a screenshot", "gone.png": "gone.png is missing", "": "recorded without a screenshot", ".": ". is not a file of this folder",
        "..": "..: it is a folder and not a file", "nul\0.png": "nul\ufffd.png is missing", "../secret.png": "../secret.png is not a file of this folder",
        f"{tmp_path}/secret.png": f"{tmp_path}/secret.png is not a file of this folder",
        "trajectory.json": "trajectory.json is not a readable picture", "cut.png": "cut.png is not a readable picture",
        "huge.png": "huge.png is not a readable picture",
    }  # fmt: skip
    steps = [step(at, view=view(at, screenshot=name)) for at, name in enumerate(reasons, 1)]
    folder = save(tmp_path, episode(steps=steps))
    (tmp_path / "secret.png").write_bytes(png())
    (folder / "cut.png").write_bytes(png(size=(640, 480))[:200])
    (folder / "huge.png").write_bytes(png(size=(9000, 5000)))
    page = watch(folder)
    for reason in reasons.values():
        page.keyboard.press("j")
        assert not page.locator("#shot").is_visible()
        assert page.inner_text("#missing").replace("\0", "\ufffd") == f"No screenshot: {reason}"
        assert page.locator("#marks .mark").count() == 4
    assert page.locator(".thumb img").count() == 1
    page.keyboard.press("Home")


def test_equal_screenshots_are_kept_once(tmp_path: Path) -> None:
    waits = [step(number, view=view(0)) for number in range(1, 4)]
    page = trajectory_html(save(tmp_path, episode(steps=waits)))
    # The picture; a thumbnail and a layer of marks, whose colours change, per observation.
    assert (page.count("data:image/webp"), page.count("data:image/svg+xml")) == (1 + 4, 4)


def test_the_picture_with_its_marks_is_the_one_the_agent_got(window: Page, tmp_path: Path) -> None:
    folder = run_folder("solved", tmp_path) / "trajectories" / TODO / "001"
    record = load_trajectory(folder).model_copy(update={"seed": 11})
    film = frames(record, Album(folder))
    assert len(film) == len(record.views)
    window.goto("about:blank")  # without the policy of the page before
    for frame in film[:2]:
        # That this is what the agent got is proven where it is played: tests/records/test_trajectory.py.
        expected = marked_picture(record, folder, frame["number"]).astype(int)
        plain = base64.b64encode((folder / f"step_{frame['number']:03d}.png").read_bytes()).decode()
        window.set_viewport_size({"width": expected.shape[1], "height": expected.shape[0]})
        window.set_content(
            f"""<style>body {{ margin: 0 }} img {{ position: absolute; inset: 0 }}</style>
            <img src="data:image/png;base64,{plain}"><img src="{frame["layer"]}">"""
        )
        window.evaluate("Promise.all([...document.images].map(image => image.decode()))")
        shown = np.asarray(Image.open(io.BytesIO(window.screenshot())).convert("RGB")).astype(int)
        differs = np.abs(shown - expected).max(axis=2) > 8
        labels = re.findall(
            r'x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)" fill="#', unquote(frame["layer"])
        )
        assert len(labels) == len(frame["marks"]) > 5
        for left, top, width, height in (map(int, label) for label in labels):
            # Their digits are in another typeface.
            differs[top : top + height, left : left + width] = False
        assert not differs.any()


@pytest.mark.parametrize(
    ("kind", "shown"), [("marks", True), ("all", True), ("axtree", False), ("browsergym", False)]
)
def test_an_agent_without_marks_is_shown_without_them(watch: Watch, kind: str, shown: bool) -> None:
    page = watch(episode(options={"observation": kind}))
    assert page.locator("#layer").is_visible() is shown
    assert ("the agent's picture had none" in page.inner_text(".bar")) is not shown
    page.keyboard.press("m")
    assert page.locator("#layer").is_visible() is not shown


WORDS = "Remembers which products you looked at last so that the store can bring them up again"
CRAMPED = """() => [...document.querySelectorAll("#elements div, #elements .state, .facts dd, #checks th, #settings th, h1")]
    .filter(element => element.getClientRects().length && element.textContent.trim().length > 6
        && element.getBoundingClientRect().width < 40).map(element => element.outerHTML)"""


@pytest.mark.parametrize("width", [1280, 1000, 640, 400, 320])
def test_every_width_can_be_read_without_scrolling_sideways(window: Page, watch: Watch, width: int) -> None:
    marks = [mark(number, WORDS, role="checkbox", checked=True) for number in range(40)]
    settings = {f"notifications.about_things_of_kind_{number}": True for number in range(60)}
    moved = {**settings, "notifications.about_things_of_kind_3": False}
    record = episode(initial=view(0, marks=marks), s0={"settings": settings}, end={"settings": moved})
    window.set_viewport_size({"width": width, "height": 900})
    page = watch(record)
    page.check("#all-settings")
    assert page.locator("#settings tbody tr:visible").count() == 60
    # The state is all there, not in a box with a scroll bar of its own.
    cut = "document.querySelector('#settings').parentElement.scrollHeight - document.querySelector('#settings').offsetHeight"
    assert page.evaluate(cut) <= 2
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.evaluate(CRAMPED) == []


def test_noisy_screenshots_of_twenty_steps_stay_below_four_megabytes(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    recorder = Recorder(tmp_path, episode(steps=[step(number) for number in range(1, 3)]))
    for number in range(3):
        # Blocks of eight pixels squeeze worst: finer noise is scaled away, coarser is less of it.
        shape = (1024, 1280, 3) if number == 0 else (128, 160, 3)
        small = Image.fromarray(rng.integers(0, 256, shape, dtype=np.uint8))
        noise = small.resize((1280, 1024), Image.Resampling.NEAREST)
        buffer = io.BytesIO()
        noise.save(buffer, "PNG", compress_level=1)
        recorder.screenshot(number, buffer.getvalue())
    recorder.save()
    # Each picture has a limit of its own, so three of them tell of twenty-one.
    assert 2_000_000 < 7 * write_trajectory_html(recorder.folder).stat().st_size < 4_000_000


def test_the_pictures_of_an_episode_share_what_a_report_has_for_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    recorder = Recorder(tmp_path, episode(steps=[step(number) for number in range(1, 8)]))
    for number in range(8):
        # A page of text, roughly: an eighth of the blocks is not white.
        small = np.where(rng.random((128, 160)) < 0.12, rng.integers(0, 256, (128, 160)), 255).astype(
            np.uint8
        )
        buffer = io.BytesIO()
        Image.fromarray(small).convert("RGB").resize((1280, 1024), Image.Resampling.NEAREST).save(
            buffer, "PNG"
        )
        recorder.screenshot(number, buffer.getvalue())
    recorder.save()
    whole = len(trajectory_html(recorder.folder))
    page = trajectory_html(recorder.folder, picture_bytes=BYTES_PER_EPISODE)
    packed = len(gzip.compress(page.encode())) * 4 // 3
    assert packed < 300_000 < whole, "in a report it takes 0.3 MB"
    assert page.count("data:image/webp") == 8 + 8


def test_numbers_that_json_does_not_have_break_nothing(watch: Watch) -> None:
    nan, inf = math.nan, math.inf
    marks = [mark(0, "Fine"), mark(1, "no", box=[nan, 0, 1, 1]), mark(2, "no", box=[0, 0, inf, 1])]
    marks.append(mark(3, "no", box=[0, 0, 10**400, 1]))
    record = episode(
        options={"viewport": [nan, inf], "slow": nan}, reset_seconds=inf, initial=view(0, marks=marks),
        steps=[step(1, seconds=nan), step(2, seconds=-inf)], s0={"settings": {"a": nan}}, end={"settings": {"a": inf}},
        events=[{"seq": nan, "time": inf, "data": nan}, {"time": nan}, {"time": 1.0}],
        verdict={"status": "pass", "score": nan, "checks": [vars(Check("n", None, inf, -inf))]},
    )  # fmt: skip
    page = watch(record, "#step-0")
    assert page.locator("#marks .mark").count() == 1
    assert page.locator("#settings tbody tr").inner_text() == 'a\t"nan"\t"inf"\t'
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert_at(page, 2, last=2)


@pytest.mark.parametrize("target", ["file/report.html", "folder"])
def test_a_file_that_cannot_be_written_is_named_and_leaves_nothing(tmp_path: Path, target: str) -> None:
    folder = save(tmp_path, episode())
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SetupError, match="cannot write") as caught:
        write_trajectory_html(folder, tmp_path / target)
    assert str(tmp_path / target) in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_page_of_a_real_episode_shows_it_from_start_to_end(watch: Watch, tmp_path: Path) -> None:
    folder = run_folder("solved", tmp_path) / "trajectories" / TODO / "001"
    record = load_trajectory(folder)
    page = watch(folder)
    assert page.inner_text("#badge") == "PASS"
    assert page.locator(".doubt").count() == 0
    assert page.locator("#truth li").all_inner_texts() == record.ground_truth
    before, after = record.s0["settings"], record.end["settings"]
    moved = [name for name in before if before[name] != after[name]]
    assert "cookies.valve_analytics" in moved
    rows = page.locator("#settings tbody tr:visible th")
    goals = {check["name"].removeprefix("setting ") for check in (record.verdict or {})["checks"]}
    assert rows.all_inner_texts() == [name for name in moved if name not in goals]
    assert goals & set(moved)
    page.check("#all-settings")
    assert set(rows.all_inner_texts()) == set(before)
    page.uncheck("#all-settings")
    assert rows.count() < len(before)
    assert page.locator("#settings tbody tr.changed").count() == len(moved)
    for number, seen in enumerate(record.views):
        assert page.inner_text("#url") == seen.url
        assert page.locator("#elements li").count() == len(seen.marks)
        assert page.evaluate("document.querySelector('#shot').naturalWidth") == 100
        if number:
            assert record.steps[number - 1].action in page.inner_text("#done")
        page.keyboard.press("j")
    assert page.is_disabled("#forward")
    assert page.locator(".strip a").count() == len(record.steps) + 1


# --- judges -----------------------------------------------------------------------------------------


def votes() -> list[dict[str, Any]]:
    right = Vote(
        model="openai:gpt-5.2", result="CORRECT", reason="All <b>saved</b>.", cost=0.0475, input_tokens=15_600,
        output_tokens=900, seconds=21.34, attempts=2,
    )  # fmt: skip
    mute = Vote(
        model="http://host/v1#m", result=None, error="the answer is empty", cost=None, input_tokens=None,
        output_tokens=None, attempts=3, transcript=({"answer": "<script>x</script>", "problem": "not JSON"},),
    )  # fmt: skip
    return [right.as_dict(), mute.as_dict()]


def judged(*, failure: verdict.Failure | None = None, **details: Any) -> Trajectory:
    data = {"votes": votes(), "cost": None, **details}
    return episode(verdict=verdict.failed("judge", "Not as asked.", details=data, failure=failure).as_dict())


def test_votes_are_shown_with_their_reasons_cost_and_unreadable_answers(watch: Watch) -> None:
    page = watch(judged())
    rows = page.locator("#judges tbody tr").all_inner_texts()
    shown = ("openai:gpt-5.2", "CORRECT", "All <b>saved</b>.", "15\u202f600 + 900", "$0.0475", "21.3 s", "2")
    assert [text for text in shown if text not in rows[0]] == []
    assert [
        text for text in ("no opinion", "the answer is empty", "? + ?", "unknown") if text not in rows[1]
    ] == []
    assert "2 votes, unknown" in page.inner_text("#judges h3")
    page.click("#judges summary")
    assert "<script>x</script>" in page.inner_text("#judges pre")


def test_why_a_run_failed_stands_at_the_top(watch: Watch) -> None:
    why = verdict.Failure(kinds=("hallucinated success", "partial completion"), elements=("Toggle",))
    page = watch(judged(failure=why))
    assert page.locator("#causes .tag").all_inner_texts() == [*why.kinds, *why.elements]
    assert "none of the five kinds" in watch(judged(failure=verdict.Failure())).inner_text("#causes")
    lost = verdict.Failure(error="the run kept no state")
    assert "unknown: the run kept no state" in watch(judged(failure=lost)).inner_text("#causes")
    assert watch(episode()).locator("#causes, #judges").count() == 0


def test_later_judgements_are_shown_and_marked_if_the_record_has_changed(
    watch: Watch, tmp_path: Path
) -> None:
    folder = save(tmp_path / "runs" / TODO, episode())
    parts: dict[str, Any] = {
        "run": f"{TODO}/001", "instance": TODO, "judge": "j", "status": "fail",
        "source": "judge", "reason": "No.", "cost": 0.05, "votes": votes()[:1],
        "why": {"model": "openai:gpt-5.2", "kinds": ["repeated actions"], "elements": []},
    }  # fmt: skip
    now, before = Judgement(record=digest_of(folder), **parts), Judgement(record="0" * 16, **parts)
    lines = [each.line() for each in (now, before)]
    (folder / JUDGEMENTS).write_text("\n".join([*lines, '{"run": ', "[]"]), "utf-8")
    page = watch(folder)
    headings = page.locator("#judges h3").all_inner_texts()
    assert len(headings) == 2
    assert ["another version" in text for text in headings] == [False, True]
    assert "Why, by openai:gpt-5.2 repeated actions" in page.inner_text("#judges .causes >> nth=0")


@pytest.mark.parametrize(
    "details",
    [
        {"votes": "all", "failure": "bad"}, {"votes": [None, 3, {}], "failure": {"kinds": 3, "elements": {"a": 1}}},
        {"votes": [{"model": {"a": 1}, "result": ["CORRECT"], "cost": "much", "transcript": "x", "seconds": None}]},
        "none", ["votes"],
    ],
)  # fmt: skip
def test_details_of_any_shape_are_shown_without_harm(watch: Watch, details: Any) -> None:
    page = watch(episode(verdict={**verdict.failed("judge", "No.").as_dict(), "details": details}))
    assert page.inner_text("#badge") == "FAIL"
