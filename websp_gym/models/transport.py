"""The HTTP client below an SDK: a time-out for the whole answer, and no redirects."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterable, Iterator
from functools import cache
from types import ModuleType
from typing import Any


def http_library(sdk: ModuleType) -> Any:
    """Return the HTTP library that an SDK is built on: httpx or, for newer SDKs, httpx2."""
    roots = [base.__module__.partition(".")[0] for base in sdk.DefaultHttpxClient.__mro__]
    return importlib.import_module(next(root for root in roots if root in ("httpx", "httpx2")))


def client_options(sdk: ModuleType, timeout: float) -> dict[str, Any]:
    """Return the keyword arguments for an SDK's client, with ``timeout`` in seconds for one attempt.

    An HTTP time-out applies to each read, so it never occurs if an endpoint sends a blank now and then to
    keep the connection open. The whole answer therefore has a deadline too, checked whenever data arrives;
    the worst case is twice the time-out. The SDK's own retries are off. A redirect is an error, because it
    could send the key and the screenshots to another host.
    """
    library = http_library(sdk)
    stream_class = type("TimedStream", (_TimedStream, library.SyncByteStream), {})

    def start(request: Any) -> None:
        request.extensions["websp_deadline"] = time.monotonic() + timeout

    def guard(response: Any) -> None:
        request = response.request
        late = library.ReadTimeout("the answer took too long", request=request)
        response.stream = stream_class(response.stream, request.extensions["websp_deadline"], late)

    http_client = sdk.DefaultHttpxClient(
        follow_redirects=False,
        verify=_trust(library),
        event_hooks={"request": [start], "response": [guard]},
    )
    return {"timeout": timeout, "max_retries": 0, "http_client": http_client}


@cache
def _trust(library: Any) -> Any:
    """Return the trusted certificates, cached because reading them is most of the work of making a client."""
    return library.create_ssl_context()


class _TimedStream:
    def __init__(self, stream: Any, deadline: float, late: Exception) -> None:
        self._stream: Iterable[bytes] = stream
        self._deadline = deadline
        self._late = late

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            if time.monotonic() > self._deadline:
                raise self._late
            yield chunk

    def close(self) -> None:
        self._stream.close()  # type: ignore[attr-defined]
