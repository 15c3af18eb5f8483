"""Detecting that a server or page refused what an event sent, from the response and what the page then shows."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_plus, urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.replay.locate import install

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, ElementHandle, Page, Request, Response

_CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_SENT_BY = frozenset({"document", "xhr", "fetch"})
_ASIDE = re.compile(
    r"(?:^|[/._-])(?:analytics|beacon|collect|csp|events?|heartbeat|log|logs|logging|metrics?|ping|pixel|presence|report|rum|"
    r"sentry|stats?|telemetry|track(?:ing|er)?|traces?)(?:$|[/._-])",
    re.IGNORECASE,
)
"""Paths of requests that pages make independently of the person's actions."""
_FAILED = frozenset({"error", "errors", "fail", "failed", "failure", "invalid"})
_DOCUMENT = re.compile(r"\s*<(?:!doctype|html)\b", re.IGNORECASE)
_PASSWORD_FIELD = re.compile(r"<input\b[^>]*\btype\s*=\s*[\"']?password\b", re.IGNORECASE)
_SIGN_IN = re.compile(r"(?:^|[/._+-])(?:log|sign)[-_]?(?:in|on)(?:$|[/._?-])", re.IGNORECASE)
"""Paths of sign-in pages; some ask for a name first, or for no password at all."""
_LONGEST = 200
_GIVEN_UP = "net::ERR_ABORTED"
"""The failure of a request that a page cancels, or whose response is not a page: a download, or nothing (204)."""


@dataclass
class PageReply:
    """A request that may have changed something on the server, and the answer, if there is one yet."""

    request: Request
    body: bytes
    response: Response | None = None
    failure: str | None = None
    """Why the browser got no response, in its words; also None if the page itself gave up the request."""

    @property
    def is_page(self) -> bool:
        """Whether it loads a page, as a form does."""
        return self.request.is_navigation_request()

    def holds(self, text: str) -> bool:
        """Whether a text was sent with it, in any encoding of its letters and digits."""
        sent = unquote_plus(self.body.decode("utf-8", "replace"))
        return bool(_bare(text)) and _bare(text) in _bare(sent)


@dataclass
class PageTraffic:
    """The requests of a browser context that may change something on a server, and their answers."""

    replies: list[PageReply] = field(default_factory=list)

    def watch(self, context: BrowserContext) -> None:
        """Start listening."""
        context.on("request", self._sent)
        context.on("response", self._answered)
        context.on("requestfailed", self._failed)

    def stop(self, context: BrowserContext) -> None:
        """Stop listening."""
        context.remove_listener("request", self._sent)
        context.remove_listener("response", self._answered)
        context.remove_listener("requestfailed", self._failed)

    def since(self, count: int, *pages: str) -> list[PageReply]:
        """Return what was sent to the sites of these pages, after the first ``count`` requests."""
        replies = self.replies[count:]
        return [reply for reply in replies if any(same_site(reply.request.url, url) for url in pages)]

    def _sent(self, request: Request) -> None:
        before = request.redirected_from
        if before is not None:
            for reply in self.replies:
                if reply.request == before:  # the answer to a form is the page that it leads to
                    reply.request, reply.response = request, None
        elif may_change(request):
            self.replies.append(PageReply(request, request.post_data_buffer or b""))

    def _answered(self, response: Response) -> None:
        for reply in self.replies:
            if reply.request == response.request:
                reply.response = response

    def _failed(self, request: Request) -> None:
        for reply in self.replies:
            if reply.request == request and request.failure != _GIVEN_UP:
                reply.failure = request.failure


@dataclass
class Before:
    """What was known before an event."""

    page: Page
    url: str
    sent: int
    """Number of requests."""
    errors: frozenset[str]


@dataclass(frozen=True)
class Refusal:
    """Why what an event sent was refused."""

    why: str
    certain: bool = True
    """Whether the server or the browser said so; a message may only look like an error message."""
    loaded: bool = False
    """Whether the page was loaded after the response, and so shows the server's state."""


