"""What tells a recorded element from others of its role and name: its row, its heading, or nothing but its place."""

from __future__ import annotations

from tests.replay.test_locate import found_in, not_found
from tests.replay_support import Bench, bench

__all__ = ["bench"]


def field(label: str) -> str:
    return f"<div><label>{label} <input type=checkbox></label></div>"


def group(title: str, *labels: str) -> str:
    return f"<fieldset><legend>{title}</legend>{''.join(map(field, labels))}</fieldset>"


def section(title: str, *parts: str) -> str:
    return f"<section><h2>{title}</h2>{''.join(parts)}<button>Save changes</button></section>"


def rows(*titles: str, note: str = "", begin: str = "<b>{}</b>") -> str:
    items = [f"<div><div>{begin.format(title)}{note}</div><button>Revoke</button></div>" for title in titles]
    return f"<h2>Tokens</h2><div>{''.join(items)}</div>"


# ---------------------------------------------------------------- what is around an element


def test_the_text_around_a_button_is_not_that_of_other_groups(bench: Bench) -> None:
    others = group("Reminders", "Weekly letter") + group("Partners of ours", "Offers")
    bench.show(section("Mail", others) + section("Privacy", "<p>Only for you.</p>"))
    save = bench.target("section:nth-of-type(1) button")
    assert save["nearby"] == "Mail"
    changed = group("Reminders", "Daily letter", "Weekly letter") + group("Events nearby", "Invitations")
    bench.show(section("Privacy", "<p>Only for you.</p>") + section("Mail", changed))
    found_in(bench, save, "section:nth-of-type(2) button")
    bench.show(section("Privacy", "<p>Only for you.</p>"))
    not_found(bench, save)


def test_a_menu_in_a_group_is_known_whatever_else_the_group_has(bench: Bench) -> None:
    def choice(title: str) -> str:
        return group(title, "Always", "Never").replace("checkbox", "radio")

    def page(comments: str, mentions: str = "") -> str:
        sort = "<div><button aria-haspopup=menu>Sort</button></div>"
        parts = [comments.replace("SORT", sort), (mentions + sort).replace("SORT", "")]
        titled = zip(("Comments on posts", "Mentions of you"), parts, strict=True)
        return "".join(f"<fieldset><legend>{title}</legend>{part}</fieldset>" for title, part in titled)

    bench.show(page("SORT" + choice("Duplicates of it")))
    sort = bench.target("body > fieldset:nth-of-type(1) > div > button")
    for comments in ("SORT", "SORT" + choice("Length of all"), choice("Length of all") + "SORT"):
        bench.show(page(comments, choice("Duplicates of it")))
        found_in(bench, sort, "body > fieldset:nth-of-type(1) > div > button")
    bench.show(page("", choice("Duplicates of it")))
    not_found(bench, sort)


def test_a_menu_has_no_text_around_it(bench: Bench) -> None:
    items = "".join(f"<div role=menuitem tabindex=0>{name}</div>" for name in ("Profile", "Sign out"))
    bench.show(f"<main><p>Two new letters.</p><div role=menu>{items}</div></main>")
    assert "nearby" not in bench.target("[role=menuitem]:nth-of-type(2)")


TITLES = [
    "<b>{}</b>",
    "<a href=/token>{}</a>",
    "<button>{}</button>",
    "<label><input type=checkbox> {}</label>",
]


def test_a_row_is_known_by_its_title_whatever_the_title_is(bench: Bench) -> None:
    for begin in TITLES:
        note = "<p>read only</p>"
        bench.show(rows("deploy", "laptop", "backup", begin=begin, note=note))
        css = "body > div > div:nth-of-type({}) > button"
        laptop = bench.target(css.format(2))
        assert (laptop["toldBy"], laptop["nearby"]) == ("row", "laptop read only")
        bench.show(rows("phone", "backup", "laptop", begin=begin, note=note))
        found_in(bench, laptop, css.format(3))
        bench.show(rows("deploy", "backup", "phone", begin=begin, note=note))
        not_found(bench, laptop)


def test_a_note_that_another_row_has_by_now_is_not_the_row(bench: Bench) -> None:
    def page(**notes: str) -> str:
        return "<h2>Tokens</h2>" + "".join(
            f"<div><button>{title}</button><span>{note}</span><div><button>Revoke</button></div></div>"
            for title, note in notes.items()
        )

    bench.show(page(deploy="by Ada", laptop="by Tom", backup="by Eve"))
    laptop = bench.target("div:nth-of-type(2) > div button")
    bench.show(page(deploy="by Ada", backup="by Tom", phone="by Eve"))
    not_found(bench, laptop)


