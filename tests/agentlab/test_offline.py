"""Nothing is downloaded: a fresh process with no way out imports AgentLab and counts tokens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

FRESH = """
import json, os
import websp_gym.agents.agentlab as ours
ours.stay_offline()
import agentlab.experiments.study
from agentlab.llm.llm_utils import count_tokens
names = ("NLTK_DATA", "TIKTOKEN_CACHE_DIR", "HF_HUB_OFFLINE", "LITELLM_LOCAL_MODEL_COST_MAP")
counts = [count_tokens("two words", model) for model in ("gpt-4", "a-model-of-our-own")]
print(json.dumps({"counts": counts, **{name: os.environ.get(name) for name in names}}))
"""


def fresh(home: Path, **variables: str) -> dict[str, Any]:
    """The output of a new process without settings and without network."""
    unset = ("NLTK_DATA", "TIKTOKEN_CACHE_DIR", "HF_HUB_OFFLINE", "LITELLM_LOCAL_MODEL_COST_MAP")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    nobody = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    done = subprocess.run(
        [sys.executable, "-c", FRESH],
        env={**environment, **nobody, "HOME": str(home), "AGENTLAB_EXP_ROOT": str(home), **variables},
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def test_a_fresh_process_without_a_network_needs_nothing_downloaded(tmp_path: Path) -> None:
    said = fresh(tmp_path)
    assert said["counts"] == [2, 2]
    assert Path(said["NLTK_DATA"], "tokenizers", "punkt_tab").is_dir()
    assert any(Path(said["TIKTOKEN_CACHE_DIR"]).iterdir())
    assert (said["HF_HUB_OFFLINE"], said["LITELLM_LOCAL_MODEL_COST_MAP"]) == ("1", "True")


def test_existing_settings_are_kept(tmp_path: Path) -> None:
    (tmp_path / "mine" / "tokenizers" / "punkt_tab").mkdir(parents=True)
    said = fresh(
        tmp_path, NLTK_DATA=str(tmp_path / "mine"), HF_HUB_OFFLINE="0", LITELLM_LOCAL_MODEL_COST_MAP="true"
    )
    assert said["NLTK_DATA"] == str(tmp_path / "mine")
    assert (said["HF_HUB_OFFLINE"], said["LITELLM_LOCAL_MODEL_COST_MAP"]) == ("0", "true")
