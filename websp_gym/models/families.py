"""Options that a family of models accepts: thinking and temperature, checked when a model is made."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from websp_gym.errors import SetupError
from websp_gym.models.spec import ModelSpec
from websp_gym.models.tables import ModelTable, Pattern
from websp_gym.models.thinking import EFFORTS, TOKENS, Effort, Thinking, effort_of, is_off
from websp_gym.project import docs

_ENDINGS = re.compile(r"([-@](\d{8}|\d{4}-\d{2}-\d{2})|-latest|-preview(-\d\d-\d{2,4})?|@default|:\w+)$")
"""A date, a channel or a variant of OpenRouter at the end of a model's name."""
_PREVIEWS = ("claude-mythos-preview",)
_MAKERS = {"openai": "openai", "anthropic": "anthropic", "google": "gemini"}
"""Keys of the table, by the maker's name at OpenRouter."""


class Family(BaseModel):
    """Options that the models of one family accept; ``families.yaml`` explains the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    names: Pattern
    efforts: tuple[Effort, ...] = ()
    budgets: tuple[int, int] | None = None
    default_off: bool = False
    off: Literal["disabled", "between_tools"] = "disabled"
    temperature: Literal["always", "off", "never"] = "always"
    breakpoints: bool = False
    source: str = Field(min_length=1)
    inferred: str = ""

    @property
    def levels(self) -> tuple[Effort, ...]:
        """The levels at which the models think."""
        return tuple(effort for effort in self.efforts if effort != "none")

    @property
    def thinks(self) -> bool:
        """Whether the models can think."""
        return bool(self.levels or self.budgets)


_TABLE = ModelTable(dict[str, tuple[Family, ...]], "families.yaml", "WEBSP_FAMILIES", "a table of families")


def family_of(maker: str, name: str, *, own: str | None = None) -> Family | None:
    """Return the family of a model; None where nothing is known about it.

    Args:
        maker: ``openai``, ``anthropic``, ``gemini``; or ``openrouter``, whose names begin with the maker.
        name: The model's name; at Anthropic with dashes or dots in its version.
        own: A user's YAML file whose families come first.

    Raises:
        SetupError: The user's file is missing or is not such a table.
    """
    if maker == "openrouter":
        vendor, _, name = name.partition("/")
        maker = _MAKERS.get(vendor, "")
    if maker == "anthropic":
        name = dashed(name)
    names = (name, _bare(name))
    families = [family for table in _TABLE.read(own) for family in table.get(maker, ())]
    return next((each for each in families if any(re.fullmatch(each.names, name) for name in names)), None)


def dashed(name: str) -> str:
    """Return a Claude's name as its API writes it: ``claude-opus-4-6`` for ``claude-opus-4.6``."""
    return re.sub(r"(?<=\d)\.(?=\d)", "-", name)


def _bare(name: str) -> str:
    """Return a name without its date and the like; a fine-tuned model has the name of the model under it."""
    if name.startswith("ft:"):
        name = name.split(":")[1]
    while name not in _PREVIEWS and (shorter := _ENDINGS.sub("", name)) != name:
        name = shorter
    return name


def settle_thinking(model: ModelSpec, family: Family | None) -> Thinking:
    """Return the thinking to send: as given, or the nearest level or budget that the model takes.

    Raises:
        SetupError: Thinking should be off, or on, and the model cannot.
    """
    wanted = model.thinking
    if family is None or wanted is None:
        return wanted
    if is_off(wanted):
        if not family.thinks:
            return None
        if "none" not in family.efforts:
            raise _refused(model, family, "thinking", f"always thinks (levels: {', '.join(family.levels)})")
        return "none"
    if not family.thinks:
        if wanted == "dynamic":
            return None
        raise _refused(model, family, "thinking", "does not think: leave thinking= out")
    if wanted == "dynamic":
        return wanted
    return _nearest(wanted, family)


def _nearest(wanted: int | str, family: Family) -> Thinking:
    effort = effort_of(wanted)
    if family.budgets and (isinstance(wanted, int) or not family.levels):
        least, most = family.budgets
        tokens = wanted if isinstance(wanted, int) else TOKENS[effort or "high"]
        return min(max(tokens, least), most)
    place = EFFORTS.index(effort or "high")
    # Of two that are equally near, the lower one: it costs no more than what was asked for.
    return min(family.levels, key=lambda level: (abs(EFFORTS.index(level) - place), EFFORTS.index(level)))


def check_temperature(model: ModelSpec, family: Family | None, thinking: Thinking) -> None:
    """Raise for a temperature that the model refuses or ignores with this thinking.

    Raises:
        SetupError: It is not 1.0, and the model takes none.
    """
    if model.temperature == 1.0 or family is None or family.temperature == "always":
        return
    if family.temperature == "never":
        raise _refused(model, family, "temperature", "accepts only temperature 1.0")
    if is_off(thinking) or (thinking is None and family.default_off):
        return
    way_out = "leave thinking= out" if family.default_off else "thinking=none turns it off"
    raise _refused(model, family, "temperature", f"accepts only temperature 1.0 while it thinks ({way_out})")


def _refused(model: ModelSpec, family: Family, option: str, why: str) -> SetupError:
    note = (
        f"; this is inferred ({family.inferred}), and WEBSP_FAMILIES can say otherwise ({docs('reference/models')})"
        if family.inferred
        else ""
    )
    value = getattr(model, option)
    return SetupError(f"{option}={value}: {model.spec} {why}{note}", option=option, model=model.spec)
