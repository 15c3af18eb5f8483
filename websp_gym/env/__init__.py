"""The Gymnasium environment: options, registration, one episode, its BrowserGym task, its initial state."""

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
