"""Environments and jobs on the nodes of a Ray cluster (``RayPool``, ``tasks``).

Importing this module without the extra ``ray`` raises ``MissingExtraError``.
"""

from __future__ import annotations

import logging
import math
import os
import queue
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from websp_gym.errors import SetupError, WebspError, WorldError, missing_extra
from websp_gym.processes import LONGEST, ProcessError
from websp_gym.rollouts.page import Page
from websp_gym.rollouts.pool import Pool
from websp_gym.rollouts.remote import RemoteEnv, Request

# Read on import: a cluster started here reports to nobody.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

try:
    import ray
except ImportError:
    raise missing_extra("a cluster needs Ray", "ray") from None

_VARIABLE = "RAY_ADDRESS"
_LOCAL = {"object_store_memory": 128 * 2**20, "include_dashboard": False}
"""A cluster started here. A page takes some 20 kB of its shared memory, with a picture some 500 kB."""
_TO_REACH = 10.0
"""Seconds after which connecting to an address is given up."""
_TO_START = 600.0
"""Seconds that the actors of all nodes may take to start; one that dies is noticed at once."""
_TO_END = 120.0
"""Seconds that they may take to end."""
_TO_TELL = 0.1
"""Seconds that a thread waits for a sign of life of an actor before it passes over its environments."""
_FRESH = 5.0
"""Seconds after which such an answer is too old."""
_LOST = (ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError)


