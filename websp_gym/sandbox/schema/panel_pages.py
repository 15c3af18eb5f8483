"""The pages and actions made from the panels of a site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from .did_you_mean import nearest
from .panels import Button, Control, ItemList, Panel, Section, opaque
from .settings import Setting, Value
from .site_schema import AddAction, Collection, FormAction, RemoveAction, SitePage

TEMPLATE = "kit/panel.html"
_PATTERN = re.compile(r"[*?\[]")
_FIELD = re.compile(r"{([a-z_]+)}")


def resolve_panel(panel: Panel, settings: Mapping[str, Setting], layout: str) -> Panel:
    """Return a panel with a complete control for each setting that its sections name.

    Args:
        panel: The panel.
        settings: The settings of the site.
        layout: The template that pages of the site extend.

    Raises:
        ValueError: A key or pattern matches no setting, a setting is given twice, or a control does not fit its
            setting.
    """
    sections = [
        section.model_copy(update={"settings": [*_controls(panel, section, settings)]})
        for section in panel.sections
    ]
    given = {"sections": sections, "post": panel.post or panel.path, "frame": panel.frame or layout}
    done = panel.model_copy(update=given)
    if not done.frame:
        raise ValueError("needs a frame, or the site needs a layout")
    keys = [control.key for control in done.all_controls]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice:
        raise ValueError(f'"{twice}" is given twice')
    fields = [control.field for control in done.all_controls]
    twice = next((field for field in fields if fields.count(field) > 1), None)
    if twice:
        raise ValueError(f'the field "{twice}" is given twice')
    for control in done.all_controls:
        if not control.label:
            raise ValueError(f'"{control.key}" needs a label, in settings or here')
    for section in sections:
        for button in section.buttons:
            _check_values(button, settings)
    return done


def page_of(panel: Panel) -> SitePage:
    """Return the page of a panel."""
    return SitePage(
        path=panel.path,
        template=TEMPLATE,
        title=panel.title,
        description=panel.description,
        hosts=panel.hosts,
        login=panel.login,
        context={"panel": panel},
    )


def actions_of(panel: Panel, lists: Mapping[str, ItemList]) -> Iterator[FormAction]:
    """Yield the action that saves a panel, and those of its lists."""
    common = {"login": panel.login, "hosts": panel.hosts}
    fields = fields_of(panel)
    if fields:
        form = {"checkboxes": True, "redirect": panel.path, "flash": True} if panel.save == "form" else {}
        yield FormAction(path=panel.post, set=fields, **common, **form)
    for section in panel.sections:
        for name in section.items:
            yield from _list_actions(name, lists[name], panel, common)


def fields_of(panel: Panel) -> dict[str, str]:
    """Return the form field of each setting that a panel can change."""
    fields = {control.key: control.field for control in panel.all_controls}
    for section in panel.sections:
        for button in section.buttons:
            fields |= {key: opaque(key) for key in button.set if key not in fields}
    return fields


def named(fields: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping by setting with the keys replaced by the names in pages: form fields, or meaningless names."""
    return {fields.get(key) or opaque(key): value for key, value in values.items()}


def data_of(panel: Panel, settings: Mapping[str, Setting], values: Mapping[str, Value]) -> dict[str, Any]:
    """Return what ``panel.js`` needs to know about a panel."""
    fields = fields_of(panel)
    related = {key: settings[key] for key in settings if key in _related(fields, settings)}
    return {
        "post": panel.post,
        "save": panel.save,
        "leave": panel.leave.model_dump() if panel.leave else None,
        "fields": [*fields.values()],
        "values": named(fields, {key: values[key] for key in related}),
        "disabled_when": named(
            fields,
            {key: named(fields, each.disabled_when) for key, each in related.items() if each.disabled_when},
        ),
        "implies": named(
            fields,
            {
                key: {_word(value): named(fields, changes) for value, changes in each.implies.items()}
                for key, each in related.items()
                if each.implies
            },
        ),
        "confirm": {
            control.field: {
                "when": control.confirm_when,
                "questions": [question.model_dump() for question in control.confirm],
            }
            for control in panel.all_controls
            if control.confirm
        },
    }


def list_path(name: str, panel: Panel) -> str:
    """Return the path above the actions of a list."""
    return f"{panel.path.rstrip('/')}/{name}"


def list_problems(lists: Mapping[str, ItemList], collections: Mapping[str, Collection]) -> Iterator[str]:
    """Yield a message for each list of an unknown collection and each unknown field in its texts."""
    for name, spec in lists.items():
        if name not in collections:
            yield f'lists: unknown collection "{name}"{nearest(name, collections)}'
            continue
        fields = collections[name].fields
        if fields is None:
            yield f"lists {name}: the collection must declare its fields"
            continue
        known = [*fields, "id"]
        texts = [
            spec.row,
            spec.note,
            *(text for each in (spec.remove, spec.clear) if each for text in (each.name, each.button)),
        ]
        used = [word for text in texts for word in _FIELD.findall(text)] + [*spec.keep]
        for word in [*used, *([spec.add.field] if spec.add else [])]:
            if word not in known:
                yield f'lists {name}: {name} has no field "{word}"{nearest(word, known)}'


def _controls(panel: Panel, section: Section, settings: Mapping[str, Setting]) -> Iterator[Control]:
    for entry in section.settings:
        control = entry if isinstance(entry, Control) else Control(key=entry)
        is_pattern = _PATTERN.search(control.key) is not None
        if is_pattern and (control.label or control.id or control.field):
            raise ValueError(f'"{control.key}": label, id and field are for a single setting')
        keys = [key for key in settings if fnmatchcase(key, control.key)] if is_pattern else [control.key]
        if not keys:
            raise ValueError(f'no setting matches "{control.key}"{nearest(control.key, settings)}')
        for key in keys:
            if key not in settings:
                raise ValueError(f'unknown setting "{key}"{nearest(key, settings)}')
            yield control.model_copy(update={"key": key}).resolved(settings[key], panel.dialect)


def _check_values(button: Button, settings: Mapping[str, Setting]) -> None:
    for key, value in button.set.items():
        if key not in settings:
            raise ValueError(f'button "{button.label}": unknown setting "{key}"{nearest(key, settings)}')
        settings[key].check(value)


def _list_actions(name: str, spec: ItemList, panel: Panel, common: Mapping[str, Any]) -> Iterator[FormAction]:
    path = list_path(name, panel)
    if spec.add:
        add = AddAction(
            collection=name,
            fields={spec.add.field: spec.add.name or spec.add.field},
            split=spec.add.split,
        )
        yield FormAction(path=f"{path}/add", add=add, redirect="back", **common)
    if spec.remove:
        remove = RemoveAction(collection=name, where={"id": "id"}, keep=spec.keep)
        yield FormAction(path=f"{path}/remove", remove=remove, redirect="back", **common)
    if spec.clear:
        yield FormAction(
            path=f"{path}/clear",
            remove=RemoveAction(collection=name, all=True, keep=spec.keep),
            redirect="back",
            **common,
        )


def _related(keys: Mapping[str, str], settings: Mapping[str, Setting]) -> set[str]:
    """Return these settings and all on which they depend or that change with them."""
    found: set[str] = set()
    queue = [*keys]
    while queue:
        key = queue.pop()
        if key in found:
            continue
        found.add(key)
        each = settings[key]
        queue += [*each.disabled_when, *(other for changes in each.implies.values() for other in changes)]
    return found


def _word(value: object) -> str:
    """Return a value as a key of JSON."""
    return str(value).lower() if isinstance(value, bool) else str(value)
