"""The sites' APIs, spoken to by their official clients: PyGithub and huggingface_hub, in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from websp_gym.sandbox.client import EPISODE_HEADER, Sandbox
from websp_gym.tasks.instances import load_instance
from websp_gym.world.sandbox import SandboxEpisode, SandboxWorld

# Send every name to the sandbox, and add the episode's header to each request.
TO_THE_SANDBOX = """
import json, socket, sys, warnings
import requests, urllib3
port, header, episode, token, owner = json.loads(sys.stdin.readline())
look_up = socket.getaddrinfo
def to_sandbox(host, wanted, *rest, **more):
    return look_up("127.0.0.1", port, *rest, **more)
socket.getaddrinfo = to_sandbox
urllib3.disable_warnings()
send = requests.Session.send
def sent(self, request, **options):
    request.headers[header] = episode
    return send(self, request, **options | {"verify": False})
requests.Session.send = sent
"""

GITHUB = """
import github
from github import Auth, Github, GithubException
client = Github(auth=Auth.Token(token), retry=None)
mine = client.get_user()
repo = client.get_repo(f"{owner}/c2rust-conversion")
before = repo.private
repo.edit(private=False)
names = sorted(each.name for each in mine.get_repos())
stranger = Github(retry=None)
seen = stranger.get_repo(f"{owner}/c2rust-conversion").private
repo.edit(private=True)
try:
    stranger.get_repo(f"{owner}/c2rust-conversion")
    hidden = False
except github.UnknownObjectException:
    hidden = True
try:
    Github(auth=Auth.Token("ghp_" + "0" * 36), retry=None).get_user().login
    refused = False
except github.BadCredentialsException:
    refused = True
print(json.dumps({"login": mine.login, "before": before, "mine": "c2rust-conversion" in names, "seen": seen,
                  "hidden": hidden, "refused": refused}))
"""

HUGGING_FACE = """
import os
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
from huggingface_hub import HfApi
from huggingface_hub.errors import RepositoryNotFoundError
api = HfApi(token=token)
name = f"{owner}/random-bu-agent-data2"
out = {"login": api.whoami()["name"], "before": api.dataset_info(name).private}
api.update_repo_settings(name, private=False, repo_type="dataset")
out["seen"] = HfApi(token=False).dataset_info(name).private
api.update_repo_settings(name, private=True, repo_type="dataset")
try:
    HfApi(token=False).dataset_info(name)
    out["hidden"] = False
except RepositoryNotFoundError:
    out["hidden"] = True
created = f"{owner}/made-by-client"
api.create_repo(created, repo_type="dataset", private=True)
out["created"] = api.dataset_info(created).private
api.delete_repo(created, repo_type="dataset")
api.update_repo_settings(f"{owner}/cancer-classification2", gated="manual", repo_type="dataset")
out["gated"] = api.dataset_info(f"{owner}/cancer-classification2").gated
try:
    HfApi(token="hf_" + "0" * 34).whoami()
    out["refused"] = False
except requests.HTTPError as error:
    out["refused"] = error.response.status_code == 401
print(json.dumps(out))
"""


@pytest.fixture
def episodes() -> Iterator[list[SandboxEpisode]]:
    """Episodes to close."""
    opened: list[SandboxEpisode] = []
    yield opened
    for episode in opened:
        episode.close()


def said_by(
    program: str, instance: str, episodes: list[SandboxEpisode]
) -> tuple[dict[str, Any], SandboxEpisode]:
    """Runs a program with the client in a fresh account; returns what it printed, and the episode."""
    site = load_instance(instance).site
    episode = SandboxWorld().open_episode(site, signed_in=True)
    episodes.append(episode)
    sandbox = Sandbox.shared()
    token = sandbox.credentials(site.slug, tokens=["setup"])["tokens"]["setup"]
    line = json.dumps(
        [sandbox.address.https_port, EPISODE_HEADER, episode.control.id, token, episode.account["username"]]
    )
    done = subprocess.run(
        [sys.executable, "-c", TO_THE_SANDBOX + program],
        input=line + "\n",
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]), episode


def test_pygithub_makes_a_repository_public_and_private(episodes: list[SandboxEpisode]) -> None:
    said, episode = said_by(GITHUB, "GitHub-task-126", episodes)
    assert said == {
        "login": "alexrivers", "before": True, "mine": True, "seen": False, "hidden": True, "refused": True,
    }  # fmt: skip
    repos = episode.state().sites["github"].collections["repos"]
    (repo,) = [row for row in repos if row["name"] == "c2rust-conversion"]
    assert repo["visibility"] == "private"


def test_huggingface_hub_changes_visibility_and_gating_and_creates_and_deletes(
    episodes: list[SandboxEpisode],
) -> None:
    said, episode = said_by(HUGGING_FACE, "HuggingFace-task-113", episodes)
    assert said == {
        "login": "alexrivers", "before": True, "seen": False, "hidden": True, "created": True, "gated": "manual",
        "refused": True,
    }  # fmt: skip
    datasets = episode.state().sites["huggingface"].collections["datasets"]
    by_name = {row["name"]: row for row in datasets}
    assert by_name["random-bu-agent-data2"]["private"] is True
    assert by_name["cancer-classification2"]["approval"] == "manual"
    assert "made-by-client" not in by_name
