"""The DevTools protocol as a door describes it, for clients that make their methods of a description."""

from __future__ import annotations

from typing import Any

from websp_gym.attach.rules import IGNORED, PASSED

_EVENTS = {
    "Accessibility": "loadComplete nodesUpdated",
    "CSS": "fontsUpdated mediaQueryResultChanged styleSheetAdded styleSheetChanged styleSheetRemoved",
    "Console": "messageAdded",
    "DOM": "attributeModified attributeRemoved characterDataModified childNodeCountUpdated childNodeInserted "
    "childNodeRemoved documentUpdated inlineStyleInvalidated pseudoElementAdded pseudoElementRemoved setChildNodes "
    "shadowRootPopped shadowRootPushed topLayerElementsUpdated",
    "Input": "dragIntercepted",
    "Inspector": "detached targetCrashed targetReloadedAfterCrash",
    "Log": "entryAdded",
    "Network": "dataReceived eventSourceMessageReceived loadingFailed loadingFinished requestServedFromCache "
    "requestWillBeSent requestWillBeSentExtraInfo resourceChangedPriority responseReceived responseReceivedExtraInfo "
    "webSocketClosed webSocketCreated webSocketFrameError webSocketFrameReceived webSocketFrameSent",
    "Page": "domContentEventFired fileChooserOpened frameAttached frameDetached frameNavigated "
    "frameRequestedNavigation frameResized frameScheduledNavigation frameStartedLoading frameStartedNavigating "
    "frameStoppedLoading javascriptDialogClosed javascriptDialogOpening lifecycleEvent loadEventFired "
    "navigatedWithinDocument screencastFrame screencastVisibilityChanged windowOpen",
    "Performance": "metrics",
    "Runtime": "bindingCalled consoleAPICalled exceptionRevoked exceptionThrown executionContextCreated "
    "executionContextDestroyed executionContextsCleared inspectRequested",
    "Security": "securityStateChanged visibleSecurityStateChanged",
    "Target": "attachedToTarget detachedFromTarget targetCrashed targetCreated targetDestroyed targetInfoChanged",
}
"""Names of the events that the browser sends of these domains."""


def protocol() -> dict[str, Any]:
    """Return the commands that are carried out or answered, and the events, in the form of ``/json/protocol``."""
    commands: dict[str, list[str]] = {name: [] for name in _EVENTS}
    for method in sorted(PASSED | IGNORED):
        domain, _, name = method.partition(".")
        commands.setdefault(domain, []).append(name)
    return {
        "version": {"major": "1", "minor": "3"},
        "domains": [
            {
                "domain": domain,
                "types": [],
                "commands": [{"name": name, "parameters": []} for name in names],
                "events": [{"name": name} for name in _EVENTS.get(domain, "").split()],
            }
            for domain, names in sorted(commands.items())
        ],
    }
