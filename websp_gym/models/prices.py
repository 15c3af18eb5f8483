"""Prices per token, and the cost of an answer."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from pydantic import BaseModel, ConfigDict, Field

from websp_gym.models.protocol import Usage
from websp_gym.models.tables import ModelTable


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


class LaterRates(Rates):
    """Rates that a provider has announced.

    Args:
        since: The first day on which they apply.
    """

    since: date


class Price(Rates):
    """The rates of one model.

    Args:
        long: Other rates for long requests, if any.
        later: Rates that replace the others from a day on, if any are announced.
    """

    long: LongRates | None = None
    later: LaterRates | None = None

    def cost(self, usage: Usage) -> float:
        """Return the cost of these tokens in US dollars, if they are used today."""
        if self.later is not None and datetime.now(UTC).date() >= self.later.since:
            return self.later.cost(usage)
        if self.long is not None and usage.input > self.long.over:
            return self.long.cost(usage)
        return super().cost(usage)


_TABLE = ModelTable(dict[str, dict[str, Price]], "prices.yaml", "WEBSP_PRICES", "a price table")
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
        price = self._price(provider, model)
        return price.cost(usage) if price else None

    def known(self, provider: str, model: str) -> bool:
        """Return whether the table has the model."""
        return self._price(provider, model) is not None

    def _price(self, provider: str, model: str) -> Price | None:
        models = self._by_provider.get(provider, {})
        return models.get(model) or models.get(_DATE.sub("", model))


def read_prices(path: str | None = None) -> Prices:
    """Return the package's prices, overridden by those in a user's YAML file of the same form, if given.

    Raises:
        SetupError: The user's file is missing or is not a price table.
    """
    return Prices(*reversed(_TABLE.read(path)))
