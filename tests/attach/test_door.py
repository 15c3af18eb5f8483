"""An agent that drives the browser of an episode by the DevTools protocol: what it does is seen, counted and scored."""

from __future__ import annotations

from contextlib import closing, suppress

import pytest
from websockets.exceptions import ConnectionClosed

from tests.attach_support import (
    COOKIES,
    STEAM,
    SWITCHES,
    Client,
    CommandError,
    finish,
    play,
    switch,
    until,
    wait_for_change,
    wait_for_steps,
)
from tests.conftest import MakeEnv
from websp_gym.attach.door import Door
from websp_gym.browser.owner import call
from websp_gym.env.outside import OutsideAction


def test_an_agent_that_presses_gets_the_reward_and_each_press_is_a_step(make: MakeEnv) -> None:
    def program(client: Client, door: Door) -> str:
        client.open(COOKIES)
        for name in SWITCHES:
            client.turn_off(name)
        return "done"

    played = play(make(STEAM, observation="text"), program)
    steps = played.task.trajectory.steps
    assert played.reward == 1.0
    assert [step.counted for step in steps] == [1, 1, 1, 1]
    assert steps[0].action == f"goto('{COOKIES}')"
    pressed = [(step.act.kind, step.act.role, step.act.name) for step in steps[1:3] if step.act]
    assert pressed == [("calls", "switch", "recentapps"), ("calls", "switch", "app_impressions")]
    assert all(step.view.url == COOKIES for step in steps)
    assert steps[-1].action == "ANSWER; done"


def test_what_is_pressed_after_the_limit_does_not_happen(make: MakeEnv) -> None:
    said: list[str] = []

    def program(client: Client, door: Door) -> None:
        client.open(COOKIES)
        client.turn_off(SWITCHES[0])
        try:
            client.turn_off(SWITCHES[1])
        except (CommandError, OSError) as error:
            said.append(str(error))

    played = play(make(STEAM, observation="text", max_actions=2), program)
    assert (played.reward, len(played.steps)) == (0.0, 2)
    assert played.task.trajectory.end_reason == "action_limit"
    assert len(said) == 1


@pytest.mark.proof
def test_an_enter_by_another_name_is_an_action_that_the_limit_refuses(make: MakeEnv) -> None:
    """A switch that has the focus is turned by the text alone."""

    def program(client: Client, door: Door) -> None:
        client.open(COOKIES)
        enter = {"type": "keyDown", "key": "Shift", "windowsVirtualKeyCode": 13, "text": "\r"}
        with suppress(CommandError, OSError, ConnectionClosed):
            for name in SWITCHES:
                client.evaluate(f"{switch(name)}.focus()")
                client.tell("Input.dispatchKeyEvent", **enter)

    played = play(make(STEAM, observation="text", max_actions=2), program)
    assert played.steps == [f"goto('{COOKIES}')", "keyboard_press('Enter')"]
    assert played.reward == 0.0


def test_a_reload_and_going_back_meet_no_element(make: MakeEnv) -> None:
    env = make(STEAM, observation="text", policies="standard", max_actions=40)

    def program(client: Client, door: Door) -> None:
        client.open(COOKIES)
        client.open(COOKIES)  # the first response is a fault that one of the policies is about
        client.press("document.querySelector('[name=term]')")
        client.tell("Page.reload")
        client.until("document.querySelector('[name=term]') !== null && document.readyState === 'complete'")
        client.press("document.querySelector('[name=term]')")
        entries = client.tell("Page.getNavigationHistory")["entries"]
        client.tell("Page.navigateToHistoryEntry", entryId=entries[0]["id"])
        wait_for_steps(env, 6)

    steps = play(env, program).task.trajectory.steps
    met = {step.action: (step.act.role, step.act.name) for step in steps if step.act}
    facts = {each.kind: each.role for step in steps if step.facts is not None for each in step.facts.actions}
    assert facts["mouse_click"] == "combobox"
    for action in ("keyboard_press('F5')", "go_back()"):
        assert met[action] == (None, None)
        assert not facts[action.partition("(")[0]]


