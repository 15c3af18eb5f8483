"""The schema of settings pages as data: the ``panels`` and ``lists`` of a ``site.yaml``.

``panel_pages.py`` makes the pages and actions that they stand for; ``kit/templates/panel.html`` and
``kit/static/panel.js`` show them.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, field_validator, model_validator

from .settings import ChoiceSetting, MultiSetting, Setting, Strict
from .site_schema import Confirm, Confirms, Row, as_list, check_path

Kind: TypeAlias = Literal[
    "checkbox",
    "switch",
    "toggle",
    "radios",
    "buttons",
    "select",
    "listbox",
    "combobox",
    "dialog",
    "boxes",
    "text",
    "textarea",
    "number",
]
"""The kinds of controls; the kit has a template for each."""

Dialect: TypeAlias = Literal["native", "aria", "shadow", "material", "bootstrap", "app"]
"""How a page is built: native form controls, ARIA widgets, the same in shadow roots or drawn anew on each change."""

KINDS: dict[str, tuple[Kind, ...]] = {
    "bool": ("checkbox", "switch", "toggle", "radios"),
    "choice": ("radios", "buttons", "select", "listbox", "combobox", "dialog"),
    "multi": ("boxes",),
    "text": ("text", "textarea"),
    "int": ("number",),
}
"""The kinds of controls for each type of setting; the first one is the default."""

_Facts: TypeAlias = dict[str, Any]


def _word_keys(choices: object) -> object:
    """Return a mapping whose keys ``true`` and ``false`` are words, as they are in a form."""
    if not isinstance(choices, dict):
        return choices
    return {str(key).lower() if isinstance(key, bool) else key: label for key, label in choices.items()}


def opaque(key: str) -> str:
    """Return the name of a setting in pages, which must not show its key: the original's pages do not have it."""
    return f"f{hashlib.sha256(key.encode()).hexdigest()[:7]}"


class Control(Strict):
    """A setting on a panel, or several; what it leaves out comes from the setting."""

    key: str
    """The setting, or a pattern (`mail.*`) for several with the same kind of control."""
    kind: Kind | None = None
    """Kind of control; the default depends on the setting's type and the dialect."""
    label: str = ""
    """By default, the setting's."""
    text: str = ""
    """By default, the setting's (HTML)."""
    choices: Annotated[dict[str, str], BeforeValidator(_word_keys)] = Field(default_factory=dict)
    """The choices it offers, with their labels; by default, all of the setting's. A bool with `radios` has `true` and
    `false`.
    """
    id: str = ""
    """Its `id` on the page."""
    field: str = ""
    """The name of its form field in pages and their scripts. By default it is meaningless, because the original site
    does not have our key."""
    confirm: Confirms = Field(default_factory=list)
    """One or more questions to ask before it changes."""
    confirm_when: Any = None
    """Ask only before it changes to this value."""
    more: _Facts = Field(default_factory=dict)
    """What the site's own templates use; the site declares the names in its `more`."""

    def resolved(self, setting: Setting, dialect: Dialect) -> Control:
        """Return the control with what it leaves out filled in from its setting and its panel's dialect."""
        kinds = KINDS[setting.type]
        if self.kind is not None and self.kind not in kinds:
            raise ValueError(
                f"{self.key}: a {setting.type} setting cannot be a {self.kind} ({', '.join(kinds)})"
            )
        default = "switch" if setting.type == "bool" and dialect != "native" else kinds[0]
        choices = setting.choices if isinstance(setting, ChoiceSetting | MultiSetting) else {}
        return self.model_copy(
            update={
                "kind": self.kind or default,
                "label": self.label or setting.label,
                "text": self.text or setting.text,
                "choices": self.choices or choices,
                "field": self.field or opaque(self.key),
            }
        )


class Button(Strict):
    """A button of a section: it sets settings at once, sends a form to an action of the site, or is a link."""

    label: str
    """Its label."""
    set: _Facts = Field(default_factory=dict)
    """Settings and the values that it sets at once."""
    post: str = ""
    """In place of `set`: the action that it sends a form to."""
    href: str = ""
    """In place of `set`: where it links to."""
    confirm: Confirms = Field(default_factory=list)
    """One or more questions to ask first."""

    @model_validator(mode="after")
    def _does_one_thing(self) -> Button:
        if sum(map(bool, (self.set, self.post, self.href))) != 1:
            raise ValueError("give one of set, post and href")
        return self


