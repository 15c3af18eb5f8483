"""Decide on the server, without a browser, how an episode would have ended without one of its steps.

The oracle's episode is played once, and the server keeps the requests that could change state. To leave out a
step, S0 is restored and the requests are sent again without those of the step. Where a later Save sends the
step's control, the request is sent with its field set back to the old value. A case that the requests cannot
decide raises :class:`UndecidedError` and is left to the browser.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from websp_gym.actions import parse_action
from websp_gym.actions.target import Target
from websp_gym.errors import ActionError, WorldError
from websp_gym.observation.marks import collect_marks, marks_from_dicts
from websp_gym.sandbox.client import Sandbox
from websp_gym.scoring.rewards import state_verdict
from websp_gym.world.http_probe import HttpProbe
from websp_gym.world.sandbox import SandboxEpisode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from websp_gym.agents.oracle import OracleAgent
    from websp_gym.authoring.player import Observation
    from websp_gym.env import WebspEnv
    from websp_gym.records.verdict import Verdict
    from websp_gym.tasks.instances import Instance
    from websp_gym.world.state import WorldState

Request = dict[str, Any]

_LATER_MS = 50
"""Milliseconds after which an observation must still be right; a step waits shorter for pages that react at once."""

_OTHER: dict[Any, Any] = {"on": "off", "off": "on", "true": "false", "false": "true", "1": "0", "0": "1"}
_CONTROL = """function (index) {
  const el = this.element(index);
  const own = el instanceof HTMLLabelElement && el.control ? el.control : el;
  const group = own.type === "radio" ? [...own.getRootNode().querySelectorAll("input[type=radio]")] : [];
  const on = group.find((radio) => radio.checked && radio.name === own.name && radio.form === own.form);
  const box = own.type === "checkbox" && own.name && own.checked ? [own.name, own.value] : null;
  return { words: [...own.attributes].map((each) => each.value), was: on ? on.value : null, box };
}"""


class UnplayedError(Exception):
    """The requests do not determine how the episode would have ended."""


@dataclass(frozen=True)
class ContraryDeed:
    """The effects of one action of the oracle.

    Args:
        step: Index of its ground-truth step.
        words: Values of the attributes of the control it acted on.
        was: Value of the radio button that was on before, if it acted on one.
        box: Name and value of the native check box that was on before, if it acted on one.
        moves: Whether the action changed which controls exist or are enabled.
        requests: Requests it sent that could change state.
    """

    step: int
    words: frozenset[str] = frozenset()
    was: str | None = None
    box: tuple[str, str] | None = None
    moves: bool = False
    requests: tuple[Request, ...] = ()


class OracleRecording:
    """A witness of the oracle's episode that records what each action did.

    Attributes:
        deeds: What each action did.
        unrest: Messages on observations after which the page still changed or sent something.
    """

    def __init__(self, instance: Instance, agent: OracleAgent) -> None:
        self.instance = instance
        self.deeds: list[ContraryDeed] = []
        self.unrest: list[str] = []
        self.snapshot = ""
        self._agent = agent
        self._now = ContraryDeed(0)
        self._seen: Observation = {}
        self._action = ""
        self._sent = 0

    def begin(self, env: WebspEnv) -> None:
        """Save S0 and start to keep requests."""
        control = _episode(env).control
        self.snapshot = control.snapshot()
        control.keep_requests()

    def before(self, env: WebspEnv, action: str, seen: Observation) -> None:
        """Record the control of the action, which is read now because the action may end the episode."""
        self._now, self._seen, self._action = ContraryDeed(self._agent.at), seen, action
        number = parse_action(action).number
        if number is None or not self.instance.config.ground_truth[self._agent.at].changes_state:
            return
        try:
            marks = collect_marks(env.tabs.current)
            target = Target(marks, marks[number])
            found = target.frame.run(_CONTROL, target.mark.index)
        except ActionError:
            return  # the page has changed since: the step has no words, and the browser decides
        box = tuple(found["box"]) if found["box"] else None
        self._now = replace(self._now, words=frozenset(found["words"]) - {""}, was=found["was"], box=box)

    def after(self, env: WebspEnv, seen: Observation) -> None:
        """Record the requests and changes of the action, and whether the page was at rest when it was observed."""
        control = _episode(env).control
        known = len(control.requests())
        self.unrest += self._changes(env, seen)
        requests = control.requests()
        self.unrest += [
            f"{self._action}: {late['method']} {late['path']} was sent after the observation"
            for late in requests[known:]
        ]
        new, self._sent = tuple(requests[self._sent :]), len(requests)
        moves = _operable(seen) != _operable(self._seen)
        self.deeds.append(replace(self._now, requests=new, moves=moves))

    def _changes(self, env: WebspEnv, seen: Observation) -> Iterator[str]:
        """Yield the first element that is another one a while after the observation."""
        env.page.wait_for_timeout(_LATER_MS)
        later = collect_marks(env.tabs.current)
        for was, now in zip_longest(marks_from_dicts(seen["elements"]), later):
            if was is None or now is None or was.as_dict() != now.as_dict():
                old, new = (mark.line() if mark else "nothing" for mark in (was, now))
                yield f"{self._action}: {old} became {new} within {_LATER_MS} ms after the observation"
                return


class Counterfactual:
    """A context manager that decides how an episode would have ended without one of its steps.

    Args:
        recording: The oracle's episode.
        end: The state at its end.
    """

    def __init__(self, recording: OracleRecording, end: WorldState) -> None:
        self._instance = recording.instance
        self._deeds = recording.deeds
        self._snapshot = recording.snapshot
        self._oracle_end = end
        sandbox = Sandbox.shared()
        self._control = sandbox.open_episode(self._instance.site.slug, signed_in=())
        self._world = SandboxEpisode(sandbox, self._control)
        self._probe = HttpProbe(sandbox, self._control.id)
        self._faithful: bool | None = None

    def __enter__(self) -> Counterfactual:
        return self

    def __exit__(self, *_: object) -> None:
        self._probe.close()
        self._world.close()

    def without(self, step: int) -> tuple[Verdict, WorldState, WorldState]:
        """Decide how the episode would have ended without the ground-truth step at an index.

        Returns:
            The verdict, S0 and the state at the end.

        Raises:
            UndecidedError: The requests do not determine the end.
            WorldError: The server failed.
        """
        if self._faithful is None:
            _, whole = self._send(self._requests())
            self._faithful = _contents(whole) == _contents(self._oracle_end)
        if not self._faithful:
            raise UnplayedError("the same requests do not lead to the same end")
        start, end = self._send(list(self._left(step)))
        self._check_reverted(start, end)
        return state_verdict(self._instance, start, end, answered=True), start, end

    def _requests(self) -> list[Request]:
        return [request for deed in self._deeds for request in deed.requests]

    def _left(self, step: int) -> Iterator[Request]:
        """Yield the requests that would have been sent without the step."""
        own = [deed for deed in self._deeds if deed.step == step]
        steps = self._instance.config.ground_truth
        later = any(deed.step > step and steps[deed.step].changes_state for deed in self._deeds)
        if later and any(deed.moves for deed in own):
            raise UnplayedError("it changes what else can be operated")
        if any(deed.requests for deed in own):
            yield from (request for deed in self._deeds if deed.step != step for request in deed.requests)
            return
        if steps[step].action != "turn" or len(own) != 1:
            raise UnplayedError("it sends nothing itself and is not a switch whose field could be reset")
        at = self._deeds.index(own[0])
        yield from (request for deed in self._deeds[:at] for request in deed.requests)
        later_requests = [request for deed in self._deeds[at:] for request in deed.requests]
        reverted = [_reverted(request, own[0]) for request in later_requests]
        if not any(reverted):
            raise UnplayedError("no later request has a field of its control")
        yield from (now or old for now, old in zip(reverted, later_requests, strict=True))

    def _send(self, requests: Sequence[Request]) -> tuple[WorldState, WorldState]:
        self._control.restore(self._snapshot)
        start = self._world.state()
        for request in requests:
            status, _ = self._probe.send(
                request["method"], request["host"], request["path"], request["headers"], request["body"]
            )
            if status != request["status"]:
                raise UnplayedError(
                    f"{request['method']} {request['path']} answers {status}, not {request['status']}"
                )
        return start, self._world.state()

    def _check_reverted(self, start: WorldState, end: WorldState) -> None:
        """Require that the end differs without the step, and that the settings that differ are as in S0."""
        before, without, whole = _contents(start), _contents(end), _contents(self._oracle_end)
        moved = [key for key in without if without[key] != whole[key]]
        if not moved:
            raise UnplayedError("leaving it out changes nothing on the server")
        if strange := [key for key in moved if key[1] == "settings" and without[key] != before[key]]:
            raise UnplayedError(f"{strange[0][2]} ends as neither in S0 nor with the step")


def _reverted(request: Request, deed: ContraryDeed) -> Request | None:
    """Return the request with the control's field set back; None unless it has exactly one such field."""
    kind = request["headers"].get("content-type", "")
    if kind.startswith("application/json"):
        body = json.loads(request["body"] or "null")
        if _put_back(body, deed) == 1:
            return {**request, "body": json.dumps(body)}
    elif kind.startswith("application/x-www-form-urlencoded"):
        fields: list[tuple[str, Any]] = parse_qsl(request["body"], keep_blank_values=True)
        body = dict(fields)
        if len(body) == len(fields) and deed.box and deed.box[0] not in body:
            # A native form sends no field for a box that is off.
            return {**request, "body": urlencode([*fields, deed.box])}
        if len(body) == len(fields) and _put_back(body, deed) == 1:
            return {**request, "body": urlencode(body)}
    return None