def test_the_history_leads_to_no_page_that_cannot_be_opened(make: MakeEnv) -> None:
    """Where it has one, which no command of an agent has opened."""
    env = make(STEAM, observation="text")

    def program(client: Client, door: Door) -> None:
        call(lambda: env.page.goto("file:///etc/hostname"))
        client.open(COOKIES)
        entries = client.tell("Page.getNavigationHistory")["entries"]
        (local,) = [each for each in entries if each["url"].startswith("file:")]
        with pytest.raises(CommandError, match="only web addresses"):
            client.tell("Page.navigateToHistoryEntry", entryId=local["id"])

    assert play(env, program).steps == [f"goto('{COOKIES}')"]


def test_the_time_limit_ends_an_episode_in_which_nothing_is_done(make: MakeEnv) -> None:
    env = make(STEAM, observation="text", max_seconds=1)

    def program(client: Client, door: Door) -> None:
        assert env.task is not None
        record = env.task.trajectory
        until(lambda: record.end_reason)

    assert play(env, program).task.trajectory.end_reason == "time_limit"


def test_an_action_that_comes_when_the_time_is_over_is_refused(make: MakeEnv) -> None:
    env = make(STEAM, observation="text", max_seconds=1e-6)
    env.reset(seed=0)
    action = OutsideAction(("mouse_click", [5, 300], {}), "")
    truncated = env.step(action)[3]
    assert (truncated, action.decided.done()) == (True, True)
    assert action.decided.result() == "not carried out: the time was up"


def test_scripts_that_act_send_or_open_are_steps_marked_as_such(make: MakeEnv) -> None:
    env = make(STEAM, observation="text")
    first, second = (f"{switch(name)}.click()" for name in SWITCHES)
    scripts = (
        first,
        second,
        "fetch('/nowhere', {method: 'POST', body: 'a=1'}).then(answer => answer.status)",
        "void (location.href = '/account/')",
    )

    def program(client: Client, door: Door) -> None:
        client.open(COOKIES)
        for number, script in enumerate(scripts, 2):
            # What comes directly after another action is taken for the doing of the same script.
            late = f"new Promise(done => setTimeout(() => done({script}), 400))"
            client.start("Runtime.evaluate", session=client.session, expression=late, awaitPromise=True)
            wait_for_steps(env, number)

    played = play(env, program)
    acts = [step.act for step in played.task.trajectory.steps if step.act]
    assert played.reward == 1.0
    assert [(act.kind, act.role, act.name) for act in acts[1:3]] == [
        ("script", "switch", "recentapps"),
        ("script", "switch", "app_impressions"),
    ]
    assert played.steps[3:] == [
        "script: POST https://store.steampowered.com/nowhere",
        "script: GET https://store.steampowered.com/account/",
    ]
    assert [step.counted for step in played.task.trajectory.steps] == [1] * 6


def test_what_changes_long_after_a_script_is_a_marked_step_too(make: MakeEnv) -> None:
    env = make(STEAM, observation="text")
    both = ";".join(f"{switch(name)}.click()" for name in SWITCHES)

    def program(client: Client, door: Door) -> None:
        client.open(COOKIES)
        client.evaluate(f"void setTimeout(() => {{ {both} }}, 1500)")
        wait_for_change(env, *SWITCHES)

    played = play(env, program)
    assert played.reward == 1.0
    (changed,) = played.steps[1:]
    assert changed.startswith("script: changed without an input: ")
    assert all(f"set {name}" in changed for name in SWITCHES)


def test_what_a_script_does_after_the_end_changes_nothing(make: MakeEnv) -> None:
    env = make(STEAM, observation="text")
    pressed = [f"{switch(name)}.click()" for name in SWITCHES]
    timers = ";".join(
        f"setTimeout(() => {{ {each} }}, {after})" for each in pressed for after in (0, 100, 900)
    )

    def program(client: Client, door: Door) -> None:
        client.open(COOKIES)
        # Asked for and not waited for, as one that finishes meanwhile does.
        client.start("Runtime.evaluate", session=client.session, expression=f"void ({timers})")
        finish(door, "done")

    played = play(env, program)
    record = played.task.trajectory
    changes = [event for event in record.events if event["kind"] == "set"]
    # What came before the end, if anything did, is a step of the record.
    assert bool(changes) == any(step.startswith("script: ") for step in played.steps)
    assert played.reward == 0.0


