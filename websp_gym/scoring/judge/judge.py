"""The judge: several models look at a trajectory, and a majority of them decides (WebSP-Eval, sections 3.3 and 4)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from websp_gym.errors import JudgeError, MissingKeyError, ModelError, SetupError
from websp_gym.models import Model, Reply, can_think, make_model
from websp_gym.models.probe import Probe
from websp_gym.models.thinking import Thinking
from websp_gym.models.usage import sum_known
from websp_gym.records.trajectory import Trajectory
from websp_gym.records.verdict import Verdict, failed, failed_early, passed, unscored
from websp_gym.scoring.judge.cache import Cache, cache_key
from websp_gym.scoring.judge.opinion import SCHEMA, Opinion, UnreadableError, read_opinion
from websp_gym.scoring.judge.pictures import PictureLimits
from websp_gym.scoring.judge.prompt import RULES, Prompt, build_prompt
from websp_gym.scoring.judge.vote import Vote, check_quorum, majority

SOURCE = "judge"

DEFAULT_MODELS = ("gemini:gemini-3.1-pro", "anthropic:claude-opus-4.6", "openai:gpt-5.2")
"""The paper's ensemble (section 4, table 1: "Majority Ensemble 2,3,4")."""
RECOMMENDED_MODELS = ("gemini:gemini-4-argon", "anthropic:claude-opus-5.5", "openai:gpt-6.2-sol")
"""Current models of the same three makers; never measured against labels here."""
ENSEMBLES = {"paper": DEFAULT_MODELS, "recommended": RECOMMENDED_MODELS}
"""Names for several models."""
TEMPERATURE = 1.0
THINKING = "high"
"""Temperature and thinking budget of the paper (section 4)."""

_PATIENCE = 300.0
"""Seconds for one answer to about twenty screenshots, with thinking."""

_HALVINGS = 4
"""Maximum number of times the limits are halved for a model that accepts less than the default."""

_STOPS = {
    "length": "the answer was cut at the token limit",
    "refusal": "the model refused",
    "filter": "the provider's filter blocked the answer",
    "other": "the answer did not end with a text",
}


