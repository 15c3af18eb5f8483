"""The Gymnasium environment of an instance: options, registration, initial state, one episode at a time."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from websp_gym.env.environment import WebspEnv

__all__ = ["WebspEnv"]


def __getattr__(name: str) -> Any:
    # Registering the ids imports this package, and must import no browser code.
    if name != "WebspEnv":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from websp_gym.env.environment import WebspEnv

    return WebspEnv