def test_keys_into_a_field_are_one_action(make: MakeEnv) -> None:
    def program(client: Client, door: Door) -> None:
        client.press("document.querySelector('[name=term]')")
        for key in "half":
            client.tell("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            client.tell("Input.dispatchKeyEvent", type="keyUp", key=key)
        client.tell("Input.insertText", text=" life")
        client.tell(
            "Input.dispatchKeyEvent",
            type="keyDown",
            key="Enter",
            code="Enter",
            text="\r",
            windowsVirtualKeyCode=13,
        )
        client.tell("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter")
        client.until("location.pathname.includes('search') && document.readyState === 'complete'")

    played = play(make(STEAM, observation="text"), program)
    assert played.steps[1:] == ["keyboard_type('half life')", "keyboard_press('Enter')"]
    typed = played.task.trajectory.steps[1].act
    assert typed is not None
    assert (typed.role, typed.name) == ("combobox", "Search the store")


TWO_FIELDS = """document.body.innerHTML = '<input aria-label="first"><input aria-label="second">';
    var [first, second] = document.querySelectorAll('input'); void 0;"""


def test_a_run_of_keys_ends_where_the_agent_moves_the_focus_and_not_where_the_page_does(
    make: MakeEnv,
) -> None:
    """Playwright fills fields by a script that moves the focus, and all of a text at once. A page may move it after
    each digit of a code."""
    typed: list[str] = []

    def program(client: Client, door: Door) -> None:
        client.evaluate(TWO_FIELDS)
        for field, text in (("first", "Ada"), ("second", "Lovelace")):
            client.evaluate(f"{field}.focus()")
            client.tell("Input.insertText", text=text)
        client.evaluate(f"{TWO_FIELDS} first.oninput = () => second.focus(); first.focus()")
        for key in "12":
            client.tell("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            client.tell("Input.dispatchKeyEvent", type="keyUp", key=key)
        typed.append(client.evaluate("first.value + second.value"))

    played = play(make(STEAM, observation="text"), program)
    assert typed == ["12"]
    assert played.steps == ["keyboard_type('Ada')", "keyboard_type('Lovelace')", "keyboard_type('12')"]
    assert [step.act and step.act.name for step in played.task.trajectory.steps[:2]] == ["first", "second"]


def test_looking_moving_and_scrolling_are_free(make: MakeEnv) -> None:
    def program(client: Client, door: Door) -> None:
        assert client.tell("Page.captureScreenshot", format="png")["data"].startswith("iVBOR")
        client.tell("Input.dispatchMouseEvent", type="mouseMoved", x=40, y=40)
        client.tell("Input.dispatchMouseEvent", type="mouseWheel", x=40, y=40, deltaX=0, deltaY=300)
        client.tell("Accessibility.getFullAXTree")
        client.tell("DOMSnapshot.captureSnapshot", computedStyles=[])
        client.evaluate("document.body.innerText")

    assert play(make(STEAM, observation="text"), program).steps == []


def test_a_dialog_is_the_agents_to_answer_once_it_is_told_of_them(make: MakeEnv) -> None:
    answers: list[bool] = []

    def program(client: Client, door: Door) -> None:
        answers.append(client.evaluate("confirm('Sure?')"))
        client.tell("Page.enable")
        for accept in (True, False):
            asked = client.start("Runtime.evaluate", session=client.session, expression="confirm('Really?')")
            client.event("Page.javascriptDialogOpening")
            client.tell("Page.handleJavaScriptDialog", accept=accept)
            answers.append(client.answer(asked)["result"]["value"])
        client.open(COOKIES)

    played = play(make(STEAM, observation="text"), program)
    assert answers == [False, True, False]
    assert played.steps == [f"goto('{COOKIES}')"]
    for told in ("'Sure?'; it was answered with Cancel", "'Really?'; it was answered with OK"):
        assert told in played.told[0]
    assert "'Really?'; it was answered with Cancel" in played.told[0]


def test_a_new_tab_is_one_of_the_episode(make: MakeEnv) -> None:
    def program(client: Client, door: Door) -> None:
        target = client.send("Target.createTarget", url=COOKIES)["targetId"]
        client.attach(target)
        for name in SWITCHES:
            client.turn_off(name)

    played = play(make(STEAM, observation="text"), program)
    assert played.reward == 1.0
    assert played.steps[0] == f"goto('{COOKIES}')"
    assert len(played.steps) == 3


def test_many_tabs_are_opened_while_others_talk(make: MakeEnv) -> None:
    """Playwright prepares each tab at the same time: the commands of two clients must not be mixed."""

    def program(client: Client, door: Door) -> None:
        for _ in range(6):
            target = client.send("Target.createTarget", url="about:blank")["targetId"]
            session = client.attach(target)
            big = client.evaluate(f"'{'x' * 100_000}'.length")
            assert (big, session) == (100_000, client.session)
            client.send("Target.closeTarget", targetId=target)

    play(make(STEAM, observation="text"), program)


def test_connections_share_the_tabs_and_closing_the_browser_ends_one_of_them(make: MakeEnv) -> None:
    places: list[str] = []

    def program(client: Client, door: Door) -> None:
        with closing(Client(door.cdp_url.replace("/browser/", "/page/"))) as tab:
            tab.send("Page.enable")
            place = tab.send("Runtime.evaluate", expression="location.href", returnByValue=True)
            places.append(place["result"]["value"])
        client.open(COOKIES)
        with closing(Client(door.cdp_url)) as other:
            other.turn_off(SWITCHES[0])
            other.send("Browser.close")
        client.turn_off(SWITCHES[1])

    assert play(make(STEAM, observation="text"), program).reward == 1.0
    assert places == ["https://store.steampowered.com/"]


def test_an_episode_can_be_finished_once_and_its_environment_played_by_other_agents(make: MakeEnv) -> None:
    statuses: list[int] = []

    def program(client: Client, door: Door) -> None:
        statuses.append(finish(door, "first"))
        with suppress(OSError):  # the door may be closed by then
            statuses.append(finish(door, "second"))
        with pytest.raises((CommandError, OSError, ConnectionClosed)):
            client.open(COOKIES)

    env = make(STEAM, observation="text")
    played = play(env, program)
    assert statuses in ([200], [200, 409])
    assert played.task.trajectory.steps[-1].action == "ANSWER; first"
    assert played.steps == []
    env.reset(seed=1)
    assert env.step("ANSWER; done")[2]


def test_policies_are_judged_by_what_was_pressed_typed_and_scripted(make: MakeEnv) -> None:
    env = make(STEAM, observation="text", policies="standard", max_actions=40)

    def program(client: Client, door: Door) -> None:
        client.open(COOKIES)
        client.open(COOKIES)  # the first response is a fault that one of the policies is about
        client.turn_off(SWITCHES[0])
        client.press("document.querySelector('[name=term]')")
        client.tell("Input.insertText", text="half life")
        wait_for_steps(env, 5)
        client.evaluate(f"{switch(SWITCHES[1])}.click()")

    played = play(env, program)
    steps = played.task.trajectory.steps
    facts = [action for step in steps if step.facts is not None for action in step.facts.actions]
    assert [(each.kind, each.role, each.name) for each in facts[1:6]] == [
        ("goto", "", ""),
        ("mouse_click", "switch", "recentapps"),
        ("mouse_click", "combobox", "Search the store"),
        ("keyboard_type", "combobox", "Search the store"),
        ("click", "switch", "app_impressions"),
    ]
    assert facts[4].value == "half life"
    assert played.task.verdict is not None
    assert played.task.verdict.policies is not None
    assert {each.status for each in played.task.verdict.policies} <= {"ok", "dormant", "violated"}
