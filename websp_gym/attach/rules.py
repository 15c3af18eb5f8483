"""Which commands of the DevTools protocol an outside agent may send: an allow-list.

A command that is in none of the lists is refused, so a new one of a later browser is, too. Agents send some commands
as a matter of course, such as for the size of a window that is not theirs to choose: these are answered as if they
had been carried out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

Rule = Literal["pass", "ignore", "refuse"]


def _methods(**domains: str) -> frozenset[str]:
    return frozenset(f"{domain}.{name}" for domain, names in domains.items() for name in names.split())


PASSED = _methods(
    Accessibility="disable enable getAXNodeAndAncestors getChildAXNodes getFullAXTree getPartialAXTree getRootAXNode "
    "queryAXTree",
    Audits="disable enable",
    Browser="getVersion getWindowBounds getWindowForTarget",
    Console="clearMessages disable enable",
    CSS="disable enable getComputedStyleForNode getInlineStylesForNode getMatchedStylesForNode "
    "getPlatformFontsForNode",
    DOM="collectClassNamesFromSubtree describeNode disable discardSearchResults enable focus getAttributes "
    "getBoxModel getContentQuads getDocument getFlattenedDocument getFrameOwner getNodeForLocation "
    "getNodesForSubtreeByStyle getOuterHTML getSearchResults getTopLayerElements performSearch "
    "pushNodeByPathToFrontend pushNodesByBackendIdsToFrontend querySelector querySelectorAll "
    "requestChildNodes requestNode resolveNode scrollIntoViewIfNeeded",
    DOMDebugger="getEventListeners",
    DOMSnapshot="captureSnapshot disable enable",
    Input="cancelDragging dispatchDragEvent dispatchKeyEvent dispatchMouseEvent dispatchTouchEvent "
    "imeSetComposition insertText setInterceptDrags synthesizeScrollGesture "
    "synthesizeTapGesture",
    Inspector="disable enable",
    Log="clear disable enable startViolationsReport stopViolationsReport",
    Network="disable enable getAllCookies getCookies getRequestPostData getResponseBody searchInResponseBody",
    Page="addScriptToEvaluateOnNewDocument bringToFront captureScreenshot captureSnapshot close createIsolatedWorld "
    "disable enable getFrameTree getLayoutMetrics getNavigationHistory getResourceContent getResourceTree "
    "handleJavaScriptDialog navigate navigateToHistoryEntry printToPDF reload removeScriptToEvaluateOnNewDocument "
    "screencastFrameAck setLifecycleEventsEnabled startScreencast stopLoading stopScreencast",
    Performance="disable enable getMetrics",
    Runtime="addBinding awaitPromise callFunctionOn compileScript disable discardConsoleEntries enable evaluate "
    "getExceptionDetails getHeapUsage getIsolateId getProperties globalLexicalScopeNames releaseObject "
    "releaseObjectGroup removeBinding runIfWaitingForDebugger runScript setAsyncCallStackDepth",
    Schema="getDomains",
    Security="disable enable",
    Storage="getCookies",
    Target="activateTarget attachToBrowserTarget attachToTarget autoAttachRelated closeTarget createTarget "
    "detachFromTarget getTargetInfo getTargets setAutoAttach setDiscoverTargets",
)
"""Commands that reach the browser, with their arguments checked."""

RUNS_A_SCRIPT = ("Runtime.evaluate", "Runtime.callFunctionOn", "Runtime.runScript")

IGNORED = _methods(
    Browser="cancelDownload close grantPermissions resetPermissions setDownloadBehavior setPermission "
    "setWindowBounds",
    Debugger="disable enable setAsyncCallStackDepth setBlackboxPatterns setPauseOnExceptions setSkipAllPauses",
    DOM="hideHighlight highlightNode highlightRect markUndoableState setInspectedNode",
    Emulation="clearDeviceMetricsOverride clearGeolocationOverride clearIdleOverride resetPageScaleFactor "
    "setAutoDarkModeOverride setDefaultBackgroundColorOverride setDeviceMetricsOverride setEmitTouchEventsForMouse "
    "setEmulatedMedia setEmulatedVisionDeficiency setFocusEmulationEnabled setGeolocationOverride "
    "setHardwareConcurrencyOverride setIdleOverride setLocaleOverride setPageScaleFactor setScrollbarsHidden "
    "setTimezoneOverride setTouchEmulationEnabled setUserAgentOverride setVisibleSize",
    Fetch="disable",
    Network="emulateNetworkConditions setAttachDebugStack setBypassServiceWorker "
    "setCacheDisabled setUserAgentOverride",
    Overlay="disable enable hideHighlight highlightFrame highlightNode highlightQuad highlightRect "
    "setInspectMode setPausedInDebuggerMessage setShowAdHighlights setShowDebugBorders setShowFPSCounter "
    "setShowGridOverlays setShowHinge setShowPaintRects setShowViewportSizeOnResize",
    Page="setAdBlockingEnabled setBypassCSP setDeviceMetricsOverride setDownloadBehavior setFontFamilies "
    "setInterceptFileChooserDialog setPrerenderingAllowed setTouchEmulationEnabled setWebLifecycleState",
    PerformanceTimeline="enable",
    Profiler="disable enable",
    Runtime="setCustomObjectFormatterEnabled setMaxCallStackSizeToCapture",
    Security="setIgnoreCertificateErrors",
    ServiceWorker="disable enable",
    Target="disposeBrowserContext getBrowserContexts setRemoteLocations",
)
"""Commands that are answered with an empty result and not carried out."""

_NO_BIDI = (
    "WebDriver BiDi, which needs one, is not offered; ask for a session without webSocketUrl (in WebdriverIO with "
    '"wdio:enforceWebDriverClassic": true)'
)
_WHY = {
    "Target.createBrowserContext": "an episode has one browser context; open a tab in it with Target.createTarget",
    "DOM.setFileInputFiles": "files of the host cannot be uploaded",
    "Network.setExtraHTTPHeaders": "headers cannot be changed",
    "Page.crash": "the episode would end",
}
_WHY_OF_DOMAIN = {
    "Fetch": "requests cannot be intercepted",
    "Network": "headers, cookies and the cache cannot be written, and nothing is loaded outside of the page",
    "Storage": "cookies and storage cannot be written",
    "Emulation": "the page is shown as it is to every agent",
    "Tracing": "traces are not offered",
    "IO": "files of the host cannot be read",
    "Target": "only the tabs of the episode can be used",
    "Debugger": "scripts cannot be stopped",
}
_SCHEMES = ("http", "https", "data", "blob")
_BLANK = "about:blank"


class RefusedCommandError(Exception):
    """Raised for a command that is not offered; the message says why."""


def rule_of(method: str) -> Rule:
    """Return what is done with a command: ``pass``, ``ignore`` or ``refuse``."""
    return "pass" if method in PASSED else "ignore" if method in IGNORED else "refuse"


def check(method: str, arguments: Mapping[str, Any]) -> None:
    """Check a command that is passed on.

    Args:
        method: Its name, such as ``Page.navigate``.
        arguments: Its arguments.

    Raises:
        RefusedError: It is not offered, or not with these arguments.
    """
    if method not in PASSED:
        domain = method.partition(".")[0]
        why = _WHY.get(method) or _WHY_OF_DOMAIN.get(domain, "it is not something that a user of a page does")
        raise RefusedCommandError(f"{method} is not available in an episode of websp-gym: {why}")
    if method == "Target.createTarget" and arguments.get("hidden"):
        raise RefusedCommandError(
            f"a tab that is not shown is not available in an episode of websp-gym: {_NO_BIDI}"
        )
    if method in ("Page.navigate", "Target.createTarget"):
        check_address(arguments.get("url", _BLANK))
    if method == "Input.dispatchDragEvent" and "files" in _mapping(arguments.get("data")):
        raise RefusedCommandError(f"{method} with files is not available: {_WHY['DOM.setFileInputFiles']}")
    if method == "Page.captureScreenshot":
        _check_clip(arguments.get("clip"))


def check_address(url: object) -> None:
    """Check an address that a tab is to open. Raise :class:`RefusedError` unless it is one of the web."""
    try:
        scheme = urlsplit(url).scheme.lower() if isinstance(url, str) else ""
    except ValueError:
        scheme = ""
    blank = isinstance(url, str) and url.partition("#")[0].lower() in ("", _BLANK)
    # A browser takes a name without a scheme for one of the web, but "localhost:1234" has one here.
    if not blank and scheme not in _SCHEMES:
        shown = url[:200] if isinstance(url, str) else url
        raise RefusedCommandError(f"{shown!r} cannot be opened: only web addresses (http, https)")


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _check_clip(clip: object) -> None:
    """Keep a picture within a size that the browser draws in a moment."""
    if not isinstance(clip, Mapping):
        return
    sides = [clip.get("width", 0), clip.get("height", 0)]
    scale = clip.get("scale", 1)
    if not all(isinstance(side, int | float) for side in (*sides, scale)) or any(
        side * scale > 16_384 for side in sides
    ):
        raise RefusedCommandError("the picture would be too large: at most 16384 pixels each way")
