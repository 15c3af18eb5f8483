"""One-time codes in login traces: known in the moment they are typed, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from websp_gym.live.totp import code_for_some_seconds, code_now
from websp_gym.replay import Trace
from websp_gym.replay.filled import fill_trace

KEY = "JBSWY3DPEHPK3PXP"
START = "https://shop.example/login"


def trace(**event: Any) -> Trace:
    given = {"url": START, "target": {"tag": "input", "role": "textbox", "name": "Enter code"}, **event}
    head = {"schema": "websp-trace/2", "name": "login", "site": "shop", "start_url": START}
    return Trace.model_validate({**head, "events": [given]})


@pytest.mark.parametrize("kind", [{"type": "type"}, {"type": "omitted", "what": "secret"}])
def test_a_code_is_the_value_of_what_is_typed_and_is_in_no_message(kind: dict[str, str]) -> None:
    (event,) = fill_trace(trace(value="{{account.code}}", **kind), {"code": "287082"}).events
    assert event.value == "287082"
    assert event.secret
    assert event.types_code
    assert "287082" not in f"{event!r} {event.describe()}"


def test_a_code_is_in_no_address() -> None:
    with pytest.raises(ValidationError, match="a code may only be the value"):
        trace(type="click", url=f"{START}?code={{{{account.code}}}}")


def test_a_code_is_not_one_that_is_about_to_end() -> None:
    waited: list[float] = []
    began = 1_000_000 * 30 + 28.0
    for _ in range(2):
        code = code_for_some_seconds(KEY, clock=lambda: began + sum(waited), wait=waited.append)
        assert code == code_now(KEY, at=began + 2)
        assert waited == [2.0]
