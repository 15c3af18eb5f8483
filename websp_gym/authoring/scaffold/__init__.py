"""Create a new site: a small one that passes its check, as a start for the real one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from websp_gym.errors import SetupError
from websp_gym.paths import data_dir
from websp_gym.project import docs

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_LIVE_HOST = re.compile(r"([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
_PUBLIC = re.compile(r".+\.[a-z][a-z0-9-]*(:[0-9]+)?")
"""A host that has a name on the internet, and with it a certificate: no address of digits, no single word."""
_REPOSITORY = Path("websp_gym", "sandbox", "sites")


@dataclass(frozen=True)
class NewSite:
    """The files of a new site.

    Args:
        slug: Name of the site's folder.
        site_id: Prefix of its task ids.
        host: Its main host.
        files: The files written, in the order to read them.
    """

    slug: str
    site_id: str
    host: str
    files: tuple[Path, ...]


def new_site(
    name: str, *, host: str | None = None, folder: Path | None = None, live: bool = False
) -> NewSite:
    """Write the files of a new site with a front page, a consent centre, a settings page and two tasks.

    Args:
        name: Name of the site as people write it.
        host: Its main host; None means ``www.<slug>.com`` without underscores. Where ``live``, it may be any machine,
            with a port, such as ``localhost:8123``.
        folder: Folder for ``sites/``, ``task_configs/`` and ``tests/``; None means this checkout.
        live: Whether the site has no replica: only the file of its tasks is written.

    Raises:
        SetupError: The name or host is invalid or taken, or a file already exists (nothing is written then),
            or the folder cannot be written to.
    """
    site_id = _site_id(name)
    slug = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    address = host or f"www.{slug.replace('_', '')}.com"
    _check_free(slug, address, live=live)
    root = folder or _checkout()
    target = root / ("sites" if folder else _REPOSITORY) / slug
    words = {"NAME": name, "SLUG": slug, "HOST": address, "ID": site_id, "DOCS": docs("reference/sites")}
    words["URL"] = f"{'https' if _PUBLIC.fullmatch(address) else 'http'}://{address}"
    plan = _plan_live if live else _plan
    words["PLACES"] = ", places=SearchPaths.below(Path(__file__).parent.parent)" if folder else ""
    words["IMPORTS"] = (
        "from pathlib import Path\n\nfrom websp_gym.authoring import SearchPaths, check_site"
        if folder
        else "from websp_gym.authoring import check_site"
    )
    planned = {path: _filled(source, words) for path, source in plan(root, target, slug)}
    for path in [target, *planned]:
        if path.exists():
            raise SetupError(f"{path} already exists; remove it or choose another name", path=str(path))
    try:
        for path, text in planned.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if folder:
            # WEBSP_TRACES may name this folder before the first recording.
            (root / "traces").mkdir(exist_ok=True)
    except OSError as error:
        raise SetupError(f"cannot write below {root}: {error.strerror}", path=str(root)) from error
    return NewSite(slug, site_id, address, tuple(planned))


def _plan(root: Path, target: Path, slug: str) -> Iterator[tuple[Path, Traversable]]:
    """Yield each file to write and its source in the scaffold."""
    source = files("websp_gym.authoring.scaffold") / "files"
    yield target / "site.yaml", source / "site" / "site.yaml"
    for kind in ("templates", "static", "data"):
        for file in sorted((source / "site" / kind).iterdir(), key=lambda each: each.name):
            yield target / kind / file.name.replace("SLUG", slug), file
    yield root / "task_configs" / f"{slug}.yaml", source / "tasks.yaml"
    yield root / "tests" / f"test_site_{slug}.py", source / "test_site.py.txt"


def _plan_live(root: Path, _target: Path, slug: str) -> Iterator[tuple[Path, Traversable]]:
    source = files("websp_gym.authoring.scaffold") / "files"
    yield root / "task_configs" / f"{slug}.yaml", source / "live_tasks.yaml"


def _filled(source: Traversable, words: dict[str, str]) -> str:
    text = source.read_text("utf-8")
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


def _site_id(name: str) -> str:
    site_id = "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", name))
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9 ._-]*", name):
        raise SetupError(
            f'"{name}": a name begins with a letter and has only letters, digits, spaces, dots, dashes and '
            "underscores",
            option="name",
        )
    return site_id


def _check_free(slug: str, host: str, *, live: bool) -> None:
    from websp_gym.authoring.files import known_slugs, read_catalog

    if live and not _LIVE_HOST.fullmatch(host):
        raise SetupError(
            f'"{host}" is not a host such as www.example.com, localhost or 127.0.0.1:8123: write it in lower case, '
            "without https:// and without a path",
            option="host",
        )
    if not live and not _HOST.fullmatch(host):
        way = (
            "; a replica has a host name and no port. For a website that runs there, add --live"
            if _LIVE_HOST.fullmatch(host)
            else ""
        )
        raise SetupError(
            f'"{host}" is not a lower-case host name such as www.example.com{way}', option="host"
        )
    if slug in known_slugs():
        raise SetupError(f'site "{slug}" already exists; choose another name', site=slug)
    catalog, _ = read_catalog()
    owner = catalog.by_host(host) if catalog else None
    if owner is not None:
        raise SetupError(
            f'the host "{host}" already belongs to "{owner.slug}"; give another --host', option="host"
        )


def _checkout() -> Path:
    root = data_dir("task_configs").parent
    if not (root / _REPOSITORY).is_dir() or not (root / "pyproject.toml").is_file():
        raise SetupError(
            "this is not a checkout of websp-gym; give the folder for the site with --places FOLDER"
        )
    return root
