"""Write the keys of ``site.yaml``, from the models that read it, into docs/reference/site-yaml.md (`make docs`)."""

from __future__ import annotations

import re
import types
import typing
from pathlib import Path

from pydantic import BaseModel

from websp_gym.sandbox.schema import consent, effects, fields, modules, panels, settings, site, site_schema

PAGE = Path(__file__).resolve().parent / "reference" / "site-yaml.md"
_BETWEEN = re.compile(r"(?<=<!-- keys -->\n).*?(?=<!-- /keys -->)", re.DOTALL)

PARTS: dict[str, list[tuple[str, type[BaseModel]]]] = {
    "The site": [("", site.SiteSchema)],
    "Settings": [
        ("Every setting", settings.BaseSetting),
        ("`type: bool`", settings.BoolSetting),
        ("`type: choice`", settings.ChoiceSetting),
        ("`type: multi`", settings.MultiSetting),
        ("`type: text`", settings.TextSetting),
        ("`type: int`", settings.IntSetting),
    ],
    "Panels": [
        ("An entry of `panels`", panels.Panel),
        ("An entry of its `sections`", panels.Section),
        ("A control in `settings` of a section", panels.Control),
        ("An entry of `buttons`", panels.Button),
        ("A question in `confirm` or `leave`", site_schema.Confirm),
    ],
    "Collections and lists": [
        ("An entry of `collections`", site_schema.Collection),
        ("An entry of `lists`", panels.ItemList),
        ("Its `add`", panels.AddItem),
        ("Its `remove` and `clear`", panels.RemoveItem),
    ],
    "Records": [
        ("An entry of `modules`, beside the keys of a collection", modules.Module),
        ("`table`", modules.RecordTable),
        ("An entry of `related`", modules.Related),
        ("`numbered`", modules.Numbered),
        ("`convert`", modules.Convert),
        ("An entry of its `into`", modules.Converted),
        ("`people`", modules.People),
        ("An entry of its `members`", modules.Membership),
        ("A field with `type: amount`", fields.AmountField),
        ("`type: date`", fields.DateField),
        ("`type: moment`", fields.MomentField),
        ("`type: record`", fields.RecordField),
        ("`type: records`", fields.RecordsField),
        ("`type: words`", fields.WordsField),
        ("An entry of `record` of an action", site_schema.RecordChange),
    ],
    "Pages, menus and stubs": [
        ("An entry of `pages`", site_schema.SitePage),
        ("An entry of a list in `menus`", site_schema.Link),
        ("An entry of `stubs`", site_schema.Stubs),
    ],
    "Actions": [
        ("An entry of `actions`", site_schema.FormAction),
        ("A sign-in", site_schema.SignIn),
        ("`destructive`", site_schema.Destructive),
        ("`add`", site_schema.AddAction),
        ("`remove`", site_schema.RemoveAction),
        ("`update`", site_schema.Update),
    ],
    "Tokens, mail and effects": [
        ("`tokens`", site_schema.Tokens),
        ("An entry of its `uses`", site_schema.TokenUse),
        ("`mail`", effects.Mail),
        ("An entry of `effects`", effects.Effect),
    ],
    "Consent": [("`consent`", consent.Consent), ("An entry of its `groups`", consent.ConsentGroup)],
}


def page() -> str:
    """Return docs/reference/site-yaml.md with the tables as they should be."""
    return _BETWEEN.sub(lambda _: tables(), PAGE.read_text("utf-8"))


def tables() -> str:
    """Return a table of keys for each model."""
    parts = []
    for title, models in PARTS.items():
        parts.append(f"## {title}\n")
        for heading, model in models:
            parts += [f"### {heading}\n"] * bool(heading)
            own = [name for name in model.model_fields if not _is_inherited(model, name)]
            rows = [_row(model, name) for name in own]
            parts += [f"{_first(model)}\n", "| key | value | meaning |\n|---|---|---|", *rows, ""]
    return "\n".join(parts)


def _row(model: type[BaseModel], name: str) -> str:
    field = model.model_fields[name]
    if not field.description:
        raise ValueError(f"{model.__name__}.{name} has no docstring")
    meaning = " ".join(field.description.split())
    return f"| `{name}`{' (needed)' if field.is_required() else ''} | {_kind(field.annotation)} | {meaning} |"


def _kind(annotation: object) -> str:
    """Return what a value must be, in words."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _kind(parts[0])
    if origin is typing.Literal:
        return ", ".join(f"`{str(part).lower() if isinstance(part, bool) else part}`" for part in parts)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(_kind(part) for part in parts if part is not types.NoneType))
    if origin is list:
        return f"list of {_kind(parts[0])}" if not _is_mapping(parts[0]) else "list of mappings"
    if _is_mapping(annotation):
        return "mapping"
    names = {bool: "bool", int: "number", str: "text", typing.Any: "anything"}
    return names.get(annotation, "text")  # type: ignore[call-overload, no-any-return]


def _is_mapping(annotation: object) -> bool:
    if typing.get_origin(annotation) is typing.Annotated:
        return _is_mapping(typing.get_args(annotation)[0])
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return is_model or typing.get_origin(annotation) is dict


def _is_inherited(model: type[BaseModel], name: str) -> bool:
    """Whether the table of another model has a key already."""
    listed = {each for models in PARTS.values() for _, each in models}
    return any(name in base.model_fields for base in model.__mro__[1:] if base in listed)


def _first(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split("\n\n")[0].split()).replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
