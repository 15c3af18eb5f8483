"""The tasks of Magento, by template."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from urllib.parse import urlsplit

from websp_gym.datasets.stwab.clone import PublishedTask
from websp_gym.datasets.stwab.plays import (
    Play,
    Player,
    Row,
    Step,
    click,
    select,
    slug,
    submit,
    turn,
    type_into,
)

_SIZES = ("S", "M", "L", "XS", "XL")
"""Sizes of a product that is there in every size."""
_OLD_SIZE, _OLD_COLOR = "M", "Black"
"""In what a product comes that gets new variants."""
_FIRST_ID = 9001
_POSITION = 100
_DELIVERY = re.compile(
    r"(?:(?P<number>\d+) )?(?P<color>\w+) (?P<name>.*?) ?(?:with|of|in) (?:size (?P<size>\w+)|every size)"
)
"""What has arrived, such as a number of some color, product and size."""


def _options(variants: Iterable[tuple[str, str]]) -> list[Row]:
    """Return the sizes and colors of variants; those that our shop has already only move to the end."""
    sizes, colors = (dict.fromkeys(each) for each in zip(*variants, strict=True))
    return [
        {"id": f"{of}-{slug(label)}", "attribute": of, "label": label, "position": _POSITION + at}
        for of, labels in (("size", sizes), ("color", colors))
        for at, label in enumerate(labels)
    ]


def _parent(ident: str, name: str) -> Row:
    return {
        "id": ident, "type": "configurable", "parent": "", "name": name, "sku": slug(name).upper(), "price": 49.0,
        "qty": 0, "in_stock": True, "visibility": "Catalog, Search", "color": "", "size": "",
        "categories": ["trousers"],
    }  # fmt: skip


def _variant(ident: str, parent: Row, size: str, color: str, qty: int) -> Row:
    named = f"{parent['name']}-{size}-{color}"
    own = {"id": ident, "type": "simple", "parent": parent["id"], "name": named, "sku": slug(named).upper()}
    stock = {"qty": qty, "in_stock": qty > 0, "visibility": "Not Visible Individually"}
    return {**parent, **own, **stock, "size": f"size-{slug(size)}", "color": f"color-{slug(color)}"}


def _product_of(address: str) -> str:
    """Return the id of the product of an address."""
    return urlsplit(address).path.strip("/").rpartition("/")[2]


def _open(name: str) -> tuple[Step, ...]:
    return (
        click("button", "Catalog"),
        click("menuitem", "Products"),
        type_into("Search by keyword", name, "searchbox", leads=True),
        click("button", "Search"),
        click("link", f"Edit {name}"),
    )


def _new_variants(task: PublishedTask) -> Play:
    name = task.says("product")
    (page,) = task.eval.program_html or ()
    # What must be there is told by name, size and color, but not always by the whole name.
    wanted = [tuple(each.split("-")[-2:]) for each in page.required_contents["must_include"]]
    sizes, colors = (list(dict.fromkeys(each)) for each in zip(*wanted, strict=True))
    is_all = task.says("base_setting").startswith("all ")
    if task.says("option") == "color":
        added, there = colors, list(product([*sizes, *([] if is_all else [_OLD_SIZE])], [_OLD_COLOR]))
        made = [(size, color) for size, _ in there for color in added]
    else:
        added, there = sizes, list(product([_OLD_SIZE], [*colors, *([] if is_all else [_OLD_COLOR])]))
        made = [(size, color) for _, color in there for size in added]
    parent = _parent(_product_of(page.url), name)
    variants = [_variant(f"{_FIRST_ID + at}", parent, *each, 20) for at, each in enumerate(there)]
    steps = (
        *_open(name),
        click("button", "Edit Configurations"),
        click("button", "Next"),
        *(turn(label) for label in added),
        click("button", "Next"),
        click("button", "Next"),
        submit("button", "Generate Products"),
        *(step for each in made if each not in wanted for step in _removed(f"{name}-{'-'.join(each)}")),
        submit("button", "Save"),
    )
    return Play(steps, {"products": [parent, *variants], "attribute_options": _options([*there, *made])})


def _removed(name: str) -> tuple[Step, Step]:
    return click("button", f"Select an action for {name}"), submit("menuitem", "Remove Product")


def _arrival(task: PublishedTask) -> Play:
    """Return how the stock of what has arrived is raised to what its checks expect."""
    text = " ".join(str(task.instantiation_dict.get(key, "")) for key in ("quantity", "product"))
    told = [found.groupdict() for found in _DELIVERY.finditer(text)]
    if not told:
        raise ValueError(f"{text!r} is no delivery that is known here")
    expected = {
        _product_of(page.url): int(page.required_contents["exact_match"])
        for page in task.eval.program_html or ()
        if "[qty]" in page.locator
    }
    in_every_size = told[0]["size"] is None
    if in_every_size:
        told = [{**told[0], "size": size} for size in _SIZES[: len(expected)]]
    parent = _parent(f"{_FIRST_ID}", str(told[0]["name"]))
    named = [(str(each["size"]), str(each["color"]).capitalize()) for each in told]
    variants = [
        _variant(ident, parent, *each, after - int(found["number"] or 0))
        for (ident, after), each, found in zip(expected.items(), named, told, strict=True)
    ]
    raised = list(zip(variants, expected.values(), strict=True))
    steps = _stock_of_all(parent, raised) if in_every_size else _stock_of_each(raised)
    return Play(tuple(steps), {"products": [parent, *variants], "attribute_options": _options(named)})


def _stock_of_each(raised: Iterable[tuple[Row, int]]) -> Iterator[Step]:
    """Yield the steps that change the quantity of variants on their own pages."""
    for row, after in raised:
        yield from _open(row["name"])
        yield type_into("Quantity", f"{after}")
        if not row["in_stock"]:
            yield select("Stock Status", "In Stock")
        yield submit("button", "Save")


def _stock_of_all(parent: Row, raised: Iterable[tuple[Row, int]]) -> Iterator[Step]:
    """Yield the steps that change the quantity of all variants on the page of their product."""
    yield from _open(parent["name"])
    yield click("button", "Edit Configurations")
    yield from [click("button", "Next")] * 3
    yield submit("button", "Generate Products")
    for row, after in raised:
        yield type_into(f"Quantity of {row['name']}", f"{after}")
    yield submit("button", "Save")


PLAYERS: Mapping[int, Player] = {241: _arrival, 252: _new_variants}
"""How the tasks of each template are played."""
