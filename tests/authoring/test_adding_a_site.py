"""docs/reference/sites.md and docs/reference/site-yaml.md name every key that ``site.yaml`` and the task configurations may have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from tests.docs.test_blocks import blocks_of
from tests.paths import DOCS
from websp_gym.recording import recordings
from websp_gym.sandbox.schema import consent, effects, panels, settings, site, site_schema
from websp_gym.sandbox.schema.strict_yaml import StrictLoader
from websp_gym.tasks import flows, goals, ground_truth, initial_steps, instances, schema, work

if TYPE_CHECKING:
    from pydantic import BaseModel

PAGES = [DOCS / "reference/sites.md", DOCS / "reference/site-yaml.md"]
MODELS: list[type[BaseModel]] = [
    site.SiteSchema,
    *(
        site_schema.Confirm,
        site_schema.Link,
        site_schema.Stubs,
        site_schema.Collection,
        site_schema.SitePage,
        site_schema.SignIn,
        site_schema.AddAction,
        site_schema.RemoveAction,
        site_schema.Update,
        site_schema.FormAction,
    ),
    *(
        settings.BoolSetting,
        settings.ChoiceSetting,
        settings.MultiSetting,
        settings.TextSetting,
        settings.IntSetting,
    ),
    *(panels.Panel, panels.Section, panels.Control, panels.Button),
    *(panels.ItemList, panels.AddItem, panels.RemoveItem),
    *(site_schema.Tokens, site_schema.TokenUse, effects.Mail, effects.Effect),
    *(consent.Consent, consent.ConsentGroup),
    *(
        instances.Site,
        instances.Task,
        instances.InstanceConfig,
        initial_steps.ReplayStep,
        initial_steps.PrepareStep,
    ),
    *(initial_steps.SignInStep, initial_steps.ApiStep, initial_steps.ApiCall, initial_steps.VisitStep),
    *(goals.Goal, goals.ItemCheck, goals.Unchanged, goals.Expect, ground_truth.StepTarget, schema.ClassRule),
    *(recordings.Recording, recordings.Gesture),
]


EXAMPLES = ("docs/guides/add-a-site.md", "docs/reference/sites.md", "docs/reference/site-yaml.md")


def test_every_task_in_the_docs_may_be_copied() -> None:
    kinds: dict[str, type[BaseModel]] = {
        "instances": instances.Task,
        "decision": flows.Flow,
        "ground_truth": work.Work,
    }
    read = []
    for block in (block for page in EXAMPLES for block in blocks_of(page) if block.language == "yaml"):
        data = yaml.load(block.code, Loader=StrictLoader)
        entries = data.get("flows", []) if isinstance(data, dict) else data
        for entry in (entry for entry in entries if isinstance(entry, dict)):
            kind = next((model for key, model in kinds.items() if key in entry), None)
            if kind is not None:
                kind.model_validate(entry)
                read.append(kind)
    assert set(read) == set(kinds.values())


def test_the_guide_names_every_key() -> None:
    quoted = re.findall(r"`[^`\n]+`", "\n".join(page.read_text("utf-8") for page in PAGES))
    words = {word for text in quoted for word in re.findall(r"[a-z_]+", text)}
    untold = {model.__name__: set(model.model_fields) - words for model in MODELS}
    assert {name: keys for name, keys in untold.items() if keys} == {}


def test_the_guide_names_every_kind_of_step() -> None:
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    assert [kind for kind in ground_truth.STEP_KINDS if f"`{kind}`" not in text] == []
