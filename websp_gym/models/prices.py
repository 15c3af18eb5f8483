"""Prices per token, and the cost of an answer."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from websp_gym.errors import SetupError
from websp_gym.models.protocol import Usage
from websp_gym.texts import decoded


class Rates(BaseModel):
    """US dollars per million tokens.

    Args:
        input: Tokens read.
        output: Tokens written, including thinking.
        cached: Tokens read from a cache; None for the same rate as ``input``.
        written: Tokens written to a cache; None for the same rate as ``input``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    written: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    def cost(self, usage: Usage) -> float:
        """Return the cost of these tokens in US dollars."""
        plain = usage.input - usage.cached - usage.written
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.written is None else self.written
        millionths = (
            plain * self.input + usage.cached * cached + usage.written * written + usage.output * self.output
        )
        return millionths / 1e6


class LongRates(Rates):
    """Rates of a whole request above a size.

    Args:
        over: Number of input tokens above which these rates apply.
    """

    over: int


class Price(Rates):
    """The rates of one model.

    Args:
        long: Other rates for long requests, if any.
    """

    long: LongRates | None = None

    def cost(self, usage: Usage) -> float:
        """Return the cost of these tokens in US dollars."""
        if self.long is not None and usage.input > self.long.over:
            return self.long.cost(usage)
        return super().cost(usage)


_TABLE = TypeAdapter(dict[str, dict[str, Price]])
_DATE = re.compile(r"[-@](\d{8}|\d{4}-\d{2}-\d{2})$")


class Prices:
    """Prices by provider and model.

    Args:
        *tables: Prices by provider, then by model name; a later table overrides the earlier ones.
    """

    def __init__(self, *tables: dict[str, dict[str, Price]]) -> None:
        self._by_provider: dict[str, dict[str, Price]] = {}
        for table in tables:
            for provider, models in table.items():
                self._by_provider.setdefault(provider, {}).update(models)

    def cost(self, provider: str, model: str, usage: Usage) -> float | None:
        """Return the cost of an answer in US dollars; None where the model is not in the table.

        The cost that a provider reports itself takes precedence.

        Args:
            provider: The provider whose prices apply.
            model: The model's name, with or without a date at its end.
            usage: The tokens.
        """
        if usage.cost is not None:
            return usage.cost
        models = self._by_provider.get(provider, {})
        price = models.get(model) or models.get(_DATE.sub("", model))
        return price.cost(usage) if price else None


def read_prices(path: str | None = None) -> Prices:
    """Return the package's prices, overridden by those in a user's YAML file of the same form, if given.

    Raises:
        SetupError: The user's file is missing or is not a price table.
    """
    return Prices(_own()) if path is None else Prices(_own(), _read(path))


@cache
def _own() -> dict[str, dict[str, Price]]:
    text = files("websp_gym.models").joinpath("prices.yaml").read_text(encoding="utf-8")
    return _TABLE.validate_python(yaml.safe_load(text))


def _read(path: str) -> dict[str, dict[str, Price]]:
    try:
        return _TABLE.validate_python(yaml.safe_load(decoded(Path(path).read_bytes())))
    except OSError as error:
        raise SetupError(f"WEBSP_PRICES={path}: {error.strerror}", variable="WEBSP_PRICES") from None
    except (yaml.YAMLError, UnicodeDecodeError, ValidationError) as error:
        reason = " ".join(str(error).split())[:300]
        raise SetupError(
            f"WEBSP_PRICES={path} is not a price table: {reason}", variable="WEBSP_PRICES"
        ) from None
