"""What commands say of a streamed window: where it is, and how one reaches it from another computer."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from websp_gym.window import StreamedWindow


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