# ---------------------------------------------------------------- numbers


def test_rows_whose_titles_differ_in_a_number_only_are_other_rows(bench: Bench) -> None:
    bench.show(rows("Order 164<p>on floor 3</p>", "Order 448<p>on floor 9, shared</p>"))
    order = bench.target("div > div:nth-of-type(1) > button")
    assert order["toldBy"] == "number"
    bench.show(rows("Order 448<p>on floor 9, shared</p>", "Order 512<p>on floor 3</p>"))
    not_found(bench, order)


def test_a_number_after_a_title_of_its_own_may_change(bench: Bench) -> None:
    bench.show(rows("Spoilers<p>12 words</p>", "Football<p>12 words</p>"))
    spoilers = bench.target("div > div:nth-of-type(1) > button")
    assert spoilers["toldBy"] == "row"
    bench.show(rows("Football<p>12 words</p>", "Spoilers<p>14 words</p>"))
    found_in(bench, spoilers, "div > div:nth-of-type(2) > button")


def test_an_id_that_is_counted_up_does_not_outweigh_the_number_of_a_row(bench: Bench) -> None:
    def page(*numbers: int) -> str:
        items = [
            f"<tr><td>Order {number}<td>by Tom<td><input type=checkbox id=':r{at}:' aria-label=Keep>"
            for at, number in enumerate(numbers, 1)
        ]
        return f"<h2>Orders</h2><table>{''.join(items)}</table>"

    bench.show(page(199, 589, 704))
    order = bench.target("tr:nth-of-type(2) input")
    bench.show(page(631, 199, 589, 704))
    found_in(bench, order, "tr:nth-of-type(3) input")


# ---------------------------------------------------------------- headings


def test_the_heading_of_a_group_that_got_controls_may_come_between(bench: Bench) -> None:
    def page(*labels: str) -> str:
        small = f"<div><h3>Sharing</h3>{''.join(map(field, labels))}</div>"
        large = f"<div><h3>Letters</h3>{field('Daily')}{field('Weekly')}</div>"
        list_ = rows("deploy", "laptop").removeprefix("<h2>Tokens</h2>")
        return f"<section><h2>Account</h2>{small}{large}{list_}</section>"

    laptop_css = "section > div:nth-of-type(3) > div:nth-of-type(2) > button"
    bench.show(page("With partners"))
    laptop = bench.target(laptop_css)
    assert laptop["section"] == "Sharing"
    bench.show(page("With partners", "With friends"))
    found_in(bench, laptop, laptop_css)


def test_the_heading_of_another_section_does_not_become_its_own(bench: Bench) -> None:
    bench.show(f"<section><h2>Privacy</h2>{field('Precise location')}</section>")
    target = bench.target("input")
    bench.show(
        f"<section><h2>Privacy</h2>{field('Exact position')}</section>"
        f"<section><div><h2>Nearby shops</h2></div>{field('Precise location')}</section>"
    )
    not_found(bench, target)


def test_a_text_beside_an_element_that_had_none_is_the_title_of_a_row(bench: Bench) -> None:
    page = "<main><h2>Wake-up calls</h2><div>{}<button>Ring</button></div></main>"
    bench.show(page.format(""))
    ring = bench.target("button")
    bench.show(page.format("<span>Ada</span>"))
    not_found(bench, ring)


# ---------------------------------------------------------------- nothing but its place


def test_what_only_its_place_tells_is_not_taken_from_another_place(bench: Bench) -> None:
    def page(*groups: tuple[str, ...]) -> str:
        parts = [f"<div>{''.join(f'<button>{name}</button>' for name in names)}</div>" for names in groups]
        return f"<h2>Printer</h2>{''.join(parts)}"

    bench.show(page(("Print", "Scan"), ("Print", "Scan", "Fax")))
    print_ = bench.target("div:nth-of-type(2) button:nth-of-type(1)")
    assert (print_["toldBy"], print_.get("nearby")) == ("place", None)
    found_in(bench, print_, "div:nth-of-type(2) button:nth-of-type(1)")
    # One of the two is gone: nobody can say which.
    bench.show(page(("Print", "Scan"), ("Scan", "Fax")))
    not_found(bench, print_)
    bench.show(page(("Copy",), ("Print", "Scan"), ("Print", "Scan", "Fax")))
    not_found(bench, print_)


