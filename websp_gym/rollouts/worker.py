"""The process behind a :class:`~websp_gym.rollouts.remote.RemoteEnv`: one environment that plays any instance."""

from __future__ import annotations

import contextlib
import signal
import threading
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

from websp_gym.env.registration import make_sampled_env
from websp_gym.env.sampled import SampledEnv
from websp_gym.errors import WebspError
from websp_gym.rollouts.page import Page, split_picture


@dataclass(frozen=True)
class Reset:
    """Start an episode."""

    instance: str
    seed: int


@dataclass(frozen=True)
class Step:
    """Carry out a reply."""

    text: str


_SELECTING = {"ids", "site", "category", "split"}
_ANY: dict[str, Any] = {"ids": ("*", "*-flow-*", "*-stwab-*")}
"""Unless the options select some, any instance can be played."""
Request = Reset | Step
Reply = Page | WebspError | RuntimeError


def serve(connections: Sequence[Connection], options: Mapping[str, Any]) -> None:
    """Answer requests until the other ends of the connections close. This is the main function of a process.

    Args:
        connections: For each environment the connection on which a ``Request`` comes in and a ``Reply`` goes out.
        options: Options of the environments.
    """
    # The parent gets Ctrl-C too, and closes the connections.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threads = [threading.Thread(target=_serve_one, args=(each, options)) for each in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _serve_one(connection: Connection, options: Mapping[str, Any]) -> None:
    env = make_sampled_env(**({} if _SELECTING & options.keys() else _ANY), **options)
    player = _Player(env)
    with contextlib.suppress(WebspError):  # the first reset raises it again, and that is answered
        env.start_browser()
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            connection.send(player.answer(connection.recv()))
    env.close()


class _Player:
    def __init__(self, env: SampledEnv) -> None:
        self._env = env
        self._page = Page("", 0)

    def answer(self, request: Request) -> Reply:
        try:
            self._page = self._reset(request) if isinstance(request, Reset) else self._step(request)
        except WebspError as error:
            return error
        except Exception:
            # Such as an error in a reward function. It is the caller's to see, and may not be picklable.
            return RuntimeError(f"the environment failed:\n{traceback.format_exc()}")
        return self._page

    def _reset(self, request: Reset) -> Page:
        seen, _info = self._env.reset(seed=request.seed, options={"instance": request.instance})
        assert self._env.task is not None
        account = dict(self._env.task.world_episode.account)
        return Page(self._env.instance.id, request.seed, 0, account, *split_picture(seen))

    def _step(self, request: Step) -> Page:
        seen, reward, terminated, truncated, info = self._env.step(request.text)
        observation, picture = split_picture(seen)
        unscored = info.get("unscored", False)
        return replace(
            self._page,
            turn=self._page.turn + 1,
            observation=observation,
            picture=picture,
            reward=None if unscored else reward,
            done=terminated or truncated,
            truncated=truncated,
            reason=info.get("reason", ""),
            failure=info["verdict"]["reason"] if unscored else "",
            lost="world" if unscored and info["verdict"]["source"] == "world" else "",
            costs=info.get("costs"),
        )
