"""Pack trajectories into the report's page."""

from __future__ import annotations

import gzip
import os
from base64 import b64encode
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from websp_gym.errors import SetupError
from websp_gym.report.pages.pictures import BYTES_PER_EPISODE
from websp_gym.report.pages.trajectory_view import trajectory_html
from websp_gym.report.tables.rows import EpisodeRow

LIMIT = 200_000_000
"""Bytes of trajectories in one page; browsers are slow to open larger ones."""
NOT_KEPT = "The run recorded no trajectory."
TOO_LARGE = "Left out to limit the size of the page; websp report --max-size raises the limit."

_WORKERS = min(8, os.cpu_count() or 1)
"""Number of threads; most of the time is spent on encoding pictures."""
_AHEAD = 4 * _WORKERS
"""Number of pages rendered before checking whether they fit."""

Progress = Callable[[int, int], None]


@dataclass
class Packed:
    """The trajectories of a page.

    Args:
        pages: Each trajectory's HTML, gzipped and in base64.
        places: Index in `pages` by episode.
        missing: Reason by episode without a page.
        size: Total size of `pages` in bytes.
        full: Whether a page did not fit; all later ones are left out too.
    """

    pages: list[str] = field(default_factory=list)
    places: dict[EpisodeRow, int] = field(default_factory=dict)
    missing: dict[EpisodeRow, str] = field(default_factory=dict)
    size: int = 0
    full: bool = False

    def count(self, reason: str) -> int:
        """Return the number of episodes without a trajectory for this reason."""
        return sum(why == reason for why in self.missing.values())


def pack(
    episodes: Iterable[EpisodeRow], *, limit: int = LIMIT, progress: Progress = lambda done, of: None
) -> Packed:
    """Pack the trajectories of episodes, up to a size limit.

    First trials come first, and the episodes of all agents on an instance together, so that included ones can
    be compared.

    Args:
        episodes: The episodes.
        limit: Most bytes in total.
        progress: Called with the number of finished trajectories and their total.

    Returns:
        The packed trajectories; those that are gone or unreadable are in ``missing``, with the reason.
    """
    packed = Packed()
    todo = []
    for episode in episodes:
        if episode.folder is None:
            packed.missing[episode] = NOT_KEPT
        else:
            todo.append(episode)
    todo.sort(key=lambda episode: (episode.result.trial, episode.result.id))
    with ThreadPoolExecutor(_WORKERS) as pool:
        for start in range(0, len(todo), _AHEAD):
            some = todo[start : start + _AHEAD]
            if packed.full:
                packed.missing.update(dict.fromkeys(some, TOO_LARGE))
                continue
            for done, (episode, page) in enumerate(zip(some, pool.map(_page, some), strict=True), start + 1):
                _add(packed, episode, page, limit)
                progress(done, len(todo))
    return packed


def _page(episode: EpisodeRow) -> str | SetupError:
    assert episode.folder is not None
    try:
        page = trajectory_html(episode.folder, picture_bytes=BYTES_PER_EPISODE)
    except SetupError as error:
        return error
    return b64encode(gzip.compress(page.encode("utf-8", errors="replace"), mtime=0)).decode()


def _add(packed: Packed, episode: EpisodeRow, page: str | SetupError, limit: int) -> None:
    if isinstance(page, SetupError):
        packed.missing[episode] = str(page)
    elif packed.full or packed.size + len(page) > limit:
        packed.full = True
        packed.missing[episode] = TOO_LARGE
    else:
        packed.places[episode] = len(packed.pages)
        packed.pages.append(page)
        packed.size += len(page)
