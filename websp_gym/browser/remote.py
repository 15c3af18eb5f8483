"""Proxies of Playwright's objects for threads other than the browser thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from websp_gym.browser.internals import is_playwrights
from websp_gym.browser.owner import call, is_here

Shown = TypeVar("Shown")


def shown(value: Shown) -> Shown:
    """Return an object that the calling thread can use instead of ``value``, such as a page or a context.

    On the browser thread this is the object itself, elsewhere a proxy that runs each call on the browser
    thread. Results of calls are converted the same way; callbacks passed to ``on()`` and similar methods run
    on the browser thread.
    """
    return value if is_here() else cast("Shown", _Remote(value))


class _Remote:
    def __init__(self, target: Any) -> None:
        object.__setattr__(self, "_target", target)

    def __getattr__(self, name: str) -> Any:
        target = self._target
        return _abroad(call(lambda: getattr(target, name)))

    def __enter__(self) -> Any:
        return _abroad(call(self._target.__enter__))

    def __exit__(self, *error: Any) -> Any:
        return call(lambda: self._target.__exit__(*error))

    def __eq__(self, other: object) -> bool:
        return bool(self._target == _home(other))

    def __hash__(self) -> int:
        return hash(self._target)

    def __repr__(self) -> str:
        return f"<{self._target!r}, driven by another thread>"


def _abroad(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_abroad(each) for each in value)
    if callable(value):
        return _calls(value)
    ours = type(value).__module__.startswith("websp_gym.browser")
    return _Remote(value) if is_playwrights(value) or ours or hasattr(value, "__enter__") else value


def _calls(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*given: Any, **named: Any) -> Any:
        arguments = [_home(each) for each in given]
        options = {name: _home(each) for name, each in named.items()}
        return _abroad(call(lambda: function(*arguments, **options)))

    return called


def _home(value: Any) -> Any:
    return value._target if isinstance(value, _Remote) else value
