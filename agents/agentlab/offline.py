"""Local copies of files that AgentLab would otherwise download.

Two downloads affect any study: importing ``agentlab.experiments.study`` downloads NLTK's ``punkt_tab``, and each step
counts tokens with a table of tiktoken. Without a network, the first makes the import fail and the second the episode.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

NLTK_DATA = "NLTK_DATA"
TIKTOKEN = "TIKTOKEN_CACHE_DIR"
_FLAGS = {"HF_HUB_OFFLINE": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def spare_downloads() -> None:
    """Make the local copies of both files known, where they are missing; importing this package calls this.

    It sets environment variables, so that worker processes find the files too. A variable that is already set
    is not replaced; ``NLTK_DATA`` gets one more folder.
    """
    folder = _tokenizers()
    if folder is not None and not os.environ.get("DATA_GYM_CACHE_DIR"):
        os.environ.setdefault(TIKTOKEN, str(folder))
    _offer_punkt(Path(__file__).resolve().parent / "nltk_data")


def stay_offline() -> None:
    """Stop Hugging Face and LiteLLM from using the network, e.g. for a study with a local endpoint.

    AgentLab asks Hugging Face for the tokenizer of a model that it does not know, which takes a minute per
    episode without a network. After this call, it counts the tokens of such a model like those of GPT-4. Call
    it before the first study.
    """
    spare_downloads()
    for name, value in _FLAGS.items():
        os.environ.setdefault(name, value)


def _tokenizers() -> Path | None:
    """Return the folder of LiteLLM, which AgentLab needs, that has the table under its name in tiktoken's cache."""
    spec = importlib.util.find_spec("litellm")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / "litellm_core_utils" / "tokenizers"
        if folder.is_dir():
            return folder
    return None


def _offer_punkt(folder: Path) -> None:
    if importlib.util.find_spec("nltk") is None:
        return
    import nltk

    try:
        nltk.data.find("tokenizers/punkt_tab")
    except LookupError:
        nltk.data.path.append(str(folder))
    else:
        return
    known = [place for place in os.environ.get(NLTK_DATA, "").split(os.pathsep) if place]
    os.environ[NLTK_DATA] = os.pathsep.join([*known, str(folder)])
