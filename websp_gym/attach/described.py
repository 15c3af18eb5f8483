"""The DevTools protocol as a door describes it, for clients that generate their methods from a description."""

from __future__ import annotations

from typing import Any

from websp_gym.attach.rules import IGNORED, PASSED

_EVENTS = {
    "Accessibility": "loadComplete nodesUpdated",
    "Audits": "issueAdded",
    "Browser": "downloadProgress downloadWillBegin",
    "CSS": "computedStyleUpdated fontsUpdated mediaQueryResultChanged styleSheetAdded styleSheetChanged "
    "styleSheetRemoved",
    "Console": "messageAdded",
    "DOM": "adRelatedStateUpdated adoptedStyleSheetsModified affectedByStartingStylesFlagUpdated attributeModified "
    "attributeRemoved characterDataModified childNodeCountUpdated childNodeInserted childNodeRemoved "
    "distributedNodesUpdated documentUpdated inlineStyleInvalidated pseudoElementAdded pseudoElementRemoved "
    "scrollableFlagUpdated setChildNodes shadowRootPopped shadowRootPushed topLayerElementsUpdated",
    "Debugger": "breakpointResolved paused resumed scriptFailedToParse scriptParsed",
    "Emulation": "screenOrientationLockChanged virtualTimeBudgetExpired",
    "Fetch": "authRequired requestPaused",
    "Input": "dragIntercepted",
    "Inspector": "detached targetCrashed targetReloadedAfterCrash workerScriptLoaded",
    "Log": "entryAdded",
    "Network": "dataReceived eventSourceMessageReceived loadingFailed loadingFinished policyUpdated "
    "requestServedFromCache requestWillBeSent requestWillBeSentExtraInfo resourceChangedPriority "
    "responseReceived responseReceivedEarlyHints responseReceivedExtraInfo signedExchangeReceived "
    "trustTokenOperationDone webSocketClosed webSocketCreated webSocketFrameError webSocketFrameReceived "
    "webSocketFrameSent webSocketHandshakeResponseReceived webSocketWillSendHandshakeRequest "
    "webTransportClosed webTransportConnectionEstablished webTransportCreated",
    "Overlay": "inspectModeCanceled inspectNodeRequested nodeHighlightRequested screenshotRequested",
    "Page": "backForwardCacheNotUsed compilationCacheProduced documentOpened domContentEventFired downloadProgress "
    "downloadWillBegin fileChooserOpened frameAttached frameClearedScheduledNavigation frameDetached "
    "frameNavigated frameRequestedNavigation frameResized frameScheduledNavigation frameStartedLoading "
    "frameStartedNavigating frameStoppedLoading frameSubtreeWillBeDetached interstitialHidden "
    "interstitialShown javascriptDialogClosed javascriptDialogOpening lifecycleEvent loadEventFired "
    "navigatedWithinDocument screencastFrame screencastVisibilityChanged windowOpen",
    "Performance": "metrics",
    "PerformanceTimeline": "timelineEventAdded",
    "Profiler": "consoleProfileFinished consoleProfileStarted",
    "Runtime": "bindingCalled consoleAPICalled exceptionRevoked exceptionThrown executionContextCreated "
    "executionContextDestroyed executionContextsCleared inspectRequested",
    "Security": "certificateError securityStateChanged visibleSecurityStateChanged",
    "ServiceWorker": "workerErrorReported workerRegistrationUpdated workerVersionUpdated",
    "Target": "attachedToTarget detachedFromTarget receivedMessageFromTarget targetCrashed targetCreated "
    "targetDestroyed targetInfoChanged",
}
"""Names of the events that the browser has in these domains; a client may subscribe to one that never comes."""


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
