"""A tiny site with its task, on disk, to be broken in one way or another."""

from __future__ import annotations

from pathlib import Path

from tests.sandbox_support import write_site

SITE = """
name: {name}
hosts: [www.{slug}.example]
settings:
  ads: {{type: bool, default: true}}
  mail: {{type: bool, default: true}}
pages:
  - {{path: /, template: home.html}}
  - {{path: /more, template: more.html}}
actions:
  - {{path: /save, set: {{ads: ads, mail: mail}}, checkboxes: true, redirect: /}}
  - {{path: /quietly, values: {{mail: false}}}}
"""

HOME = """{% extends "kit/base.html" %}{% from "kit/controls.html" import checkbox %}
{% block content %}<main><h1>Choices</h1><form method="post" action="/save">
{{ checkbox("ads", "Ads", settings.ads) }}{{ checkbox("mail", "Mail", settings.mail) }}
<button>Save</button></form><p><a href="/more">More</a></p>MORE</main>{% endblock %}
"""

TASKS = """
site: {name}
slug: {slug}
website_category: Tests
start_url: https://www.{slug}.example/
account: none
tasks:
"""

TASK = """
  - id: {id}
    category: Cookie & Tracking Consent Management
    instruction: Turn ads off ({id}).
    instruction_with_navigation: Turn Ads off on the first page, and save ({id}).
    goal: {{settings: {goal}}}
    instances:
      - instance: {id}
        initial_state: []
        expect: {expect}
        ground_truth:
{steps}
"""

ADS = "- {turn: {role: checkbox, name: Ads}, element: Checkbox, state: off}"
ADS_ON = "- {turn: {role: checkbox, name: Ads}, element: Checkbox, state: on}"
MAIL = "- {turn: {role: checkbox, name: Mail}, element: Checkbox, state: off}"
MAIL_HOLDS = "- {holds: {role: checkbox, name: Mail}, element: Checkbox, state: on}"
SAVE = "- {submit: {role: button, name: Save}, element: Button}"


def task(id: str, *steps: str, goal: str = "{ads: false}", expect: str = "{}") -> str:
    """One task with one instance, as YAML."""
    lines = "\n".join(f"          {step}" for step in steps or (ADS, SAVE))
    return TASK.format(id=id, goal=goal, expect=expect, steps=lines)


def write_checked(
    root: Path, name: str, *tasks: str, home: str = "", more: str = "", site: str = SITE
) -> str:
    """Writes a site called ``name`` and its tasks below ``root``.

    Args:
        root: Folder that gets ``sites`` and ``task_configs``.
        name: Letters only.
        *tasks: What :func:`task` gave; one that is right where there is none.
        home: More of the start page.
        more: What the second page holds.
        site: Its ``site.yaml``.

    Returns:
        The slug.
    """
    slug = name.lower()
    page = '{% extends "kit/base.html" %}{% block content %}<p><a href="/">Start</a></p>MORE{% endblock %}'
    templates = {"home.html": HOME.replace("MORE", home), "more.html": page.replace("MORE", more)}
    write_site(root / "sites" / slug, site.format(name=name, slug=slug), templates)
    folder = root / "task_configs"
    folder.mkdir(exist_ok=True)
    config = TASKS.format(name=name, slug=slug) + "".join(tasks or [task(f"{name}-task-1")])
    (folder / f"{slug}.yaml").write_text(config)
    return slug
