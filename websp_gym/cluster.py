"""A connection to a Ray cluster. Importing this module without the extra ``ray`` raises ``MissingExtraError``."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from websp_gym.errors import SetupError, missing_extra

# Read on import: a cluster started here reports to nobody.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

try:
    import ray
except ImportError:
    raise missing_extra("a cluster needs Ray", "ray") from None

__all__ = ["connected", "ray"]

_VARIABLE = "RAY_ADDRESS"
_STORE = 128 * 2**20
"""Bytes of shared memory for a cluster started here. A page takes some 20 kB, with a picture some 500 kB."""
_TO_REACH = 10.0
"""Seconds after which connecting to an address is given up."""


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
    options = {"address": address} if address else {"address": "local", **_local(cpus)}
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


def _local(cpus: int | None) -> dict[str, object]:
    return {
        "num_cpus": cpus,
        "object_store_memory": _STORE,
        "include_dashboard": False,
    }
