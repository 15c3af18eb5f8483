"""The pages and actions made from the modules of a site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .modules import RECORD, Module, View
from .site_schema import FormAction, RecordChange, SitePage, check_path

TEMPLATE = "kit/records/page.html"
ROUTE = "/#/"
"""How the path of a page begins that the site's shell loads, as its fragment says."""
ROUTED = "/_route/"
"""Where the start page gets the page that its fragment names."""
ACTIONS = "/records"
"""The path below which the actions of modules are."""

_VIEWS: dict[View, str] = {
    "list": "{module}",
    "detail": "{module}/record/{id}",
    "create": "{module}/edit",
    "edit": "{module}/edit/{id}",
    "convert": "{module}/convert/{id}",
    "merge": "{module}/merge",
    "import": "{module}/import",
    "history": "{module}/history/{id}",
}
"""The pages of a module, below the first part of a site's ``record_paths``."""


def served(address: str) -> str:
    """Return a path, an address or a pattern of one, with the path at which its page is served."""
    return address.replace(ROUTE, ROUTED, 1)


def views_of(module: Module) -> list[View]:
    """Return the pages that a module has."""
    if module.table is None:
        return []
    if module.views:
        return module.views
    if module.readonly:
        return ["list", "detail"]
    found: list[View] = ["list", "detail", "create", "edit"]
    found += ["convert"] if module.convert else []
    found += ["merge"] if "merge" in module.table.bulk else []
    found += ["import"] if module.imports else []
    return found + (["history"] if module.history else [])


def link_patterns(name: str, module: Module, root: str) -> dict[View, str]:
    """Return the address of each page of a module, with ``{id}`` in place of a record's id.

    Args:
        name: The name of the module.
        module: The module.
        root: The first part of the addresses of the site's modules.
    """
    return {
        view: module.paths.get(view) or root + _VIEWS[view].replace("{module}", name)
        for view in views_of(module)
    }


def pages_of(name: str, module: Module, root: str, frame: str) -> Iterator[SitePage]:
    """Yield the pages of a module. One whose address has a query is shown by a page of the site instead.

    Args:
        name: The name of the module.
        module: The module.
        root: The first part of the addresses of the site's modules.
        frame: The template around the pages, with a block ``panel``.
    """
    taken: set[str] = set()
    for view, path in link_patterns(name, module, root).items():
        # Where the page of a record is its form, two views have one address, and the first one is its page.
        if "?" in path or path in taken:
            continue
        taken.add(path)
        routed = path.startswith(ROUTE)
        around = "kit/records/bare.html" if routed else frame
        if not around:
            raise ValueError("needs a layout for its pages, or record_paths that begin with /#/")
        title = module.many if view == "list" else module.one
        yield SitePage(
            path=check_path(path),
            template=TEMPLATE,
            title=title,
            description=f"{module.many} of the company" if view == "list" else "",
            login=module.login,
            fragment=routed,
            context={"module": name, "view": view, "frame": around},
        )


def actions_of(name: str, module: Module) -> Iterator[FormAction]:
    """Yield the actions that the pages of a module send their forms to."""
    if module.table is None or module.readonly:
        return
    does = ["create", "save", "delete", "relate", "export"]
    does += ["convert"] * bool(module.convert) + ["merge"] * ("merge" in module.table.bulk)
    for each in [*does, *["import"] * bool(module.imports)]:
        change = RecordChange.model_validate({"module": name, "does": each})
        yield FormAction(path=f"{ACTIONS}/{name}/{each}", login=module.login, record=[change])


def change_problems(change: RecordChange, modules: Mapping[str, Module]) -> Iterator[str]:
    """Yield what does not fit in a change of records."""
    if change.module not in modules:
        yield f'record: unknown module "{change.module}"'
        return
    known = [*modules[change.module].typed, "id"]
    set_ = (*(change.fields or ()), *change.values, *change.having, *change.needs, *change.plus)
    for name in (*set_, *change.where):
        if name not in known and not (name == RECORD and name in change.where):
            yield f'record: {change.module} has no field "{name}"'
