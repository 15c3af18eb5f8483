"""One small request to a model with its own settings: does it answer at all?"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

from websp_gym.errors import ModelError, SetupError
from websp_gym.models.messages import Image, Message, Model, Reply, Text
from websp_gym.project import docs

_RULES = "This request tests the connection. Think as little as you can, and answer with the one word: ready"


@dataclass(frozen=True)
class Probe:
    """A model to ask, and what its requests contain.

    Args:
        model: The model.
        picture: Whether it is shown pictures.
        schema: The JSON schema of its answers, if it gets one.
    """

    model: Model
    picture: bool = False
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Probed:
    """A model's answer to a probe."""

    model: str
    reply: Reply


def ask_probes(probes: Iterable[Probe]) -> list[Probed]:
    """Ask all models at once; scripted ones are left out, because a script answers in its order.

    Raises:
        SetupError: A model gave no answer. Any answer will do, also one that was refused or cut.
    """
    asked = [probe for probe in probes if not probe.model.spec.startswith("scripted:")]
    if not asked:
        return []
    with ThreadPoolExecutor(len(asked)) as pool:
        results = list(pool.map(_ask, asked))
    errors = [result for result in results if isinstance(result, ModelError)]
    if errors:
        said = "; ".join(dict.fromkeys(map(str, errors)))
        raise SetupError(f"a first small request failed: {said}", model=errors[0].model)
    return [
        Probed(probe.model.spec, reply)
        for probe, reply in zip(asked, results, strict=True)
        if isinstance(reply, Reply)
    ]


def _ask(probe: Probe) -> Reply | ModelError:
    parts = (Text("Are you ready?"), *((_picture(),) if probe.picture else ()))
    messages = (Message("system", (Text(_RULES),)), Message("user", parts))
    try:
        return probe.model.ask(messages, schema=probe.schema)
    except ModelError as error:
        return error


@cache
def _picture() -> Image:
    from PIL import Image as Pillow

    file = io.BytesIO()
    Pillow.new("RGB", (256, 256), "white").save(file, "PNG")
    return Image(file.getvalue())


def check_priced(models: Iterable[Model]) -> None:
    """Raise if a price is known to be missing, which a limit on the cost needs.

    Raises:
        SetupError: The price of a model is unknown.
    """
    unpriced = [model.spec for model in models if getattr(model, "priced", None) is False]
    if unpriced:
        raise no_price(unpriced)


def no_price(models: Iterable[str]) -> SetupError:
    """Return the error for a limit on the cost where the prices of these models are unknown."""
    return SetupError(
        f"the limit on the cost cannot be enforced: no price is known for {', '.join(dict.fromkeys(models))}; give "
        f"one (WEBSP_PRICES, {docs('reference/models')}), or set no limit"
    )