@contextmanager
def connected(cpus: int | None = None) -> Iterator[None]:
    """Connect to the cluster in ``$RAY_ADDRESS``, or start one on this machine that ends with the ``with`` block.

    A connection that the program already has is used and kept.

    Args:
        cpus: Number of CPUs of a cluster started here. Default: those of the machine.

    Raises:
        SetupError: There is no cluster at this address, or none could be started.
    """
    if ray.is_initialized():
        yield
        return
    address = os.environ.get(_VARIABLE)
    # Without "local", Ray would connect to any cluster that it finds on this machine.
    options = {"address": address} if address else {"address": "local", "num_cpus": cpus, **_LOCAL}
    try:
        _reach(address or "")
        ray.init(**options, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray raises Exception itself where its own limit of time is over
        ray.shutdown()
        what = f"no Ray cluster at {_VARIABLE}={address}" if address else "Ray did not start"
        raise SetupError(f"{what}: {error}", variable=_VARIABLE if address else None) from error
    try:
        yield
    finally:
        ray.shutdown()


def _reach(address: str) -> None:
    """Raise ``OSError`` if nothing listens at ``host:port``. Ray would try for ten minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal() and "//" not in host:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_TO_REACH).close()


@contextmanager
def tasks(work: Callable[[Any], Any], processes: int) -> Iterator[Callable[[Any], Future[Any]]]:
    """Run jobs as Ray tasks of one CPU each: an engine of :func:`websp_gym.runner.processes.map_unordered`.

    Where an error or Ctrl-C ends it, its running tasks end with the connection: Ray 2.60 may end the process itself
    where a task is cancelled just as it finishes.
    """
    with connected(processes):
        task = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(work)

        def start(job: Any) -> Future[Any]:
            outcome: Future[Any] = Future()
            task.remote(job).future().add_done_callback(partial(_settle, outcome))
            return outcome

        yield start


def _settle(outcome: Future[Any], task: Future[Any]) -> None:
    """Set the outcome of a task that has ended."""
    error = task.exception()
    if error is None:
        outcome.set_result(task.result())
    elif isinstance(error, ray.exceptions.RayTaskError):
        outcome.set_exception(error.cause)
    else:
        outcome.set_exception(ProcessError(f"the process or the node died: {error}"))


class RayPool(Pool):
    """Environments on the nodes of a Ray cluster, for any number of rollouts.

    On each node an actor owns the processes, which share one sandbox server. The driver sends replies and gets pages:
    the policy stays on the driver, and whatever takes a :class:`~websp_gym.rollouts.pool.Pool` takes this one too.

    A process or browser that dies is replaced on its node, where its rollout is repeated, as in a ``Pool``. A node or
    an actor that dies ends its rollouts without a score: their ``reward`` is ``None``, and ``dropped`` counts them.
    The others go on. Ray starts the actor again on its node or, if that died, on a node that joins.

    Args:
        size: Number of processes on each node, each with a browser of its own.
        nodes: Number of nodes. Default: all that have the resources.
        resources: Resources that Ray reserves on each node, whatever the size; by default one CPU. A custom resource
            chooses the nodes: ``{"browser": 1}``.
        timeout: Seconds after which a process that does not answer is killed, and after which a rollout no longer
            waits for a node while none is alive.
        **options: Options of ``Pool`` and of ``gym.make``.

    Raises:
        SetupError: An option is wrong, there is no cluster, it does not have the resources, or a node cannot start
            its environments.
    """

    def __init__(
        self,
        size: int = 1,
        *,
        nodes: int | None = None,
        resources: Mapping[str, float] | None = None,
        timeout: float = 300.0,
        **options: Any,
    ) -> None:
        self._count = nodes
        self._resources = dict(resources or {"CPU": 1})
        self._timeout = timeout
        self._nodes: list[_Node] = []
        self._none_since: float | None = None
        super().__init__(size, timeout=timeout, **options)

    @property
    def nodes(self) -> list[str]:
        """Id of the node of each actor; of one that died, the node it was on."""
        return [node.id for node in self._nodes]

    def close(self) -> None:
        """End all processes, each after the call that it is answering, and the connection if it was made here."""
        self._cleanup.close()

    @property
    def restarts(self) -> int:
        """How often a process of a node that died or hung was replaced."""
        return sum(env.restarts for env in self._envs)

    def _open(self, size: int, per_process: int) -> None:
        if per_process != 1:
            raise SetupError("the environments of a RayPool do not share processes", option="per_process")
        RemoteEnv(**self._options)  # a wrong option is an error of the driver and not of a node
        with ExitStack() as stack:
            stack.enter_context(connected())
            count = self._count or len([node for node in ray.nodes() if self._fits(node)])
            group = self._reserve(count, stack)
            self._nodes = [_Node(group, index, size, self._options) for index in range(count)]
            stack.callback(_end, self._nodes)
            try:
                for node in self._nodes:
                    node.wait(_TO_START)
            except _LOST as error:
                raise SetupError(f"a node of the cluster cannot start environments: {error}") from error
            self._add(RayEnv(node, number, self._options) for number in range(size) for node in self._nodes)
            self._cleanup = stack.pop_all()

    def _fits(self, node: Mapping[str, Any]) -> bool:
        has = node["Resources"]
        return node["Alive"] and all(has.get(name, 0) >= amount for name, amount in self._resources.items())

    def _reserve(self, count: int, stack: ExitStack) -> Any:
        """Reserve the resources on ``count`` nodes; a node that joins takes the place of one that died."""
        what = f"{self._resources} on each of {count or 1} nodes"
        if not count:
            raise SetupError(f"the cluster does not have {what}", option="resources")
        group = ray.util.placement_group([self._resources] * count, strategy="STRICT_SPREAD")
        stack.callback(ray.util.remove_placement_group, group)
        if not group.wait(_TO_START):
            raise SetupError(
                f"Ray could not reserve {what} in {_TO_START:g} seconds; ask for other resources or fewer nodes",
                option="resources",
            )
        return group

    def _take(self, timeout: float | None = None) -> RemoteEnv:
        end = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            left = end - time.monotonic()
            env = self._free.get(timeout=None if left == math.inf else max(left, 0.0))
            assert isinstance(env, RayEnv)
            if env.node.alive(max(min(_TO_TELL, left), 0.0)):
                self._none_since = None
                return env
            self._free.put(env)
            self._check()
            if left <= 0:
                raise queue.Empty

    def _check(self) -> None:
        """Raise ``WorldError`` if no node has been alive for too long."""
        if any(node.alive(0.0) for node in self._nodes):
            self._none_since = None
            return
        self._none_since = self._none_since or time.monotonic()
        if time.monotonic() - self._none_since > self._timeout:
            raise WorldError(f"no node of the cluster has been alive for {self._timeout:g} seconds")


class RayEnv(RemoteEnv):
    """An environment on a node of a Ray cluster.

    Attributes:
        node: Its node.
    """

    def __init__(self, node: _Node, number: int, options: Mapping[str, Any]) -> None:
        # The process on the node repeats its episodes itself, and a dead node may not come back.
        super().__init__(**{**options, "retries": 0})
        self.node = node
        self._number = number
        self._restarts = 0

    @property
    def restarts(self) -> int:
        """How often its process was replaced, as of the last answer."""
        return self._restarts

    def start(self) -> None:
        """Do nothing: the actor has started the process."""

    def _call(self, request: Request) -> Page:
        # The actor may take two tries for a reset, and waits for a process that works.
        patience = 2 * LONGEST * self._timeout + _TO_START
        try:
            reply, self._restarts = ray.get(
                self.node.actor.answer.remote(self._number, request), timeout=patience
            )
        except _LOST as error:
            raise ProcessError(
                f"node {self.node.id[:8]} of the cluster or its actor died: {error}"
            ) from error
        if isinstance(reply, WorldError):
            # The actor began anew in mid-episode.
            raise ProcessError(f"the actor on node {self.node.id[:8]} died: {reply}")
        if isinstance(reply, WebspError):
            raise reply
        page: Page = reply
        return page


class Host:
    """The actor on a node: it owns the processes of the environments, which share the sandbox server it starts."""

    def __init__(self, size: int, options: Mapping[str, Any]) -> None:
        self._envs = [RemoteEnv(**options) for _ in range(size)]
        for env in self._envs:
            env.start()

    def node(self) -> str:
        """Return the id of the node."""
        return str(ray.get_runtime_context().get_node_id())

    def answer(self, number: int, request: Request) -> tuple[Page | WebspError, int]:
        """Return the answer of an environment, and how often its process was replaced."""
        env = self._envs[number]
        try:
            page = env.reset(*request) if isinstance(request, tuple) else env.step(request)
            return page, env.restarts
        except WebspError as error:
            return error, env.restarts

    def close(self) -> None:
        """End all processes."""
        for env in self._envs:
            env.close()


class _Node:
    """A node as the driver sees it: the actor on it, which Ray starts again when it dies."""

    def __init__(self, group: Any, index: int, size: int, options: Mapping[str, Any]) -> None:
        place = ray.util.scheduling_strategies.PlacementGroupSchedulingStrategy(group, index)
        kind = ray.remote(num_cpus=0, max_restarts=-1, max_concurrency=size + 2, scheduling_strategy=place)(
            Host
        )
        self.actor = kind.remote(size, dict(options))
        self.id = ""
        self._question: Any = None
        self._asked = 0.0

    def wait(self, seconds: float) -> None:
        """Wait for the actor. Raise one of ``_LOST`` if it cannot start."""
        self.id = ray.get(self.actor.node.remote(), timeout=seconds)

    def alive(self, seconds: float) -> bool:
        """Whether the actor answers this or the last question within some seconds; not while Ray starts it again."""
        if (
            time.monotonic() - self._asked > _FRESH
            and self._question
            and ray.wait([self._question], timeout=0)[0]
        ):
            self._question = None
        if self._question is None:
            self._question, self._asked = self.actor.node.remote(), time.monotonic()
        question = self._question
        if not ray.wait([question], timeout=seconds)[0]:
            return False
        self._question = None
        try:
            self.id = ray.get(question)
        except ray.exceptions.RayActorError:
            return False
        return True


def _end(nodes: list[_Node]) -> None:
    closing = [node.actor.close.remote() for node in nodes]
    ray.wait(closing, num_returns=len(closing), timeout=_TO_END)
    for node in nodes:
        ray.kill(node.actor)
