"""Mutations of a page between recording and replay; the same seed gives the same changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.hostile.tree import IDENTITY, Node

Mutator = Callable[[Node, str, Random], None]
"""Changes a page in place; the second argument is the key of the target."""


@dataclass(frozen=True)
class Timing:
    """Changes of a page while it is used."""

    late_ms: int = 0
    """Delay in milliseconds until the section with the target is rendered."""
    rerender: bool = False
    """Whether each click and pointer entry renders the page again, with new nodes, ids and classes."""


_ROWS = [line.split("|") for line in Path(__file__).with_name("words.txt").read_text("utf-8").splitlines()]
_COLUMNS = {name: {row[0]: row[number] for row in _ROWS[1:]} for number, name in enumerate(_ROWS[0])}


def _other_words(language: str) -> Callable[[str], str]:
    """Return a function that replaces a text by its ``synonym``, ``de`` or ``fr`` version; others stay."""
    words = _COLUMNS[language]

    def tell(text: str) -> str:
        bare = text.strip()
        return text.replace(bare, words[bare]) if bare in words else text

    return tell


def _token(random: Random) -> str:
    return "".join(random.choice("abcdefghkmnpqrstuvwxyz0123456789") for _ in range(8))


def ids(page: Node, key: str, random: Random) -> None:
    """Replace every id, name and test id, as a site that generates them on each load."""
    names: dict[str, str] = {}
    for node in page.walk():
        for name in IDENTITY:
            if name in node.attrs:
                node.attrs[name] = names.setdefault(
                    node.attrs[name], f"{random.choice('rx')}{_token(random)}"
                )
    for node in page.walk():
        for name in ("for", "aria-labelledby"):
            if name in node.attrs:
                node.attrs[name] = names[node.attrs[name]]


def classes(page: Node, key: str, random: Random) -> None:
    """Replace every class by a hash."""
    names: dict[str, str] = {}
    for node in page.walk():
        if "class" in node.attrs:
            node.attrs["class"] = names.setdefault(node.attrs["class"], f"css-{_token(random)}")


def shuffle(page: Node, key: str, random: Random) -> None:
    """Reorder the sections, and the rows within each."""
    for node in page.walk():
        if node.group:
            random.shuffle(node.children)


def reword(page: Node, key: str, random: Random) -> None:
    """Replace every label, note and heading by a synonym."""
    page.retell(_other_words("synonym"))


def relabel(page: Node, key: str, random: Random) -> None:
    """Replace only the target's own label by a synonym."""
    target = page.path_to(key)
    if not target:
        return
    line = next((node for node in reversed(target[:-1]) if node.tag in ("td", "div")), page)
    said = target[-1].says.get("label", "")
    tell = _other_words("synonym")
    line.retell(lambda text: tell(text) if text.strip() == said else text)


def translate(page: Node, key: str, random: Random) -> None:
    """Translate the whole page to German or French."""
    page.retell(_other_words(random.choice(("de", "fr"))))


def wrap(page: Node, key: str, random: Random) -> None:
    """Put new containers around half of the elements, and around the whole page."""

    def enter(node: Node) -> None:
        for number, child in enumerate(node.children):
            if not isinstance(child, Node):
                continue
            enter(child)
            if node.tag in ("div", "section", "td", "main") and random.random() < 0.5:
                node.children[number] = Node("div", {"class": f"w{random.randrange(99)}"}, [child])

    enter(page)
    inside = Node("div", {"class": "layout"}, page.children)
    page.children = [Node("div", {"class": "shell"}, [inside])]


def _place(mode: str) -> Mutator:
    def move(page: Node, key: str, random: Random) -> None:
        # Not every element may have a shadow root.
        boxes = [
            node for node in page.path_to(key) if "section" in node.says and node.tag in ("div", "section")
        ]
        random.choice(boxes or [page]).mode = mode

    return move


def duplicates(page: Node, key: str, random: Random) -> None:
    """Add a section with the same labels; a target outside any section is not duplicated."""
    path = page.path_to(key)
    at = next((number for number in range(len(path) - 1, 0, -1) if "section" in path[number].says), None)
    if at is None:
        return
    twin = path[at].copy()
    old = twin.says["section"]
    heading = random.choice(("Archive", "Recommended", "Other accounts"))
    twin.retell(lambda text: heading if text == old else text)
    for node in twin.walk():
        if node.key:
            node.key = f"twin-{node.key}"
    names: dict[str, str] = {}
    for node in twin.walk():
        for name in (*IDENTITY, "for", "aria-labelledby"):
            if name in node.attrs:
                node.attrs[name] = names.setdefault(node.attrs[name], f"{node.attrs[name]}-2")
    # Rows of data get other data.
    for number, node in enumerate(node for node in twin.walk() if "row" in node.says):
        first = node.nodes()[0]
        node.says["row"] = f"{OTHERS[number % len(OTHERS)]} {node.says['row'].split(' ', 1)[-1]}"
        first.children = [OTHERS[number % len(OTHERS)]]
    siblings = path[at - 1].children
    siblings.insert(siblings.index(path[at]) + random.randrange(2), twin)


OTHERS = ("Opera on ChromeOS", "Edge on Windows", "Notes Export", "old-laptop", "Zoe Zander", "Pia Poe")


def virtual(page: Node, key: str, random: Random) -> None:
    """Render only the visible rows of a long list."""
    for node in page.walk():
        if node.attrs.get("class") == "box":
            node.mode = "virtual"


def gone(page: Node, key: str, random: Random) -> None:
    """Remove the target but keep its neighbours."""
    path = page.path_to(key)
    for above, node in zip(reversed(path[:-1]), reversed(path[1:]), strict=True):
        above.children.remove(node)
        if above.group or any(each.key for each in above.walk()):
            return


MUTATIONS: dict[str, Mutator] = {
    "duplicates": duplicates,
    "shuffle": shuffle,
    "relabel": relabel,
    "reword": reword,
    "translate": translate,
    "ids": ids,
    "virtual": virtual,
    "shadow": _place("shadow"),
    "frame": _place("frame"),
    "far-frame": _place("far-frame"),
    "wrap": wrap,
    "classes": classes,
    "gone": gone,
}
"""In the order in which they are applied."""
TIMINGS = ("late", "rerender")


def mutated(page: Node, key: str, names: tuple[str, ...], seed: int) -> tuple[Node, Timing]:
    """Return a changed copy of a page, and its timing.

    Args:
        page: The page as recorded.
        key: The target.
        names: The mutations.
        seed: Seed of all random choices.
    """
    random = Random(f"{seed} {key} {' '.join(names)}")
    changed = page.copy()
    for name, change in MUTATIONS.items():
        if name in names:
            change(changed, key, random)
    late = random.randrange(100, 3_000) if "late" in names else 0
    return changed, Timing(late, "rerender" in names)


def combination(random: Random) -> tuple[str, ...]:
    """Return two to four mutations that can be combined."""
    pool = ["ids", "classes", "shuffle", "wrap", "duplicates", "late", "rerender"]
    pool.append(random.choice(("relabel", "reword", "translate")))
    pool.append(random.choice(("shadow", "frame", "far-frame")))
    chosen = random.sample(pool, random.randint(2, 4))
    if random.random() < 0.1:
        chosen[0] = "gone"
    return tuple(sorted(set(chosen)))
