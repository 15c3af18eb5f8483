"""A client's handle to an episode on the sandbox server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

_END_TIMEOUT = 5.0


class EpisodeHandle:
    """A handle to an episode on the server: one account on all sites, for one browser context.

    Args:
        control: Sends a control request (:meth:`websp_gym.sandbox.client.Sandbox.call`).
        ask: The same, without waiting for the answer (:meth:`websp_gym.sandbox.client.Sandbox.ask`).
        opened: The server's answer to the request that opened the episode.

    Attributes:
        id: The secret id that requests carry in ``EPISODE_HEADER``.
        account: Name, username, e-mail and other data of the account.
        cookies: The cookies that sign a browser context in, for Playwright's ``add_cookies``; updated by
            ``patch()`` and ``restore()``.
    """

    def __init__(
        self, control: Callable[..., Any], ask: Callable[..., Callable[[], Any]], opened: dict[str, Any]
    ) -> None:
        self._control = control
        self._ask = ask
        self.id: str = opened["id"]
        self.account: dict[str, str] = opened["account"]
        self.cookies: list[dict[str, Any]] = opened["cookies"]

    def __repr__(self) -> str:
        return f"Episode({self.id[:4]}…)"

    def state(self) -> dict[str, Any]:
        """Return the state: ``{"sites": {slug: {"settings", "collections"}}, "events": [...]}``."""
        return self._call("GET", "state")

    def defaults(self) -> dict[str, Any]:
        """Return the state of a fresh account in the same form, without events."""
        return self._call("GET", "defaults")

    def patch(
        self,
        site: str,
        *,
        settings: Mapping[str, Any] | None = None,
        collections: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    ) -> None:
        """Set settings and replace whole collections (initial state by API), all of them or none.

        Raises:
            SandboxError: A name is unknown or a value is wrong.
        """
        rows = {name: [dict(row) for row in each] for name, each in (collections or {}).items()}
        answer = self._call(
            "PATCH", "state", {"site": site, "settings": dict(settings or {}), "collections": rows}
        )
        self.cookies = answer["cookies"]

    def fork(self) -> EpisodeHandle:
        """Open another episode with the same state and events. Close it in the end."""
        return EpisodeHandle(self._control, self._ask, self._call("POST", "fork"))

    def send_mail(self, site: str) -> list[str]:
        """Make a site send its mail to the account; return the kinds (settings) that it sent."""
        return list(self._call("POST", "mail", {"site": site})["sent"])

    def expire_session(self, site: str) -> bool:
        """End the browser's session on a site, as if its time were over; return whether there was one."""
        return bool(self._call("POST", "expire", {"site": site})["expired"])

    def snapshot(self, key: str = "", cookies: Sequence[Mapping[str, Any]] = ()) -> str:
        """Save the current state in the server's memory and return its key.

        Args:
            key: Under which it is saved; empty draws one.
            cookies: Cookies of the browser, kept with it.
        """
        return str(self._call("POST", "snapshots", {"key": key, "cookies": list(cookies)})["key"])

    def restore(self, key: str) -> None:
        """Restore the state that any episode of this server saved under ``key``, including its events."""
        self.cookies = self._call("POST", "restore", {"key": key})["cookies"]

    def restore_if_saved(self, key: str) -> list[dict[str, Any]] | None:
        """Do the same if there is such a state; return the cookies that were kept with it, ``None`` without one."""
        answer = self._call("POST", "restore", {"key": key, "optional": True})
        if not answer["found"]:
            return None
        self.cookies = answer["cookies"]
        kept: list[dict[str, Any]] = answer["kept"]
        return kept

    def ask_last_seq(self) -> Callable[[], int]:
        """Ask for the number of the last event in the log, 0 if there is none; what is returned waits for it."""
        answer = self._ask("GET", f"/episodes/{self.id}/seq")
        return lambda: int(answer()["seq"])

    def seal(self) -> int:
        """Answer the episode's pages no more, so that its state stays; return the number of the last event."""
        return int(self._call("POST", "seal")["seq"])

    def stage(
        self,
        texts: Mapping[str, Sequence[str]],
        faults: Sequence[Mapping[str, Any]],
        decision: Mapping[str, Any] | None = None,
        forms: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Bring texts, faults and a decision into the episode, and watch forms.

        Args:
            texts: Texts of other people, by the place on a page that shows them.
            faults: ``{request, method, kind, times}`` each: requests that are answered with a fault.
            decision: The decision that pages ask for.
            forms: Names of fields by the address that a form is sent to: the log then tells what it was sent with.
        """
        places = {place: list(each) for place, each in texts.items()}
        watched = {form: list(names) for form, names in (forms or {}).items()}
        body = {"texts": places, "faults": [dict(fault) for fault in faults], "forms": watched}
        self._call("POST", "staged", {**body, "decision": dict(decision)} if decision else body)

    def keep_requests(self) -> None:
        """Make the server keep, from now on, the page requests that could change state."""
        self._call("POST", "requests")

    def requests(self) -> list[dict[str, Any]]:
        """Return the kept requests: method, host, path, headers, body, status, and the kinds of events caused."""
        found: list[dict[str, Any]] = self._call("GET", "requests")["requests"]
        return found

    def close(self) -> None:
        """Close the episode. Its snapshots remain."""
        # If the server does not respond, the episode ends with the lease instead.
        self._control("DELETE", f"/episodes/{self.id}", timeout=_END_TIMEOUT)

    def _call(self, method: str, what: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        answer: dict[str, Any] = self._control(method, f"/episodes/{self.id}/{what}", body)
        return answer
