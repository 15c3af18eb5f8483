"""The boards of the CRM: of 40 only the picture tells the answer, of 40 only the document, and nothing else passes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from browsergym.utils.obs import flatten_axtree_to_str, flatten_dom_to_str
from playwright.sync_api import Page

from tests.conftest import MakeEnv
from tests.sample import long_proof
from websp_gym.agents.base import Briefing
from websp_gym.agents.oracle import OracleAgent
from websp_gym.authoring.files import tasks_of
from websp_gym.env import WebspEnv
from websp_gym.env.play import play
from websp_gym.sandbox.schema.catalog import Catalog
from websp_gym.scoring.seen_and_said import answer_checks
from websp_gym.tasks.goals import Named, Number
from websp_gym.tasks.instances import Instance, load_instance
from websp_gym.tasks.sites import site_folders

pytestmark = pytest.mark.usefixtures("browser_thread")

SEEN = range(295, 335)
READ = range(335, 375)
SMOKE_SEEN, SMOKE_READ = SEEN[4::5], READ[4::5]
"""The hard one of each category."""

ROWS = """() => {
  const drawn = (cell, where) => getComputedStyle(cell, where).content.match(/^"(.*?)"/)?.[1] ?? '';
  return [...document.querySelectorAll('.board tbody tr')].map((row) => ({
    names: [...row.cells].map((cell) => cell.innerText.trim()),
    label: [...row.cells].map((cell) => drawn(cell, '::before') + drawn(cell, '::after')).join(''),
    colour: getComputedStyle(row.cells[0]).backgroundColor,
    mark: getComputedStyle(row.cells[0]).boxShadow + getComputedStyle(row.cells[0], '::before').backgroundColor,
  }));
}"""
LEGEND = """() => Object.fromEntries([...document.querySelectorAll('.legend li')].map((each) =>
  [each.innerText.trim(), getComputedStyle(each, '::before').backgroundColor]))"""
CARDS = """() => [...document.querySelectorAll('board-card')].map((card) => {
  const {x, y} = card.getBoundingClientRect();
  return {x, y, z: Number(getComputedStyle(card).zIndex), lines: card.innerText.trim().split('\\n')};
})"""
IN_WINDOW = """() => {
  for (const each of document.getAnimations()) each.finish();
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  const inside = (box) => box.width > 2 && box.height > 2 && box.top < innerHeight && box.bottom > 0 && box.left < innerWidth && box.right > 0;
  const drawn = (el) => el.checkVisibility({opacityProperty: true, visibilityProperty: true})
    && parseFloat(getComputedStyle(el).fontSize) > 10 && inside(el.getBoundingClientRect());
  while (walker.nextNode()) {
    range.selectNodeContents(walker.currentNode);
    if (drawn(walker.currentNode.parentElement) && inside(range.getBoundingClientRect())) found.push(walker.currentNode.data);
  }
  for (const field of document.querySelectorAll('input:not([type=hidden])')) if (drawn(field)) found.push(field.value, field.placeholder);
  return found.join(' \\n ');
}"""
LOOKS = """() => [...document.querySelectorAll('.states .state, .states input, [role=treeitem] > span, .fields input, .fields label')].map((el) => {
  const style = getComputedStyle(el);
  return el.localName + ['color', 'backgroundColor', 'borderTopColor', 'fontWeight', 'fontStyle', 'opacity', 'textDecorationLine', 'boxShadow'].map((name) => style[name]).join();
})"""
COUNTED = {
    340: "[data-territory=north]",
    346: 'td >> text="Kristiansund"',
    373: ".fields .rk-field:not([aria-hidden=true])",
}
"""What the number of an answer counts, where no text says it."""
IN_PIECES = {
    343: "[...document.querySelectorAll('[name^=part-]')].sort((a, b) => a.name < b.name ? -1 : 1).map((each) => each.value).join('-')",
    344: "[...document.querySelectorAll('[data-initial]')].map((each) => each.dataset.initial).join('')",
}
"""How an answer is put together."""
SHELL = ["records.js", "crm.js"]
"""The scripts of every page of the CRM."""


def instance_of(number: int) -> Instance:
    return load_instance(f"SuiteCRM-stwab-{number}")


def begin(make: MakeEnv, number: int) -> tuple[WebspEnv, dict[str, Any], Page]:
    env = make(instance_of(number).id, observation="all")
    observation, _ = env.reset()
    return env, observation, env.page


def variants(wanted: str | tuple[str, ...]) -> tuple[str, ...]:
    return (wanted,) if isinstance(wanted, str) else wanted


def has(text: str, words: Iterable[str]) -> bool:
    plain = " ".join(text.casefold().split())
    return any(re.search(rf"(?<![\w.,-]){re.escape(each.casefold())}(?![\w-])", plain) for each in words)


def as_text(number: float) -> tuple[str, ...]:
    return (f"{number:g}", f"{number:,.0f}", f"{number:.0f}")


def told_apart(instance: Instance, text: str) -> list[str]:
    """Return what of the answer a text has, unless it has all other things that might be the answer, too."""
    found = []
    for wanted in instance.task.goal.answer:
        if isinstance(wanted, Named):
            right = [each for each in wanted.names if has(text, variants(each)[:1])]
            others = [each for each in (*wanted.names, *wanted.among) if not has(text, variants(each)[:1])]
            found += [str(each) for each in right if others or not wanted.among]
        elif isinstance(wanted, Number):
            found += [each for each in as_text(wanted.number) if has(text, [each])]
        else:
            found += [str(wanted)] if has(text, variants(wanted)) else []
    return found


@pytest.mark.parametrize("number", long_proof(SEEN, SMOKE_SEEN))
def test_what_is_to_be_seen_is_in_no_text(make: MakeEnv, number: int) -> None:
    env, observation, page = begin(make, number)
    instance = instance_of(number)
    places = page.locator(".tools button").evaluate_all("all => all.map((each) => each.ariaLabel)")
    marks = re.sub(r"^\[\d+\]", "", str(observation["elements_text"]), flags=re.MULTILINE)
    tree = flatten_axtree_to_str(observation["axtree_object"], hide_all_bids=True)
    html = re.sub(r' (?:bid|browsergym_\w+)="[^"]*"', "", page.locator("#view").inner_html())
    assert "rk-head" in html
    assert "Reports" in tree
    snapshot = flatten_dom_to_str(observation["dom_object"], hide_all_bids=True)
    for text in (marks, tree, snapshot, page.locator("body").inner_text(), html):
        for place in places:  # a number in each of their names, which tells none of them apart
            text = text.replace(place, "")
        assert told_apart(instance, text) == []
    assert page.evaluate("[...document.scripts].map((each) => each.src.split('/').pop())") == SHELL
    solves(env, observation)


@pytest.mark.parametrize("number", long_proof(READ, SMOKE_READ))
def test_what_is_to_be_read_is_in_the_document_and_in_no_picture(make: MakeEnv, number: int) -> None:
    env, observation, page = begin(make, number)
    instance = instance_of(number)
    shown = page.evaluate(IN_WINDOW)
    assert "Reports" in shown
    assert told_apart(instance, shown) == []
    looks = page.evaluate(LOOKS)
    assert len(set(looks)) <= len({each.partition("rgb")[0] for each in looks}), (
        "the picture tells them apart"
    )
    documents = " ".join(each.content() for each in env.page.context.pages)
    for wanted in instance.task.goal.answer:
        if isinstance(wanted, Named):
            assert all(has(documents, variants(each)) for each in wanted.names)
        elif number in IN_PIECES:
            assert page.evaluate(IN_PIECES[number]) == instance.config.answer
        elif not isinstance(wanted, Number):
            assert has(documents, variants(wanted))
        elif number in COUNTED:
            assert page.locator(COUNTED[number]).count() == wanted.number
        elif number == 365:
            assert len(observation["tabs"]) == wanted.number
        else:
            assert has(documents, as_text(wanted.number))
    solves(env, observation)


def solves(env: WebspEnv, observation: dict[str, Any]) -> None:
    """Play the oracle from here on."""
    oracle = OracleAgent()
    assert env.task is not None
    oracle.begin(Briefing(env.instance, env.task.world_episode.account, 0))
    *_, last = play(oracle.act, observation, env.step)
    assert last.reward == 1.0, last.info["verdict"]


@pytest.mark.parametrize("number", [*SEEN, *READ])
def test_an_answer_in_a_text_would_be_found(number: int) -> None:
    instance = instance_of(number)
    assert told_apart(instance, f"It is {instance.config.answer}.")


@pytest.mark.parametrize("number", [*SEEN, *READ])
def test_only_the_answer_passes(number: int) -> None:
    instance = instance_of(number)

    def passes(answer: str) -> bool:
        checks = answer_checks(instance.task.goal, answer, instance.task.instruction)
        return all(each.passed for each in checks)

    assert instance.task.category == ("Seen in the Picture" if number in SEEN else "Found in the Document")
    assert passes(instance.config.answer)
    assert not passes("done")
    assert not passes("I cannot tell.")
    for decoy in decoys(instance):
        assert not passes(decoy), decoy


def decoys(instance: Instance) -> Iterator[str]:
    """Yield wrong answers of the same kind, and one that names everything."""
    (wanted,) = instance.task.goal.answer
    if isinstance(wanted, Number):
        yield from (f"{wanted.number + 1:g}", f"{wanted.number:g} or {wanted.number + 1:g}")
    elif isinstance(wanted, Named):
        names, among = ([variants(each)[0] for each in some] for some in (wanted.names, wanted.among))
        yield from among
        yield from names[:-1]
        if among:
            yield ", ".join((*names, *among))
    else:
        right = variants(wanted)[0]
        yield from (right[:-1], f"{right}x", right[::-1] if right != right[::-1] else "x")


def row_with(page: Page, text: str) -> dict[str, Any]:
    """Return the row of the table that has a text in a cell, or as its label."""
    (row,) = [each for each in page.evaluate(ROWS) if text in (*each["names"], each["label"])]
    return dict(row)


@pytest.mark.parametrize("number", long_proof(range(295, 300), [299]))
def test_labels_are_drawn_where_the_answer_says(make: MakeEnv, number: int) -> None:
    _, _, page = begin(make, number)
    instance = instance_of(number)
    rows = page.evaluate(ROWS)
    answer = instance.config.answer
    asked = [each for each in rows if each["names"][0] in instance.task.instruction]
    match number:
        case 295 | 296:
            assert [each["label"] for each in asked] == [answer]
        case 297 | 298:
            label = "Technical lead" if number == 297 else "escalated"
            assert row_with(page, label)["names"][0] == answer
        case _:
            assert str(sum(each["label"] == "Editor" for each in rows)) == answer


@pytest.mark.parametrize("number", long_proof(range(300, 305), [304]))
def test_colours_are_those_that_the_answer_says(make: MakeEnv, number: int) -> None:
    _, _, page = begin(make, number)
    instance = instance_of(number)
    rows, legend, answer = page.evaluate(ROWS), page.evaluate(LEGEND), instance.config.answer
    if number in (300, 301):
        (row,) = [each for each in rows if each["names"][0] in instance.task.instruction]
        assert ("rgb(188, 214, 242)" if number == 300 else legend[answer]) in row["colour"] + row["mark"]
    elif number == 303:
        assert [each["names"][0] for each in rows if legend["degraded"] in each["mark"]] == [answer]
    else:
        red = "rgb(244, 185, 178)" if number == 302 else "rgb(246, 207, 203)"
        assert ", ".join(each["names"][0] for each in rows if each["colour"] == red) == answer


@pytest.mark.parametrize(
    ("number", "order", "place", "line"),
    long_proof(
        [
            (305, "y", 0, 0),
            (306, "y", 0, 0),
            (307, "y", 1, 0),
            (308, "yx", 0, 0),
            (309, "x", -1, 1),
            (315, "z", -1, 0),
            (317, "z", -1, 1),
            (318, "z", 1, 0),
            (319, "z", 0, 0),
        ],
        [(309, "x", -1, 1), (319, "z", 0, 0)],
    ),
)
def test_things_are_where_the_answer_says(
    make: MakeEnv, number: int, order: str, place: int, line: int
) -> None:
    _, _, page = begin(make, number)
    cards = sorted(page.evaluate(CARDS), key=lambda card: [card[each] for each in order])
    assert cards[place]["lines"][line] == instance_of(number).config.answer


def test_a_board_is_drawn_for_the_page_alone(make: MakeEnv) -> None:
    _, _, page = begin(make, 310)
    for file in ("quarters.svg", "board.css", "nothing.svg"):
        assert page.evaluate("async (url) => (await fetch(url)).status", f"/boards/310/{file}") == 404
    assert page.evaluate("document.querySelector('.pictures img').naturalWidth") == 560
    for path in ("boards/310/quarters.svg", "_route/boards/nothing", "_route/boards/310/nothing"):
        gone = page.goto(f"https://crm.corp.example/{path}")
        assert gone is not None
        assert gone.status == 404


def test_further_tabs_are_open_behind_the_start_page(make: MakeEnv) -> None:
    env, observation, page = begin(make, 369)
    assert [tab["url"].partition("#")[2] for tab in observation["tabs"]] == [
        "/boards/369", "/boards/369/spring", "/boards/369/autumn",
    ]  # fmt: skip
    assert [tab["active"] for tab in observation["tabs"]] == [True, False, False]
    assert page.locator("h1").inner_text() == "Two vouchers"
    assert all(
        env.page.context.new_cdp_session(each).send("Page.getNavigationHistory")["currentIndex"] == 0
        for each in env.page.context.pages
    )


def test_a_site_may_have_its_work_in_several_files() -> None:
    instances, finding = tasks_of("suitecrm")
    assert finding.outcome == "ok"
    assert {each.id for each in instances} >= {"SuiteCRM-stwab-47", "SuiteCRM-stwab-374"}
    assert instances[0].site.start_url == "https://crm.corp.example/"


def test_each_category_has_two_easy_boards_two_medium_ones_and_a_hard_one() -> None:
    boards = Catalog(site_folders())["suitecrm"].data["boards"]
    kinds = [(each["category"], each["difficulty"]) for each in boards]
    names = [f"{letter}{number}" for letter in "VD" for number in range(1, 9)]
    assert kinds == [(name, each) for name in names for each in ("easy", "easy", "medium", "medium", "hard")]
