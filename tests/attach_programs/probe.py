"""What a program must not reach over DevTools, tried from within an episode; prints what got through."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from typing import Any

from tests.attach_support import Client, CommandError

ATTACKS: list[tuple[str, dict[str, Any]]] = [
    ("Page.navigate", {"url": "file:///etc/hostname"}),
    ("Page.navigate", {"url": "chrome://version"}),
    ("Page.navigate", {"url": "view-source:file:///etc/hostname"}),
    ("Target.createTarget", {"url": "file:///etc/hostname"}),
    ("Target.createBrowserContext", {"proxyServer": "127.0.0.1:1"}),
    ("Target.attachToTarget", {"targetId": "*"}),
    ("Browser.getBrowserCommandLine", {}),
    ("Browser.crash", {}),
    ("SystemInfo.getInfo", {}),
    ("SystemInfo.getProcessInfo", {}),
    ("Tracing.start", {}),
    ("IO.read", {"handle": "1"}),
    ("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}),
    ("Fetch.continueRequest", {"requestId": "1", "headers": []}),
    ("Storage.setCookies", {"cookies": []}),
    ("Network.setCookie", {"name": "a", "value": "b", "url": "https://store.steampowered.com"}),
    ("Network.loadNetworkResource", {"url": "file:///etc/hostname", "options": {}}),
    ("DOM.setFileInputFiles", {"files": ["/etc/hostname"], "nodeId": 1}),
    ("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": "/"}),
    ("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"}),
]


def main() -> int:
    """Return the number of attacks that were not refused or ignored."""
    through = []
    with closing(Client(os.environ["WEBSP_CDP_URL"])) as client:
        client.attach()
        for method, arguments in ATTACKS:
            try:
                answer = client.send(method, session=client.session, **arguments)
            except CommandError:
                continue
            if answer:
                through.append(method)
    print(f"probe: {len(ATTACKS) - len(through)} of {len(ATTACKS)} attacks refused", *through)
    return len(through)


if __name__ == "__main__":
    sys.exit(main())
