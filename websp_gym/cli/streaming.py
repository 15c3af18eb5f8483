"""When commands stream their window, and what they print about it: its address, here and from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.browser.confinement import has_display

if TYPE_CHECKING:
    from websp_gym.cli.output import Console
    from websp_gym.window import StreamedWindow


def stream_port(stream: bool, port: int | None) -> int | None:
    """Return the port to stream a window to, 0 for a free one; None where it is opened on the display.

    Args:
        stream: The option `--stream`.
        port: The option `--port`, which implies `--stream`.
    """
    return port or 0 if stream or port is not None or not has_display() else None


def print_address(window: StreamedWindow, console: Console) -> None:
    """Print the address of a streamed window."""
    here, elsewhere = window.address
    console.print(here, markup=False, soft_wrap=True)
    console.print(elsewhere, style="dim", markup=False, soft_wrap=True)
