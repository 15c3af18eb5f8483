"""Selecting instances by id pattern, website and category."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from websp_gym.errors import UnknownInstanceError, nearest
from websp_gym.tasks.ids import all_ids, canonical_id, is_work, matches
from websp_gym.tasks.instances import all_instances, all_work, load_instance

if TYPE_CHECKING:
    import numpy as np


def select_instances(
    patterns: Iterable[str], *, site: str | None = None, category: str | None = None
) -> list[str]:
    """Select instances by id pattern, website and category.

    Args:
        patterns: Globs such as ``Steam-*`` or ``*-ON``, in any spelling of an id; case is ignored. Everyday tasks are
            selected only by a glob that contains ``-flow-``, and work by ``-stwab-``, by ``SuiteCRM-*`` and the like,
            or by ``site`` and ``category``.
        site: Only instances of this website, by its name or slug; case, spaces and punctuation are ignored.
        category: Only instances whose task category contains this text; case is ignored.

    Returns:
        The matching ids, in the order of the files.

    Raises:
        UnknownInstanceError: A pattern matches nothing, or no instance is left.
    """
    patterns = list(patterns)
    known = all_ids()
    chosen: set[str] = set()
    for pattern in patterns:
        plain = canonical_id(pattern)
        found = [name for name in known if matches(name, plain)]
        if (site or category) and plain == "*":
            found += [name for name in known if is_work(name)]
        if not found:
            hint = _of_site(plain) or _near_site(plain) or nearest(plain, known)
            raise UnknownInstanceError(f'no instance matches "{pattern}"{hint}', instance=pattern)
        chosen.update(found)
    kept = [name for name in known if name in chosen]
    return _of_kind(kept, site, category) if site or category else kept


def draw_instance(ids: Sequence[str], source: np.random.Generator) -> str:
    """Draw one of the instances uniformly."""
    return ids[int(source.integers(len(ids)))]


def _of_site(text: str) -> str:
    """Return how to select the instances of a website if the text is its name; else an empty string."""
    wanted = _letters(text)
    for one in (*all_instances(), *all_work()):
        prefix = one.id.partition("-")[0]
        if wanted in (_letters(one.site.site), _letters(one.site.slug), _letters(prefix)):
            return f"; for all instances of that website, use --site {shlex.quote(one.site.site)} or '{prefix}-*'"
    return ""


def _near_site(pattern: str) -> str:
    """Return a hint for a pattern that begins with the misspelt name of a website, such as ``Steem-*``."""
    name, dash, rest = pattern.partition("-")
    if not dash or "*" not in rest:
        return ""
    hint = nearest(name, list(dict.fromkeys(name.partition("-")[0] for name in all_ids())))
    return hint.replace('"?', f'-{rest}"?')


def _letters(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def _of_kind(ids: Iterable[str], site: str | None, category: str | None) -> list[str]:
    instances = [load_instance(name) for name in ids]
    found = [
        one.id
        for one in instances
        if (site is None or _letters(site) in (_letters(one.site.site), _letters(one.site.slug)))
        and (category is None or category.casefold() in one.task.category.casefold())
    ]
    if not found:
        words = {"site": site, "category": category}
        said = " and ".join(f'{name} "{word}"' for name, word in words.items() if word)
        sites = sorted({one.site.site for one in instances})
        hint = nearest(site, sites) if site and site not in sites else ""
        raise UnknownInstanceError(f"no instance has {said}{hint}; `websp list` shows all")
    return found
