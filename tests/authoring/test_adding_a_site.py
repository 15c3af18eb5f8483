"""docs/reference/sites.md and docs/reference/site-yaml.md name every key that ``site.yaml`` and the task configurations may have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.paths import DOCS
from websp_gym.recording import recordings
from websp_gym.sandbox.schema import consent, effects, panels, settings, site, site_schema
from websp_gym.tasks import goals, ground_truth, initial_steps, instances, schema

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
        site_schema.Page,
        site_schema.SignIn,
        site_schema.Add,
        site_schema.Remove,
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


def test_the_guide_names_every_key() -> None:
    quoted = re.findall(r"`[^`\n]+`", "\n".join(page.read_text("utf-8") for page in PAGES))
    words = {word for text in quoted for word in re.findall(r"[a-z_]+", text)}
    untold = {model.__name__: set(model.model_fields) - words for model in MODELS}
    assert {name: keys for name, keys in untold.items() if keys} == {}


def test_the_guide_names_every_kind_of_step() -> None:
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    assert [kind for kind in ground_truth.STEP_KINDS if f"`{kind}`" not in text] == []
