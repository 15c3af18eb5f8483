"""The command ``websp``. Ctrl-C ends it in one line from the start, even while it still imports."""

import os
import signal
from types import FrameType


def main() -> None:
    """Run the command line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from websp_gym.cli import main as command

    command()


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: nothing has been started, and an exception would be lost in some imports."""
    os.write(2, b"websp: interrupted\n")
    os._exit(130)