class Refusals:
    """Tells whether what an event sent was refused."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.traffic = PageTraffic()
        self.traffic.watch(context)

    def close(self) -> None:
        """Stop listening."""
        self.traffic.stop(self.context)

    def before(self, page: Page) -> Before:
        """Remember the page before an event."""
        return Before(page, page.url, len(self.traffic.replies), frozenset(errors(page)))

    def after(self, before: Before, page: Page, pressed: Pressed, *, sets: bool = False) -> Refusal | None:
        """Return why what the event sent was refused; None if nothing says so.

        Args:
            before: What was known before the event.
            page: The current tab after the event, at rest.
            pressed: What was pressed.
            sets: Whether the event set a state or a text. What a page then sends may be a request in the background,
                such as a draft, whose failure says nothing about the setting: reading back decides.
        """
        # The browser shows an address of its own where the server did not answer.
        sent = self.traffic.since(before.sent, before.url, page.url)
        loaded = any(reply.is_page and reply.request.method == "GET" for reply in sent)
        # Where a page answers to a form, that answer counts; the bodies of others may be gone with the page before.
        answers = any(reply.is_page for reply in sent)
        suspicion: Refusal | None = None
        for reply in _last_of_each(sent):
            refusal = _refusal(reply, page, reads=not answers)
            if refusal is None:
                continue
            if refusal.certain or not sets or pressed.sends:
                return Refusal(refusal.why)
            suspicion = Refusal(refusal.why, certain=False, loaded=loaded)
        if not sent and page is before.page and page.url == before.url and (label := pressed.unsent()):
            return Refusal(f"the browser did not send the form, because {label!r} is not valid")
        if not sent and not pressed.sends:
            return None
        new = {text: certain for text, certain in errors(page).items() if text not in before.errors}
        if not new:
            return suspicion
        text = max(new, key=lambda text: new[text])
        return Refusal(f"the page then said: {text[:_LONGEST]!r}", new[text], loaded)


class Pressed:
    """The element that an event presses, and the form it sends."""

    def __init__(self, element: ElementHandle | None = None) -> None:
        self.element = element
        self.sends = bool(self._ask("sends"))

    def unsent(self) -> str | None:
        """Return the label of the field for which the browser did not send the form; None if there is none."""
        found = self._ask("unsent")
        return found if isinstance(found, str) else None

    def _ask(self, name: str) -> Any:
        if self.element is None:
            return None
        try:
            return self.element.evaluate(f"el => globalThis.__webspReplay?.{name}(el)")
        except PlaywrightError:
            return None  # it is gone


def errors(page: Page) -> dict[str, bool]:
    """Return the error messages that a page shows, and whether each is certainly one."""
    return dict(_ask(page, "errors") or ())


def is_sign_in(path: str) -> bool:
    """Whether the path of a page is that of a sign-in."""
    return _SIGN_IN.search(path) is not None


def asks_password(page: Page) -> bool:
    """Whether a page shows a password field."""
    return bool(_ask(page, "asksPassword"))


def _ask(page: Page, name: str) -> Any:
    with contextlib.suppress(PlaywrightError):
        install(page.main_frame)
        return page.main_frame.evaluate(f"() => __webspReplay.{name}()")
    return None


def may_change(request: Request) -> bool:
    """Whether a request may change something on a server because of what a person did."""
    return request.method in _CHANGING and request.resource_type in _SENT_BY and not _is_aside(request)


def _is_aside(request: Request) -> bool:
    return not request.is_navigation_request() and _ASIDE.search(urlsplit(request.url).path) is not None


def _last_of_each(replies: list[PageReply]) -> list[PageReply]:
    """Return the last of the same requests: a page may renew its session and try again."""
    return list({(reply.request.method, reply.request.url): reply for reply in replies}.values())


def _refusal(reply: PageReply, page: Page, *, reads: bool) -> Refusal | None:
    if reply.failure is not None:
        return Refusal(
            f"the server did not answer: {urlsplit(reply.request.url).path} failed with {reply.failure}"
        )
    if reply.response is None:
        return None
    path, status = urlsplit(reply.response.url).path, reply.response.status
    if status >= 400:
        return Refusal(f"the server refused it: {path} was answered with status {status}")
    kind = reply.response.headers.get("content-type", "")
    if not reads or reply.is_page or not ("json" in kind or "html" in kind):
        return None
    try:
        text = reply.response.text()
        if "html" in kind:
            said = "a sign-in page (has the session ended?)" if _signs_in(reply, text, page) else None
        else:
            said = says_failure(json.loads(text))
    except (PlaywrightError, ValueError):
        return None  # the page has gone on, or it is no JSON
    why = f"the server refused it: {path} was answered with {said}"
    return Refusal(why, certain="html" in kind) if said else None


def _signs_in(reply: PageReply, html: str, page: Page) -> bool:
    """Whether the answer to a page's script is a page to sign in, and not a part of the page itself."""
    here, there = urlsplit(page.url).path, urlsplit(reply.request.url).path
    if reply.request.redirected_from is not None and is_sign_in(there) and not is_sign_in(here):
        return True
    if _DOCUMENT.match(html) is None or _PASSWORD_FIELD.search(html) is None:
        return False  # a part of a page may ask to confirm with the password
    return here != there or not page.locator("input[type=password]").count()


def says_failure(data: Any) -> str | None:
    """Return the part of a JSON response that says that the request failed; None if none does."""
    if not isinstance(data, dict):
        return None
    for key in ("ok", "success", "succeeded"):
        if data.get(key) is False:
            return f'"{key}": false'
    status = data.get("status", data.get("result"))
    if isinstance(status, str) and status.lower() in _FAILED:
        return json.dumps(status)
    # GraphQL answers with what it could find beside the errors, and with null for a change that it did not make.
    if _holds_something(data.get("data")):
        return None
    return next((f'"{key}"' for key in ("error", "errors") if data.get(key)), None)


def _holds_something(data: Any) -> bool:
    """Whether a part of a GraphQL answer is more than null."""
    if isinstance(data, dict):
        return any(_holds_something(value) for key, value in data.items() if key != "__typename")
    if isinstance(data, list):
        return any(map(_holds_something, data))
    return data is not None


def _bare(text: str) -> str:
    return re.sub(r"[^\w]+|_", "", text).lower()


def same_site(one: str, other: str) -> bool:
    """Whether two addresses are of one site, as the last two parts of their hosts say."""
    hosts = [(urlsplit(url).hostname or "").split(".")[-2:] for url in (one, other)]
    return hosts[0] == hosts[1]