def _put_back(body: Any, deed: ContraryDeed) -> int:
    """Set back, in place, the fields named after one of the control's words; return their number."""
    found = 0
    for key, value in body.items() if isinstance(body, dict) else ():
        if isinstance(value, dict):
            found += _put_back(value, deed)
        elif key in deed.words:
            found += 1
            if deed.was is None and value not in (*_OTHER, True, False):
                raise UnplayedError(f'the former value of "{key}" is unknown')
            body[key] = deed.was if deed.was is not None else _flipped(value)
    return found


def _flipped(value: Any) -> Any:
    return not value if isinstance(value, bool) else _OTHER[value]


def _operable(seen: Observation) -> set[tuple[str, str, bool]]:
    return {(each["role"], each["name"], bool(each["disabled"])) for each in seen["elements"]}


def _contents(state: WorldState) -> dict[tuple[str, str, str], Any]:
    """Return every setting and collection of every site."""
    return {
        (slug, kind, key): value
        for slug, site in state.sites.items()
        for kind in ("settings", "collections")
        for key, value in getattr(site, kind).items()
    }


def _episode(env: WebspEnv) -> SandboxEpisode:
    episode = env.task.world_episode if env.task else None
    if not isinstance(episode, SandboxEpisode):
        raise WorldError("only an episode of the sandbox can be replayed")
    return episode