def test_a_row_known_by_a_secret_only_is_not_the_one_that_is_left(bench: Bench) -> None:
    bench.show(rows("first", "second"))
    css = "div > div:nth-of-type({}) > button"
    token = bench.target(css.format(1))
    # The recorder leaves a secret out.
    del token["nearby"]
    found_in(bench, token, css.format(1))
    bench.show(rows("second"))
    not_found(bench, token)


def test_a_row_is_not_told_by_a_secret_in_it(bench: Bench) -> None:
    first = "ghp_9sKq2LxV7bTn4RzWc8Yd may write"
    second = "ghp_Hx3Jm6PvQ1sZk8BtNf5L may write"
    reader = "ghp_Vw7Dc4GyRz2Mn9XpKe6S may read"
    css = "div > div:nth-of-type({}) > button"
    bench.show(rows(first, second, reader))
    assert bench.target(css.format(3))["toldBy"] == "row"
    token = bench.target(css.format(1))
    assert token["toldBy"] == "place"
    # The recorder leaves the secret out, and the row that is left has the other words too.
    assert "nearby" not in token
    token |= {"sibling": "may write", "parent": "may write Revoke"}
    found_in(bench, token, css.format(1))
    bench.show(rows(second, reader))
    not_found(bench, token)


def test_the_neighbor_of_what_is_gone_is_not_its_new_name(bench: Bench) -> None:
    def page(*names: str) -> str:
        return f"<h2>Paper</h2><p>All trays of it.</p>{''.join(f'<button>{name}</button>' for name in names)}"

    for left in (("Duplex",), ("Duplex", "Parcel")):
        bench.show(page("Archive", "Parcel", "Duplex"))
        archive = bench.target("button")
        bench.show(page(*left))
        not_found(bench, archive)


def test_a_heading_and_a_note_do_not_make_another_box_the_renamed_one(bench: Bench) -> None:
    bench.show(f"<div><h2>Stamps and letters</h2>{field('Bridge')}</div>")
    bridge = bench.target("input")
    bench.show(f"<div><h2>Stamps and letters</h2><div>{field('Order')}</div></div>")
    not_found(bench, bridge)


def test_some_words_of_a_row_in_a_longer_text_are_not_most_of_it(bench: Bench) -> None:
    note = "<p>Copper mugs, and every tray that you keep in the office for guests, are listed below.</p>"
    bench.show(section("One", "<h3>Copper tray</h3>") + section("Two", "<p>Forms.</p>"))
    save = bench.target("section:nth-of-type(1) button")
    bench.show(section("Two", "<p>Forms.</p>") + section("Three", note))
    not_found(bench, save)


def test_a_field_without_a_name_is_not_the_one_with_another_text_beside_it(bench: Bench) -> None:
    city = "<p><b>City</b> <input class=box></p>"
    street = "<p><label>Street <input class=box></label></p>"
    page = "<h2>Address</h2><form>{}</form>"
    bench.show(page.format(city + street))
    target = bench.target("input")
    assert target["namesakes"] == 0
    bench.show(page.format(street + city))
    found_in(bench, target, "p:nth-of-type(2) input")
    for other in (
        "<p><b>Street</b> <input class=box></p>",
        "<p><b>Street</b> <input class=box title=Street></p>",
    ):
        bench.show(page.format(other))
        not_found(bench, target)


def test_a_heading_that_got_a_part_in_parentheses_does_not_hide_the_only_button(bench: Bench) -> None:
    def page(heading: str, *others: str) -> str:
        save = f"<footer><nav><h2>{heading}</h2><button>Save</button></nav></footer>"
        return f"<h1>Club settings</h1><p>How often it meets.</p>{''.join(others)}{save}"

    bench.show(page("Actions"))
    save = bench.target("button")
    bench.show(page("Actions (footer)").replace("How often", "When"))
    found_in(bench, save, "button")
    for other in ("Letters", "Actions of partners", "(footer)", ""):
        bench.show(page(other).replace("How often", "When"))
        not_found(bench, save)
    bench.show(page("(beta)"))
    save = bench.target("button")
    bench.show(page("").replace("How often", "When"))
    not_found(bench, save)
    bench.show(page("(new)").replace("How often", "When"))
    not_found(bench, save)
    # Where there were two, the one that is left is under its own heading.
    other = section("Actions (header)")
    bench.show(page("Actions", other).replace(">Save changes<", ">Save<"))
    save = bench.target("footer button")
    bench.show(f"<h1>Club settings</h1>{other}".replace(">Save changes<", ">Save<"))
    not_found(bench, save)