class Section(Strict):
    """A part of a panel."""

    heading: str = ""
    """Its heading."""
    text: str = ""
    """The text below the heading (HTML)."""
    tab: str = ""
    """The tab that it is under; sections without one are below the tabs."""
    settings: list[str | Control] = Field(default_factory=list)
    """Keys (`mail.offers`), patterns (`mail.*`) and controls (mappings)."""
    items: Annotated[list[str], BeforeValidator(as_list)] = Field(default_factory=list)
    """Lists, named by their collections."""
    include: str = ""
    """A template of the site that draws its content."""
    buttons: list[Button] = Field(default_factory=list)
    """Buttons below it."""
    more: _Facts = Field(default_factory=dict)
    """What the site's own templates use; the site declares the names in its `more`."""

    @property
    def controls(self) -> list[Control]:
        """The controls, once the panel is resolved."""
        return [each for each in self.settings if isinstance(each, Control)]


class Panel(Strict):
    """A settings page."""

    path: str
    """Its path."""
    title: str
    """Its title, on the page and in search results."""
    description: str = ""
    """Its description in search results."""
    frame: str = ""
    """The template around it, with a block `panel`; by default, the site's layout."""
    hosts: list[str] = Field(default_factory=list)
    """The hosts that show it; by default, the first one."""
    login: bool = True
    """Whether it requires a sign-in."""
    id: str = ""
    """The id of its form, or of the element around its controls."""
    post: str = ""
    """The path that it saves to; by default, its own."""
    save: Literal["at_once", "form", "button", "bar"] = "at_once"
    """When a change is saved: `at_once`; with the button of a native `form`; with a `button` that a change enables;
    with a `bar` that a change brings up.
    """
    submit: str = "Save"
    """The label of the button that saves."""
    reset: str = ""
    """The label of the button that undoes unsaved changes; no button if empty. Not with `at_once` and `form`."""
    said: str = ""
    """The message after saving."""
    leave: Confirm | None = None
    """The question asked when the page is left with unsaved changes."""
    dialect: Dialect = "native"
    """How its controls are built."""
    redraws: bool = True
    """With the dialect `app`: whether its elements are replaced on each change, or only when the page is loaded."""
    controls: str = "controls"
    """The folder with the site's own templates for its parts."""
    sections: list[Section] = Field(min_length=1)
    """Its parts."""
    more: _Facts = Field(default_factory=dict)
    """What the site's own templates use; the site declares the names in its `more`."""

    @field_validator("path", "post")
    @classmethod
    def _path(cls, path: str) -> str:
        if "{" in path:
            raise ValueError(f'"{path}": a panel has no parameters in its path')
        return check_path(path) if path else path

    @model_validator(mode="after")
    def _form_is_native(self) -> Panel:
        if self.save == "form" and self.dialect not in ("native", "bootstrap", "material"):
            raise ValueError(
                f"save: form needs native controls, which {self.dialect} does not have; use button or bar"
            )
        if self.reset and self.save not in ("button", "bar"):
            raise ValueError(f"reset: with save: {self.save} there are no changes to undo")
        if self.leave is not None and self.save == "at_once":
            raise ValueError("leave: with save: at_once there are no unsaved changes")
        return self

    @property
    def all_controls(self) -> list[Control]:
        """The controls of all sections, once the panel is resolved."""
        return [control for section in self.sections for control in section.controls]


class AddItem(Strict):
    """The form that adds an item to a list."""

    field: str
    """The field of the item that the person types."""
    name: str = ""
    """The name of the form field; by default, that of the item's field."""
    label: str
    """The label of the text field."""
    button: str = "Add"
    """The label of the button."""
    split: str = ""
    """The separator of several items in one text."""
    full: str = ""
    """The message when the list is full."""


class RemoveItem(Strict):
    """The button that removes an item, or all of them; texts may name fields of the item, as ``{text}``."""

    button: str
    """Its label."""
    name: str = ""
    """Its accessible name, if it is not the label."""
    confirm: Confirms = Field(default_factory=list)
    """One or more questions to ask first."""


class ItemList(Strict):
    """How the items of a collection are shown and changed; texts may name fields of an item, as ``{text}``."""

    row: str
    """The text of an item."""
    note: str = ""
    """A second, smaller text."""
    keep: _Facts = Field(default_factory=dict)
    """Items with these fields cannot be removed."""
    kept: str = ""
    """What they show instead of the button."""
    add: AddItem | None = None
    """The form that adds an item."""
    remove: RemoveItem | None = None
    """The button that removes an item."""
    clear: RemoveItem | None = None
    """The button that removes all."""
    search: str = ""
    """The label of a field that filters the list; no field if empty."""
    behind: str = ""
    """The label of a button that shows the items, which are hidden at first; no button if empty."""
    per_page: int = Field(0, ge=0)
    """The number of items per page; 0: all."""
    empty: str = ""
    """The message when the list is empty."""
    more: _Facts = Field(default_factory=dict)
    """What the site's own templates use; the site declares the names in its `more`."""

    def keeps(self, item: Row) -> bool:
        """Return whether an item cannot be removed."""
        return bool(self.keep) and all(item.get(name) == value for name, value in self.keep.items())