class Judge:
    """An ensemble of models that decides whether a trajectory did its task.

    Args:
        models: The models that vote.
        quorum: Number of models that must agree for a verdict; None for more than half of them.
        asks: Maximum number of requests to a model whose answers cannot be read.
        rules: The system prompt; ``{word}`` in it is replaced by the fence.
        limits: Limits on one request; None for the defaults.
        cache: Store of opinions; None asks again each time.
        settings: Other settings that an opinion depends on (temperature and the like), for the cache key.

    Raises:
        SetupError: The quorum is not between 1 and the number of models.
    """

    def __init__(
        self,
        models: Sequence[Model],
        *,
        quorum: int | None = None,
        asks: int = 3,
        rules: str = RULES,
        limits: PictureLimits | None = None,
        cache: Cache | None = None,
        settings: str = "",
    ) -> None:
        if not models:
            raise ValueError("a judge needs at least one model")
        self.models = tuple(models)
        self.quorum = check_quorum(quorum, len(models))
        self._asks = asks
        self._rules = rules
        self._limits = limits
        self._cache = cache
        self._settings = settings

    @classmethod
    def of(
        cls,
        models: str | Sequence[str] | None = None,
        *,
        temperature: float = TEMPERATURE,
        thinking: Thinking = THINKING,
        env: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Judge:
        """Create a judge from model strings.

        Args:
            models: One or more strings such as ``openai:gpt-6.2-sol``, or a name of :data:`ENSEMBLES`; None for the
                paper's three models.
            temperature: Sampling temperature of all models.
            thinking: Thinking budget of all models that can think.
            env: Variables to read keys from; None for the environment and ``.env``.
            **options: Further arguments of :class:`Judge`.

        Returns:
            The judge.

        Raises:
            MissingKeyError: Keys are missing; the error names the variables of all of them.
            SetupError: A provider is unknown, or an option is wrong.
        """
        specs = expand([models] if isinstance(models, str) else models or ["paper"])
        made: list[Model] = []
        errors: dict[str, SetupError] = {}
        for spec in specs:
            try:
                made.append(
                    make_model(
                        spec,
                        temperature=temperature,
                        thinking=thinking if can_think(spec, env) else None,
                        timeout=_PATIENCE,
                        env=env,
                    )
                )
            except SetupError as error:
                errors[str(error)] = error
        if len(errors) == 1:
            raise next(iter(errors.values()))
        if errors:
            keys = [error.variable for error in errors.values() if isinstance(error, MissingKeyError)]
            if len(keys) < len(errors):
                raise SetupError("; ".join(errors))
            raise MissingKeyError("; ".join(errors), variables=tuple(filter(None, keys)))
        return cls(made, settings=f"temperature {temperature:g}, thinking {thinking}", **options)

    @property
    def name(self) -> str:
        """The strings of its models, separated by commas."""
        return ",".join(model.spec for model in self.models)

    @property
    def identity(self) -> str:
        """Everything its verdicts depend on: models, settings, digest of the rules, and quorum if not the default."""
        rules = hashlib.sha256(self._rules.encode()).hexdigest()[:8]
        usual = self.quorum == check_quorum(None, len(self.models))
        parts = (self._settings, f"rules {rules}", "" if usual else f"quorum {self.quorum}")
        return f"{self.name} ({', '.join(filter(None, parts))})"

    @property
    def probes(self) -> list[Probe]:
        """Its models, configured as for a verdict, to try them out beforehand."""
        return [Probe(model, picture=True, schema=SCHEMA) for model in self.models]

    def verdict(self, trajectory: Trajectory, folder: Path | str) -> Verdict:
        """Judge a trajectory.

        Args:
            trajectory: A trajectory that reached its end.
            folder: The folder of its screenshots.

        Returns:
            Pass or fail if a quorum of the models agrees; otherwise, or if a screenshot is missing, unscored.
            ``details`` holds the votes, their cost and the judge's identity. A run stopped by a limit, or reported
            infeasible by the agent, fails without a request.
        """
        if early := _without_a_call(trajectory):
            return early
        folder, limits = Path(folder), self._limits or PictureLimits()
        try:
            votes = self.votes(build_prompt(trajectory, folder, rules=self._rules, limits=limits))
        except JudgeError as error:
            return unscored(SOURCE, f"not judged: {error}", details={"votes": [], "cost": 0.0})
        for _ in range(_HALVINGS):
            places = [place for place, vote in enumerate(votes) if vote.too_long]
            if not places:
                break
            limits = limits.half()
            try:
                prompt = build_prompt(trajectory, folder, rules=self._rules, limits=limits)
            except JudgeError:
                break  # nothing more can be left out
            for place, vote in zip(places, self.votes(prompt, places), strict=True):
                votes[place] = votes[place].then(vote)
        verdict = decide(votes, self.quorum)
        return replace(verdict, details={**verdict.details, "judge": self.identity})

    def votes(self, prompt: Prompt, places: Sequence[int] | None = None) -> list[Vote]:
        """Ask all models at once, or those at the given places; return their votes in this order."""
        digest = prompt.digest if self._cache else ""
        specs = [model.spec for model in self.models]
        places = range(len(specs)) if places is None else places

        def vote(place: int) -> Vote:
            return self._vote(self.models[place], prompt, digest, specs[:place].count(specs[place]))

        if len(places) == 1:
            return [vote(places[0])]
        with ThreadPoolExecutor(len(places)) as pool:
            return list(pool.map(vote, places))

    def _vote(self, model: Model, prompt: Prompt, digest: str, copy: int) -> Vote:
        if self._cache is None:
            return ask(model, prompt, asks=self._asks)
        key = cache_key(model=model.spec, settings=self._settings, prompt=digest, copy=copy)
        if (kept := self._cache.get(key)) is not None:
            return replace(Vote.of(kept), cached=True)
        vote = ask(model, prompt, asks=self._asks)
        if vote.result is not None:
            self._cache.put(key, vote.as_dict())
        return vote


def expand(names: Iterable[str]) -> list[str]:
    """Return model strings, with those of :data:`ENSEMBLES` for its names."""
    return [spec for name in names for spec in ENSEMBLES.get(name, (name,))]


def decide(votes: Sequence[Vote], quorum: int | None = None) -> Verdict:
    """Return the verdict that the votes lead to, with the votes and their cost in ``details``.

    Args:
        votes: One per model.
        quorum: Number of models that must agree; None for more than half of them.
    """
    needed = check_quorum(quorum, len(votes))
    result = majority([vote.result for vote in votes], needed)
    details = {
        "votes": [vote.as_dict() for vote in votes],
        "cost": sum_known([vote.cost for vote in votes]),
        "spent": sum_known([vote.spent for vote in votes]),
    }
    if result is None:
        return unscored(SOURCE, _why_none(votes, needed), details=details)
    agreeing = [vote for vote in votes if vote.result == result]
    silent = sum(vote.result is None for vote in votes)
    without = f", {silent} without an opinion" if silent else ""
    reason = f"{len(agreeing)} of {len(votes)} judges: {result}{without}. {agreeing[0].reason}"
    return (passed if result == "CORRECT" else failed)(SOURCE, reason, details=details)


def _why_none(votes: Sequence[Vote], quorum: int) -> str:
    """Return how many models gave which result, how many gave none, and why."""
    results = [vote.result for vote in votes]
    silent = [vote for vote in votes if vote.result is None]
    failures = sum(bool(vote.failed) for vote in silent)
    counts = (
        (results.count("CORRECT"), "CORRECT"),
        (results.count("INCORRECT"), "INCORRECT"),
        (failures, "failed"),
        (len(silent) - failures, "unreadable"),
    )
    said = ", ".join(f"{number} {what}" for number, what in counts if number)
    why = "".join(f"; {vote.model}: {vote.error.removeprefix(f'{vote.model}: ')}" for vote in silent)
    return f"{quorum} of {len(votes)} models must agree; answers: {said}{why}"


def ask(model: Model, prompt: Prompt, *, asks: int) -> Vote:
    """Ask one model until its answer can be read, at most ``asks`` times.

    The vote is unscored if no answer can be read (it then holds the answers) or the request fails.
    """
    replies: list[Reply] = []
    transcript: list[dict[str, str]] = []
    problem = ""
    opinion: Opinion | None = None
    failed_attempts, failure, lasting = 0, "", False
    for again in range(asks):
        try:
            # Writing to a cache costs more than it saves for the many models that are asked once.
            reply = model.ask(prompt.messages(cache=again > 0), schema=SCHEMA)
        except ModelError as error:
            # The model has already retried where that can help.
            failed_attempts, problem = error.attempts, str(error)
            failure, lasting = error.kind or "unknown", error.lasting
            transcript.append({"answer": "", "problem": problem})
            break
        replies.append(reply)
        try:
            opinion = _opinion(reply)
            break
        except UnreadableError as error:
            problem = str(error)
            transcript.append({"answer": reply.text, "problem": problem})
    return Vote(
        model=model.spec,
        result=opinion.result if opinion else None,
        reason=opinion.reason if opinion else "",
        error="" if opinion else problem,
        failed=failure,
        unreadable=len(replies) - (opinion is not None),
        cost=sum_known([reply.cost for reply in replies]),
        input_tokens=sum_known([reply.input_tokens for reply in replies]),
        output_tokens=sum_known([reply.output_tokens for reply in replies]),
        seconds=sum(reply.seconds for reply in replies),
        attempts=sum(reply.attempts for reply in replies) + failed_attempts,
        transcript=tuple(transcript),
        too_long=failure == "too_long",
        lasting=lasting,
    )


def _opinion(reply: Reply) -> Opinion:
    if reply.stop != "end":
        raise UnreadableError(_STOPS[reply.stop])
    return read_opinion(reply.text)


def _without_a_call(trajectory: Trajectory) -> Verdict | None:
    """Return the verdict on a run that needs no model (limits fail, as in the paper's section 3.3), else None."""
    early = failed_early(trajectory.end_reason)
    if early is not None:
        return early
    if trajectory.right_end is not None:
        return unscored(
            SOURCE, "its policies make a different end right than the task does, which only the state shows"
        )
    match trajectory.end_reason:
        case "infeasible":
            return failed(SOURCE, "the agent gave up: it reported the task infeasible")
        case "answer":
            return None
    return unscored(SOURCE, f"the episode did not finish: {trajectory.error or 'it was broken off'}")
