"""No sequence of actions turns a losing episode into one without a verdict. ``WEBSP_WALKS=300 make prove`` tries more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.check_support import SITE, task, write_checked
from tests.fuzz_support import CATALOG, VALUES, YAML
from tests.sample import left_to_prove
from websp_gym.agents import Briefing
from websp_gym.agents.oracle import OracleAgent
from websp_gym.authoring import SearchPaths
from websp_gym.authoring.forms import words_of
from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env, make_sampled_env
from websp_gym.env.sampled import SampledEnv
from websp_gym.tasks.instances import load_instance

INSTANCES = (
    "HuggingFace-task-118", "Moodle-task-205-OFF", "GitHub-task-130-OFF", "Reddit-task-51-ON", "Docker-task-2",
    "Quora-task-78-ON", "GoogleAdCenter-task-138-ON", "Pinterest-task-62-ON",
)  # fmt: skip
PAGES = {
    site.slug: [
        f"https://{(page.hosts or site.hosts)[0]}{page.path}"
        for page in site.pages
        if page.template and "{" not in page.path
    ]
    for site in CATALOG
}
ANYWHERE = [page for pages in PAGES.values() for page in pages]
WORDS = sorted({word for site in CATALOG for word in words_of(site)})
TEXTS = st.one_of(
    st.sampled_from(WORDS), st.sampled_from([text[:2000] for text in (*VALUES, *YAML)]), st.text(max_size=60)
)
TYPED = ("textbox", "searchbox", "combobox", "spinbutton")


def quoted(text: str) -> str:
    """A text as an argument of a BrowserGym call."""
    return repr(text.encode("utf-8", "replace").decode())


def actions(seen: dict[str, Any], slug: str) -> st.SearchStrategy[str]:
    """Possible actions of an agent on a page: go to any page, click, type words and odd texts, search, go back."""
    marks = seen["elements"]
    fields = [mark["number"] for mark in marks if mark["role"] in TYPED]
    places = st.one_of(st.sampled_from(PAGES[slug]), st.sampled_from(ANYWHERE))
    kinds = [
        st.builds(lambda url: f"goto({url!r})", places),
        st.builds(lambda url, text: f"goto({quoted(f'{url}?q={text}&page={text}')})", places, TEXTS),
        st.builds(lambda text: f"keyboard_insert_text({quoted(text)})", TEXTS),
        st.sampled_from(
            ["keyboard_press('Enter')", "keyboard_press('Tab')", "GoBack", "Google", "Scroll_to_end"]
        ),
    ]
    if marks:
        kinds.append(st.builds("Click [{}]".format, st.integers(0, len(marks) - 1)))
    if fields:
        typing = st.builds("Type [{}]; {}".format, st.sampled_from(fields), TEXTS)
        kinds += [typing, typing]
    return st.one_of(kinds)


@pytest.fixture(scope="module")
def env() -> Iterator[SampledEnv]:
    env = make_sampled_env(INSTANCES, initial_state="snapshot", max_actions=50, viewport=(800, 600))
    yield env
    env.close()


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("walks", [2, left_to_prove(int(os.environ.get("WEBSP_WALKS", "40")))])
def test_no_walk_through_the_sites_ends_without_a_verdict(env: SampledEnv, walks: int) -> None:
    @settings(
        max_examples=walks,
        derandomize="WEBSP_WALKS" not in os.environ,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(data=st.data())
    def walk(data: st.DataObject) -> None:
        _walk(env, data)

    walk()


def _walk(env: SampledEnv, data: st.DataObject) -> None:
    instance = data.draw(st.sampled_from(INSTANCES), label="instance")
    seen, _ = env.reset(seed=0, options={"instance": instance})
    for _ in range(data.draw(st.integers(1, 6), label="actions")):
        action = data.draw(actions(seen, env.instance.site.slug), label="action")
        seen, reward, terminated, truncated, _ = env.step(action)
        assert (reward, terminated, truncated) == (0.0, False, False)
    ending = data.draw(
        st.sampled_from(["ANSWER; done", "report_infeasible('no')", "send_msg_to_user('done')"])
    )
    _, reward, terminated, _, info = env.step(ending)
    verdict = info["verdict"]
    assert terminated
    assert not info["unscored"], verdict["reason"]
    assert (verdict["status"], reward) in [("fail", 0.0), ("pass", 1.0)]
    # Whoever passes has reached the goal.
    assert reward == float(all(check["passed"] for check in verdict["checks"]))


BREAKING = SITE.replace(
    "actions:",
    """  - {{path: /broken, template: broken.html}}
actions:
  - {{path: /boom, set: {{ads: ads}}, redirect: "/{{ads.name}}"}}""",
).replace(
    "mail: {{type: bool, default: true}}", "mail: {{type: bool, default: true}}\n  note: {{type: text}}"
)
BOOM = '<form method="post" action="/boom"><button name="ads" value="off">Boom</button></form>'
REMARK = '<form method="post" action="/boom"><button name="ads" value="on">Remark</button></form>'


@pytest.fixture(scope="module")
def breaking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebspEnv]:
    """A site of which one page and one action break."""
    folder = tmp_path_factory.mktemp("breaking")
    write_checked(folder, "Breaking", task("Breaking-task-1"), home=BOOM + REMARK, site=BREAKING)
    page: Path = folder / "sites" / "breaking" / "templates" / "broken.html"
    page.write_text("{{ missing }}")
    places = SearchPaths.below(folder)
    with places.known(), places.served():
        env = make_env("Breaking-task-1", initial_state="replay", on_unscored="zero", viewport=(800, 600))
        yield env
        env.close()


HOME = "https://www.breaking.example/"


@pytest.mark.parametrize(
    ("plays", "solved", "status"),
    [
        ([f"goto('{HOME}broken')"], False, "fail"),
        ([f"goto('{HOME}broken')", f"goto('{HOME}')"], True, "pass"),
        (["Remark", f"goto('{HOME}')"], False, "fail"),
        (["Boom", f"goto('{HOME}')"], False, "unscored"),
        (["Boom", f"goto('{HOME}')"], True, "pass"),
    ],
)
def test_a_broken_request_decides_only_what_it_could_have_changed(
    breaking: WebspEnv, plays: list[str], solved: bool, status: str
) -> None:
    env = breaking
    seen, _ = env.reset(seed=0)
    for each in plays:
        (number,) = [mark["number"] for mark in seen["elements"] if mark["name"] == each] or [None]
        seen, *_ = env.step(each if number is None else f"Click [{number}]")
    oracle = OracleAgent()
    assert env.task is not None
    oracle.begin(Briefing(load_instance("Breaking-task-1"), env.task.world_episode.account, 0))
    terminated = False
    while not terminated:
        action = oracle.act(seen) if solved else "ANSWER; done"
        seen, _, terminated, _, info = env.step(action)
    assert info["verdict"]["status"] == status, info["verdict"]["reason"]
