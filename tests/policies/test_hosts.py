"""A page has one host, so that no pattern of a policy is blind to it at another one."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urljoin

import pytest
import yaml

from tests.sandbox_support import Visitor
from websp_gym.paths import data_dir
from websp_gym.sandbox.client import Sandbox
from websp_gym.sandbox.schema.addresses import AddressPattern
from websp_gym.tasks.ids import instance_ids
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.sites import site_schema

TWO_PAGES = {("www.wolfram.com/products", "account.wolfram.com")}
"""Where the other host has another page at the same path."""


def patterns(node: object) -> Iterator[str]:
    """Yield the patterns of visits in the YAML of a set."""
    if isinstance(node, dict):
        for name, value in node.items():
            yield from ([value] if isinstance(value, str) else value) if name == "visit" else patterns(value)
    elif isinstance(node, list):
        for each in node:
            yield from patterns(each)


def shown(visitor: Visitor, address: str) -> str:
    """Follow redirects and return the address of the page that is shown; empty if none is."""
    for _ in range(10):
        reply = visitor.get(address)
        if reply.status not in (301, 302, 303):
            return address if reply.status == 200 else ""
        address = urljoin(address, reply.headers["location"])
    raise AssertionError(f"{address} leads in a circle")


@pytest.mark.proof
def test_no_page_that_a_policy_names_is_shown_at_another_host() -> None:
    sandbox, tried = Sandbox.shared(), 0
    blind, astray = set(), []
    for slug in sorted({load_instance(each).site.slug for each in instance_ids()}):
        site = site_schema(slug)
        named = {
            pattern
            for file in (data_dir("task_configs") / "policies").glob(f"*/{slug}.yaml")
            for pattern in patterns(yaml.load(file.read_text("utf-8"), yaml.CBaseLoader))
        }
        episode = sandbox.open_episode(slug, signed_in=[slug] if site.has_sign_in else [])
        visitor = Visitor(sandbox.address, episode)
        for text in sorted(named):
            pattern = AddressPattern(text)
            if pattern.address is None or pattern.host not in site.hosts:
                continue
            tried += 1
            if (page := shown(visitor, pattern.address)) and not pattern.matches(page):
                astray.append((text, page))
            for host in site.hosts:
                page = shown(visitor, pattern.address.replace(f"//{pattern.host}/", f"//{host}/"))
                if page and not pattern.matches(page):
                    blind.add((text, host))
        episode.close()
    assert tried > 200
    assert astray == []
    assert blind == TWO_PAGES
