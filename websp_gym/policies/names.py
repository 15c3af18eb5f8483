"""Names of a site's settings, items and pages, for sentences and for questions to the user."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from starlette.routing import compile_path

from websp_gym.errors import nearest
from websp_gym.tasks.sites import site_folders, site_schema

if TYPE_CHECKING:
    from websp_gym.sandbox.schema.addresses import AddressPattern
    from websp_gym.sandbox.schema.site import SiteSchema
    from websp_gym.sandbox.schema.site_schema import FormAction


_STATES = {"private": ("public", "private"), "hidden": ("visible", "hidden")}
"""What people call the two values, off and on, of a field that is named after one of them."""
_NAMING = ("name", "title", "note", "label", "subject")
"""Fields by which people know an item if its collection has no key."""


def _is_no_name(field: str) -> bool:
    return field not in _NAMING


class Names:
    """The names of one site.

    Args:
        site: The site.
    """

    def __init__(self, site: SiteSchema) -> None:
        self.site = site

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts of the site, and of the site where it signs in."""
        owner = site_schema(self.site.session_of).hosts if self.site.session_of else ()
        return frozenset((*self.site.hosts, *owner))

    def done_by(self, does: Callable[[FormAction], bool]) -> list[re.Pattern[str]]:
        """Return patterns of the paths of the requests that do something, as the site declares them."""
        return [compile_path(action.path)[0] for action in self.site.actions if does(action)]

    def settings(self, patterns: Iterable[str]) -> list[str]:
        """Return the keys of the settings that match patterns such as ``email.*``, in the order of the site.

        Bookkeeping settings, such as that a choice was made, match only a pattern that is their whole key.
        """
        kept, wanted = self.site.bookkeeping, list(patterns)
        return [
            key for key in self.site.settings
            if key in wanted or (key not in kept and any(fnmatchcase(key, each) for each in wanted))
        ]  # fmt: skip

    def setting(self, key: str) -> str:
        """Return what people call a setting: its label, and its heading if another one has the same label."""
        label = self.site.settings[key].label or key
        alike = [other for other, each in self.site.settings.items() if each.label == label]
        heading = self.heading(key) if len(alike) > 1 else ""
        return f'"{label}" under "{heading}"' if heading else f'"{label}"'

    def heading(self, key: str) -> str:
        """Return the heading, or the title of the panel, above a setting; its group by its key if no panel has it.

        Empty if neither says: ``Watching`` of ``notifications.watching.email``.
        """
        groups = key.split(".")[1:-1]
        return self._headings.get(key) or (groups[-1].replace("_", " ").capitalize() if groups else "")

    def value(self, key: str, value: Any) -> str:
        """Return what people call a value of a setting: on or off, or the label of a choice."""
        return shown(getattr(self.site.settings[key], "choices", {}), value)

    def field(self, collection: str, name: str) -> str:
        """Return what people call a field of the items of a collection, such as ``visibility``."""
        field = (self.site.collections[collection].fields or {}).get(name)
        label = (field.label if field else "") or name.replace("_", " ")
        # "Assigned to" is a label, but no noun.
        return f'field "{label}"' if label.endswith((" to", " by", " from")) else label.lower()

    def value_of_field(self, collection: str, name: str, value: Any) -> str:
        """Return what people call a value of such a field."""
        field = (self.site.collections[collection].fields or {}).get(name)
        if isinstance(value, bool) and (state := _STATES.get(name.removeprefix("is_"))):
            return state[value]
        return shown(getattr(field, "choices", {}), value)

    def things(self, collection: str) -> str:
        """Return what one item of a collection is called, such as ``access token``."""
        return self.site.collections[collection].noun or collection.replace("_", " ").removesuffix("s")

    def item(self, collection: str, item: Mapping[str, Any]) -> str:
        """Return the name by which people know an item; empty if it has none."""
        key = self.site.collections[collection].key
        fields = [key] if key else sorted((name for name in item if name != "id"), key=_is_no_name)
        texts = [str(item[name]) for name in fields if isinstance(item.get(name), str) and item[name]]
        return texts[0] if texts else ""

    def problems_of_collection(self, collection: str, fields: Iterable[str] = ()) -> Iterator[str]:
        """Yield the problems of a collection and its fields named in a rule."""
        if collection not in self.site.collections:
            known = list(self.site.collections)
            yield f'{self.site.name} has no collection "{collection}"{nearest(collection, known)}'
            return
        declared = self.site.collections[collection].fields
        for name in fields:
            if declared is not None and name not in (*declared, "id"):
                yield f'{collection} has no field "{name}"{nearest(name, list(declared))}'

    def problems_of_settings(self, patterns: Iterable[str]) -> Iterator[str]:
        """Yield the problems of patterns of settings."""
        for pattern in patterns:
            if not self.settings([pattern]):
                yield f'{self.site.name} has no setting "{pattern}"{nearest(pattern, list(self.site.settings))}'

    def problems_of_address(self, pattern: AddressPattern, *, of_forms: bool = False) -> Iterator[str]:
        """Yield the problems of the address of a page or form in a rule."""
        own = [host for host in self.site.hosts if host == pattern.host or pattern.spans(host)]
        if not own:
            if not any(pattern.host == host or pattern.spans(host) for host in _known_hosts()):
                yield f'no site of the sandbox has the host "{pattern.host}"{nearest(pattern.host, self.site.hosts)}'
            return
        # What a behaviour.py takes is declared nowhere.
        open_ended = of_forms and (self.site.folder / "behaviour.py").is_file()
        paths = [each.path for each in (self.site.actions if of_forms else self.site.pages)]
        if not open_ended and not any(map(pattern.may_be, paths)):
            path, what = "/" + "/".join(pattern.segments), "form that is sent to" if of_forms else "page"
            yield f'{self.site.name} has no {what} "{path}"{nearest(path, paths)}'

    @cached_property
    def deeds(self) -> frozenset[str]:
        """Kinds of deeds, which cannot be undone, that the forms and settings of the site do."""
        of_forms = (action.destructive.deed for action in self.site.actions if action.destructive)
        return frozenset((*of_forms, *(each.deed for each in self.site.settings.values() if each.deed)))

    @cached_property
    def _headings(self) -> dict[str, str]:
        """The heading above each setting; the title of the panel where that does not tell it apart."""
        headings: dict[str, str] = {}
        titles: dict[str, str] = {}
        for panel in self.site.panels:
            for section in panel.sections:
                for control in section.controls:
                    headings.setdefault(control.key, section.heading or panel.title)
                    titles.setdefault(control.key, panel.title)
        found = Counter((self.site.settings[key].label, heading) for key, heading in headings.items())
        return {
            key: heading if found[self.site.settings[key].label, heading] == 1 else titles[key]
            for key, heading in headings.items()
        }


def shown(choices: Mapping[str, str], value: Any) -> str:
    """Return a value as people say it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return listed([f'"{choices.get(str(each), str(each))}"' for each in value]) or "nothing"
    return f'"{choices.get(str(value), str(value))}"'


def plural(noun: str) -> str:
    """Return the plural of an English noun: ``access tokens``, ``repositories``."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def listed(parts: list[str], word: str = "and") -> str:
    """Return parts as an English list: ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}" if parts else ""


@cache
def _known_hosts() -> frozenset[str]:
    """The hosts of every site of the sandbox."""
    slugs = {file.parent.name for root in site_folders() for file in root.glob("*/site.yaml")}
    return frozenset(host for slug in slugs for host in site_schema(slug).hosts)
