"""A model's side of AgentLab's GenericAgent: reads its prompt and plays the ground truth by the tree that stands in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tests.agent_support import Solver, nodes_in, read_request
from tests.endpoint_support import Asked, Say, chat
from websp_gym.agents import Briefing
from websp_gym.agents.oracle import OracleAgent
from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.tasks.instances import load_instance

_TREE = re.compile(r"^## AXTree:$(?P<tree>.*?)^## ", re.M | re.S)
_CALL = re.compile(r"(?P<kind>Click|Hover|Type) \[(?P<bid>\w+)\](?:; (?P<text>.*))?")


def briefing_of(instance_id: str) -> Briefing:
    """The briefing of a solver whose episode runs elsewhere; every episode has the same account."""
    return Briefing(load_instance(instance_id), ACCOUNT, 0)


class GenericSolver:
    """Answers GenericAgent's requests in one episode as a model that knows the way would."""

    def __init__(self, briefing: Briefing) -> None:
        self._oracle = OracleAgent()
        self._oracle.begin(briefing)

    def __call__(self, asked: Asked) -> str:
        """The reply's text."""
        found = _TREE.search(read_request(asked).text)
        assert found is not None
        elements = nodes_in(found["tree"])
        action = self._oracle.act({"elements": elements, "last_action_error": "", "url": ""})
        return f"<think>\nStep by step.\n</think>\n<action>\n{_as_call(action)}\n</action>"


def _as_call(action: str) -> str:
    found = _CALL.fullmatch(action)
    if found is None:
        assert action.startswith("ANSWER"), action
        return "send_msg_to_user('done')"
    if found["kind"] == "Type":
        return f"fill('{found['bid']}', {found['text']!r})"
    return f"{found['kind'].lower()}('{found['bid']}')"


def solving(
    ids: Sequence[str], solver: Callable[[Briefing], GenericSolver | Solver]
) -> Callable[[Asked], Say]:
    """Answers the requests of several episodes, which it distinguishes by their instructions."""
    briefings = [briefing_of(one) for one in ids]
    solvers = {one.instance.task.instruction: solver(one) for one in briefings}
    assert len(solvers) == len(ids)

    def answer(asked: Asked) -> Say:
        text = read_request(asked).text
        (mine,) = [each for instruction, each in solvers.items() if instruction in text]
        return chat(mine(asked))

    return answer
