"""What a person does in IHateMoney, with the keys of what changes (``project/world.py``)."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.foreign.behind import PASSWORD, ServerAim
from benchmarks.foreign.person import Gesture

_HOME, _SETTINGS = "/flat/", "/flat/edit"
_CODE = Gesture("#current_password", write=PASSWORD)
_SAVE = Gesture("#edit-project .actions button")
_SEND = Gesture("main form .actions button[type=submit], main form .actions input[name=submit]")


def _member(name: str, action: str) -> tuple[Gesture, Gesture]:
    """Move onto a row, as only then its actions are shown, and press one of them."""
    row = f'.balance tr:has(td.balance-name:has-text("{name}"))'
    return Gesture(row, hover=True), Gesture(f"{row} form.{action} button")


def _bill(what: str, css: str) -> Gesture:
    return Gesture(f'#bill_table tr:has(td:text-is("{what}")) {css}')


def _targets() -> Iterator[ServerAim]:
    yield from _settings()
    yield from _members()
    yield from _bills()
    code = (
        Gesture("#id", write="flat"),
        Gesture("#password", write=PASSWORD),
        Gesture("main form .actions button[type=submit]"),
    )
    add = (Gesture("#add-member-form #name", write="Ines"), Gesture("#add-member-form button"))
    yield ServerAim("sign-in", "/authenticate", (*code, *add), ("signs in",), secret=True)


def _settings() -> Iterator[ServerAim]:
    email = Gesture("#contact_email", write="ben@flat.example")
    options = {"invalid": "ben at flat", "secret": True, "expires": True}
    yield ServerAim("project/contact_email", _SETTINGS, (email, _CODE, _SAVE), **options)  # type: ignore[arg-type]
    name = Gesture("#edit-project #name", write="Harbour flat")
    yield ServerAim("project/name", _SETTINGS, (name, _CODE, _SAVE), secret=True, expires=True)
    history = Gesture("#project_history")
    yield ServerAim("project/history", _SETTINGS, (history, _CODE, _SAVE), secret=True, expires=True)
    menu = (Gesture("#navbarProjectsLinks"), Gesture(".projects-item a.dropdown-item[href$='/edit']"))
    yield ServerAim("menu/project/history", _HOME, (*menu, history, _CODE, _SAVE))
    yield ServerAim("menu/project/contact_email", _HOME, (*menu, email, _CODE, _SAVE))


def _members() -> Iterator[ServerAim]:
    for name, other in (("Ben", "Benno"), ("Carla", "Clara"), ("Dario", "Darius")):
        write = Gesture("main #name", write=other)
        steps = (*_member(name, "edit"), write, _SEND)
        # Two members may have one name by now, so none is taken.
        yield ServerAim(f"member/{name}/name", _HOME, steps, (name,), invalid="   ", expires=True)
        weight = Gesture("main #weight", write="3")
        yield ServerAim(
            f"member/{name}/weight", _HOME, (*_member(name, "edit"), weight, _SEND), (name,), invalid="many"
        )
        row, away = _member(name, "delete")
        yield ServerAim(f"member/{name}/deactivated", _HOME, (row, away, away), (name,), expires=True)
    add = (Gesture("#add-member-form #name", write="Ines"), Gesture("#add-member-form button"))
    yield ServerAim("member/Ines", _HOME, add, taken="Ines", expires=True)


def _bills() -> Iterator[ServerAim]:
    for what in ("Milk and bread", "Train tickets", "Cinema", "Flowers"):
        edit = _bill(what, "a.edit")
        amount = Gesture("main #amount", write="42")
        yield ServerAim(
            f"bill/{what}/amount", _HOME, (edit, amount, _SEND), (what,), invalid="a lot", expires=True
        )
        delete = _bill(what, "button")
        yield ServerAim(f"bill/{what}", _HOME, (delete, delete), (what,), expires=True)
    for what in ("Train tickets", "Cinema"):
        text = Gesture("main #what", write=f"{what} for two")
        yield ServerAim(f"bill/{what}/what", _HOME, (_bill(what, "a.edit"), text, _SEND), (what,))


TARGETS = tuple(_targets())
