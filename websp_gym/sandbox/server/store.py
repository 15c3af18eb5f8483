"""The episodes of a server, their snapshots, and the log of requests to unknown hosts."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
import threading
import zlib
from collections import OrderedDict, deque
from collections.abc import Iterable

from websp_gym.sandbox.schema.catalog import Catalog
from websp_gym.sandbox.schema.site_schema import Row

from .episode import SCHEMA, EpisodeState
from .turns import Workers

_MAX_SNAPSHOTS = 20_000
_MAX_EGRESS = 10_000


class UnknownSnapshotError(ValueError):
    """Error for a key under which nothing is saved."""

    def __init__(self) -> None:
        super().__init__("unknown snapshot key (made by another server, or dropped for newer ones)")


class Store:
    """The episodes and snapshots of a server, and the log of requests to unknown hosts (``egress``)."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.egress: deque[Row] = deque(maxlen=_MAX_EGRESS)
        self.default: EpisodeState | None = None
        self._episodes: dict[str, EpisodeState] = {}
        self._snapshots: OrderedDict[str, tuple[bytes, list[Row]]] = OrderedDict()
        self.workers = Workers()
        self._keeping = threading.Lock()
        with sqlite3.connect(":memory:") as db:
            db.executescript(SCHEMA)
            self._blank = db.serialize()
        db.close()

    def open(self, lease: str = "") -> EpisodeState:
        """Open an episode with a fresh account."""
        episode = EpisodeState(self.catalog, self._blank, lease)
        self._episodes[episode.id] = episode
        return episode

    def find(self, episode: str) -> EpisodeState | None:
        """Return the open episode with this id, or None."""
        return self._episodes.get(episode)

    async def close(self, episode: EpisodeState) -> None:
        """Close an episode as soon as no request uses it. Its snapshots remain."""
        self._episodes.pop(episode.id, None)
        if self.default is episode:
            self.default = None
        episode.turn.end()
        async with episode.turn.lock:
            episode.close()

    async def end_lease(self, lease: str) -> None:
        """Close the episodes of a user process that is gone."""
        own = [episode for episode in self._episodes.values() if episode.lease == lease]
        await asyncio.gather(*(self.close(episode) for episode in own))

    def snapshot(self, episode: EpisodeState, key: str = "", cookies: Iterable[Row] = ()) -> str:
        """Save an episode's state in memory and return its key; beyond 20 000, drop the least recently used.

        Args:
            episode: The episode.
            key: The key to save under, replacing what is there; if empty, one is drawn.
            cookies: Cookies of its browser, which are kept with it.
        """
        key = key or secrets.token_urlsafe(16)
        dump = zlib.compress(episode.dump(), 1)
        with self._keeping:
            self._snapshots[key] = dump, list(cookies)
            if len(self._snapshots) > _MAX_SNAPSHOTS:
                self._snapshots.popitem(last=False)
        return key

    def restore(self, episode: EpisodeState, key: str) -> list[Row]:
        """Restore the state that any episode saved under ``key``, and return the cookies that were kept with it.

        Raise UnknownSnapshotError if there is no such snapshot.
        """
        with self._keeping:
            if key not in self._snapshots:
                raise UnknownSnapshotError
            self._snapshots.move_to_end(key)
            dump, cookies = self._snapshots[key]
        episode.load(zlib.decompress(dump))
        return cookies
