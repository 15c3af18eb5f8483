"""Check without a sandbox or browser that the files of a site and its tasks fit together."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import jinja2
from jinja2 import nodes

from websp_gym.authoring.findings import Finding, judged
from websp_gym.authoring.roles import role_problems
from websp_gym.errors import SetupError, WebspError, nearest
from websp_gym.paths import data_dirs
from websp_gym.recording.recordings import FILE as RECORDINGS
from websp_gym.recording.recordings import load_recordings
from websp_gym.replay.expectations import check_turns
from websp_gym.replay.left_out import check_inputs, places_of
from websp_gym.replay.library import read_trace
from websp_gym.sandbox.schema.catalog import Catalog
from websp_gym.sandbox.schema.site import SESSIONS, check_foreign
from websp_gym.sandbox.schema.site_files import SiteError
from websp_gym.sandbox.schema.site_schema import TOKENS
from websp_gym.tasks.goals import ItemChange, Items, Says
from websp_gym.tasks.ids import config_files, work_files
from websp_gym.tasks.initial_steps import ApiStep, PrepareStep, ReplayStep, SignInStep
from websp_gym.tasks.instances import (
    Instance,
    Site,
    Task,
    all_instances,
    all_work,
    load_site,
    load_work,
    signed_in_site,
)
from websp_gym.tasks.sites import site_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from websp_gym.sandbox.schema.panels import Control
    from websp_gym.sandbox.schema.site import SiteSchema
    from websp_gym.sandbox.schema.site_schema import Row
    from websp_gym.tasks.instances import Task


def known_slugs() -> list[str]:
    """Return the slugs of all sites, built-in or not."""
    return sorted({file.parent.name for root in site_folders() for file in root.glob("*/site.yaml")})


def read_catalog() -> tuple[Catalog | None, Finding]:
    """Read every ``site.yaml`` as the server does; return None and a failed finding where one is invalid."""
    try:
        catalog = Catalog(site_folders())
    except SiteError as error:
        return None, Finding("site", str(error.file), "failed", "; ".join(error.problems))
    return catalog, Finding(
        "site", "site.yaml", detail=f"valid, like those of all {len(catalog.slugs)} sites"
    )


def tasks_of(slug: str) -> tuple[tuple[Instance, ...], Finding]:
    """Return the instances of a site, from all its files, and a finding on these; without tasks, a warning."""
    loaders = {**dict.fromkeys(work_files(), load_work), **dict.fromkeys(config_files(), load_site)}
    found: dict[str, tuple[Instance, ...]] = {}
    # The file with the name of the site says where it starts; others may begin elsewhere.
    for path in sorted(loaders, key=lambda each: each.stem != slug):
        try:
            instances = loaders[path](path)
        except SetupError as error:
            if path.stem == slug or path.stem.startswith(f"{slug}-"):
                return (), Finding("task config", path.name, "failed", str(error))
            continue  # a broken file of another site
        if instances and instances[0].site.slug == slug:
            found[path.name] = instances
    if found:
        every = tuple(chain.from_iterable(found.values()))
        return every, Finding("task config", ", ".join(found), detail=f"valid, {len(every)} instances")
    where = config_files()[-1].parent if config_files() else "task_configs"
    message = f"no configuration has `slug: {slug}`; a site with tasks needs {where}/{slug}.yaml"
    return (), Finding("task config", slug, "warning", message)


def check_files(slug: str, catalog: Catalog, instances: tuple[Instance, ...]) -> Iterator[Finding]:
    """Yield the findings of all checks of a site that need no browser."""
    site = catalog[slug]
    templates = site.folder / "templates"
    yield judged("templates", slug, _template_problems(templates), "every template can be read")
    if not instances:
        return
    yield judged(
        "start", slug, _start_problems(catalog, signed_in_site(instances)), instances[0].site.start_url
    )
    yield judged("ids", slug, _id_problems(instances), f"{len(instances)} ids, each used once")
    for task in {instance.task.id: instance.task for instance in instances}.values():
        yield judged("instructions", task.id, _instruction_problems(task, instances), "both wordings")
        yield judged("goal", task.id, _goal_problems(site, task), "every key exists and every value is valid")
    for instance in instances:
        yield judged(
            "S0 files", instance.id, _s0_problems(site, instance), "every trace, key and value exists"
        )
        steps = [*instance.config.ground_truth, *(instance.config.opposite or ())]
        problems = [*role_problems(steps), *_label_problems(site, instance)]
        types = ", ".join(instance.config.element_types)
        yield judged("ground truth", instance.id, problems, f"{len(steps)} steps: {types}")
    closing = instances[0].site.closing
    if closing:
        yield judged("closing", slug, role_problems(closing), f"{len(closing)} steps")
    for folder in data_dirs("traces"):
        if (folder / slug / RECORDINGS).is_file():
            yield judged("recordings", slug, _recording_problems(folder / slug), "each has its trace")
    bare = [each.id for each in instances if not each.config.element_types]
    yield judged("element types", slug, bare, "each ground truth names some of the paper's ten")


def _template_problems(folder: Path) -> Iterator[str]:
    environment = jinja2.Environment(autoescape=True)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            try:
                template = environment.parse(path.read_text("utf-8"))
            except jinja2.TemplateSyntaxError as error:
                yield f"{path}:{error.lineno}: {error.message}"
            else:
                yield from (f"{path}:{line}: {_OUTSIDE}" for line in _outside_of_blocks(template))


_OUTSIDE = (
    "a template that extends another one evaluates this only within a block; for a check, use {% set %}"
)


def _outside_of_blocks(template: nodes.Template) -> Iterator[int]:
    """Yield the lines of expressions that Jinja passes over in a template that extends another one."""
    if not any(isinstance(node, nodes.Extends) for node in template.body):
        return
    for node in template.body:
        if isinstance(node, nodes.Output | nodes.If | nodes.For):
            written = [node] if isinstance(node, nodes.Output) else node.find_all(nodes.Output)
            yield from (
                each.lineno
                for each in written
                if any(not isinstance(part, nodes.TemplateData) for part in each.nodes)
            )


def _start_problems(catalog: Catalog, config: Site) -> Iterator[str]:
    host = urlsplit(config.start_url).hostname or ""
    if catalog.by_host(host) is None:
        hosts = [name for site in catalog for name in site.hosts]
        yield f'start_url: no site has the host "{host}"{nearest(host, hosts)}'
    for slug in config.signed_in:
        if slug not in catalog.slugs:
            yield f'signed_in: there is no site "{slug}"{nearest(slug, catalog.slugs)}'
        elif not catalog[slug].has_sign_in:
            yield f'signed_in: "{slug}" has no session_cookie, so nobody can be signed in there'
    if config.account != "none" and config.slug not in config.signed_in:
        yield f"account: {config.account} needs signed_in: [{config.slug}, …], or S0 is not signed in"
    if config.login_trace:
        yield from _trace_problems(ReplayStep(replay=config.login_trace))


def _id_problems(instances: tuple[Instance, ...]) -> Iterator[str]:
    every = [instance.id for instance in _all_readable()]
    for instance in instances:
        if every.count(instance.id) > 1:
            yield f"{instance.id} is in two files of task_configs; it must be in one"


def _all_readable() -> Iterable[Instance]:
    try:
        return [*all_instances(), *all_work()]
    except SetupError:
        return ()


def _instruction_problems(task: Task, instances: tuple[Instance, ...]) -> Iterator[str]:
    short, long = task.instruction.strip(), task.instruction_with_navigation.strip()
    if not short or not long:
        yield "an instruction is empty; write both"
    if short == long:
        yield "both wordings are the same; instruction_with_navigation also says where to go"
    others = {each.task.id: each.task for each in instances if each.task.id != task.id}
    for other in others.values():
        if {short, long} & {other.instruction.strip(), other.instruction_with_navigation.strip()}:
            yield f"{other.id} has the same instruction, so one of the two is wrong"


def _goal_problems(site: SiteSchema, task: Task) -> Iterator[str]:
    yield from _value_problems(site, "goal", task.goal.settings)
    for kind, check in task.goal.items():
        yield from _item_problems(site, f"goal.{kind}", check)
    if task.goal.signed_in is not None and not site.has_sign_in:
        yield "goal.signed_in: the site has no session_cookie"
    for pattern in task.unchanged.settings:
        if not any(fnmatchcase(key, pattern) for key in site.settings):
            yield f'unchanged.settings: nothing matches "{pattern}"{nearest(pattern, list(site.settings))}'
    for name in task.unchanged.collections:
        if name not in site.collections:
            yield f'unchanged.collections: unknown "{name}"{nearest(name, list(site.collections))}'
    named = {check.collection for _, check in task.goal.items()}
    for key, names in (
        ("unchanged.others", task.unchanged.others),
        ("goal.replaceable", task.goal.replaceable),
    ):
        for name in names:
            if name not in named:
                yield f'{key}: the goal names no items of "{name}"{nearest(name, list(named))}'


def _label_problems(site: SiteSchema, instance: Instance) -> Iterator[str]:
    """Yield a message for each operated control of a panel whose setting is not in the goal."""
    wanted = set(instance.task.goal.settings)
    # Operating what disables a setting, or what changes with it, may be the way to it.
    wanted |= {key for name in wanted if name in site.settings for key in site.settings[name].disabled_when}
    wanted |= {key for key, each in site.settings.items() for to in each.implies.values() if wanted & set(to)}
    for number, step in enumerate(instance.config.ground_truth, 1):
        if step.action not in ("turn", "select") or step.target.role == "option":
            continue
        keys = {
            control.key
            for panel in site.panels
            for control in panel.all_controls
            if _bears(control, step.target.name)
        }
        if keys and not keys & wanted:
            found = ", ".join(sorted(keys))
            yield f'step {number} operates "{step.target.name}" ({found}), which the goal does not name'


def _bears(control: Control, name: str) -> bool:
    """Whether a control, or one of its choices, has an accessible name that begins so."""
    labels = [control.label, *(control.choices.values() if control.kind in ("radios", "boxes") else ())]
    return any(label.startswith(name) for label in labels)


def _s0_problems(site: SiteSchema, instance: Instance) -> Iterator[str]:
    for step in instance.config.initial_state:
        if isinstance(step, ReplayStep):
            yield from _trace_problems(step)
        elif isinstance(step, PrepareStep):
            yield from _value_problems(site, "prepare", step.prepare.settings)
            yield from _row_problems(site, "prepare", step.prepare.collections)
            try:
                check_foreign(step.prepare.collections.get(SESSIONS, []))
            except ValueError as error:
                yield f"prepare: {error}"
        elif isinstance(step, SignInStep):
            yield from _row_problems(site, "sign_in", {SESSIONS: list(step.sign_in)})
        elif isinstance(step, ApiStep):
            known = [row["id"] for row in site.collections[TOKENS].rows()] if site.tokens else []
            if step.api.token not in known:
                name = step.api.token
                yield f'api: a fresh account has no token "{name}"{nearest(name, known)}'
    yield from _value_problems(site, "expect", instance.config.expect.settings)
    yield from _row_problems(site, "expect", instance.config.expect.collections)


def _trace_problems(step: ReplayStep) -> Iterator[str]:
    name = step.replay
    try:
        trace = read_trace(name)
        check_inputs(trace, {})
        check_turns(trace, step.set)
    except WebspError as error:
        yield str(error)
        return
    for number in places_of(trace):
        yield f"{name}: event {number} was left out of the recording, and no episode can supply it"


def _recording_problems(folder: Path) -> Iterator[str]:
    try:
        recordings = load_recordings(folder / RECORDINGS)
    except SetupError as error:
        yield str(error)
        return
    for name in recordings:
        if not (folder / f"{name}.json").is_file():
            yield f"{folder / RECORDINGS}: {name} has no trace yet; run `make traces SITE={folder.name}`"


def _value_problems(site: SiteSchema, where: str, values: Mapping[str, object]) -> Iterator[str]:
    for key, value in values.items():
        try:
            site.check_value(key, str(value) if isinstance(value, Says) else value)
        except ValueError as error:
            yield f"{where}: {error}"


def _row_problems(site: SiteSchema, where: str, collections: Mapping[str, list[Row]]) -> Iterator[str]:
    for name, rows in collections.items():
        for row in rows or [{}]:
            yield from _item_problems(site, where, Items(collection=name, where=row))


def _item_problems(site: SiteSchema, where: str, check: Items) -> Iterator[str]:
    if check.collection not in site.collections:
        yield f'{where}: unknown collection "{check.collection}"{nearest(check.collection, list(site.collections))}'
        return
    fields = site.collections[check.collection].fields
    values = [*check.where.items(), *(check.to.items() if isinstance(check, ItemChange) else ())]
    for name, value in values:
        if fields is None or name == "id":
            continue
        if name not in fields:
            yield f'{where}: {check.collection} has no field "{name}"{nearest(name, list(fields))}'
            continue
        try:
            fields[name].check(str(value) if isinstance(value, Says) else value)
        except ValueError as error:
            yield f"{where}: {check.collection}.{name}: {error}"
