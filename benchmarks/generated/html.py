"""Show a settings page as plain HTML, in one of several manners that authors have.

The page is the data of :func:`benchmarks.foreign.gallery.shown`. Which manner it has depends on its keys, so it stays
through every drift. ``data-key`` names each control for the benchmark; no locator looks at it.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import count
from random import Random
from typing import Any

_OPEN = "<!doctype html><html lang=en><body><nav><a href=/home>Home</a> <a href=/settings>Settings</a></nav><main>"
_PLAIN = ("wrapped", "flat", "panel", "form")
_ROWS = {
    "table": ("table",),
    "list": ("list", "blocks", "links"),
    "cards": ("cards", "articles", "buttons"),
}


def render(page: dict[str, Any], seed: int) -> str:
    """Return the HTML of a page.

    Args:
        page: The page, as :func:`benchmarks.foreign.gallery.shown` describes it.
        seed: The seed of its description; it decides how sections look.
    """
    return _Writer(Random(f"manner {seed}").choice(_PLAIN)).page(page)


def _pick(key: str, choices: tuple[str, ...]) -> str:
    return Random(key).choice(choices)


class _Writer:
    """One page: counts the ids that it gives, as libraries do."""

    def __init__(self, manner: str) -> None:
        self._manner = manner
        self._ids = (f":r{number}:" for number in count(1))

    def page(self, page: dict[str, Any]) -> str:
        sections = "".join(map(self._section, page["sections"]))
        return f"{_OPEN}<h1>{escape(page['title'])}</h1>{sections}</main></body></html>"

    # ------------------------------------------------------------ sections
    def _section(self, section: dict[str, Any]) -> str:
        inner = "".join(self._parts(section))
        title = escape(section["title"])
        match self._manner:
            case "wrapped":
                return f"<section><h2>{title}</h2>{inner}</section>"
            case "form":
                return f"<section><h2>{title}</h2><form>{inner}</form></section>"
            case "panel":
                return f"<div><div class=title>{title}</div><div class=body>{inner}</div></div>"
            case _:
                return f"<header><h3>{title}</h3></header><div>{inner}</div>"

    def _parts(self, section: dict[str, Any]) -> Iterator[str]:
        if section["note"]:
            yield f"<p>{escape(section['note'])}</p>"
        yield from map(self._group, section["groups"])
        if section["rows"]:
            yield self._list(section["rows"], section["key"])
        if section["save"]:
            kind = "submit" if self._manner == "form" else "button"
            yield f'<button type={kind} data-key="{section["key"]}/save">{escape(section["save"])}</button>'

    def _group(self, group: dict[str, Any]) -> str:
        controls, title = group["controls"], escape(group["title"])
        if self._manner == "wrapped" and title and controls and controls[0]["kind"] == "switch":
            # The switch beside the title turns the whole group on and off.
            first, others = self._control(controls[0]), "".join(map(self._control, controls[1:]))
            return f"<div><div class=head><h3>{title}</h3>{first}</div><div>{others}</div></div>"
        inner = "".join(map(self._control, controls))
        if not title:
            return f"<div>{inner}</div>"
        match self._manner:
            case "wrapped":
                return f"<div><h3>{title}</h3>{inner}</div>"
            case "form":
                return f"<fieldset><legend>{title}</legend>{inner}</fieldset>"
            case "panel":
                return f"<div><strong>{title}</strong><div>{inner}</div></div>"
            case _:
                return f"<h4>{title}</h4><div>{inner}</div>"

    # ------------------------------------------------------------ lists
    def _list(self, rows: dict[str, Any], key: str) -> str:
        manner = _pick(key, _ROWS[rows["looks"]])
        inner = "".join(self._row(row, manner) for row in rows["rows"])
        if manner == "table":
            head = "".join(f"<th>{escape(text)}" for text in rows["head"])
            return f"<table><tr>{head}</tr>{inner}</table>"
        return f"<ul>{inner}</ul>" if manner == "list" else f"<div>{inner}</div>"

    def _row(self, row: dict[str, Any], manner: str) -> str:
        controls = "".join(map(self._control, row["controls"]))
        is_box = [control["label"] for control in row["controls"]] == [row["title"]]
        title = "" if is_box else escape(row["title"])
        note = escape(row["note"])
        small = f"<span>{note}</span>" if note else ""
        match manner:
            case "table":
                return f"<tr><td>{title}</td><td>{note}</td><td>{controls}</td></tr>"
            case "list":
                return f"<li><div><b>{title}</b>{small}</div>{controls}</li>"
            case "cards":
                return f"<div><div>{title}</div><p>{note}</p><div>{controls}</div></div>"
            case "articles":
                return f"<article>{title and f'<h4>{title}</h4>'}{small}<footer>{controls}</footer></article>"
            case "links":
                link = title and f'<a href="/of/{row["key"]}">{title}</a>'
                return f"<div>{link}{small}<div>{controls}</div></div>"
            case "buttons":
                button = title and f"<button type=button>{title}</button>"
                return f"<div>{button}{small}<div>{controls}</div></div>"
            case _:
                return f"<div><div><div>{title}</div>{small}</div><div>{controls}</div></div>"

    # ------------------------------------------------------------ controls
    def _control(self, control: dict[str, Any]) -> str:
        match control["kind"]:
            case "checkbox" | "switch":
                return self._box(control)
            case "radio":
                return self._radios(control)
            case "select":
                return self._select(control)
            case "text":
                return self._labelled(control, f'<input value="{escape(control["value"])}"', ">")
        marks, label = self._marks(control), escape(control["label"])
        match control["kind"]:
            case "icon":
                return (
                    f'<button type=button aria-label="{label}"{marks}><svg width=16 height=16></svg></button>'
                )
            case "menu":
                return f"<div><button type=button aria-haspopup=menu{marks}>{label}</button></div>"
        return f"<button type=button{marks}>{label}</button>"

    def _box(self, control: dict[str, Any]) -> str:
        label, is_switch = escape(control["label"]), control["kind"] == "switch"
        role = " role=switch" if is_switch else ""
        checked = " checked" if control["on"] else ""
        match self._form(control, ("around", "before", "drawn")):
            case "drawn" if is_switch:
                id_ = next(self._ids)
                state = str(control["on"]).lower()
                marks = f"{role} aria-checked={state} aria-labelledby={id_}{self._marks(control)}"
                return f"<div><span id={id_}>{label}</span><button type=button{marks}></button></div>"
            case "around":
                box = f"<input type=checkbox{role}{checked}{self._marks(control)}>"
                return f"<label>{box} <span>{label}</span></label>"
        return self._labelled(control, f"<input type=checkbox{role}{checked}", ">")

    def _radios(self, control: dict[str, Any]) -> str:
        name = control["attrs"].get("name") or next(self._ids)
        label = escape(control["label"])
        options = "".join(
            f'<label><input type=radio name="{name}" data-key="{control["key"]}/{option["key"]}"'
            f"{' checked' if option['key'] == control['value'] else ''}> {escape(option['label'])}</label>"
            for option in control["options"]
        )
        if self._form(control, ("fieldset", "drawn")) == "fieldset":
            return f"<fieldset><legend>{label}</legend>{options}</fieldset>"
        id_ = next(self._ids)
        return f"<div role=radiogroup aria-labelledby={id_}><span id={id_}>{label}</span>{options}</div>"

    def _select(self, control: dict[str, Any]) -> str:
        shown = {option["key"]: escape(option["label"]) for option in control["options"]}
        if self._form(control, ("native", "drawn")) == "native":
            options = "".join(f"<option value={key}>{label}</option>" for key, label in shown.items())
            return self._labelled(control, "<select", f">{options}</select>")
        id_ = next(self._ids)
        box = f"<div role=combobox tabindex=0 aria-haspopup=listbox aria-labelledby={id_}{self._marks(control)}>"
        return (
            f"<div><span id={id_}>{escape(control['label'])}</span>{box}{shown[control['value']]}</div></div>"
        )

    def _labelled(self, control: dict[str, Any], begin: str, end: str) -> str:
        """Return a control with its label before it, joined by an id: its own, or one that is counted up."""
        id_ = control["attrs"].get("id") or next(self._ids)
        other = {name: value for name, value in control["attrs"].items() if name != "id"}
        marks = f' id="{id_}"{self._marks(control | {"attrs": other})}'
        return f'<div><label for="{id_}">{escape(control["label"])}</label>{begin}{marks}{end}</div>'

    @staticmethod
    def _marks(control: dict[str, Any]) -> str:
        marks = "".join(f' {name}="{escape(value)}"' for name, value in control["attrs"].items())
        return f'{marks} data-key="{control["key"]}"'

    @staticmethod
    def _form(control: dict[str, Any], choices: tuple[str, ...]) -> str:
        # All rows have the same controls.
        return _pick(control["key"].rpartition("/")[2], choices)
