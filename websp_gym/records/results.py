"""Results of episodes on disk: one folder per run, one line of JSON per episode.

The folder of a run holds ``run.json`` (its agent and options), ``results.jsonl`` (one :class:`Result` per
line) and ``trajectories/<id>/<nnn>/``. It is self-contained: a report, a judge or a later rescoring needs
nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from websp_gym.records.policy_verdict import PolicyVerdict
from websp_gym.records.verdict import Failure, Verdict
from websp_gym.texts import encodable

if TYPE_CHECKING:
    from websp_gym.records.trajectory import Trajectory

ResultStatus = Literal["pass", "fail", "unscored", "error"]
OutcomeLabel = Literal["success", "failure", "time-out", "stopped", "unscored", "error"]
Choice = Literal["agreed", "refused", "left open"]
Stage = Literal["reset", "agent", "action", "scoring", "process"]


@dataclass(frozen=True, kw_only=True)
class Try:
    """An attempt at an episode that an error ended.

    Args:
        error: Type and message of the error.
        stage: What was running: the ``reset``, the ``agent`` (usually its model), an ``action``, the
            ``scoring`` after the last action; ``process`` if the whole process died and nothing more is
            known.
        step: The current or last action, from 1; 0 before the first one.
        seconds: Seconds the attempt took, including the reset.
        trajectory: Folder of its trajectory, relative to that of the run; empty if it was not saved.
    """

    error: str
    stage: Stage
    step: int = 0
    seconds: float = 0.0
    trajectory: str = ""


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of one episode.

    Args:
        id: Id of the instance.
        agent: The agent, as given by the user.
        trial: Number of this repetition, from 1.
        seed: Seed of the episode.
        instruction: ``without_navigation`` or ``with_navigation``.
        reward: The reward; ``None`` if the episode was not scored.
        status: ``pass``, ``fail``, ``unscored`` (the outcome is unknown) or ``error`` (the episode could not
            be played to its end).
        source: Who decided, as in :class:`~websp_gym.records.verdict.Verdict`; ``runner`` if the same action of the
            agent ended the episode with an error twice; empty with the status ``error``.
        end_reason: Why the episode ended (:data:`~websp_gym.records.ending.EndReason`). ``error`` with
            the status ``fail`` means that the same action of the agent caused an error twice.
        steps: Number of steps taken.
        actions: Number of actions that count against the limit. Scrolling and waiting count 0; a list of
            calls may count more than 1.
        seconds: Seconds from the first observation to the end, including the agent's thinking.
        reset_seconds: Seconds of the reset before that.
        error: Why the episode could not be played to its end; ``None`` if it was.
        reason: The verdict in one sentence.
        failure_kinds: Kinds of failure, of the paper's five (section 6), determined by rules.
        failure_elements: UI element types that caused the failure, determined by rules.
        side_effects: Changes that no goal asked for.
        sibling_effects: Those on the page of the goal; ``None`` if unknown.
        siblings: The score if those count; ``None`` if unknown.
        strict: The score if all side effects count; ``None`` if unknown.
        partial: Share of the goal's conditions that hold, from 0 to 1; ``None`` if unknown.
        progress: The same without those that held in S0 and still hold (:class:`~websp_gym.records.verdict.Verdict`);
            ``None`` if unknown, as in results of older versions.
        completed: ``True`` if the episode failed although the task was done, because the reward asks for more.
        policies: The verdict on each policy; ``None`` in an episode without policies.
        policy_digest: Digest of the policies; empty without any. Results with different ones are not comparable.
        choices: For each thing that a page of an everyday task asked the agent to agree to: whether it ``agreed``,
            ``refused`` or ``left open``; ``None`` if unknown, as in results of older versions.
        calls: Number of requests to the agent's model.
        input_tokens: Tokens read by the model; ``None`` if unknown or if there is no model.
        output_tokens: Tokens written by the model; ``None`` if unknown or if there is no model.
        cost: Cost in US dollars; ``None`` if a price is unknown. It is never estimated.
        judge_cost: The same for the models of the reward ``judge``; 0.0 without it.
        tries: The attempts that an error ended, in order; empty if the first attempt reached its end.
        lasting: Why no other episode of the run could be played or judged either, such as a wrong key of a model;
            empty if there is no such reason.
        trajectory: Folder of the episode, relative to that of the run if it has one; empty if it was not saved.
        config_hash: Digest of the instance's configuration.
        dataset: Name of the dataset of the instance; empty for ours, and then not stored.
        run_hash: Digest of the agent, the options and the seed of the run.
    """

    id: str
    agent: str
    trial: int = 1
    seed: int = 0
    instruction: str = "without_navigation"
    reward: float | None
    status: ResultStatus
    source: str = ""
    end_reason: str | None = None
    steps: int = 0
    actions: int = 0
    seconds: float = 0.0
    reset_seconds: float = 0.0
    error: str | None = None
    reason: str = ""
    failure_kinds: tuple[str, ...] = ()
    failure_elements: tuple[str, ...] = ()
    side_effects: tuple[str, ...] = ()
    sibling_effects: tuple[str, ...] | None = ()
    siblings: float | None = None
    strict: float | None = None
    partial: float | None = None
    progress: float | None = None
    completed: bool = False
    policies: tuple[PolicyVerdict, ...] | None = None
    policy_digest: str = ""
    choices: Mapping[str, Choice] | None = field(default=None, hash=False)
    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    judge_cost: float | None = 0.0
    tries: tuple[Try, ...] = ()
    lasting: str = ""
    trajectory: str = ""
    config_hash: str = ""
    dataset: str = ""
    run_hash: str = ""

    @classmethod
    def of(cls, verdict: Verdict, record: Trajectory, **facts: Any) -> Result:
        """Return the result of an episode that has a verdict.

        Args:
            verdict: The verdict.
            record: The trajectory; it need not be on disk.
            **facts: Further fields, such as ``agent``, ``trial`` or ``seconds``; they take precedence.
        """
        return cls(**facts_of(record) | {"end_reason": record.end_reason} | _scored(verdict) | facts)

    def rescored(self, verdict: Verdict) -> Result:
        """Return the same result with another verdict."""
        return replace(self, error=None, **_scored(verdict))

    @property
    def outcome(self) -> OutcomeLabel:
        """The column of table 2 of the paper; ``stopped``, ``unscored`` and ``error`` are columns of our own."""
        if self.status in ("unscored", "error"):
            return "unscored" if self.status == "unscored" else "error"
        if self.status == "pass":
            return "success"
        if self.end_reason == "stopped":
            return "stopped"
        return "time-out" if self.end_reason in ("action_limit", "time_limit") else "failure"

    @property
    def brought_down(self) -> bool:
        """Whether the agent failed because the same action ended the episode with an error twice."""
        return self.status == "fail" and self.end_reason == "error"

    @property
    def done(self) -> bool:
        """Whether the task was done, whatever else its reward asks for."""
        return self.status == "pass" or self.completed

    @property
    def under_policy(self) -> bool:
        """Whether the task was done with every policy kept."""
        return self.done and self.policies is not None and all(each.kept for each in self.policies)

    @property
    def broken(self) -> tuple[str, ...]:
        """The ids of the policies that were not kept, or could not be decided."""
        return tuple(each.id for each in self.policies or () if not each.kept)

    @property
    def kept(self) -> str:
        """How its policies came out, such as ``2 of 10 policies broken``; empty without policies."""
        if not self.policies:
            return ""
        number, broken = len(self.policies), len(self.broken)
        policies = "policy" if number == 1 else "policies"
        return f"{broken} of {number} {policies} broken" if broken else f"{number} {policies} kept"

    @property
    def again(self) -> int:
        """Number of times the episode was retried."""
        return max(len(self.tries) - (self.status == "error" or self.brought_down), 0)

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Agent, instruction variant, instance and trial; a run has one result for each."""
        return (self.agent, self.instruction, self.id, self.trial)

    def line(self) -> str:
        """Return the result as one line of JSON."""
        data = asdict(self)
        if not self.dataset:
            del data["dataset"]
        return encodable(json.dumps(data, ensure_ascii=False))

    def summary(self) -> str:
        """Return the fields that a calling program needs, as one line of JSON."""
        keys = (
            "id",
            "agent",
            "trial",
            "reward",
            "siblings",
            "strict",
            "status",
            "end_reason",
            "steps",
            "seconds",
            "cost",
            "error",
            "tries",
        )
        data = asdict(self)
        under = None if self.policies is None else self.under_policy
        broken = None if self.policies is None else self.broken
        said = {key: data[key] for key in keys} | {"under_policy": under, "policies_broken": broken}
        return encodable(json.dumps(said, ensure_ascii=False))


def facts_of(record: Trajectory) -> dict[str, Any]:
    """Return the fields of a result that a trajectory determines, complete or not."""
    return {
        "id": record.instance,
        "seed": record.seed,
        "instruction": record.options["instruction"],
        "steps": len(record.steps),
        "actions": sum(step.counted for step in record.steps),
        "reset_seconds": round(record.reset_seconds, 3),
        "config_hash": record.config_hash,
        "dataset": record.options.get("dataset") or "",
        "policy_digest": record.policies.digest if record.policies is not None else "",
        "choices": choices_of(record),
    }


def choices_of(record: Trajectory) -> dict[str, Choice] | None:
    """Return what became of what pages asked to agree to (:attr:`Result.choices`)."""
    if not (record.s0 and record.end):
        return None
    found: dict[str, Choice] = {}
    for event in record.events:
        if event["kind"] == "asked":
            for purpose in event["data"]["purposes"]:
                found.setdefault(purpose, "left open")
        elif event["kind"] == "decided":
            for purpose in event["data"]["agreed"]:
                found[purpose] = "agreed"
            for purpose in event["data"]["refused"]:
                found[purpose] = "refused"
    return found


def _scored(verdict: Verdict) -> dict[str, Any]:
    failure = verdict.failure or Failure()
    return {
        "reward": verdict.score,
        "status": verdict.status,
        "source": verdict.source,
        "reason": verdict.reason,
        "failure_kinds": failure.kinds,
        "failure_elements": failure.elements,
        "side_effects": verdict.side_effects,
        "sibling_effects": verdict.sibling_effects,
        "siblings": verdict.siblings,
        "strict": verdict.strict,
        "partial": verdict.partial,
        "progress": verdict.progress,
        "completed": verdict.completed,
        "policies": verdict.policies,
        "judge_cost": verdict.details.get("spent", 0.0) if verdict.source == "judge" else 0.0,
    }


def spent(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up the model usage of turns or episodes.

    The parts have ``calls``, ``input_tokens``, ``output_tokens`` and ``cost``, and so has the result. A sum
    is ``None`` if one of its amounts is unknown. Without parts the result is empty.
    """
    listed = list(parts)
    if not listed:
        return {}
    amounts = {
        name: [part[name] for part in listed] for name in ("calls", "input_tokens", "output_tokens", "cost")
    }
    return {name: None if None in values else sum(values) for name, values in amounts.items()}
