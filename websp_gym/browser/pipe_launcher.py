"""Start a browser with another process's DevTools pipes; run as a script, independent of the package.

Playwright starts this instead of the browser, with its own pipes as descriptors 3 and 4. It sends them to the process
that listens on a Unix socket, which sends two others in return; then this process becomes the browser.
"""

import os
import socket
import sys


def main(path: str, browser: list[str]) -> None:
    """Exchange the pipes and become the browser.

    Args:
        path: Path of the Unix socket.
        browser: The browser's executable and arguments.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.connect(path)
        socket.send_fds(link, [b"3"], [3, 4])
        _, given, _, _ = socket.recv_fds(link, 1, 2)
    for ours, theirs in zip((3, 4), given, strict=True):
        os.dup2(theirs, ours)
        os.close(theirs)
    os.execv(browser[0], browser)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
