"""When commands stream their window, and what they say of it: where it is, how one reaches it from elsewhere."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from websp_gym.browser.confinement import has_display

if TYPE_CHECKING:
    from rich.console import Console

    from websp_gym.window import StreamedWindow


def stream_port(stream: bool, port: int | None) -> int | None:
    """Return the port to stream a window to, 0 for a free one; None where it is opened on the display.

    Args:
        stream: The option `--stream`.
        port: The option `--port`, which means it too.
    """
    return port or 0 if stream or port is not None or not has_display() else None


def tell_address(window: StreamedWindow, console: Console) -> None:
    """Print the address of a streamed window."""
    port = window.port
    console.print(f"Open in your browser: {window.url}", markup=False, soft_wrap=True)
    console.print(
        f"From another computer, first: ssh -L {port}:127.0.0.1:{port} {socket.gethostname()}",
        style="dim",
        markup=False,
        soft_wrap=True,
    )
