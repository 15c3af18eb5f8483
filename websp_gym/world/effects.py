"""Whether what an account has decided takes effect, tested from outside in a copy of the episode.

The state reward reads what the server has stored. Effects go further: an ended session is refused, strangers do not
find private content, a created token has its scopes and no others, rejected trackers hear nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from websp_gym.sandbox.client import EpisodeHandle, Sandbox
from websp_gym.tasks.goals import Goal, Items
from websp_gym.world.http_probe import HttpProbe, ProbeReply
from websp_gym.world.state import SESSIONS, Item, WorldState, same

_MAILBOX = "mail"
_TOKENS = "tokens"
_NONE = (False, "off", "never", "none")
_REFUSED = (401, 403, 404)


@dataclass(frozen=True)
class EffectResult:
    """One tested effect.

    Args:
        name: What should be true.
        holds: Whether it is true.
        evidence: What was tried, and the result.
    """

    name: str
    holds: bool
    evidence: str


class EffectProbe:
    """Tests the effects of a site's state that concern a goal.

    Args:
        sandbox: The sandbox.
        episode: A fork of the episode, which the requests may change.
        site: The sandbox's declaration of the site.
        goal: The goal; only effects of what it names are tested.
        start: S0.
        end: The state at the end.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        episode: EpisodeHandle,
        site: Mapping[str, Any],
        goal: Goal,
        start: WorldState,
        end: WorldState,
    ) -> None:
        self._sandbox, self._episode, self._site, self._goal = sandbox, episode, site, goal
        self._slug: str = site["slug"]
        self._start, self._end = start.sites[self._slug], end.sites[self._slug]
        self._events = end.events

    def effects(self) -> Iterator[EffectResult]:
        """Test and yield each effect; none if the site has none that concerns the goal."""
        yield from self._sessions()
        yield from self._trackers()
        yield from self._mail()
        yield from self._seen_by_strangers()
        yield from self._tokens()

    def _checks(self, collection: str) -> list[Items]:
        """The part of the goal about a collection."""
        return [check for _, check in self._goal.items() if check.collection == collection]

    def _sessions(self) -> Iterator[EffectResult]:
        page = self._site["private_page"]
        if not page or not (self._checks(SESSIONS) or self._goal.signed_in is not None):
            return
        known = [item["id"] for item in self._start.collections.get(SESSIONS, ())]
        open_now = {item["id"] for item in self._end.collections.get(SESSIONS, ())}
        cookies = self._sandbox.credentials(self._slug, sessions=known)["sessions"]
        wrong, said = [], {"ended": 0, "open": 0}
        for session in known:
            wanted = "open" if session in open_now else "ended"
            said[wanted] += 1
            reply = self._send("GET", page, cookies=cookies[session])
            found = "open" if reply.status == 200 and reply.url == page else "ended"
            if found != wanted:
                wrong.append(
                    f"session {session} is {wanted}, and {page} led its cookie to {reply.url} ({reply.status})"
                )
        yield EffectResult(
            "the cookie of an ended session is refused, that of an open one is not",
            not wrong,
            "; ".join(wrong) or f"{page}: {said['ended']} ended, {said['open']} open",
        )

    def _tokens(self) -> Iterator[EffectResult]:
        spec = self._site["tokens"]
        if not spec or not self._checks(_TOKENS) or not spec["uses"]:
            return
        before = {item["id"] for item in self._start.collections[_TOKENS]}
        now = self._end.collections[_TOKENS]
        created = [item for item in now if item["id"] not in before]
        gone = sorted(before - {item["id"] for item in now})
        texts = self._sandbox.credentials(self._slug, tokens=[*(item["id"] for item in created), *gone])[
            "tokens"
        ]
        for item in created:
            yield self._works(spec, item, texts[item["id"]])
        # Without the tokens, their texts are worth nothing.
        left = [item for item in now if item["id"] in before]
        self._episode.patch(self._slug, collections={_TOKENS: left})
        wrong = [
            f"{text[:8]}… was answered with {reply.status}"
            for text in texts.values()
            for reply in (self._use(spec["uses"][0], text),)
            if reply.status not in _REFUSED
        ]
        if texts:
            yield EffectResult(
                "a revoked token is refused",
                not wrong,
                "; ".join(wrong) or f"{len(texts)} tried after its removal",
            )

    def _works(self, spec: Mapping[str, Any], item: Item, text: str) -> EffectResult:
        held = item[spec["scopes"]]
        scopes = set(held if isinstance(held, list) else [held])
        scopes |= {each for scope in scopes for each in spec["includes"].get(scope, ())}
        wrong, said = [], []
        for use in spec["uses"]:
            allowed = not use["scopes"] or bool(scopes & set(use["scopes"]))
            reply = self._use(use, text)
            said.append(f"{use['method']} {reply.url}: {reply.status}")
            if (200 <= reply.status < 300) is not allowed or (not allowed and reply.status not in _REFUSED):
                wrong.append(f"{said[-1]}, though it may {'' if allowed else 'not '}do this")
        return EffectResult(
            "the token may do what its scopes say, and nothing else", not wrong, "; ".join(wrong or said)
        )

    def _use(self, use: Mapping[str, Any], text: str) -> ProbeReply:
        url = use["url"].format(account=self._episode.account)
        return self._send(use["method"], url, token=text, body=use["body"])

    def _trackers(self) -> Iterator[EffectResult]:
        decided = {key: each for key, each in self._site["trackers"].items() if key in self._goal.settings}
        rejected = {key for key, each in decided.items() if self._end.settings[key] is each["opt_out"]}
        choices = [
            event.seq for event in self._events if event.site == self._slug and event.kind == "consent"
        ]
        if not rejected or not choices:
            return
        since = [event for event in self._events if event.seq > choices[-1]]
        visits = sum(event.kind == "visit" and event.site == self._slug for event in since)
        heard = dict.fromkeys(decided, 0)
        for event in since:
            for key, each in decided.items():
                if event.kind == "tracker" and event.data["site"] == self._slug:
                    heard[key] += event.data["host"] in each["hosts"]
        holds = all(
            (heard[key] == 0) if key in rejected else (heard[key] > 0 or not visits) for key in decided
        )
        counts = ", ".join(
            f"{key} {'rejected' if key in rejected else 'allowed'}: {number}" for key, number in heard.items()
        )
        yield EffectResult(
            "rejected trackers hear nothing", holds, f"reports from {visits} pages since: {counts}"
        )

    def _mail(self) -> Iterator[EffectResult]:
        mail, goal = self._site["mail"], self._goal.settings
        # What stops all mail concerns every kind.
        concerned = [key for key in mail["kinds"] if key in goal or set(mail["stopped_by"]) & set(goal)]
        if not concerned:
            return
        sent = self._episode.send_mail(self._slug)
        inbox = self._inbox()
        came = [key for key in concerned if f"{key}.{self._slug}<" in inbox]
        unwanted = [key for key in came if key not in sent or (key in goal and goal[key] in _NONE)]
        lost = [key for key in concerned if key in sent and key not in came]
        evidence = f"{len(came)} of {len(concerned)} kinds arrived: {', '.join(came) or 'none'}"
        yield EffectResult("no mail of a disabled kind arrives", not unwanted and not lost, evidence)

    def _inbox(self) -> str:
        """Return the page of the account's mailbox, read by somebody who signs in there."""
        probe = HttpProbe(self._sandbox, self._episode.id, device={})
        try:
            for form in self._sandbox.credentials(_MAILBOX)["forms"]:
                probe.request("POST", form["url"], form=form["fields"])
            return probe.request("GET", "https://mail.google.com/mail/u/0/").text
        finally:
            probe.close()

    def _seen_by_strangers(self) -> Iterator[EffectResult]:
        for spec in self._site["effects"]:
            if spec["collection"]:
                wanted = [check.where for check in self._checks(spec["collection"])]
                for item in self._end.collections[spec["collection"]]:
                    if _has(item, spec["where"]) and any(_has(item, where) for where in wanted):
                        yield self._tried(spec, item)
            elif set(spec["settings"]) & set(self._goal.settings) and self._hold(spec["settings"]):
                yield self._tried(spec, {})

    def _hold(self, settings: Mapping[str, Any]) -> bool:
        return all(same(self._end.settings[key], value) for key, value in settings.items())

    def _tried(self, spec: Mapping[str, Any], item: Item) -> EffectResult:
        """Return the present result for a stranger and the opposite one, which the effect distinguishes."""
        now = self._as_stranger(spec, item)
        if item:
            rows = self._end.collections[spec["collection"]]
            changed = [row | spec["otherwise"] if row["id"] == item["id"] else row for row in rows]
            self._episode.patch(self._slug, collections={spec["collection"]: changed})
            then = self._as_stranger(spec, item)
            self._episode.patch(self._slug, collections={spec["collection"]: rows})
        else:
            self._episode.patch(self._slug, settings=spec["otherwise"])
            then = self._as_stranger(spec, item)
            self._episode.patch(
                self._slug, settings={key: self._end.settings[key] for key in spec["otherwise"]}
            )
        # A refusal tells nothing where everybody is refused, and no page that breaks tells anything.
        told = then.status == 200 if spec["status"] != 200 else then.status in (200, *_REFUSED)
        holds = _shows(spec, now) and told and not _shows(spec, then)
        evidence = f"{now.url}: {now.status}, and {then.status} with {spec['otherwise']}"
        return EffectResult(spec["effect"], holds, evidence)

    def _as_stranger(self, spec: Mapping[str, Any], item: Item) -> ProbeReply:
        values = {"account": self._episode.account, **item}
        form = {name: value.format(**values) for name, value in spec["form"].items()}
        return self._send(spec["method"], spec["url"].format(**values), form=form or None)

    def _send(self, method: str, url: str, *, cookies: Any = (), **parts: Any) -> ProbeReply:
        probe = HttpProbe(self._sandbox, self._episode.id, cookies, device={})
        try:
            return probe.request(method, url, **parts)
        finally:
            probe.close()


def _has(item: Item, fields: Mapping[str, Any]) -> bool:
    return all(same(item.get(name), value) for name, value in fields.items())


def _shows(spec: Mapping[str, Any], reply: ProbeReply) -> bool:
    """Whether a response is the one that a stranger gets while the effect holds."""
    if reply.status != spec["status"]:
        return False
    return spec["says"] in reply.text and (not spec["lacks"] or spec["lacks"] not in reply.text)
