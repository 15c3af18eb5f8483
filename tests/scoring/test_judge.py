"""The judge: who is asked, how often, and what becomes of the answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.endpoint_support import CHAT, CLAUDE, RESPONSES, Dialect, Endpoint, chat, endpoint, server
from tests.judge_support import FunctionModel, Put, ReplyModel, on_disk, recorded, reply, say, says, word_of
from websp_gym.errors import MissingKeyError, ModelError, SetupError
from websp_gym.models import Message, Text
from websp_gym.records.trajectory import PolicyRecord
from websp_gym.scoring.judge import DEFAULT_MODELS, RECOMMENDED_MODELS, Judge
from websp_gym.scoring.judge.cache import Cache
from websp_gym.scoring.judge.pictures import PictureLimits
from websp_gym.tasks.goals import RightEnd

__all__ = ["endpoint", "on_disk", "server"]
RUN = "Steam-task-191-ON"
YES, NO = says("CORRECT", "It is so."), says("INCORRECT", "It is not.")


def always(answer: str, spec: str = "test:model") -> FunctionModel:
    return FunctionModel(lambda messages: answer, spec)


@pytest.fixture
def folder(on_disk: Put) -> Path:
    return on_disk(recorded(RUN))


def test_the_majority_decides_and_every_vote_is_reported(folder: Path) -> None:
    judge = Judge([always(YES, "a"), always(NO, "b"), always(YES, "c")])
    verdict = judge.verdict(recorded(RUN), folder)
    assert (verdict.status, verdict.score, verdict.source) == ("pass", 1.0, "judge")
    assert verdict.reason == "2 of 3 judges: CORRECT. It is so."
    assert [(vote["model"], vote["status"], vote["result"]) for vote in verdict.details["votes"]] == [
        ("a", "scored", "CORRECT"), ("b", "scored", "INCORRECT"), ("c", "scored", "CORRECT"),
    ]  # fmt: skip
    first = verdict.details["votes"][0]
    assert (first["reason"], first["cost"], first["seconds"], first["attempts"]) == (
        "It is so.",
        0.01,
        0.5,
        1,
    )
    assert (first["input_tokens"], first["output_tokens"], first["error"]) == (100, 10, "")
    assert verdict.details["cost"] == pytest.approx(0.03)


def test_all_models_are_asked_at_the_same_time(folder: Path) -> None:
    together = threading.Barrier(3, timeout=150)

    def answer(messages: Any) -> str:
        together.wait()
        return YES

    judge = Judge([FunctionModel(answer, spec) for spec in "abc"])
    assert judge.verdict(recorded(RUN), folder).status == "pass"


@pytest.mark.parametrize("reason", ["action_limit", "time_limit", "infeasible"])
def test_a_run_into_a_limit_and_a_run_given_up_fail_without_a_call(folder: Path, reason: Any) -> None:
    run = recorded(RUN)
    run.end_reason = reason
    model = always(YES)
    verdict = Judge([model]).verdict(run, folder)
    assert (verdict.status, model.asked) == ("fail", [])
    assert verdict.source == ("judge" if reason == "infeasible" else "limit")


@pytest.mark.parametrize("reason", ["error", "abandoned", None])
def test_a_run_that_was_broken_off_is_unscored_without_a_call(folder: Path, reason: Any) -> None:
    run = recorded(RUN)
    run.end_reason, run.error = reason, "the server died"
    model = always(YES)
    verdict = Judge([model]).verdict(run, folder)
    assert (verdict.status, model.asked) == ("unscored", [])
    assert "the server died" in verdict.reason


def test_a_run_whose_policies_make_another_end_right_is_unscored_without_a_call(folder: Path) -> None:
    run, model = recorded(RUN), always(YES)
    run.policies = PolicyRecord(sets=[], digest="", shown=[], right_end=RightEnd(refuse=True))
    verdict = Judge([model]).verdict(run, folder)
    assert (verdict.status, model.asked) == ("unscored", [])
    assert "a different end right" in verdict.reason


def test_a_run_whose_judge_failed_after_the_answer_can_be_judged_again(folder: Path) -> None:
    run = recorded(RUN)
    run.verdict, run.error = None, "no judge gave an opinion"
    assert run.end_reason == "answer", "how it ended was written before the judge was asked"
    assert Judge([always(YES)]).verdict(run, folder).status == "pass"


def test_a_run_that_is_too_long_by_the_agents_own_doing_is_judged_on_what_fits(folder: Path) -> None:
    model = always(NO)
    run = recorded(RUN)
    say(run, -1, "ANSWER; " + 400_001 * "x")
    verdict = Judge([model], limits=PictureLimits(pictures=2)).verdict(run, folder)
    assert (verdict.status, len(model.asked)) == ("fail", 1)
    assert "5 of 7 screenshots in its middle" in model.asked[0][1].text


def test_a_model_that_takes_less_than_others_gets_less_and_judges_all_the_same(folder: Path) -> None:
    def small(messages: Sequence[Message]) -> str:
        if sum(len(message.text) for message in messages) > 60_000:
            raise ModelError("too many tokens", kind="too_long", model="small")
        return NO

    run = recorded(RUN)
    say(run, -1, "ANSWER; " + 390_000 * "x")
    model = FunctionModel(small)
    verdict = Judge([model]).verdict(run, folder)
    assert (verdict.status, len(model.asked)) == ("fail", 2)
    assert verdict.details["cost"] == pytest.approx(0.01)
    large = always(NO, "large")
    both = Judge([large, FunctionModel(small, "small")]).verdict(run, folder)
    assert (both.status, len(large.asked)) == ("fail", 1), "only the one that takes less is asked again"
    assert [vote["result"] for vote in both.details["votes"]] == ["INCORRECT"] * 2
    never = FunctionModel(lambda messages: small([*messages, Message("user", (Text(70_000 * "x"),))]))
    assert Judge([never]).verdict(run, folder).status == "unscored"


def test_all_keys_that_are_missing_are_named_at_once() -> None:
    with pytest.raises(MissingKeyError) as caught:
        Judge.of(env={})
    named = {"GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"}
    assert set(caught.value.variables or ()) == named
    assert all(name in str(caught.value) for name in named)
    with pytest.raises(SetupError, match=r"^openai:gpt-5\.2 needs OPENAI_API_KEY"):
        Judge.of(["openai:gpt-5.2", "openai:gpt-5.2"], env={})


def test_half_an_emoji_in_a_record_or_a_reason_is_judged_and_kept(folder: Path, tmp_path: Path) -> None:
    run = recorded(RUN)
    say(run, -1, "ANSWER; half \ud83d")
    answer = '{"result": "CORRECT", "reason": "It is \\ud800 so."}'
    cache = Cache(tmp_path / "cache.sqlite")
    first = Judge([always(answer)], cache=cache).verdict(run, folder)
    again = Judge([always(NO)], cache=cache).verdict(run, folder)
    cache.close()
    assert (first.status, again.status) == ("pass", "pass")
    assert again.details["votes"][0]["cached"] is True
    assert first.reason.encode() == again.reason.encode()


# --- answers that are none --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("useless", "problem"),
    [
        (reply("I would say CORRECT"), "not JSON"),
        (reply("{}"), "keys"),
        (reply(says("PARTIAL")), "PARTIAL"),
        (reply("", stop="refusal"), "refused"),
        (reply(YES, stop="refusal"), "refused"),
        (reply(YES, stop="length"), "token limit"),
        (reply(YES, stop="filter"), "filter"),
    ],
)
def test_an_unreadable_answer_is_asked_for_again_and_kept(folder: Path, useless: Any, problem: str) -> None:
    model = ReplyModel(useless, useless, reply(NO))
    verdict = Judge([model], asks=3).verdict(recorded(RUN), folder)
    assert (verdict.status, model.asked) == ("fail", 3)
    vote = verdict.details["votes"][0]
    assert [line["answer"] for line in vote["transcript"]] == [useless.text] * 2
    assert all(problem in line["problem"] for line in vote["transcript"])
    assert (vote["cost"], vote["input_tokens"], vote["attempts"]) == (pytest.approx(0.03), 300, 3)


def test_a_model_that_never_answers_what_was_asked_is_unscored(folder: Path) -> None:
    model = ReplyModel(*[reply("CORRECT!")] * 2)
    verdict = Judge([model], asks=2).verdict(recorded(RUN), folder)
    assert (verdict.status, verdict.score, model.asked) == ("unscored", None, 2)
    assert "not JSON" in verdict.reason
    assert len(verdict.details["votes"][0]["transcript"]) == 2
    assert verdict.details["cost"] == pytest.approx(0.02)


KINDS = ["timeout", "rate_limit", "server", "connection", "refused", "filtered", "truncated",
         "malformed", "bad_request", "auth"]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_cannot_be_asked_is_unscored_with_the_reason(folder: Path, kind: Any) -> None:
    model = ReplyModel(ModelError(f"no answer: {kind}", kind=kind, model="m", attempts=4))
    verdict = Judge([model]).verdict(recorded(RUN), folder)
    assert (verdict.status, model.asked) == ("unscored", 1)
    assert f"no answer: {kind}" in verdict.reason
    assert verdict.details["votes"][0]["attempts"] == 4


def test_the_others_decide_where_one_has_no_opinion(folder: Path) -> None:
    lost = ReplyModel(ModelError("gone", kind="server", model="m"))
    verdict = Judge([always(NO, "a"), lost, always(NO, "c")]).verdict(recorded(RUN), folder)
    reason = "2 of 3 judges: INCORRECT, 1 without an opinion. It is not."
    assert (verdict.status, verdict.reason) == ("fail", reason)


@pytest.mark.parametrize("silent", ["failed", "unreadable"])
def test_one_model_of_three_never_decides_alone(folder: Path, silent: str) -> None:
    def lost() -> ReplyModel:
        gone = ModelError("gone", kind="server", model="m")
        return ReplyModel(*[gone if silent == "failed" else reply("Sure!")] * 3)

    verdict = Judge([always(YES, "a"), lost(), lost()]).verdict(recorded(RUN), folder)
    assert (verdict.status, verdict.score) == ("unscored", None)
    assert f"2 of 3 models must agree; answers: 1 CORRECT, 2 {silent}" in verdict.reason
    assert Judge([always(YES, "a"), lost(), lost()], quorum=1).verdict(recorded(RUN), folder).status == "pass"


def test_a_quorum_is_part_of_what_a_verdict_depends_on_and_at_most_the_number_of_models() -> None:
    three = [always(YES, spec) for spec in "abc"]
    usual = Judge(three)
    assert (usual.quorum, usual.identity) == (2, Judge(three, quorum=2).identity)
    assert "quorum 3" in Judge(three, quorum=3).identity
    with pytest.raises(SetupError, match="quorum=4: give a number from 1 to 3"):
        Judge(three, quorum=4)


def test_a_tie_is_unscored(folder: Path) -> None:
    lost = ReplyModel(ModelError("gone", kind="server", model="m"))
    verdict = Judge([always(NO, "a"), lost, always(YES, "c")]).verdict(recorded(RUN), folder)
    assert (verdict.status, verdict.score) == ("unscored", None)


def test_a_record_has_one_fence_so_that_a_second_request_can_come_from_the_cache(folder: Path) -> None:
    models = [always("no", "a"), always(YES, "b")]
    judge = Judge(models, asks=3)
    judge.verdict(recorded(RUN), folder)
    first, again, last = models[0].asked
    assert [message.parts for message in first] == [message.parts for message in again]
    assert [any(message.cache for message in asked) for asked in (first, again, last)] == [False, True, True]
    words = {word_of(messages) for model in models for messages in model.asked}
    assert len(words) == 1
    judge.verdict(recorded(RUN), folder)
    assert word_of(models[0].asked[-1]) not in words, "another verdict draws another one"


def test_a_name_stands_for_the_models_of_an_ensemble() -> None:
    keys = dict.fromkeys(("GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"), "k" * 20)
    for given, models in (
        ("recommended", RECOMMENDED_MODELS),
        (["recommended"], RECOMMENDED_MODELS),
        ("paper", DEFAULT_MODELS),
        (None, DEFAULT_MODELS),
        (["recommended", "openai:gpt-4.1"], (*RECOMMENDED_MODELS, "openai:gpt-4.1")),
    ):
        made = Judge.of(given, env=keys).models
        assert tuple(model.spec for model in made) == models
    assert all(getattr(model, "priced", None) for model in Judge.of("recommended", env=keys).models)


@pytest.mark.parametrize(("spec", "thinking"), [("openai:gpt-4.1", None), ("openai:gpt-oss-120b", "high")])
def test_a_model_that_cannot_think_judges_without(
    spec: str, thinking: str | None, endpoint: Endpoint, folder: Path
) -> None:
    endpoint.plan(chat(YES))
    judge = Judge.of(spec, env=CHAT.env(endpoint.url))
    assert judge.verdict(recorded(RUN), folder).status == "pass"
    assert endpoint.last.body.get("reasoning_effort") == thinking


@pytest.mark.parametrize("dialect", [CLAUDE, RESPONSES], ids=str)
def test_only_a_second_request_about_a_record_asks_to_cache_it(
    dialect: Dialect, endpoint: Endpoint, folder: Path
) -> None:
    spec = "openai:gpt-6.2-sol" if dialect is RESPONSES else "anthropic:claude-opus-5.5"
    endpoint.plan(dialect.say("prose"), dialect.say("prose"), dialect.say(YES))
    assert Judge.of(spec, env=dialect.env(endpoint.url)).verdict(recorded(RUN), folder).status == "pass"
    first, again, last = (json.dumps(asked.body) for asked in endpoint.asked)
    mark = '"cache_control"' if dialect is CLAUDE else '"prompt_cache_breakpoint"'
    assert [text.count(mark) for text in (first, again, last)] == [0, 1, 1]
    assert again == last, "so that the third is read from the cache"


# --- the cache --------------------------------------------------------------------------------------


def test_an_opinion_is_paid_for_once(folder: Path, tmp_path: Path) -> None:
    first, second = always(YES), always(NO)
    one = Judge([first], cache=Cache(tmp_path / "c.sqlite")).verdict(recorded(RUN), folder)
    other = Judge([second], cache=Cache(tmp_path / "c.sqlite")).verdict(recorded(RUN), folder)
    assert (len(first.asked), len(second.asked)) == (1, 0)
    assert (one.status, other.status) == ("pass", "pass")
    assert (one.details["spent"], other.details["spent"]) == (0.01, 0.0)
    assert other.details["votes"][0] == {**one.details["votes"][0], "cached": True}


def test_another_model_setting_prompt_or_run_is_not_cached(on_disk: Put, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    run = recorded(RUN)
    folder = on_disk(run)
    other = recorded(RUN)
    say(other, -1, "ANSWER; all of it")
    models = [always(YES, spec) for spec in ("a", "b", "a", "a", "a", "a")]
    Judge([models[0]], cache=cache).verdict(run, folder)
    Judge([models[1]], cache=cache).verdict(run, folder)
    Judge([models[2]], cache=cache, settings="cold").verdict(run, folder)
    Judge([models[3]], cache=cache, rules="Be kind.").verdict(run, folder)
    Judge([models[4]], cache=cache).verdict(other, on_disk(other))
    Judge([models[5]], cache=cache).verdict(run, on_disk(run))
    assert [len(model.asked) for model in models] == [1, 1, 1, 1, 1, 0]


def test_a_model_that_votes_twice_has_two_opinions(folder: Path, tmp_path: Path) -> None:
    model = FunctionModel(lambda messages: YES if len(model.asked) % 2 else NO)
    cache = Cache(tmp_path / "c.sqlite")
    for _ in range(2):
        verdict = Judge([model, model], cache=cache).verdict(recorded(RUN), folder)
        assert {vote["result"] for vote in verdict.details["votes"]} == {"CORRECT", "INCORRECT"}
    assert len(model.asked) == 2


def test_unreadable_answers_are_not_cached(folder: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    assert Judge([always("no")], cache=cache).verdict(recorded(RUN), folder).status == "unscored"
    assert Judge([always(YES)], cache=cache).verdict(recorded(RUN), folder).status == "pass"


def test_an_unusable_cache_is_reported(tmp_path: Path) -> None:
    (tmp_path / "c.sqlite").write_bytes(b"something else entirely" * 100)
    with pytest.raises(SetupError, match=r"cannot use the judge's cache .*c\.sqlite"):
        Cache(tmp_path / "c.sqlite")
    with pytest.raises(SetupError, match="cannot use the judge's cache"):
        Cache(tmp_path / "c.sqlite" / "below")


# --- choosing models --------------------------------------------------------------------------------


def test_the_default_is_the_papers_ensemble() -> None:
    keys = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k"}
    judge = Judge.of(env=keys)
    assert tuple(model.spec for model in judge.models) == DEFAULT_MODELS
    assert judge.name == ",".join(DEFAULT_MODELS)


def test_a_missing_key_is_named() -> None:
    with pytest.raises(SetupError, match="GEMINI_API_KEY"):
        Judge.of(env={})
    with pytest.raises(SetupError, match="OPENAI_API_KEY"):
        Judge.of("openai:gpt-5.2", env={})


def test_a_judge_without_models_is_none() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Judge([])


def test_a_run_whose_server_nobody_can_read_is_judged_alike(on_disk: Put) -> None:
    """As on live sites: the record has no state, and no model gets one."""
    run = recorded(RUN)
    stateless = run.model_copy(update={"world": "live", "s0": {}, "end": {}, "events": [], "verdict": None})
    told: list[list[str]] = []

    def answer(messages: Sequence[Message]) -> str:
        told.append([message.text.replace(word_of(messages), "FENCE") for message in messages])
        return says("CORRECT")

    for record in (run, stateless):
        folder = on_disk(record)
        assert Judge([FunctionModel(answer)]).verdict(record, folder).status == "pass"
    assert told[0] == told[1]
