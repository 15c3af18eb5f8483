"""Recorded controls in shadow roots: what their page knows of them stands on the custom elements around them."""

from __future__ import annotations

import pytest

from tests.replay.test_locate import found_in, not_found
from tests.replay_support import Bench, bench

__all__ = ["bench"]


def inside(html: str) -> str:
    return f"<template shadowrootmode=open>{html}</template>"


def toggle(attributes: str) -> str:
    """A switch whose shadow root holds what is operated and, as many do, an unseen check box."""
    drawn = "<div role=switch tabindex=0 style='width: 40px; height: 20px'><input type=checkbox hidden></div>"
    return f"<x-toggle {attributes}>{inside(drawn)}</x-toggle>"


@pytest.mark.parametrize("mark", ["id=mail", "name=mail", "data-testid=mail"])
def test_a_control_has_the_marks_of_its_custom_element(bench: Bench, mark: str) -> None:
    bench.show(f"<h2>Alerts</h2><p>By mail {toggle(mark)}</p><p>By post {toggle('')}</p>")
    mail = bench.target("p:nth-of-type(1) > x-toggle ::shadow div")
    assert "mail" in (mail.get("id"), mail.get("nameAttr"), mail.get("testId"))
    bench.show(f"<h2>Meldungen</h2><p>Per Post {toggle('')}</p><p>Per E-Mail {toggle(mark)}</p>")
    found_in(bench, mail, "p:nth-of-type(2) > x-toggle ::shadow div")


def test_a_custom_element_with_several_controls_does_not_lend_its_marks(bench: Bench) -> None:
    bench.show(f"<x-player id=player>{inside('<button>Play</button><button>Mute</button>')}</x-player>")
    assert "id" not in bench.target("#player ::shadow button:nth-of-type(1)")


@pytest.mark.parametrize(
    "html",
    [
        "<x-label for=push>Push</x-label> {}",
        "<label for=push>Push</label> {}",
        "<label>Push {}</label>",
    ],
)
def test_the_label_of_a_custom_element_names_the_control_in_it(bench: Bench, html: str) -> None:
    bench.show(html.format(toggle("id=push")))
    assert bench.target("x-toggle ::shadow div")["name"] == "Push"


def test_a_heading_in_a_shadow_root_is_the_heading_of_what_follows_its_element(bench: Bench) -> None:
    def group(title: str) -> str:
        heading = f"<x-title>{inside('<h3><slot></slot></h3>')}{title}</x-title>"
        return f"{heading}<p>Push {toggle('')}</p>"

    bench.show(group("Comments") + group("Mentions"))
    mentions = bench.target("p:nth-of-type(2) > x-toggle ::shadow div")
    assert mentions["section"] == "Mentions"
    bench.show(group("Mentions") + group("Comments"))
    found_in(bench, mentions, "p:nth-of-type(1) > x-toggle ::shadow div")
    bench.show(group("Comments"))
    not_found(bench, mentions)


def test_radio_buttons_have_the_name_of_their_group_and_the_value_of_their_element(bench: Bench) -> None:
    def group(*texts: str) -> str:
        buttons = [
            f"<x-radio value={value}>{inside(f'<div role=radio tabindex=0>{text}</div>')}</x-radio>"
            for value, text in zip(("day", "week"), texts, strict=True)
        ]
        return f"<x-group name=digest>{inside('<div role=radiogroup><slot></slot></div>')}{''.join(buttons)}</x-group>"

    bench.show(group("Every day", "Every week"))
    week = bench.target("x-radio:nth-of-type(2) ::shadow div")
    assert (week["nameAttr"], week["value"]) == ("digest", "week")
    bench.show(group("Jeden Tag", "Jede Woche"))
    found_in(bench, week, "x-radio:nth-of-type(2) ::shadow div")


def test_the_options_of_a_closed_list_do_not_hide_the_text_beside_it(bench: Bench) -> None:
    options = (
        "<x-option><template shadowrootmode=open><li role=option><slot></slot></li></template>{}</x-option>"
    )
    drawn = inside("<div role=combobox tabindex=0>English</div><ul style='display: none'><slot></slot></ul>")
    html = f"<div>Language <x-select>{drawn}{options.format('English')}{options.format('German')}</x-select></div>"
    bench.show(f"<main><p>Region</p>{html}</main>")
    assert bench.target("x-select ::shadow div")["nearby"] == "Language"
