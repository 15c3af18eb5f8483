"""What AgentLab downloads where nothing needs it, found on this machine instead.

Two things happen with any study: importing ``agentlab.experiments.study`` asks for NLTK's ``punkt_tab``, and each
step counts tokens with a table of tiktoken's. Without a network the first ends the import and the second the episode.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

NLTK_DATA = "NLTK_DATA"
TIKTOKEN = "TIKTOKEN_CACHE_DIR"
_FLAGS = {"HF_HUB_OFFLINE": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def spare_downloads() -> None:
    """Lets AgentLab find both where they are not there yet; importing this package calls it.

    Environment variables, so that worker processes find them too. One that is set already stays as it is.
    """
    folder = _tokenizers()
    if folder is not None and not os.environ.get("DATA_GYM_CACHE_DIR"):
        os.environ.setdefault(TIKTOKEN, str(folder))
    _offer_punkt(Path(__file__).resolve().parent / "nltk_data")


def stay_offline() -> None:
    """Keeps Hugging Face and LiteLLM from asking the network, as a study against a local endpoint wants it.

    AgentLab asks Hugging Face for the tokenizer of a model it does not know, a minute per episode where nobody
    answers; with this it counts the tokens of such a model as GPT-4's at once. Call it before the first study.
    """
    spare_downloads()
    for name, value in _FLAGS.items():
        os.environ.setdefault(name, value)


def _tokenizers() -> Path | None:
    """LiteLLM, which AgentLab needs, carries the table under the name tiktoken's cache gives it."""
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
