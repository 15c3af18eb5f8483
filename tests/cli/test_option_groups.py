"""Options that are declared together in a dataclass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from websp_gym.cli.option_groups import with_groups


@dataclass
class Size:
    width: Annotated[int, typer.Option(min=1, help="How wide it is.")] = 3
    tall: Annotated[bool, typer.Option("--tall", "-t", help="Make it tall.")] = False
    area: int = field(default=0, init=False)


def draw(
    name: str, *, size: Size, colour: Annotated[str, typer.Option(help="What it looks like.")] = "red"
) -> int:
    """Draw something."""
    typer.echo(f"{name} {size} {colour}")
    return 0


app = typer.Typer()
app.command()(with_groups(draw))


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ([], "a Size(width=3, tall=False, area=0) red"),
        (["--width", "5", "-t", "--colour", "blue"], "a Size(width=5, tall=True, area=0) blue"),
    ],
)
def test_the_command_gets_the_group_with_what_was_given(given: list[str], seen: str) -> None:
    result = CliRunner().invoke(app, ["a", *given])
    assert (result.exit_code, result.output.strip()) == (0, seen)


def test_a_value_is_checked_as_that_of_any_option() -> None:
    result = CliRunner().invoke(app, ["a", "--width", "0"])
    assert result.exit_code == 2
    assert "--width" in result.output


def test_the_help_shows_the_options_of_a_group_in_its_place() -> None:
    text = CliRunner().invoke(app, ["--help"]).output
    places = [text.index(part) for part in ("Draw something.", "How wide it is.", "Make it tall.", "What it")]
    assert places == sorted(places)
    assert "--area" not in text
    assert "--size" not in text


def test_two_options_of_one_name_are_an_error() -> None:
    def twice(*, one: Size, other: Size) -> int:
        return 0

    with pytest.raises(ValueError, match="duplicate parameter name: 'width'"):
        with_groups(twice)
