"""Rows of tables, lists, cards and descriptions are known by what they say, whatever can be done with them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.replay.test_locate import found_in, not_found
from tests.replay_support import Bench, bench

__all__ = ["bench"]

Row = Callable[[str, str, str], str]
CAROL = ("Carol Weiss", "Interesting view of the harbour")
OTHERS = (("Ben Ode", "First!"), ("Dora Lind", "Where was this taken?"), ("Emil Hart", "Great colours"))


def links(*names: str) -> str:
    """Actions as links with separators between them, as under a comment."""
    return " | ".join(f"<a href='/{name.lower()}'>{name}</a>" for name in names)


def table(author: str, text: str, actions: str) -> str:
    return (
        f"<tr class=row><td>{author}<td><p>{text}</p><div>{actions}</div><td>on <a href=/post>Hello world</a>"
    )


def grid(author: str, text: str, actions: str) -> str:
    cells = "".join(f"<div role=gridcell>{cell}</div>" for cell in (author, f"<p>{text}</p>{actions}"))
    return f"<div role=row class=row>{cells}</div>"


def item(author: str, text: str, actions: str) -> str:
    return f"<li class=row><b>{author}</b> <span>{text}</span> <span>{actions}</span></li>"


def card(author: str, text: str, actions: str) -> str:
    return f"<div class=row><header>{author}</header><p>{text}</p><footer>{actions}</footer></div>"


def described(author: str, text: str, actions: str) -> str:
    return f"<dt>{author}</dt><dd class=row>{text} {actions}</dd>"


AROUND: dict[Row, str] = {
    table: "<table>{}</table>",
    grid: "<div role=grid>{}</div>",
    item: "<ul>{}</ul>",
    card: "<div>{}</div>",
    described: "<dl>{}</dl>",
}


def page(row: Row, *rows: tuple[tuple[str, str], str]) -> str:
    """A list of comments, each with its actions."""
    return "<h2>Comments</h2>" + AROUND[row].format("".join(row(*data, actions) for data, actions in rows))


SPAM = "<button class=spam>Spam</button>"
USUAL = f"{SPAM} | {links('Edit')}"
MORE = f"{links('Pin')} | {SPAM} | {links('Edit', 'History')}"


@pytest.mark.parametrize("row", AROUND, ids=lambda row: row.__name__)
def test_a_row_is_found_with_one_more_action_in_it_and_among_other_rows(bench: Bench, row: Row) -> None:
    for others in ([(data, USUAL) for data in OTHERS[:2]], []):
        bench.show(page(row, *others, (CAROL, USUAL)))
        target = bench.target(f".row:nth-of-type({len(others) + 1}) .spam")
        assert "Edit" not in target["nearby"], target["nearby"]
        for actions in (MORE, USUAL, SPAM):
            bench.show(page(row, (OTHERS[2], actions), (CAROL, actions), (OTHERS[1], actions)))
            found_in(bench, target, ".row:nth-of-type(2) .spam")
            bench.show(page(row, (OTHERS[2], USUAL), (CAROL, actions), (OTHERS[1], USUAL)))
            found_in(bench, target, ".row:nth-of-type(2) .spam")
        bench.show(page(row, (OTHERS[2], MORE), (OTHERS[1], MORE)))
        not_found(bench, target)


def test_two_rows_that_say_the_same_are_refused(bench: Bench) -> None:
    for row in AROUND:
        bench.show(page(row, (OTHERS[0], USUAL), (CAROL, USUAL)))
        target = bench.target(".row:nth-of-type(2) .spam")
        bench.show(page(row, (OTHERS[0], MORE), (CAROL, MORE), (CAROL, MORE)))
        not_found(bench, target)


def test_who_wrote_it_tells_a_row_from_a_later_one_with_the_same_words(bench: Bench) -> None:
    twin = ("Dora Lind", CAROL[1])
    for row in AROUND:
        bench.show(page(row, (OTHERS[0], USUAL), (CAROL, USUAL)))
        target = bench.target(".row:nth-of-type(2) .spam")
        bench.show(page(row, (OTHERS[0], MORE), (twin, MORE), (CAROL, MORE)))
        found_in(bench, target, ".row:nth-of-type(3) .spam")
        bench.show(page(row, (OTHERS[0], MORE), (twin, MORE)))
        if row is not item:
            not_found(bench, target)


def test_a_title_that_is_a_link_is_no_action(bench: Bench) -> None:
    def tokens(*names: str, more: str = "") -> str:
        rows = [f"<li><a href=/tokens/{name}>{name}</a> {more}<button>Revoke</button></li>" for name in names]
        return f"<h2>Tokens</h2><ul>{''.join(rows)}</ul>"

    for before in (("laptop",), ("deploy", "laptop")):
        bench.show(tokens(*before))
        laptop = bench.target(f"li:nth-of-type({len(before)}) button")
        assert laptop["nearby"] == "laptop"
        bench.show(tokens("phone", "backup", "laptop", more="<a href=/log>Log</a> "))
        found_in(bench, laptop, "li:nth-of-type(3) button")
        bench.show(tokens("phone", "backup", more="<a href=/log>Log</a> "))
        not_found(bench, laptop)


def test_an_action_that_was_recorded_as_text_of_its_row_by_an_older_recorder_may_have_company(
    bench: Bench,
) -> None:
    bench.show(page(table, (OTHERS[0], USUAL), (CAROL, USUAL)))
    target = bench.target("tr:nth-of-type(2) .spam") | {"nearby": f"{CAROL[1]} | Edit"}
    bench.show(page(table, (OTHERS[2], MORE), (CAROL, MORE), (OTHERS[1], MORE)))
    found_in(bench, target, "tr:nth-of-type(2) .spam")
